"""Paper 002, figure 6: free but fragmented registers when a kernel should get another block."""
import csv
import os

import lib

TITLE = 'Paper 002, figure 6: fragmented registers'
SWEEPS = ['002-fragments']
STUDY = {'002-fragments': ['test/unit/chip/sm/fragments', '1024', '20']}
SHOWN = 4096  # registers between rows of the table

TEXT = '''An SM of 65536 registers and 32 blocks is filled by even SMK, kernel A's blocks first,
then B's. For a further block of B, blocks of A leave until enough registers are free: under first
fit random blocks (mean of 20 draws), under 2-way allocation the blocks reaching farthest. The table
has, in percent of all registers, the size of a block that does not fit although enough registers
are free; under 2-way allocation the most of all pairs is %.0f. No program is simulated: the study
runs the simulator's allocator alone.

'''


def study():
    """Returns [(registers of a block of A, of B, fragmented percentage under first fit, under
    2-way)]."""
    path = os.path.join(lib.HERE, 'results', SWEEPS[0] + '.csv')
    with open(path, encoding='utf-8') as f:
        return [(int(a), int(b), 100 * float(x), 100 * float(y))
                for a, b, x, y in list(csv.reader(f))[1:]]


def grid(rows):
    of = {(a, b): x for a, b, x, _ in rows if not a % SHOWN and not b % SHOWN}
    sizes = sorted({a for a, _ in of})
    return lib.table(['registers of a block of A, down, and of B'] + [str(b) for b in sizes],
                     [[str(a)] + ['%.0f' % of[a, b] for b in sizes] for a in sizes])


def section():
    rows, v = study(), lib.Verdicts()
    a, b, most, _ = max(rows, key=lambda r: r[2])
    v.add('T002-027', 'most fragmented registers, percent; A below 32768, B close to 32768', '50',
          programs=('%.0f, A %d, B %d' % (most, a, b),
                    lib.true(abs(most - 50) < 5 and a < b and b > 0.9 * 32768, abs(most - 50) < 5)))
    v.add('T002-027', 'none if a block of A takes as many as a block of B, or more', 'yes',
          programs=('yes' if all(x == 0 for a, b, x, _ in rows if a >= b) else 'no',
                    lib.true(all(x == 0 for a, b, x, _ in rows if a >= b))))
    return TEXT % max(y for *_, y in rows) + grid(rows) + '\n' + v.markdown(), v

#!/usr/bin/env python3
"""Writes docs/reference/corun-silicon.md to standard output. From shared.csv and
shared_simulated.csv; tools/docs.sh calls corun_page.py, corun.py makes shared_simulated.csv."""
from corun import GOOD, MACHINE, error, model, ratio, rows, stored, totals
from page import table

INTRO = '''# Pairs of kernels beside silicon

Pairs of kernels that share a real RTX 5090, and the same pairs on the machine `%s`. The slowdown is
the time together over the time alone; of two different kernels, the longer time alone.
`test/silicon/corun.py` repeats the simulations; the kernels are the workload
[`probe`](workloads.md), and `test/silicon/probes.cu` runs the same kernels on real GPUs.

* Source of all measurements: github.com/852866031/GPU-interfere (e120026; RTX 5090, CUDA 12.8, two
  streams, median of ten runs), a public reproduction of Elvinger et al., "Understanding GPU
  Resource Interference One Level Deeper", SoCC 2025.
* No value of a machine file is chosen from a shared run. Machine files are fitted to runs of a
  single kernel ([silicon.md](silicon.md)), here also to times alone: copies of 56 to 80 MB
  (`l2.candidates`), four f32 chains (`sm.register_banks`), one and two f64 chains.
* The simulated runs are shorter than the measured runs. Rows of L1, L2 and chains compare the
  time of later passes only, without the start of a kernel and cold passes; `few` and `many` of
  `test/silicon/shared.csv` are the numbers of passes.
* Claim `number`: the ratio is to be met. Of rows of other sources, of kind only, a Tesla T4's five
  processes are a test (`test/cli/timeslice.bats`): measured 1.427 s alone, 1.61 to 1.65 under MPS,
  8.62 to 8.78 in time slices, 5.3 times MPS; simulated 5.3 times, all five within 2 %%. Green
  contexts and MIG are not compared yet.
* Clocks are fixed. A real GPU may lower its clock when two kernels run.
'''
REASONS = {     # id -> cause of a larger error, isolated by a run
    'l1-32': 'the data of both kernels, 128 KB, exceed L1 by the carve-out for reserved shared '
             'memory; with 160 KB of L1 (`l1.ways=320`) the slowdown is 1.00',
}


def cells(row, result):
    of = '%s, %s %s' % (row['alone'], row['together'], row['unit'])
    cell = [row['id'], row['kernels'], '`%s`' % row['policy'], of, '%.2f' % ratio(row)]
    if not result:
        return [*cell, 'not simulated', '', 'number']
    return [*cell, '%.2f%s' % (ratio(result), model.mark(result['model'])),
            '%+.0f %%' % (100 * error(row, result)), 'number']


def main():
    found = stored()
    done = [r for r in rows() if r['id'] in found]
    all_n, done_n, good_n, mean = totals()
    print(INTRO % MACHINE)
    print('Simulated: %d of %d numbers. Mean absolute error of the slowdown: %.1f %%; %d within '
          '%d %%.\n' % (done_n, all_n, mean, good_n, 100 * GOOD))
    print(table(['id', 'kernels', 'policy', 'measured alone, together', 'slowdown', 'simulated',
                 'error', 'claim'], [cells(r, found.get(r['id'])) for r in rows()]))
    wrong = [r for r in done if abs(error(r, found[r['id']])) > GOOD]
    if wrong:
        print(table(['larger error', 'error', 'cause'],
                    [[r['id'], '%+.0f %%' % (100 * error(r, found[r['id']])),
                      REASONS.get(r['id'], 'not isolated')] for r in wrong]), end='')


if __name__ == '__main__':
    main()

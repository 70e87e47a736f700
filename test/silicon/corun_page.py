#!/usr/bin/env python3
"""Writes docs/reference/corun-silicon.md to standard output. From shared.csv and
shared_simulated.csv; tools/docs.sh calls corun_page.py, corun.py makes shared_simulated.csv."""
from corun import MACHINE, model, rows, stored
from page import table

INTRO = '''# Pairs of kernels beside silicon

Pairs of kernels that share a real RTX 5090, and the same pairs on the machine `%s`. The slowdown is
the time together over the time alone; of two different kernels, the longer time alone.
`test/silicon/corun.py` repeats the simulations; the kernels are the workload
[`probe`](workloads.md), and `test/silicon/probes.cu` runs the same kernels on real GPUs.

* Source of all measurements: github.com/852866031/GPU-interfere (e120026; RTX 5090, CUDA 12.8, two
  streams, median of ten runs), a public reproduction of Elvinger et al., "Understanding GPU
  Resource Interference One Level Deeper", SoCC 2025.
* No value of a machine file is chosen from a row of the page. Machine files are fitted to runs of
  a single kernel ([silicon.md](silicon.md)).
* The simulated runs are shorter than the measured runs. Rows of L1, L2 and chains compare the
  time of later passes only, without the start of a kernel and cold passes; `few` and `many` of
  `test/silicon/shared.csv` are the numbers of passes.
* Claim `number`: the ratio is to be met. Rows of other sources, of kind only (processes in time
  slices, green contexts, MIG), are not simulated yet.
* Clocks are fixed. A real GPU may lower its clock when two kernels run.
'''
REASONS = {     # id -> cause of a larger error, isolated by a run
    'l1-32': 'the data of both kernels fill the 128 KB of L1 exactly (the machine has no carve-out '
             'for shared memory); with 124 KB (`l1.ways=248`) the slowdown is 4.74',
    'l1-64': 'the data of a kernel alone fill the 128 KB of L1 exactly; with 124 KB the slowdown '
             'is 1.00',
}
GOOD = 0.20


def ratio(row):
    return float(row['together']) / float(row['alone'])


def error(row, result):
    return ratio(result) / ratio(row) - 1


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
    errors = [error(r, found[r['id']]) for r in done]
    print(INTRO % MACHINE)
    print('Simulated: %d of %d numbers. Mean absolute error of the slowdown: %.1f %%; %d within '
          '%d %%.\n' % (len(done), len(rows()),
                        100 * sum(map(abs, errors)) / max(len(errors), 1),
                        sum(abs(e) <= GOOD for e in errors), 100 * GOOD))
    print(table(['id', 'kernels', 'policy', 'measured alone, together', 'slowdown', 'simulated',
                 'error', 'claim'], [cells(r, found.get(r['id'])) for r in rows()]))
    wrong = [r for r in done if abs(error(r, found[r['id']])) > GOOD]
    if wrong:
        print(table(['larger error', 'error', 'cause'],
                    [[r['id'], '%+.0f %%' % (100 * error(r, found[r['id']])),
                      REASONS.get(r['id'], 'not isolated')] for r in wrong]), end='')


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Compares corun with GPGPU-Sim as a test: counts independent of timing are equal, cycles are near.
`make fidelity` prints everything."""
import os
import sys
import tempfile

import compare
import pairs

sys.path.insert(0, os.path.join(os.path.dirname(compare.HERE), 'whole'))
from common import Tap  # noqa: E402

ROW_ERROR, MEAN_ERROR, RANKS = 0.12, 0.05, 0.98
ALWAYS = ['warp instructions', 'thread instructions', 'L1 accesses']
# No line is requested again while in flight or evicted: hence every count below is determined.
STREAMS = ['vecadd', 'strided4', 'chase_1w', 'chase_l2', 'fma_ilp1', 'sfu', 'bank8', 'copy4']
FOLLOWS = ['L1 hits', 'L1 merged', 'L1 misses', 'L2 accesses', 'L2 merged', 'L2 misses']


def check(row):
    names = ALWAYS + (FOLLOWS if row['app'] in STREAMS else [])
    for name in names:
        mine, theirs = row['figures'][name]
        assert mine == theirs, '%s: %d, the reference has %d' % (name, mine, theirs)
    assert row['status'] == 'completed', row['status']
    assert row['output'] != 'OTHER', 'its output is not the reference\'s'
    assert abs(row['error']) <= ROW_ERROR, 'cycles: %+.1f %%' % (100 * row['error'])


def check_all(rows):
    s = compare.summary(rows)
    assert s['mean_error'] <= MEAN_ERROR, 'mean error %.1f %%' % (100 * s['mean_error'])
    assert s['rank_correlation'] > RANKS, 'rank correlation %.3f' % s['rank_correlation']


# Short pairs of kernels, whose cycles are not limited by the crossbar of rtx2060.
PAIRS = [('fermi30', 'off', 'bank8'), ('rtx2060', 'off', 'bank8'), ('rtx2060', 'off', 'sfu'),
         ('rtx2060', 'off', 'vecadd'), ('fermi30', 'on', 'bank8'), ('fermi30', 'on', 'reduce'),
         ('rtx2060', 'on', 'bank8'), ('rtx2060', 'on', 'sfu'), ('rtx2060', 'on', 'spmv')]
PAIR_ERROR, END_ERROR, GRID_ERROR = 0.05, 0.10, 0.08


def check_pair(bench, ref):
    row = pairs.pair_row(bench, ref)
    assert row['status'] == 'completed', row['status']
    assert abs(pairs.error(row['cycles'])) <= PAIR_ERROR, pairs.said_pair(row)
    assert all(abs(pairs.error(e)) <= END_ERROR for e in row['ends']), pairs.said_pair(row)


def check_grid(bench, ref):
    row = pairs.grid_row(bench, ref)
    assert row['status'] == 'completed', row['status']
    assert abs(pairs.error(row['cycles'])) <= GRID_ERROR, pairs.said_grid(row)


def main(build):
    tap = Tap()
    ref = compare.reference(os.path.join(compare.DATA, 'reference.csv'))
    with tempfile.TemporaryDirectory() as folder:
        bench = compare.Bench(os.path.join(os.path.abspath(build), 'corun'), folder)
        for machine in compare.MACHINES:
            rows = []

            def one(app):
                rows.append(bench.row(machine, app, ref[machine, app['name']]))
                check(rows[-1])

            for app in bench.apps:
                tap.case('%s %s' % (machine, app['name']), one, app)
            tap.case('%s, all rows' % machine, check_all, rows)
        for r in pairs.load(bench.data, 'pairs.csv'):
            if (r['machine'], r['shared'], r['first']) in PAIRS:
                tap.case('%(machine)s %(first)s + %(second)s, shared=%(shared)s' % r,
                         check_pair, bench, r)
        for r in pairs.load(bench.data, 'grids.csv'):
            tap.case('%(machine)s %(app)s, %(blocks)s blocks' % r, check_grid, bench, r)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

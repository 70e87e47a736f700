#!/usr/bin/env python3
"""What experiments/lib.py computes for docs/experiments.md, on worked numbers; and runs that are
stored there, simulated again.
"""
import math
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'experiments'))
import lib  # noqa: E402


def means():
    assert abs(lib.gmean([1, 4]) - 2) < 1e-12
    assert math.isnan(lib.gmean([])) and math.isnan(lib.gmean([1, 0]))
    assert lib.mean([1, 2, 6]) == 3


def numbers():
    for measured, paper, base, verdict in (
            (1.21, 1.2, 1, 'holds (1.05)'), (1.16, 1.2, 1, 'holds (0.80)'),
            (1.14, 1.2, 1, 'direction holds (0.70)'), (0.99, 1.2, 1, 'fails (-0.05)'),
            (1.9, 1.2, 1, 'direction holds (4.50)'), (0.9, 0.92, 0, 'holds (0.98)'),
            (30, 20.7, 0, 'direction holds (1.45)'), (-3, 20.7, 0, 'fails (-0.14)'),
            (25, 20.7, 0, 'holds (1.21)'), (math.nan, 1, 2, '-')):
        assert lib.like(measured, paper, base) == verdict, (measured, paper, base)
    assert lib.like(1.9, 1.2, one_way=True) == 'fails (4.50)'
    assert lib.like(1.21, 1.2, one_way=True) == 'holds (1.05)'


def spreads():
    of = {('a', 'b'): 1.0, ('a', 'c'): 4.0, ('b', 'c'): 2.0}
    assert lib.without_one(of) == (1.0, 4.0)
    assert lib.strip([0, 1, 1, 2], 0, 2) == '▄' + ' ' * 7 + '█' + ' ' * 6 + '▄'
    assert lib.strip([3, 3], 3, 3) == '█' + ' ' * 15
    assert '| x | 2.00 | 2.00 | 1.00 to 4.00 | 1.00 to 4.00 |' in lib.spread_table('', {'x': of})
    assert lib.spread_table('', {'x': {}}) == ''


def rows():
    head = dict.fromkeys(lib.HEAD, '1')
    head.update(apps='clone000-bp + mm:size=window', policy_values='profiles=2 apart=1')
    head['app.normalized_ipc'] = '0.5/-'
    run = lib.Run(head)
    assert run.names == ['bp', 'mm'] and run.policy_values['profiles'] == '2'
    first, second = run.app('normalized_ipc')
    assert first == 0.5 and math.isnan(second) and run.weighted_speedup == 1


def sentences():
    """A row that does not hold needs a sentence, one that holds shows none."""
    v = lib.Verdicts({'T1': 'because'})
    v.add('T1', 'a', '1.2', stand_ins=('1.2', lib.HOLDS))
    assert 'because' not in v.markdown() and 'programs' not in v.markdown()
    v.add('T1', 'a', '1.2', programs=('0.9', lib.like(0.9, 1.2)))
    assert 'because' in v.markdown() and v.count() == [lib.HOLDS, lib.FAILS]
    try:
        v.add('T2', 'b', '1.2', stand_ins=('0.9', lib.FAILS))
    except SystemExit:
        return
    raise AssertionError('no sentence, and no complaint')


def main():
    failed = False
    for case in (means, numbers, spreads, rows, sentences):
        try:
            case()
            print('ok - %s' % case.__name__)
        except AssertionError as why:
            print('not ok - %s: %s' % (case.__name__, why))
            failed = True
    again = subprocess.run([os.path.join(ROOT, 'experiments/run'), '--check', '2', sys.argv[1]],
                           stdout=subprocess.PIPE, text=True)
    sys.stdout.write(''.join('# %s\n' % line for line in again.stdout.splitlines()))
    print('%s - two stored runs, simulated again\n1..6' % ('not ok' if again.returncode else 'ok'))
    sys.exit(failed or again.returncode)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Counts host instructions per simulated warp instruction with callgrind: three rows of
bench/counts.py against the stored figures; the cost of the policy interface, by a policy with every
hook and no decision (hooks.c), against left-over; and the cost of gates, parts and ranks too wide
to have an effect: the simulated work is the same with and without.

    instructions.py BUILD
"""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../../bench'))
import counts  # noqa: E402

ROWS = ['maxwell16 mm', 'fermi30 gups', 'rtx2060 vecadd']
HOOKS_TOLERANCE = 0.003  # 0.0018 for the interface, 0.0008 for the looks after hooks of a file
PAIR = ['clone000-bp', 'clone000-sv']
UNFELT = ['smil[limits=500/500]', 'l1-mshr-split[mshrs=128/128,missq=8/8]', 'l2-ways[ways=16/16]',
          'its[window=1000000000]']
UNFELT_TOLERANCE = 0.15


def hooks(corun, n):
    """Holds for any compiler, as both runs are of the same build. Returns true if the cost is
    within the tolerance."""
    def cost(policy):
        count, result = counts.window(corun, ['mm', '--policy', policy], counts.CYCLES)
        return count / result['apps'][0]['warp_instructions']

    with_all, without = cost(os.path.join(HERE, 'hooks.c')), cost('leftover')
    ok = with_all <= without * (1 + HOOKS_TOLERANCE)
    print('%s %d - mm under a policy with every hook: %.2f instructions per warp instruction, '
          'left-over %.2f' % ('ok' if ok else 'not ok', n, with_all, without), flush=True)
    return ok


def unfelt(corun, n):
    """Returns true if all unfelt limits together cost no more than allowed."""
    (with_all, felt), (without, bare) = (
        counts.window(corun, [*PAIR, '--policy', policy], 4000)
        for policy in ('+'.join(['smk-p', *UNFELT]), 'smk-p'))
    assert felt['stats'] == bare['stats'], 'they were felt'
    part = with_all / without - 1
    ok = part <= UNFELT_TOLERANCE
    print('%s %d - %s under smk-p with limits, parts and ranks that are not felt: %.1f %% more '
          'instructions' % ('ok' if ok else 'not ok', n, ' + '.join(PAIR), 100 * part), flush=True)
    return ok


def main(build):
    corun = os.path.join(build, 'corun')
    if not shutil.which('valgrind'):
        print('ok 1 - instructions per warp instruction # SKIP no valgrind\n1..1')
        return 0
    failed = [hooks(corun, 1), unfelt(corun, 2)].count(False)
    figures = counts.stored().get(counts.kind(build), {})
    for n, row in enumerate(ROWS, 3):
        if not figures:
            print('ok %d - %s # SKIP no figures for %s' % (n, row, counts.kind(build)))
            continue
        now, _ = counts.cost(corun, row)
        ok = now <= figures[row] * (1 + counts.TOLERANCE)
        failed += not ok
        print('%s %d - %s: %.1f instructions per warp instruction, stored %.1f' % (
            'ok' if ok else 'not ok', n, row, now, figures[row]), flush=True)
    print('1..%d' % (2 + len(ROWS)))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))

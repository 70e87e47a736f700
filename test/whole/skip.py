#!/usr/bin/env python3
"""Skipping dead cycles changes nothing but the host's time."""
import os
import sys

from common import NAMES, Tap, bare, differ, run
from laws import laws

SETS = [[n] for n in NAMES] + [['mm', 'bfs'], ['gups', 'vecadd'], ['kmeans', 'spmv', 'hotspot']]
SHUFFLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'policy', 'shuffle.c')
RULES = {'end': [], 'window': ['--cycles', '30000'], 'all-complete': []}


def equal(build, apps, *options):
    options = [*options, '--alone', 'skip']
    on, off = (run(build, apps, *options, '--skip', s) for s in ('on', 'off'))
    laws(on)
    what = differ(bare(on), bare(off))
    assert what is None, 'on | off: ' + what


def main(build):
    tap = Tap(one_in=2)
    for apps in SETS:
        policy = 'spatial' if len(apps) > 1 else 'leftover'
        tap.case('%s, %s, skip on and off' % (' + '.join(apps), policy), equal, build, apps,
                 '--policy', policy, '--until', 'end')
    for rule, options in RULES.items():
        for policy in ('leftover', 'spatial'):
            tap.case('mm + gups until %s, %s, skip on and off' % (rule, policy), equal, build,
                     ['mm', 'gups'], '--policy', policy, '--until', rule, *options)
    tap.case('gups + histo, blocks are switched, skip on and off', equal, build, ['gups', 'histo'],
             '--policy', SHUFFLE + '+switch', '--until', 'end')
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

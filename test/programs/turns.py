#!/usr/bin/env python3
"""Every program with more blocks than seats, blocks or warps of which take turns at odd cycles, and
with paper 003's two mechanisms, alone and beside another: outputs are right, the laws hold.
CORUN_PROGRAMS=all takes all programs; otherwise some, chosen by name.
"""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'test', 'whole'))
from common import Tap, checked, run  # noqa: E402
from laws import laws  # noqa: E402
from each import programs  # noqa: E402

TURNS = os.path.join(ROOT, 'test', 'policy', 'turns.c')
POLICIES = [TURNS + '[by=blocks]', TURNS + '[by=warps]', 'virtual-thread', 'gpuduet[me=8]',
            'gpuduet[window=2000]']
BESIDE = 'vecadd'


def turns(build, apps, policy):
    result = run(build, apps, '--gpu', 'maxwell16-duet', '--set', 'sm.count=2', '--policy', policy,
                 '--until', 'end', '--alone', 'skip')
    checked(result)
    laws(result)


def main(build):
    tap = Tap(one_in=2)
    for program in programs(build):
        for apps in [program], [program, BESIDE]:
            for policy in POLICIES:
                tap.case('%s, %s' % (' + '.join(apps), os.path.basename(policy)), turns, build,
                         apps, policy)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

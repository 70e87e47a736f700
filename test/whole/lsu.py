#!/usr/bin/env python3
"""The load/store unit attempts an access per cycle, and stalls exactly in the cycles of a failed
attempt: the stall fraction is the failures per access times the accesses per cycle, and accesses
and failures together never fill more than all cycles. Not where several accesses are attempted per
cycle."""
import sys

from common import Tap, run
from micro import config, machines

APPS = ['gups', 'spmv', 'bfs', 'kmeans', 'vecadd', 'stencil']


def identity(build, gpu, apps, options):
    result = run(build, apps, '--gpu', gpu, '--alone', 'skip', '--until', 'end', *options)
    c = config(result)
    stalled = 0
    for owner in [result, *result['apps']]:
        s = owner['stats']
        each = s['l1.accesses'] / (owner['cycles'] * c['sm.count'])
        want = s['l1.rsfail_rate'] * each
        assert abs(s['ldst.stall_fraction'] - want) < 1e-9, '%s: %.9f, %.9f' % (
            owner.get('name', 'GPU'), s['ldst.stall_fraction'], want)
        assert each * (1 + s['l1.rsfail_rate']) <= 1
        stalled = max(stalled, want)
    return stalled


def machine(build, gpu):
    stalled = [identity(build, gpu, [a], []) for a in APPS]
    stalled.append(identity(build, gpu, ['gups', 'mm'], ['--policy', 'spatial']))
    assert max(stalled) > 0.05 and min(stalled) < 0.9 * max(stalled), stalled


def main(build):
    tap = Tap()
    for gpu in machines():
        if gpu != 'rtx2060':
            tap.case(gpu, machine, build, gpu)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

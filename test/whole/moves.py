#!/usr/bin/env python3
"""Blocks are taken off their SMs at odd cycles and go on elsewhere or begin anew, with loads,
stores, atomics, barriers, fences and calls under way: answers are right, the laws hold, skipping
changes nothing."""
import os
import struct
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)
from common import Tap, bare, checked, differ, run  # noqa: E402
from laws import laws  # noqa: E402

SHUFFLE, ANYHOW = (os.path.join(HERE, '..', 'policy', f) for f in ('shuffle.c', 'anyhow.c'))
CLI = os.path.abspath(os.path.join(HERE, '..', 'cli'))
RUNS = [  # apps, machine, options
    (['mm', 'bfs'], 'maxwell16', ''),                      # barriers; loads
    (['gups', 'reduction'], 'fermi30', ''),                # atomics
    (['histo', 'stencil'], 'rtx2060', ''),                 # atomics, stores
    (['fdtd', 'scan'], 'gtx980', ''),                      # barriers and stores
    (['nn', 'lud', 'hotspot'], 'maxwell16', ''),
    (['mm'], 'maxwell16', ''),
    (['gups', 'histo'], 'maxwell16', 'sm.atomics_hold=true'),
    (['mm', 'reduction'], 'maxwell16', 'sm.scheduler=two-level sm.active_warps=4'),
    (['bfs', 'spmv'], 'maxwell16', 'sm.count=3 sm.scheduler=lrr'),
    (['vecadd', 'gups', 'histo'], 'maxwell16', 'sm.count=256'), # blocks on all of them
]
WAYS = [('ideal', 40), ('ideal', 900), ('flush', 3000), ('switch', 3000), (ANYHOW, 3000)]
SLOW = ('sm.count=3 sm.scheduler=lrr', 'sm.count=256')  # by ideal, and for long by any


def moved(build, apps, gpu, sets, by, cycles):
    policy = '%s[cycles=%d]+%s' % (SHUFFLE, cycles, by)
    options = ['--gpu', gpu, '--policy', policy, '--until', 'end',
               '--alone', 'skip', *(o for kv in sets.split() for o in ('--set', kv))]
    on = run(build, apps, *options)
    checked(on)
    laws(on)
    for stats in [app['stats'] for app in on['apps']] if by == 'ideal' else [on['stats']]:
        left = stats['preempt.drained'] if by == 'flush' else 0
        assert left + stats['blocks.preempted'] > 0, 'no block left an SM'
    off = run(build, apps, *options, '--skip', 'off')
    what = differ(bare(on), bare(off))
    assert what is None, 'skip on | off: ' + what


def calls(build):
    """Frames of recursive threads move with them: each of 1024 sorts 20 numbers."""
    n, rows = 20, 1024
    numbers = [(i * 7919) % 4093 for i in range(n * rows)]
    with tempfile.TemporaryDirectory() as folder:
        app, out = (os.path.join(folder, f) for f in ('sort.yaml', 'a.out'))
        with open(os.path.join(folder, 'a.in'), 'wb') as f:
            f.write(struct.pack('<%di' % len(numbers), *numbers))
        with open(app, 'w') as f:
            f.write('app: sort\nmodule: %s/recursion.ptx\nbuffers:\n'
                    '  a: {type: s32, count: %d, init: file a.in}\n'
                    'launches: [{kernel: sort_each, grid: %d, block: 32, args: [$a, %d]}]\n'
                    'dump: {a: a.out}\n' % (CLI, len(numbers), rows // 32, n))
        result = run(build, [app], '--policy', SHUFFLE + '[cycles=200]+ideal', '--until', 'end',
                     '--alone', 'skip', size=None)
        laws(result)
        assert result['stats']['blocks.preempted'] > 0
        with open(out, 'rb') as f:
            got = struct.unpack('<%di' % len(numbers), f.read())
    for k in range(0, len(numbers), n):
        assert list(got[k:k + n]) == sorted(numbers[k:k + n]), 'row %d' % (k // n)


def main(build):
    tap = Tap(one_in=32)
    for apps, gpu, sets in RUNS:
        for by, cycles in [*WAYS[:2], (ANYHOW, 20000)] if sets in SLOW else WAYS:
            where = ' '.join([gpu, sets]).strip()
            tap.case('%s, %s, %s, a turn in %d cycles' % (' + '.join(apps), where,
                                                          os.path.basename(by), cycles),
                     moved, build, apps, gpu, sets, by, cycles)
    tap.case('recursion, a turn in 200 cycles', calls, build)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

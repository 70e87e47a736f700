#!/usr/bin/env python3
"""A kernel's isolated figures given to policies equal the counts of an isolated run, on the SMs
with blocks of the kernel: a grid of three blocks beside 200 blocks has a useful quota under
fair."""
import json
import os
import subprocess
import sys

from common import Tap, run

APPS = ['synth:threads=256,regs=24,blocks=200,loops=2',
        'synth:threads=128,regs=20,blocks=3,loops=16']
PLUG = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'policy/plug')
SCHEDULERS = 4  # of an SM of the default machine


def small_grid(build):
    result = run(build, APPS, '--policy', 'smk-p+fair', size=None)
    large, small = (a['normalized_ipc'] for a in result['apps'])
    assert small > 0.25 and large > 0.5, (large, small)


def isolated(build):
    """The figures of struct corun_alone, of each app, by `corun profile`."""
    p = subprocess.run([os.path.join(build, 'corun'), 'profile', *APPS, '--until', 'all-complete',
                        '--quiet', '--json', '-'], capture_output=True, text=True, check=True,
                       env=dict(os.environ, CORUN_CACHE=os.path.join(build, 'test-cache')))
    for of in json.loads(p.stdout)['profiles']:
        s, cycles = of['stats'], of['cycles']
        active = s['blocks.active_cycles']
        yield [s['inst.thread'] / cycles, s['inst.warp'] / (active * SCHEDULERS),
               s['blocks.resident_cycles'] / active, active / cycles, s['l2.mpki'],
               s['dram.bandwidth_fraction']]


def told(build):
    result = run(build, APPS, '--policy', os.path.join(PLUG, 'alone.c'), '--alone', 'skip',
                 size=None)
    lines = sorted(l.split(': ')[1].split() for l in result['policy_stats']['alone']['log'])
    for line, app, want in zip(lines, range(len(APPS)), isolated(build), strict=True):
        assert line[0] == str(app), line
        for got, figure in zip(map(float, line[1:]), want, strict=True):
            assert abs(got - figure) <= 1e-6 * figure, (line, want)


def main(build):
    tap = Tap()
    tap.case('what kernels alone are said to do', told, build)
    tap.case('a small grid under fair', small_grid, build)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

#!/usr/bin/env python3
"""A grid of three blocks beside one of 200 under fair: what it did alone is counted on the SMs that
had its blocks, so that its quota is a share worth having."""
import sys

from common import Tap, run

APPS = ['synth:threads=256,regs=24,blocks=200,loops=2',
        'synth:threads=128,regs=20,blocks=3,loops=16']


def small_grid(build):
    result = run(build, APPS, '--policy', 'smk-p+fair', size=None)
    large, small = (a['normalized_ipc'] for a in result['apps'])
    assert small > 0.25 and large > 0.5, (large, small)


def main(build):
    tap = Tap()
    tap.case('a small grid under fair', small_grid, build)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

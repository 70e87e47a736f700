#!/usr/bin/env python3
"""The calibration of mias[metric=linear]: least squares on exact numbers, then on programs."""
import os
import re
import subprocess
import sys

from common import Tap

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools')
sys.path.insert(0, TOOLS)
from mias_coef import fit  # noqa: E402


def near(a, b):
    assert abs(a - b) < 1e-9, '%r, not %r' % (a, b)


def exact():
    slope, offset = fit([(100, 35), (200, 40), (400, 50)])  # 0.05 x + 30
    near(slope, 0.05)
    near(offset, 30)
    slope, offset = fit([(0, 0), (1, 2), (2, 1)])
    near(slope, 0.5)
    near(offset, 0.5)
    near(fit([(5, 7)])[0], 0)


def ran(build, *options):
    out = subprocess.run([os.path.join(TOOLS, 'mias_coef.py'), os.path.join(build, 'corun'),
                          *options, '--gpu', 'maxwell16', '--cycles', '3000',
                          'stencil:size=window'], capture_output=True, text=True, check=True).stdout
    m = re.fullmatch(r'coef ([\d.e+-]+), offset ([\d.e+-]+) cycles, (\d+) points\n', out)
    assert m, out
    return float(m.group(1)), int(m.group(3))


def programs(build):
    """Fitted to an SM, the slope is 16 times the slope fitted to the GPU."""
    gpu, n = ran(build)
    sm, _ = ran(build, '--per', 'sm')
    assert n == 6 and abs(sm / gpu - 16) < 1e-3, (gpu, sm, n)


def main(build):
    tap = Tap(one_in=2)
    tap.case('least squares', exact)
    tap.case('stencil with 1 to 6 blocks', programs, build)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

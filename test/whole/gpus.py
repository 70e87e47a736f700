#!/usr/bin/env python3
"""Every shipped machine runs every program to the right answer; the laws hold, and skipping changes
nothing."""
import sys

from common import NAMES, Tap, bare, checked, differ, run
from laws import laws
from micro import machines

STEPPED = ['vecadd', 'bfs', 'gups']  # also with every cycle simulated step by step


def one(build, gpu, name):
    options = ['--gpu', gpu, '--alone', 'skip', '--until', 'end']
    on = run(build, [name], *options)
    checked(on)
    laws(on)
    assert on['gpu'] == gpu
    if name in STEPPED:
        what = differ(bare(on), bare(run(build, [name], *options, '--skip', 'off')))
        assert what is None, 'skip on | off: ' + what


def main(build):
    tap = Tap(one_in=4)
    for gpu in machines('h100', 'rtx5090'):
        for name in NAMES:
            tap.case('%s on %s' % (name, gpu), one, build, gpu, name)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

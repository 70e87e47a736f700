#!/usr/bin/env python3
"""In the hostile build: every program alone and beside another is right and lawful."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import NAMES, POLICIES, Tap, bare, checked, differ, run  # noqa: E402
from laws import laws  # noqa: E402


def one(build, apps, policy):
    on = run(build, apps, '--policy', policy, '--alone', 'skip')
    checked(on)
    laws(on)
    off = run(build, apps, '--policy', policy, '--alone', 'skip', '--skip', 'off')
    what = differ(bare(on), bare(off))
    assert what is None, 'skip on | off: ' + what


def main(build):
    tap = Tap()
    for i, name in enumerate(NAMES):
        tap.case(name, one, build, [name], 'leftover')
        policy = POLICIES[i % len(POLICIES)]
        pair = [name, NAMES[(i + 1) % len(NAMES)]]
        tap.case('%s + %s, %s' % (*pair, policy), one, build, pair, policy)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

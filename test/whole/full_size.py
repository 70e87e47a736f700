#!/usr/bin/env python3
"""mm and bfs at full size: right, every metric there, the same bytes stepped and skipped."""
import os
import sys

from common import Tap, bare, checked, differ, run
from laws import laws


def correct(build, first):
    result = run(build, ['mm', 'bfs'], '--policy', 'spatial', '--alone', 'fresh', size=None)
    checked(result)
    laws(result)
    assert all(m > 0 for m in result['metrics'].values()), result['metrics']
    first.append(bare(result))


def equal(build, first, *options):
    result = run(build, ['mm', 'bfs'], '--policy', 'spatial', *options, size=None)
    what = differ(first[0], bare(result))
    assert what is None, what


def main(build):
    tap = Tap()
    first = []
    tap.case('mm + bfs, spatial', correct, build, first)
    if os.environ.get('CORUN_TEST') == 'every':
        tap.case('once more, isolated runs from the cache', equal, build, first)
        tap.case('every cycle stepped', equal, build, first, '--skip', 'off')
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

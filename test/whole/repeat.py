#!/usr/bin/env python3
"""The same run twice gives the same bytes; sharing changes no work; the rules as stated."""
import sys

from common import NAMES, Tap, bare, differ, run
from laws import laws


def twice(build, apps, policy):
    a, b = (run(build, apps, '--policy', policy, '--alone', 'skip') for _ in range(2))
    what = differ(bare(a), bare(b))
    assert what is None, what


def same_work(build, name):
    """Sharing changes when things happen, not how much is done, for programs without races."""
    alone = run(build, [name], '--until', 'end', '--alone', 'skip')['apps'][0]
    pair = run(build, [name, 'mm'], '--until', 'end', '--alone', 'skip', '--policy', 'spatial')
    for key in ('warp_instructions', 'thread_instructions', 'launches'):
        assert pair['apps'][0][key] == alone[key], key


def sequential_is_alone(build, name):
    """First in line under `sequential`: exactly the isolated run."""
    alone = run(build, [name], '--until', 'end', '--alone', 'skip')['apps'][0]
    first = run(build, [name, 'mm'], '--until', 'end', '--alone', 'skip', '--policy',
                'sequential')['apps'][0]
    assert first['cycles'] == alone['cycles'], '%d | %d' % (first['cycles'], alone['cycles'])


def frozen(build):
    """Under all-complete the early app restarts; the numbers are from the first completion."""
    r = run(build, ['vecadd', 'kmeans'], '--alone', 'skip', '--policy', 'spatial')
    laws(r)
    early, late = sorted(r['apps'], key=lambda a: a['cycles'])
    assert early['completions'] >= 1 and late['completions'] == 1
    assert early['totals']['inst.warp'] > early['stats']['inst.warp'] == early['warp_instructions']
    assert late['cycles'] == r['cycles']


def window(build):
    r = run(build, ['mm', 'gups'], '--until', 'window', '--cycles', '50000', '--alone', 'skip',
            '--policy', 'spatial')
    laws(r)
    assert r['cycles'] == 50000 and all(a['cycles'] == 50000 for a in r['apps'])
    assert all(a['stats'] == a['totals'] for a in r['apps'])


def main(build):
    tap = Tap(one_in=2)
    for name in NAMES:
        tap.case('%s + spmv twice' % name, twice, build, [name, 'spmv'], 'spatial')
    for name in ('vecadd', 'mm', 'stencil', 'spmv', 'hotspot'):
        tap.case('%s does the same work alone and shared' % name, same_work, build, name)
    for name in ('vecadd', 'mm'):  # single-launch programs
        tap.case('%s first under sequential is %s alone' % (name, name), sequential_is_alone, build,
                 name)
    tap.case('an app is frozen at its first completion', frozen, build)
    tap.case('a window counts every cycle', window, build)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

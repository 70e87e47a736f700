#!/usr/bin/env python3
"""An app with start=CYCLE begins then: rates count from the start, the isolated run does not wait,
and skipping the cycles before changes nothing. Who gets the app's share before the start and after
the end."""
import sys

from common import Tap, bare, checked, differ, run
from laws import laws

MACHINES = ('maxwell16', 'fermi30', 'rtx2060', 'gtx980')


def equal(build, apps, *options):
    """Starts far apart: nothing is on the GPU for longer than any queue of events reaches."""
    on, off = (run(build, apps, '--alone', 'skip', '--skip', skip, *options)
               for skip in ('on', 'off'))
    checked(on)
    laws(on)
    what = differ(bare(on), bare(off))
    assert what is None, 'on | off: ' + what
    return on


def nearly_alike(build, gpu):
    """The same work at any time: cycles differ only by the phase of DRAM and crossbar at the
    start."""
    at_once = run(build, ['mm'], '--alone', 'skip', '--gpu', gpu)['cycles']
    for start in (1000, 33333, 1000003):
        late = equal(build, ['mm:start=%d' % start], '--gpu', gpu)
        app, = late['apps']
        assert app['start'] == start and late['cycles'] == start + app['cycles'], app
        assert abs(app['cycles'] - at_once) < 0.03 * at_once, (start, app['cycles'], at_once)


def counted_from_its_start(build):
    late = run(build, ['bfs', 'mm:start=9000'], '--until', 'window', '--cycles', '30000')
    at_once = run(build, ['bfs', 'mm'], '--until', 'window', '--cycles', '30000')
    bfs, mm = late['apps']
    assert mm['cycles'] == 21000 and bfs['cycles'] == 30000 and 'start' not in bfs
    assert mm['ipc_thread'] == mm['thread_instructions'] / 21000
    for a, b in zip(late['apps'], at_once['apps']):
        assert a['alone'] == b['alone'], (a['alone'], b['alone'])
    assert late['input_hash'] != at_once['input_hash']


def not_yet(build):
    """An app not yet started at the end of the run has no rates."""
    bfs, mm = run(build, ['bfs', 'mm:start=9000'], '--until', 'window', '--cycles', '9000')['apps']
    assert mm['cycles'] == 0 and mm['ipc_thread'] is None and mm['launches'] == 0
    assert bfs['normalized_ipc'] == 1


def has_room(build):
    """A lone app has the whole GPU until the other starts; fill=off keeps the other's SMs free."""
    whole, half = (run(build, ['mm', 'bfs:start=3000'], '--policy', 'spatial[fill=%s]' % fill,
                       '--alone', 'skip', '--until', 'window', '--cycles', '3000')['apps'][0]
                   for fill in ('end', 'off'))
    key = 'blocks.active_cycles'
    assert abs(whole['stats'][key] - 2 * half['stats'][key]) < 100, (whole[key], half[key])


def filled(build):
    """fill=end gives an app's SMs away after the app's last launch in the run, tail at the end of
    each launch, and off never. Where apps start again nothing ends."""
    def result(fill, until):
        r = run(build, ['bfs', 'mm'], '--policy', 'spatial[fill=%s]' % fill, '--until', until,
                '--alone', 'skip')
        return r['policy_stats']['spatial']['filled_questions'], r['cycles'], r['stats']
    for until in ('all-complete', 'end'):
        end, tail, off = (result(fill, until) for fill in ('end', 'tail', 'off'))
        assert off[0] == 0 < tail[0], (off[0], tail[0])
        assert (end == off) == (until != 'end'), (until, end[:2], off[:2])
        assert (end[0] > 0) == (until == 'end'), (until, end[0])


def main(build):
    tap = Tap()
    for gpu in MACHINES:
        tap.case('mm on %s, at four times' % gpu, nearly_alike, build, gpu)
        tap.one_in = 4  # after the first machine
    for policy in ('leftover', 'spatial', 'smk-p', 'warped-slicer[warm=500,sample=300]',
                   'mias[profile_cycles=700]+ideal', 'maestro[epoch=700]+ideal'):
        tap.case('three apps, two late, %s: skip on and off' % policy, equal, build,
                 ['bfs', 'mm:start=5000', 'vecadd:start=200000'], '--policy', policy)
    tap.one_in = 1
    tap.case('rates count from the start', counted_from_its_start, build)
    tap.case('no rates before', not_yet, build)
    tap.case('who has the SMs of an app to come', has_room, build)
    tap.one_in = 4
    tap.case('when an app has ended', filled, build)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

#!/usr/bin/env python3
"""The law of MIG: with equal machine and profiles, all statistics, outputs and times of an app are
equal beside any apps in other instances: absent, idle, late, preempting, failing. Policies inside
an instance work as on a machine file of the instance."""
import csv
import json
import os
import re
import sys
import tempfile

from common import Tap, bare, checked, differ, run
from laws import laws

H100 = ['--gpu', 'h100', '--alone', 'skip', '--until', 'end']
TWO = 'mig[profiles=3g/4g]'

FAULT = '''.version 7.0
.target sm_75
.address_size 64
.visible .entry fail(.param .u64 p)
{
    .reg .b64 %a;
    .reg .b32 %x;
    .reg .pred %q;
    ld.param.u64 %a, [p];
    mov.u32 %x, %clock;
    BODY
    ret;
}
'''
BODIES = {'fault': 'st.global.u32 [%a+1048576], %x;',
          'deadlock': 'bar.sync 0, 128;'}
FILE = '''app: NAME
module: NAME.ptx
buffers:
  p: {type: u32, count: 64}
launches:
  - {kernel: fail, grid: 8, block: 64, args: [$p]}
'''

NEIGHBOURS = [
    [], ['mm:start=300000'], ['mm'], ['mm:start=777'], ['mm:start=20001'], ['bfs'], ['stencil'],
    ['kmeans'], ['gups'], ['vecadd'], ['hotspot'], ['spmv'], ['reduction'], ['histo'], ['atax'],
    ['scan'], ['nw'], ['triad'], ['probe'], ['chase'], ['mri-q'],
]


def failing(folder, name):
    with open(os.path.join(folder, name + '.ptx'), 'w') as f:
        f.write(FAULT.replace('BODY', BODIES[name]))
    path = os.path.join(folder, name + '.yaml')
    with open(path, 'w') as f:
        f.write(FILE.replace('NAME', name))
    return path


def victim(result, app):
    """Returns all results of the app, as text."""
    own = dict(result['apps'][app])
    return json.dumps(own, indent=1)


def same(a, b, app=0):
    what = differ(victim(a, app), victim(b, app))
    assert what is None, what


def alone(build, app, policy=TWO, *options):
    return run(build, [app], '--policy', policy, *H100, *options)


def beside(build, app, neighbours, policy, *options):
    """Neighbours in other instances change no result of the app."""
    first = alone(build, app, re.sub('(apps=[0-9])[0-9/]*', r'\1', policy), *options)
    checked(first)
    shared = run(build, [app] + neighbours, '--policy', policy, *H100, *options)
    laws(shared)
    same(first, shared)


def second(build):
    """An app has the addresses of the app alone, also behind an app of another instance."""
    first = alone(build, 'bfs')
    shared = run(build, ['gups', 'bfs'], '--policy', 'mig[profiles=3g/4g,apps=1/0]', *H100)
    what = differ(victim(first, 0), victim(shared, 1))
    assert what is None, what


def at_an_end(build):
    """An app that starts in the cycle in which a kernel of another instance ends starts then."""
    now = '--set', 'launch.latency_ns=0'
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'launches')
        run(build, ['bfs'], '--policy', TWO, *H100, *now, '--launches', path)
        with open(path) as f:
            rows = list(csv.DictReader(f))
    ended = int(rows[len(rows) // 2]['end_cycle'])
    for start in (ended, ended + 1, ended + 2):
        app = 'vecadd:start=%d' % start
        first = run(build, [app], '--policy', 'mig[profiles=3g/4g,apps=1]', *H100, *now)
        shared = run(build, ['bfs', app], '--policy', TWO, *H100, *now)
        what = differ(victim(first, 0), victim(shared, 1))
        assert what is None, (start, what)


def beside_failing(build, app, kind):
    """A failing instance changes no result of the app."""
    first = alone(build, app)
    with tempfile.TemporaryDirectory() as folder:
        other = failing(folder, kind)
        assert run(build, [other], '--policy', TWO, *H100, size=None, status=1)['status'] == kind
        shared = run(build, [app + ':size=test', other], '--policy', TWO, *H100, size=None,
                     status=1)
    assert shared['status'] == kind and shared['apps'][1]['completions'] == 0, shared['status']
    same(first, shared)


INSTANCE = """machine: instance
about: a 3g instance of an H100
base: h100
sm:
  count: {value: 60, source: test}
map:
  channels: {value: 40, source: test}
  halves: {value: 1, source: test}
host:
  memory_bytes: {value: 42949672960, source: test}
"""


def as_a_machine(build, apps, inside):
    """Apps in an instance fare as on a machine file of the instance."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'instance.yaml')
        with open(path, 'w') as f:
            f.write(INSTANCE)
        own = run(build, apps, '--gpu', path, '--policy', inside, *H100[2:])
    where = '/'.join('0' * len(apps))
    policy = 'mig[profiles=3g/4g,inside=%s,apps=%s' % (inside, where)
    first = run(build, apps, '--policy', policy + ']', *H100)
    beside = run(build, apps + ['gups'], '--policy', policy + '/1]', *H100)
    for k in range(len(apps)):
        for key in ('cycles', 'launches', 'checked'):
            assert own['apps'][k][key] == first['apps'][k][key], (k, key)
        for key, value in own['apps'][k]['stats'].items():  # fractions are of the whole GPU
            assert isinstance(value, float) or value == first['apps'][k]['stats'][key], (k, key)
        same(first, beside, k)
    name = inside.split('[')[0]
    assert own['policy_stats'].get(name) == first['policy_stats'].get(name)


def any_way(build, *options):
    """Skipping and threads change no result, and the law holds under the options."""
    beside(build, 'bfs', ['kmeans'], TWO, *options)
    shared = [run(build, ['bfs', 'kmeans'], '--policy', TWO, *H100, *more, *options)
              for more in ((), ('--skip', 'off'), ('--threads', '2'))]
    for other in shared[1:]:
        what = differ(bare(shared[0]), bare(other))
        assert what is None, what


def blamed(build):
    """An app loses nothing to apps of other instances."""
    result = run(build, ['bfs', 'kmeans'], '--policy', TWO, *H100[:2], '--blame', 'online')
    for app in result['apps']:
        lines = app['loss']['blame']['lines']
        assert not lines, lines


def sums(build):
    """The instances' counters add up to the GPU's, and seven instances run."""
    apps = ['bfs', 'mm', 'gups', 'vecadd', 'spmv', 'nw', 'scan']
    result = run(build, apps, '--policy', 'mig', *H100)
    checked(result)
    laws(result)
    for app in result['apps']:
        assert app['stats']['blocks.active_cycles'] <= 16 * app['cycles'], app['name']


def main(build):
    tap = Tap(3)
    for neighbours in NEIGHBOURS:
        tap.case('bfs beside %s' % (neighbours or 'nothing'), beside, build, 'bfs', neighbours, TWO)
    tap.one_in = 1
    tap.case('bfs behind gups', second, build)
    tap.case('vecadd from the end of a kernel on', at_an_end, build)
    for kind in BODIES:
        tap.case('bfs beside a %s' % kind, beside_failing, build, 'bfs', kind)
    for policy in ('mig[profiles=1g/3g]', 'mig[profiles=4g/1g.quarter]',
                   'mig[profiles=2g/2g/3g,apps=1/0]'):
        tap.case('kmeans beside gups, %s' % policy, beside, build, 'kmeans', ['gups'], policy)
    for inside in ('spatial', 'smk-even+ideal', 'timeslice[us=2]'):
        policy = 'mig[profiles=3g/4g,inside=%s,apps=0/1/1]' % inside
        tap.case('bfs beside two under %s' % inside, beside, build, 'bfs', ['mm', 'kmeans'], policy)
    for inside in ('leftover', 'spatial', 'smk-p', 'smk-even+ideal+dmil[interval=64]',
                   'timeslice[us=20]'):
        tap.case('two apps under %s as on a machine' % inside, as_a_machine, build,
                 ['bfs', 'kmeans'], inside)
    tap.case('one app as on a machine', as_a_machine, build, ['mm'],
             'leftover')
    for options in ([], ['--until', 'all-complete'], ['--by', 'launch']):
        tap.case('with %s' % ' '.join(options or ['nothing']), any_way, build, *options)
    tap.case('blames', blamed, build)
    tap.case('seven instances', sums, build)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

#!/usr/bin/env python3
"""Results of launches, kernels and streams (--by): the parts and the rest add up to the app's
totals, exactly, and change nothing else. 20 drawn rows of the stored results (test/same), 200 with
`make test-every`.

    parts.py BUILD
"""
import json
import os
import random
import subprocess
import sys
import tempfile

from common import Tap, bare
from laws import is_count

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'same'))
import same  # noqa: E402 (a module of another folder)

WORDS = ['launch', 'kernel', 'stream']
CYCLES = 20000
NOT_ADDED = {'blocks.active_cycles', 'blocks.max_resident'}


def run(build, row, *more):
    gpu, rule, policy, apps = row
    names = same.Names()
    names.read()
    p = subprocess.run(
        [os.path.join(build, 'corun'), 'run', *[a + ':size=test' for a in apps.split()], '--gpu',
         gpu, '--until', rule, '--policy', names.policy(policy), '--cycles', str(CYCLES), '--alone',
         'skip', '--quiet', '--json', '-', *more], capture_output=True, text=True)
    assert p.returncode in (0, 1) and p.stdout, p.stderr
    return json.loads(p.stdout)


def add_up(build, row, by):
    plain, result = run(build, row), run(build, row, '--by', by)
    assert result.pop('by') == by
    for app in result['apps']:
        parts, rest = app.pop('parts'), app.pop('rest')
        assert sum(p['launches'] for p in parts) == app['launches']
        for key, value in app['totals'].items():
            if key not in rest or not is_count(key):
                continue
            found = [p['stats'][key] for p in parts]
            if key in NOT_ADDED:
                assert rest[key] == 0 and all(n <= value for n in found) or by != 'launch'
            else:
                assert rest[key] >= 0, key
                assert sum(found) + rest[key] == value, key
    assert bare(result) == bare(plain)


def launches_are_streamed(build):
    """--launches writes the launches of --by launch, with the same counters."""
    row = ('maxwell16', 'window', 'spatial', 'bfs kmeans')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'launches.csv')
        result = run(build, row, '--by', 'launch', '--launches', path)
        with open(path) as f:
            head, *lines = [line.rstrip('\n').split(',') for line in f]
    parts = {(app['name'], p['launch']): p for app in result['apps'] for p in app['parts']}
    assert len(lines) == len(parts) > 5
    for line in lines:
        cells = dict(zip(head, line))
        p = parts[cells['app'].strip('"'), int(cells['launch'])]
        for key in ('stream', 'arrival_cycle', 'start_cycle', 'end_cycle', 'cycles'):
            assert cells[key] == ('' if p[key] is None else str(p[key])), key
        for key, value in p['stats'].items():
            assert cells[key] == '' if value is None else float(cells[key]) == value, key


LAUNCH = '  - {kernel: scale, grid: [%d, 1, 1], block: [256, 1, 1], args: [%d, 2.0, $x, $y], '
LAUNCH += 'stream: %d}\n'
CLI = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli')


def streams_overlap(build, streams, counted):
    """Launches of several streams at once: each launch has the counters of its own blocks; of too
    many launches some have none."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'app.yaml'), 'w') as f:
            f.write('app: scale\nmodule: %s\nbuffers:\n' % os.path.join(CLI, 'scale.ptx'))
            for name in 'xy':
                f.write('  %s: {type: f32, count: 4096, init: ramp}\n' % name)
            f.write('launches:\n')
            for n in range(2 * streams):
                f.write(LAUNCH % (1 + n % 4, 256 * (1 + n % 4), 1 + n % streams))
        command = [os.path.join(build, 'corun'), 'run', os.path.join(folder, 'app.yaml'), '--alone',
                   'skip', '--quiet', '--json', '-', '--by']
        results = {by: json.loads(subprocess.run([*command, by], capture_output=True, text=True,
                                                 check=True).stdout) for by in WORDS}
    (launches,), (per_stream,), ((kernel,),) = (
        [app['parts'] for app in results[by]['apps']] for by in ('launch', 'stream', 'kernel'))
    assert len(launches) == 2 * streams and len(per_stream) == streams
    spans = [(p['start_cycle'], p['end_cycle']) for p in launches]
    assert max(start for start, _ in spans[:streams]) < min(end for _, end in spans)
    assert sum(1 - p['uncounted'] for p in launches) == counted
    for p in launches:
        blocks = p['grid'][0] if not p['uncounted'] else 0
        assert p['stats']['blocks.retired'] == blocks
        assert p['stats']['inst.thread'] % 256 == 0
        assert bool(p['stats']['l1.accesses']) == (blocks > 0)
    for key in ('inst.warp', 'l2.accesses', 'dram.bytes'):
        sums = [sum(p['stats'][key] for p in parts) for parts in (launches, per_stream, [kernel])]
        assert len(set(sums)) == 1, key
    (app,) = results['launch']['apps']
    assert app['totals']['inst.warp'] == sum(p['stats']['inst.warp'] for p in launches) + \
        app['rest']['inst.warp']


def main(build):
    tap, rows = Tap(), [r for r in same.stored() if '/' not in r[3] and 'oracle' not in r[2]]
    drawn = random.Random(4).sample(rows, 200 if os.environ.get('CORUN_TEST') == 'every' else 20)
    for k, row in enumerate(drawn):
        by = WORDS[k % len(WORDS)]
        tap.case('%s: %s' % (by, ', '.join(row[:4])), add_up, build, row[:4], by)
    tap.case('eight streams at once', streams_overlap, build, 8, 16)
    tap.case('sixty streams at once', streams_overlap, build, 60, 110)
    tap.case('launches in a file', launches_are_streamed, build)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

#!/usr/bin/env python3
"""Snapshots: the intervals' sum is the run's totals, exactly; a run with snapshots has the same
numbers as a run without; the same bytes with skipping on and off. The timeline's count of resident
blocks is the count of the timeline's blocks. Memory use does not grow with the run's length.

    intervals.py BUILD
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

from common import Tap, bare
from laws import is_count

RUNS = [(['mm', 'gups'], ['--policy', 'spatial', '--until', 'window', '--cycles', '20000'], 3000),
        (['bfs'], [], 1000),
        (['kmeans', 'vecadd'], ['--until', 'all-complete'], 777),
        (['spmv', 'hotspot'], ['--gpu', 'rtx2060', '--until', 'window', '--cycles', '9000'], 1000),
        (['stencil'], ['--gpu', 'gtx980'], 2500)]
ENDING = [(['bfs'], []), (['stencil'], ['--gpu', 'gtx980']),
          (['kmeans', 'vecadd'], ['--until', 'end']),
          (['spmv', 'hotspot'], ['--until', 'end', '--gpu', 'rtx2060', '--policy', 'spatial'])]
LONG = ['vecadd:size=test', '--set', 'sm.count=1', '--until', 'window', '--alone', 'skip',
        '--quiet', '--interval', '100']


def run(build, apps, options, every, skip):
    with tempfile.TemporaryDirectory() as folder:
        out = {k: os.path.join(folder, k) for k in ('json', 'csv', 'timeline')}
        snapshots = ['--interval', str(every), '--csv', out['csv'], '--timeline', out['timeline']]
        names = ['%s:size=test' % a for a in apps]
        p = subprocess.run([os.path.join(build, 'corun'), 'run', *names, '--alone', 'skip',
                            '--quiet', '--skip', skip, '--json', out['json'], *options,
                            *(snapshots if every else [])],
                           capture_output=True, text=True)
        assert p.returncode == 0, p.stderr
        return {k: open(path).read() for k, path in out.items() if os.path.exists(path)}


def add_up(build, apps, options, every):
    got = run(build, apps, options, every, 'on')
    result = json.loads(got['json'])
    rows = list(csv.DictReader(io.StringIO(got['csv'])))
    owners = [app['name'] for app in result['apps']] + ['gpu']
    whole = [app['totals'] for app in result['apps']] + [result['stats']]
    n = -(-result['cycles'] // every)
    assert len(rows) == n * len(owners), '%d rows, not %d' % (len(rows), n * len(owners))
    for i, row in enumerate(rows):
        assert row['owner'] == owners[i % len(owners)]
        start = i // len(owners) * every
        assert (int(row['start']), int(row['end'])) == (start, min(start + every, result['cycles']))
    counters = 0
    for owner, total in zip(owners, whole):
        for key, value in total.items():
            if not isinstance(value, int) or not is_count(key):
                continue
            parts = sum(float(r[key]) for r in rows if r['owner'] == owner)
            assert parts == value, '%s %s: intervals %d, run %d' % (owner, key, parts, value)
            counters += 1
    assert counters > 40 * len(owners)


def harmless(build, apps, options, every):
    plain, with_them = (run(build, apps, options, n, 'on') for n in (0, every))
    assert bare(json.loads(plain['json'])) == bare(json.loads(with_them['json']))


def skipped(build, apps, options, every):
    on, off = (run(build, apps, options, every, skip) for skip in ('on', 'off'))
    assert on['csv'] == off['csv']
    assert on['timeline'] == off['timeline']
    counters = [e for e in json.loads(on['timeline'])['traceEvents']
                if e['ph'] == 'C' and e['name'] == 'sched.utilization']
    assert len(counters) > 1 and all('gpu' in e['args'] for e in counters)


def resident(build, apps, options, every):
    """For runs in which all blocks end: other blocks are counted, but are no events."""
    events = json.loads(run(build, apps, options, every, 'on')['timeline'])['traceEvents']
    blocks = [e for e in events if e['ph'] == 'X' and 'block' in e['args']]
    changes = {}
    for e in blocks:
        for ts, step in (e['ts'], 1), (e['ts'] + e['dur'], -1):
            changes.setdefault((ts, apps.index(e['cat'])), []).append(step)
    now, want = dict.fromkeys(apps, 0), []
    for (ts, app), steps in sorted(changes.items()):
        now[apps[app]] += sum(steps)
        want.append((ts, dict(now)))
    got = [(e['ts'], e['args']) for e in events if e['name'] == 'resident blocks']
    assert got == want, [(g, w) for g, w in zip(got, want) if g != w][:3]
    assert len(blocks) > 10 and not any(want[-1][1].values())
    ends = [e['ts'] + e['dur'] for e in blocks]
    assert ends == sorted(ends)


def peak_kb(build, folder, cycles):
    """Peak memory of a long run, and the size of the output files. A shell starts the process: the
    system includes the memory of the process before exec."""
    out = [os.path.join(folder, name) for name in ('r.csv', 't.json')]
    p = subprocess.run(['sh', '-c', '"$@"; exit $?', 'sh', os.path.join(build, 'corun'), 'run',
                        *LONG, '--cycles', str(int(cycles)), '--csv', out[0], '--timeline', out[1],
                        '--json', '-'], capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    return (json.loads(p.stdout)['host']['peak_rss_bytes'] / 1000,
            sum(os.path.getsize(path) for path in out))


def small(build):
    """Rows and events that stayed in memory would make a longer run larger."""
    with tempfile.TemporaryDirectory() as folder:
        (short_kb, short), (long_kb, long) = (peak_kb(build, folder, n) for n in (5e5, 1e6))
    print('# %d kB with %d MB of rows and events, %d kB with %d MB' % (short_kb, short / 1e6,
                                                                       long_kb, long / 1e6))
    assert long - short > 20e6, (short, long)
    assert long_kb < short_kb + 3000, (short_kb, long_kb)


def main(build):
    tap = Tap(one_in=2)
    for apps, options, every in RUNS:
        name = '%s every %d' % ('+'.join(apps), every)
        for what, test in (('the intervals add up', add_up), ('the result is the same', harmless),
                           ('skipping shows nowhere', skipped)):
            tap.case('%s: %s' % (name, what), test, build, apps, options, every)
    for apps, options in ENDING:
        tap.case('%s: the count of resident blocks' % '+'.join(apps), resident, build, apps,
                 options, 1000)
    tap.case('the memory of a long run', small, build)
    tap.end()


main(sys.argv[1])

#!/usr/bin/env python3
"""Each way of sharing on each machine that has the way: right outputs and conservation laws. Where
halves are whole TPCs, 50/50 under mps equals spatial even."""
import json
import os
import subprocess
import sys

from common import Tap, checked, differ, run
from laws import laws

APPS = ['vecadd', 'mm', 'hotspot']
COMMON = ['--alone', 'skip', '--until', 'end']


def machines(build):
    """Returns name, compute capability times 10, SMs, and presence of MIG of every machine."""
    corun = os.path.join(build, 'corun')
    lines = subprocess.check_output([corun, 'list', 'gpus'], text=True).splitlines()[1:]
    for name in (line.split()[0] for line in lines if line.strip()):
        text = subprocess.check_output([corun, 'show', 'gpu', name], text=True)
        rows = dict(line.split()[:2] for line in text.splitlines() if len(line.split()) > 1)
        yield name, int(float(rows['host.capability']) * 10), int(rows['sm.count']), \
            rows['mig.sms_1g'] != '0'


def ways(capability, sms, mig):
    """Yields the ways of sharing of a machine, for three apps."""
    unit = 8 if capability >= 90 else 4
    few, half = unit, sms // 2 // unit * unit
    yield from ('leftover', 'streams', 'mps', 'mps[percent=50]', 'mps[percent=20/30/70]',
                'timeslice[us=8]', 'timeslice[us=2,state=resident]')
    yield 'green[sms=%d/%d/0]' % (half, few)
    yield 'green[sms=%d/%d,apps=0/0/1,inside=smk-p]' % (half, few)
    if capability >= 80:
        yield 'mps[static=1/2/1]'
        yield 'mps[static=3/1,apps=0/0/1,inside=spatial]'
    if mig:
        yield from ('mig', 'mig[profiles=3g/4g,apps=0/1/1]',
                    'mig[profiles=3g/4g,apps=0/0/1,inside=smk-even]')


def right(build, gpu, way):
    first = run(build, APPS, '--gpu', gpu, '--policy', way, *COMMON)
    checked(first)
    laws(first)
    assert [app['completions'] for app in first['apps']] == [1, 1, 1]


def figures(result):
    return json.dumps([result['cycles'], result['stats'],
                       [[app['cycles'], app['stats']] for app in result['apps']]], indent=1)


def halves(build, gpu):
    # without latency each app has a kernel at all times, and keeps its SMs
    two = ['vecadd', 'triad'], '--gpu', gpu, '--set', 'launch.latency_ns=0', '--alone', 'skip'
    mps, spatial = (figures(run(build, *two, '--policy', policy))
                    for policy in ('mps[percent=50]', 'spatial[fill=off]'))
    what = differ(mps, spatial)
    assert what is None, what


def main(build):
    tap = Tap(10)
    rows = list(machines(build))
    assert len(rows) > 10 and sum(mig for _, _, _, mig in rows) == 3, rows
    for gpu, capability, sms, mig in rows:
        for way in ways(capability, sms, mig):
            tap.case('%s on %s' % (way, gpu), right, build, gpu, way)
    tap.one_in = 2
    for gpu, _, sms, _ in rows:
        if sms % 4 == 0:
            tap.case('halves of %s' % gpu, halves, build, gpu)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

#!/usr/bin/env python3
"""Machines drawn at random over all settable options: each is refused with the keys named, or runs,
keeps the laws, and gives the same with and without skipping."""
import json
import math
import os
import random
import re
import subprocess
import sys

from common import Tap, bare, differ
from laws import laws
from micro import machines

MACHINES, CYCLES, SEED = 60, 3000, 1
# The first requests reach DRAM after more DRAM cycles than an agenda holds.
LATE = ['clock.dram_mhz=100000', 'l2.rop_cycles=1000']
APPS = ['vecadd', 'bfs', 'gups', 'mm', 'kmeans']


def options(build):
    """Returns the keys with their allowed values, from the page of options."""
    page = subprocess.run([os.path.join(build, 'corun'), 'list', 'options', '--markdown'],
                          capture_output=True, text=True, check=True).stdout
    for line in page.split('\n'):
        m = re.match(r'\| ([a-z0-9]+\.[a-z0-9_]+) \| \S* \| (.*?) \| ', line.replace('\\|', '/'))
        if m:
            yield m.groups()


def draw(dice, allowed):
    words = re.match('one of (.*)', allowed)
    if words or allowed == 'on or off':
        return dice.choice(words.group(1).split('/') if words else ['on', 'off'])
    m = re.match(r'a (whole )?number from (\S+) to (\S+)', allowed)
    if not m:
        return None
    low, high = float(m.group(2)), float(m.group(3))
    value = math.exp(dice.uniform(math.log(max(low, 0.5)), math.log(max(high, 1))))
    if dice.random() < 0.6:
        value = 2 ** round(math.log2(value))
    value = dice.choice([low, high, value, value, value])
    value = min(max(value, low), high)
    return '%d' % value if m.group(1) or value >= 1000 else '%.3f' % value


def run(build, gpu, app, sets, skip):
    return subprocess.run([os.path.join(build, 'corun'), 'run', app + ':size=test', '--gpu', gpu,
                           '--alone', 'skip', '--quiet', '--json', '-', '--until', 'window',
                           '--cycles', str(CYCLES), '--skip', skip,
                           *(word for s in sets for word in ('--set', s))],
                          capture_output=True, text=True)


def one(build, gpu, app, sets, counts):
    on = run(build, gpu, app, sets, 'on')
    if on.returncode == 2:
        assert not on.stdout and any(s.split('=')[0] in on.stderr for s in sets) or \
            'does not fit' in on.stderr or 'an SM has' in on.stderr, on.stderr
        counts[1] += 1
        return
    counts[0] += 1
    off = run(build, gpu, app, sets, 'off')
    assert on.returncode in (0, 1) and off.returncode == on.returncode, on.stderr + off.stderr
    a, b = json.loads(on.stdout), json.loads(off.stdout)
    if a['status'] == 'completed' and a['stats']['inst.warp']:  # launch.latency_ns may be longer
        laws(a)
    what = differ(bare(a), bare(b))
    assert what is None, 'skip on | off: ' + what


def ran(counts):
    assert counts[0] > MACHINES // 2, '%d ran, %d were refused' % tuple(counts)


def main(build):
    tap = Tap()
    dice, rows, counts = random.Random(SEED), list(options(build)), [0, 0]
    for _ in range(MACHINES):
        gpu, app = dice.choice(machines()), dice.choice(APPS)
        drawn = ((key, draw(dice, allowed)) for key, allowed in dice.sample(rows, 4))
        sets = ['%s=%s' % pair for pair in drawn if pair[1] is not None]
        tap.case('%s on %s, %s' % (app, gpu, ' '.join(sets)), one, build, gpu, app, sets, counts)
    tap.case('most of them ran', ran, counts)
    tap.case('mm on fermi30, a long time without DRAM', one, build, 'fermi30', 'mm', LATE, counts)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

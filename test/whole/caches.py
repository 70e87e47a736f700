#!/usr/bin/env python3
"""Line size, capacity, ways and sets of each cache found from the latencies of pointer chases, as
microbenchmarks find them on silicon, against the machine's file; and the order of hits and misses
of a random chase under every index function against a model of the cache written here."""
import random
import sys

from common import Tap
from micro import chase, config, machines

CACHES = {'l1': dict(cached=True), 'l2': dict(cached=False)}
LINE = 128
MACHINES = ('maxwell16', 'fermi30')
BASE = 1 << 32  # where an app's first buffer lies


class Level:
    """A cache of a machine, and the latency that separates hits from misses."""

    def __init__(self, build, gpu, name, options):
        self.args = (build, gpu)
        self.options = ['sm.shared_bytes=98304', *options]  # room for the times
        self.how = CACHES[name]
        result, times = self.times([0], 1, 8)
        self.config, self.hit = config(result), max(times)
        _, cold = self.times([0], 0, 1)
        assert cold[0] > 1.5 * self.hit, 'a miss takes %d, a hit %d' % (cold[0], self.hit)
        self.limit = self.hit * 1.3

    def times(self, order, warm, timed):
        return chase(*self.args, order, warm, timed, self.options, **self.how)

    def misses(self, order, warm, timed):
        return [t > self.limit for t in self.times(order, warm, timed)[1]]

    def round(self, n, step):
        """Misses of a round over n addresses `step` bytes apart, after two other rounds."""
        return sum(self.misses([step * i for i in range(n)], 2 * n, n))


def line_bytes(level):
    missed = [i for i, m in enumerate(level.misses([8 * i for i in range(128)], 0, 128)) if m]
    gaps = {b - a for a, b in zip(missed, missed[1:])}
    assert missed[0] == 0 and len(gaps) == 1, 'misses at words %s' % missed
    return 8 * gaps.pop()


def most_that_fit(level, step, high):
    """Largest number of addresses that all stay in the cache."""
    low = 1
    assert level.round(high, step) > 0, '%d places fit' % high
    while low + 1 < high:
        middle = (low + high) // 2
        if level.round(middle, step):
            high = middle
        else:
            low = middle
    return low


def shape(build, gpu, name):
    """With a line too many, a set of an LRU cache misses all the time: ways + 1 lines."""
    level = Level(build, gpu, name, [name + '.index=linear'])
    sets, ways = level.config[name + '.sets'], level.config[name + '.ways']
    slices = 1
    if name == 'l2':
        slices = level.config['map.channels'] * level.config['map.slices_per_channel']
    line = line_bytes(level)
    assert line == LINE, 'lines of %d bytes' % line
    lines = most_that_fit(level, line, 32768)
    assert lines == slices * sets * ways, '%d lines' % lines
    for more in (1, 2):
        missed = level.round(lines + more, line)
        found = missed / more - 1
        assert found == ways, '%g ways with %d lines too many' % (found, more)
    if name == 'l1': # a stride of all sets stays in a single set
        assert most_that_fit(level, line * sets, 32 * ways) == ways


def l1_index(kind, sets, address):
    number = address // LINE
    if kind == 'linear':
        return number % sets
    if kind == 'xor':
        return (number ^ number // sets) % sets
    assert kind == 'fermi-l1'
    bit = lambda n: address >> n & 1
    hashed = (bit(13) | bit(14) << 1 | bit(15) << 2 | bit(17) << 3 | bit(19) << 4)
    return (number & 31 ^ hashed) | (bit(12) << 5 if sets == 64 else 0)


class Lru:
    def __init__(self, ways):
        self.ways, self.sets = ways, {}

    def misses(self, at, line):
        lines = self.sets.setdefault(at, [])
        missed = line not in lines
        if not missed:
            lines.remove(line)
        lines.append(line)
        del lines[:-self.ways]
        return missed


def hashed(build, gpu, kind):
    """Two rounds over random lines and over more lines of the same set without a hash; the second
    round is compared."""
    level = Level(build, gpu, 'l1', ['l1.index=' + kind])
    sets, ways = level.config['l1.sets'], level.config['l1.ways']
    lines = random.Random(7).sample(range(1, 16384), sets * ways)
    order = [0] + sorted({LINE * n for n in lines} | {16384 * n for n in range(1, 24)},
                         key=lambda o: o * 0x9e3779b1 % 2 ** 32)
    cache = Lru(ways)
    for _ in range(2):
        want = [cache.misses(l1_index(kind, sets, BASE + o), o) for o in order]
    got = level.misses(order, len(order), len(order))
    assert any(want) and not all(want)
    wrong = [o for o, a, b in zip(order, want, got) if a != b]
    assert not wrong, '%d of %d places, first %#x' % (len(wrong), len(order), wrong[0])


def main(build):
    tap = Tap(one_in=2)
    for gpu in machines():
        if gpu not in MACHINES:
            continue
        for name in CACHES:
            tap.case('%s %s: lines, sets, ways' % (gpu, name), shape, build, gpu, name)
        for kind in ('linear', 'xor', 'fermi-l1'):
            tap.case('%s l1: index %s' % (gpu, kind), hashed, build, gpu, kind)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

#!/usr/bin/env python3
"""Streams over whole rows: no machine ever moves more bytes than the data buses can, and fermi30,
whose two bank groups take turns within a row, moves at least 15.7 of 16 bytes per command cycle."""
import sys

from common import Tap
from micro import config, machines, micro

SHAPES = [(15, 128, 240), (30, 512, 20), (192, 256, 10)]  # blocks, threads, rounds


def bytes_per_cycle(build, gpu, shape):
    """Returns bytes per command cycle and channel, and the capacity of a bus."""
    blocks, threads, rounds = shape
    count = blocks * threads * rounds * 4
    launch = '{kernel: stream, grid: [%d,1,1], block: [%d,1,1], args: [$in, %d, $out]}' % shape
    result, _ = micro(build, gpu, [], ['in: {type: u32, count: %d, init: zero}' % count,
                                       'out: {type: u32, count: 1, init: zero}'], [launch])
    c = config(result)
    moved = result['stats']['dram.bytes']
    assert moved >= 4 * count
    cycles = result['cycles'] * c['clock.dram_mhz'] / c['clock.sm_mhz']
    each, peak = moved / cycles / c['map.channels'], c['dram.bus_bytes']
    fraction = result['stats']['dram.bandwidth_fraction']
    assert abs(fraction - each / peak) < 0.001, 'dram.bandwidth_fraction %f' % fraction
    return each, peak


def machine(build, gpu):
    rates = [bytes_per_cycle(build, gpu, shape) for shape in SHAPES]
    best = max(each for each, _ in rates)
    for each, peak in rates:
        assert peak / 4 < best and each <= peak, '%.2f of %g bytes a cycle' % (each, peak)
    if gpu == 'fermi30':
        assert best >= 15.7, '%.2f bytes a cycle' % best


def main(build):
    tap = Tap()
    for gpu in machines():
        tap.case(gpu, machine, build, gpu)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

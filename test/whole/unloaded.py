#!/usr/bin/env python3
"""maxwell16-duet: the unloaded load-to-use latencies of paper 003 (Table 1), 200 SM cycles for a
hit in L2 and 450 for DRAM with the row to be opened, each within 3 %."""
import os
import struct
import sys

from common import Tap
from micro import PTX, config, micro

GPU = 'maxwell16-duet'
HOPS = 32
BASE = 1 << 32  # where an app's first buffer lies
LINE = 128


def step(build, kernel, order, warm):
    """SM cycles from a load to the use of the loaded value: the mean of 32 loads along the byte
    offsets `order`, after `warm` times 32."""
    chain = bytearray(max(order) + 8)
    for here, there in zip(order, order[1:] + order[:1]):
        struct.pack_into('<Q', chain, here, BASE + there)
    launch = '{kernel: %s, grid: [1,1,1], block: [1,1,1], args: [$chain, %d, $out]}'
    result, out = micro(build, GPU, [], [
        'chain: {type: u8, count: %d, init: file chain.bin}' % len(chain),
        'out: {type: u64, count: 2, init: zero}'], [launch % (kernel, warm)],
        [('chain.bin', bytes(chain))],
        os.path.join(os.path.dirname(PTX), 'hops.ptx'))
    cycles, base = struct.unpack('<2Q', out)
    assert base == BASE
    return config(result), cycles / HOPS


def near(cycles, want):
    print('# %.1f SM cycles' % cycles)
    assert abs(cycles - want) <= 0.03 * want, '%.1f SM cycles' % cycles


def l2(build, kernel, lines):
    """The chain fits L2; `lines` exceed the L1, or the loads bypass L1."""
    order = [LINE * i for i in range(lines)]
    near(step(build, kernel, order, lines // HOPS)[1], 200)


def dram(build):
    """32 banks without an open row: two of each channel."""
    order = [channel << 8 | bank << 12 for bank in (0, 1) for channel in range(16)]
    c, cycles = step(build, 'hops_ca', order, 0)
    assert c['map.channels'] == 16 and c['map.interleave_bytes'] == 256 and \
        c['map.layout'] == 'auto' and c['map.hash'] == 'none'
    near(cycles, 450)


def main(build):
    tap = Tap()
    tap.case(GPU + ': a hit in L2, past L1', l2, build, 'hops_cg', 2 * HOPS)
    tap.case(GPU + ': a hit in L2 after a miss in L1', l2, build, 'hops_ca', 16 * HOPS)
    tap.case(GPU + ': DRAM, row to be opened', dram, build)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

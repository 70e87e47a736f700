#!/usr/bin/env python3
"""A chain of dependent loads shows each level's unloaded latency on every machine: the kernel's
measurement equals the statistic, the levels differ by the fixed delays between them, and DRAM rows
cost their timings."""
import sys

from common import Tap
from micro import chase, config, machines, stride

AROUND = 2  # reading the clock before and after
HOPS = 24   # SM cycles for queues and ports between two levels, at most


def mean(times):
    return sum(times) / len(times)


class Machine:
    def __init__(self, build, gpu):
        self.args = (build, gpu)
        result, times = stride(build, gpu, 128, 64)
        self.config = config(result)
        self.cold = times
        self.said = result['stats']['ldst.load_latency']

    def chase(self, **more):
        _, times = chase(*self.args, [0], 4, 64, **more)
        assert max(times) - min(times) <= 4, times
        return mean(times)

    def in_sm_cycles(self, key, clock):
        c = self.config
        return c[key] * c['clock.sm_mhz'] / c['clock.%s_mhz' % clock]

    def bank(self, address):
        """Channel and bank, as map.layout says."""
        c = self.config
        assert c['map.hash'] == 'none'
        block, low = divmod(address, c['map.interleave_bytes'])
        own = block // c['map.channels'] * c['map.interleave_bytes'] + low
        layout = c['map.layout']
        if layout == 'auto':
            high = c['dram.banks'].bit_length() - 2
            layout = 'R' * 12 + 'B' * high + 'C' * 4 + 'B' + 'C' * 8
        bits = [own >> i & 1 for i, letter in enumerate(reversed(layout)) if letter == 'B']
        return block % c['map.channels'], tuple(bits)

    def first_row(self):
        """Times of cold lines with a closed row, and of cold lines with an open row, until a bank
        sees a second row."""
        closed, opened, seen = [], [], set()
        for i, time in enumerate(self.cold):
            bank = self.bank(128 * i)
            (opened if bank in seen else closed).append(time)
            seen.add(bank)
        return closed[1:], opened


def statistic(build, gpu):
    m = Machine(build, gpu)
    seen = mean(m.cold) - AROUND
    assert seen - 2 <= m.said <= seen, 'measured %.2f, ldst.load_latency %.2f' % (seen, m.said)


def levels(build, gpu):
    m = Machine(build, gpu)
    l1, l2, dram = m.chase(), m.chase(cached=False), mean(m.first_row()[1])
    far = 2 * m.in_sm_cycles('xbar.latency_cycles', 'xbar') + m.in_sm_cycles('l2.rop_cycles', 'l2')
    deep = sum(m.in_sm_cycles(k, 'dram') for k in ('dram.latency_cycles', 'dram.cl'))
    said = 'L1 %.1f, L2 %.1f, DRAM %.1f' % (l1, l2, dram)
    assert m.config['l1.latency_cycles'] + AROUND <= l1 <= l2, said
    assert far <= l2 - AROUND <= far + l1 + HOPS, said + ', fixed delays %.1f' % far
    deep += m.config['l1.pipe_cycles']  # absent from the chase past L1
    assert deep <= dram - l2 <= deep + HOPS, said + ', fixed delays %.1f' % deep


def rows(build, gpu):
    m = Machine(build, gpu)
    c = m.config
    opened, hit = (mean(times) for times in m.first_row())
    step = c['map.channels'] * c['dram.banks'] * 4096
    _, times = stride(*m.args, step, 64)
    conflict = mean(times[1:])
    rcd, rp = (m.in_sm_cycles('dram.' + k, 'dram') for k in ('rcd', 'rp'))
    assert abs(opened - hit - rcd) < 1.5, 'to open a row: %.2f, RCD %.2f' % (opened - hit, rcd)
    assert abs(conflict - opened - rp) < 1.5, 'to close one: %.2f, RP %.2f' % (conflict - opened,
                                                                              rp)


def main(build):
    tap = Tap()
    for gpu in machines():
        tap.case(gpu + ': the statistic', statistic, build, gpu)
        tap.case(gpu + ': L1, L2, DRAM', levels, build, gpu)
        tap.case(gpu + ': DRAM rows', rows, build, gpu)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

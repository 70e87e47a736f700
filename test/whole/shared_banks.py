#!/usr/bin/env python3
"""A shared-memory load in which `degree` lanes want different words of one bank takes `degree`
passes: its latency grows by one cycle per degree, a run of them takes that many cycles each, and
the statistic counts the cycles beyond the first."""
import sys

from common import Tap
from micro import config, machines, micro, words

MANY = 64  # loads
# Degree from which on the loads alone decide how long that takes. Where collectors go in class
# order loads overtake one another up to 19; GPGPU-Sim takes the same odd step, from 17 to 18.
FULL = {'sub-core': 15, 'class': 19}


def banks(build, gpu, degree, banks_n):
    launch = '{kernel: banks, grid: [1,1,1], block: [32,1,1], shared_bytes: %d, args: [%d, %d, ' \
             '%d, $out]}' % (4 * 32 * banks_n, degree, banks_n, MANY)
    result, out = micro(build, gpu, [], ['out: {type: u32, count: 64, init: zero}'], [launch])
    times = words('I', out)
    assert len(set(times[:32])) == len(set(times[32:])) == 1
    return result, times[0], times[32]


def degrees(build, gpu):
    result, first, many = banks(build, gpu, 1, 32)
    c = config(result)
    assert c['sm.shared_banks'] == 32
    assert result['stats']['ldst.shared_conflict_cycles'] == 0
    for degree in range(2, 33):
        result, one, many = banks(build, gpu, degree, 32)
        assert one - first == degree - 1, 'degree %d: %d, without %d' % (degree, one, first)
        assert many >= degree * MANY
        if degree > FULL[c['sm.collector_order']]:
            assert many - last == MANY, '%d loads, degree %d: %d' % (MANY, degree, many - last)
        last = many
        counted = result['stats']['ldst.shared_conflict_cycles']
        assert counted == (degree - 1) * (MANY + 1), 'degree %d: %d' % (degree, counted)


def main(build):
    tap = Tap()
    for gpu in machines():
        tap.case(gpu, degrees, build, gpu)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

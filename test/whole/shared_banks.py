#!/usr/bin/env python3
"""A shared-memory load in which `degree` lanes want different words of a bank takes `degree`
passes: latency grows by a cycle per degree, back-to-back loads take `degree` cycles each, and the
statistic counts the cycles beyond the first. Accesses of 8 and 16 bytes take two and four passes;
conflicts are the passes beyond."""
import os
import sys
import tempfile

from common import Tap
from micro import config, machines, micro, words

MANY = 64  # loads
# Least degree at which the loads alone decide the time. Where collectors go in class order, loads
# overtake each other up to 19; GPGPU-Sim takes the same odd step, from 17 to 18.
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


WIDE = """.version 7.0
.target sm_75
.address_size 64
.visible .entry wide(.param .u64 p)
{ .shared .align 16 .b8 s[16384]; .reg .b32 %%r<9>; .reg .b64 %%d<9>; .reg .pred %%p;
mov.u32 %%r0, %%tid.x; mov.u32 %%r1, s; mad.lo.u32 %%r1, %%r0, %d, %%r1; shr.u32 %%r2, 0x%x, %%r0;
and.b32 %%r2, %%r2, 1; setp.eq.u32 %%p, %%r2, 0; @%%p ret; mov.u32 %%r3, 0;
again: %s add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p, %%r3, 10; @%%p bra again; ret; }
"""
V4 = '{%r4, %r5, %r6, %r7}'
ALL, HALF, TWO = 0xffffffff, 0xffff, 0x00010001
WIDES = [  # instruction, bytes from lane to lane, lanes, conflicts
    ('ld.volatile.shared.b32 %r4, [%r1];', 4, ALL, 0),
    ('ld.volatile.shared.b64 %d4, [%r1];', 8, ALL, 0),
    ('ld.volatile.shared.b64 %d4, [%r1];', 16, ALL, 2),
    ('ld.volatile.shared.b64 %d4, [%r1];', 0, ALL, 0),
    ('ld.volatile.shared.b64 %d4, [%r1];', 128, HALF, 15),
    ('ld.volatile.shared.b64 %d4, [%r1];', 128, TWO, 0),
    ('ld.volatile.shared.v2.b32 {%r4, %r5}, [%r1];', 24, ALL, 0),
    ('ld.volatile.shared.v4.b32 ' + V4 + ', [%r1];', 16, ALL, 0),
    ('ld.volatile.shared.v4.b32 ' + V4 + ', [%r1];', 32, ALL, 4),
    ('ld.volatile.shared.v2.b64 {%d4, %d5}, [%r1];', 48, ALL, 0),
    ('st.volatile.shared.b64 [%r1], %d4;', 8, ALL, 0),
    ('st.volatile.shared.v4.b32 [%r1], ' + V4 + ';', 128, ALL, 28),
    ('atom.shared.add.u64 %d4, [%r1], 1;', 8, ALL, 0),
    ('atom.shared.add.u64 %d4, [%r1], 1;', 0, ALL, 30),
    ('atom.shared.add.u32 %r4, [%r1], 1;', 0, HALF, 15),
    ('ld.volatile.shared.u8 %r4, [%r1];', 1, ALL, 0),
]


def wide(build, gpu):
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, 'wide.ptx')
        for instruction, apart, lanes, conflicts in WIDES:
            with open(module, 'w') as f:
                f.write(WIDE % (apart, lanes, instruction))
            result, _ = micro(build, gpu, [], ['out: {type: u32, count: 64, init: zero}'],
                              ['{kernel: wide, grid: [1,1,1], block: [32,1,1], args: [$out]}'],
                              module=module)
            s = result['stats']
            assert s['ldst.shared'] == 10
            assert s['ldst.shared_conflict_cycles'] == 10 * conflicts, \
                '%s, %d apart, lanes %x: %d' % (instruction, apart, lanes,
                                                s['ldst.shared_conflict_cycles'])


def main(build):
    tap = Tap(one_in=2)
    for gpu in machines():
        tap.case(gpu, degrees, build, gpu)
        tap.case(gpu + ', 8 and 16 bytes', wide, build, gpu)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

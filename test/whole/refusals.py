#!/usr/bin/env python3
"""Causes of L1 refusals: atomics, performed at L2, wait for the crossbar, and so do loads behind
atomics; the cause is separate from the miss queue's. Loads and stores alone never have the
cause."""
import os
import sys
import tempfile

from common import Tap
from micro import machines, micro

PTX = """.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 bins)
{ .reg .b32 %%r<9>; .reg .b64 %%d<9>; .reg .pred %%p;
mov.u32 %%r0, %%ctaid.x; mov.u32 %%r1, %%ntid.x; mov.u32 %%r2, %%tid.x;
mad.lo.u32 %%r1, %%r0, %%r1, %%r2; ld.param.u64 %%d0, [p]; ld.param.u64 %%d1, [bins];
mad.wide.u32 %%d0, %%r1, 128, %%d0; mul.lo.u32 %%r3, %%r1, 0x9e3779b1; shr.u32 %%r3, %%r3, 16;
mad.wide.u32 %%d1, %%r3, 4, %%d1; mov.u32 %%r4, 0;
again: %s
add.u32 %%r4, %%r4, 1; setp.lt.u32 %%p, %%r4, 2; @%%p bra again; ret; }
"""
LOAD, STORE = 'ld.global.u32 %r5, [%d0];', 'st.global.u32 [%d0], %r4;'
ATOM, RED = 'atom.global.add.u32 %r6, [%d1], 1;', 'red.global.add.u32 [%d1], 1;'
CAUSES = ['l1.fail_' + c for c in ('line', 'missq', 'xbar', 'mshr', 'merge')]


def fails(build, gpu, body, *options):
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, 'k.ptx')
        with open(module, 'w') as f:
            f.write(PTX % body)
        result, _ = micro(build, gpu, options, ['in: {type: u32, count: 262144}',
                                                'out: {type: u32, count: 65536, init: zero}'],
                          ['{kernel: k, grid: [32,1,1], block: [256,1,1], args: [$in, $out]}'],
                          module=module)
        s = result['stats']
        assert s['l1.reservation_fails'] == sum(s[c] for c in CAUSES)
        return {c[len('l1.fail_'):]: s[c] for c in CAUSES}


def causes(build, gpu):
    found = fails(build, gpu, LOAD + STORE)
    assert not found['xbar'] and sum(found.values()), found
    for body in (ATOM, RED):
        found = fails(build, gpu, body, 'l1.atomics=access')
        assert found['xbar'] and not found['missq'], (body, found)
        found = fails(build, gpu, body, 'l1.atomics=bypass')
        assert not sum(found.values()), (body, found)  # no accesses of L1
    for rule in ('access', 'bypass'):  # loads behind atomics
        found = fails(build, gpu, ATOM + LOAD, 'l1.atomics=' + rule)
        assert found['xbar'], (rule, found)


def main(build):
    tap = Tap()
    for gpu in machines():
        tap.case(gpu, causes, build, gpu)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

#!/usr/bin/env python3
"""Kernels written by synth behave as their parameters say: instructions, lines, hits and stores are
counted in runs to the end; and skipping of cycles changes nothing."""
import sys

from common import Tap, bare, differ, run

SMALL = 'synth:size=test,blocks=32,loops=32'


def stats(build, knobs, gpu='maxwell16'):
    r = run(build, ['%s,%s' % (SMALL, knobs)], '--gpu', gpu, '--alone', 'skip', '--until', 'end',
            size=None)
    assert r['status'] == 'completed' and r['apps'][0]['checked'] is None
    return r['apps'][0]['stats']


def near(got, want, share=0.02):
    assert abs(got - want) <= share * want, (got, want)


def lines(build, knobs, want):
    near(stats(build, knobs)['ldst.req_per_minst'], want)


def compute(build, knobs, want):
    near(stats(build, knobs)['inst.cinst_per_minst'], want, 0.04)


def misses(build, knobs, low, high):
    rate = stats(build, knobs)['l1.miss_rate']
    assert low <= rate <= high, (rate, low, high)


def stores(build):
    s = stats(build, 'write=0.25')
    near(s['ldst.loads'] / s['ldst.minst'], 0.75)
    near(s['l2.writes'] / s['l1.accesses'], 0.25)


def shared(build):
    s = stats(build, 'shared=4096,cinst=8,shared_load=0.25,ways=8')
    near(s['ldst.shared'] / s['ldst.minst'], 2)
    assert s['ldst.shared_conflict_cycles'] >= 7 * s['ldst.shared'], s


def reuse(build):
    """A set of all blocks is fetched once if the set fits L2, and repeatedly otherwise."""
    small = stats(build, 'kernel=1,kernel_kb=64')
    large = stats(build, 'kernel=1,kernel_kb=65536,random=1')
    assert small['l2.misses'] <= 64 * 1024 / 128 * 1.1, small['l2.misses']
    near(large['l2.misses'] + large['l2.merged'], large['l2.accesses'], 0.1)


def still(build):
    """Where the streams stand still the same lines are read again."""
    moving, phases = (stats(build, k)['l2.misses'] for k in ('phase=0', 'phase=4'))
    assert phases < 0.75 * moving, (phases, moving)


def merges(build):
    """Sixteen loads meet at a line; an entry merges eight."""
    once, twice = (stats(build, 'block=1,block_lines=4096,mlp=4,block_times=%d' % n)
                   for n in (1, 2))
    assert once['l1.fail_merge'] == 0 < twice['l1.fail_merge'], (once, twice)
    assert twice['l1.miss_rate'] < 0.1, twice['l1.miss_rate']


def fewer(build):
    """A warp reuses lines; the lines of all warps do not fit L1, but L2."""
    knobs = 'warp=1,warp_lines=4,warp_kb=256,req=4'
    many, few = (stats(build, knobs + ',shared=%d' % n) for n in (1024, 98304))
    assert few['l1.miss_rate'] < 0.6 * many['l1.miss_rate'], (few, many)
    assert many['l2.misses'] <= 256 * 1024 / 128, many['l2.misses']


def first(build):
    """They take time, and no special function unit."""
    none, some = (stats(build, 'barriers=8,kernel=0.5' + k)
                  for k in ('', ',exchanges=32,chase=4'))
    assert some['inst.ipc_thread'] < none['inst.ipc_thread'] / 1.5, (some, none)
    near(some['inst.cinst_per_minst'], none['inst.cinst_per_minst'], 0.05)


def skip(build, knobs, gpu):
    apps = ['%s,%s' % (SMALL, knobs)]
    results = [bare(run(build, apps, '--gpu', gpu, '--alone', 'skip', '--skip', s, size=None))
               for s in ('on', 'off')]
    assert results[0] == results[1], differ(*results)


def main(build):
    tap = Tap(one_in=8)
    for want in (1, 2, 3, 11, 17, 32):
        tap.case('%d lines' % want, lines, build, 'req=%d' % want, want)
    tap.case('lines far apart', lines, build, 'req=6,lane_bytes=4096', 6)
    tap.case('lines at hashed places', lines, build, 'req=32,kernel=1,random=1,cinst=9', 32)
    tap.case('2.5 lines in the mean', lines, build, 'req=2.5', 2.5)
    tap.case('8 lines in the mean, wide', lines, build, 'req=8,spread=0.5', 8)
    tap.case('few compute instructions', compute, build, 'cinst=2', 2)
    tap.case('many compute instructions', compute, build, 'cinst=20,sfu=0.1,branch=0.2', 20)
    tap.case('a stream misses', misses, build, 'again=0', 0.99, 1)
    tap.case('lines once more', misses, build, 'again=0.5,mlp=2', 0.48, 0.52)
    tap.case("a warp's set hits", misses, build, 'warp=1,warp_lines=2', 0, 0.1)
    tap.case("a block's set hits", misses, build, 'block=1,block_lines=16', 0, 0.1)
    tap.case("a block's warps meet", merges, build)
    tap.case("few warps' sets fit", fewer, build)
    tap.case('what the first warp does at barriers', first, build)
    tap.case('stores', stores, build)
    tap.case('shared memory and its banks', shared, build)
    tap.case('the set of all blocks', reuse, build)
    tap.case('phases', still, build)
    for gpu in ('fermi30', 'rtx2060'):
        tap.case('skipping on ' + gpu, skip, build,
                 'barriers=4,serial=4,branch=0.1,taken=8,req=3,kernel=0.25', gpu)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

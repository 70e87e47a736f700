#!/usr/bin/env python3
"""Registers and shared memory with addresses: answers stay right, the laws hold, skipping changes
nothing; counters are unchanged, an app by itself loses nothing, and fragmentation agrees with the
worked examples."""
import os
import sys

from common import Tap, bare, checked, differ, run
from laws import laws

SHUFFLE = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'policy', 'shuffle.c')
ALLOCATORS = {
    'first-fit': 'sm.allocator=first-fit',
    'first-fit by warp': 'sm.allocator=first-fit sm.register_ranges=warp',
    '2-way': 'sm.allocator=2-way',
    '2-way by warp, boundary first': 'sm.allocator=2-way sm.register_ranges=warp '
                                     'sm.boundary_priority=true',
    '2n-way': 'sm.allocator=2n-way sm.allocator_parts=2',
    'counters, boundary first': 'sm.boundary_priority=true',
}
RUNS = [  # apps, policy
    (['mm', 'bfs'], 'smk-even+ideal'),
    (['histo', 'hotspot'], 'leftover'),
    (['lud', 'stencil', 'gups'], 'smk-p'),
    (['mm', 'fdtd', 'scan'], SHUFFLE + '[cycles=200]+ideal'),
]
PAIR = ['synth:threads=128,regs=16,shared=0,blocks=200,loops=40',
        'synth:threads=512,regs=40,shared=0,blocks=60,loops=30']


def sets(machine):
    return [word for kv in machine.split() for word in ('--set', kv)]


def same(build, apps, machine, policy):
    options = [*sets(machine), '--policy', policy, '--until', 'end', '--alone', 'skip']
    on = run(build, apps, *options)
    checked(on)
    laws(on)
    what = differ(bare(on), bare(run(build, apps, *options, '--skip', 'off')))
    assert what is None, 'skip on | off: ' + what


def cycles(build, apps, machine, *options):
    return run(build, apps, *sets(machine), '--alone', 'skip', '--until', 'end', *options)


def nothing_lost_alone(build, app, machine):
    a, b = cycles(build, [app], ''), cycles(build, [app], machine)
    assert a['cycles'] == b['cycles'], '%d with counters, %d' % (a['cycles'], b['cycles'])
    assert b['stats']['sm.fragmented_registers'] == 0


def counters_have_no_ranges(build):
    options = ['--policy', 'smk-even']
    a = cycles(build, ['mm', 'bfs'], '', *options)
    b = cycles(build, ['mm', 'bfs'], 'sm.register_ranges=warp sm.allocator_parts=2', *options)
    assert a['stats'] == b['stats']


def lies_apart(build):
    """Blocks of unlike sizes: first fit loses registers, 2-way with fixed victims none."""
    lost = {}
    for name in 'counters', 'first-fit', '2-way':
        r = run(build, PAIR, '--set', 'sm.allocator=' + name, '--set', 'sm.count=2', '--alone',
                'skip', '--until', 'end', '--policy', SHUFFLE + '[cycles=900]+ideal', size=None)
        laws(r)
        lost[name] = r['stats']['sm.fragmented_register_fraction']
        assert r['stats']['sm.fragmented_shared'] == 0
    assert lost['counters'] == 0, lost
    assert lost['first-fit'] > 0.005, lost
    assert lost['2-way'] < lost['first-fit'] / 4, lost


def main(build):
    tap = Tap(one_in=12)
    for name, machine in ALLOCATORS.items():
        for apps, policy in RUNS:
            tap.case('%s: %s, %s' % (name, ' + '.join(apps), os.path.basename(policy)), same,
                     build, apps, machine, policy)
    for name in 'first-fit', '2-way', '2n-way':
        for app in 'mm', 'lud', 'hotspot':
            tap.case('%s: %s alone' % (name, app), nothing_lost_alone, build, app,
                     'sm.allocator=' + name)
    tap.one_in = 2
    tap.case('counters have no ranges', counters_have_no_ranges, build)
    tap.case('what lies apart', lies_apart, build)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

#!/usr/bin/env python3
"""Policies that say whose requests DRAM serves first, on both of its schedulers: skipping changes
nothing, they change something, not what kernels move in all; without ranks they change nothing."""
import sys

from common import Tap, bare, checked, differ, run
from laws import laws

POLICIES = ['rr-frfcfs', 'prior-app', 'prior-app[order=1]', 'prior-low-mpki', 'prior-low-bw', 'its',
            'weis', 'its[window=100]', 'weis[window=7]']
STREAMS = ['clone001-scp', 'clone001-red']
NARROW = ['--set', 'map.channels=1', '--set', 'l2.sets=4']


def on(scheduler):
    return ['--set', 'dram.scheduler=' + scheduler]


def equal(build, apps, policy, *options):
    with_skip, without = (run(build, apps, '--policy', policy, '--alone', 'skip', '--skip', skip,
                              *options) for skip in ('on', 'off'))
    what = differ(bare(with_skip), bare(without))
    assert what is None, 'on | off: ' + what
    return with_skip


def whole(build, scheduler, policy):
    """Apps that come late and come again."""
    result = equal(build, ['gups', 'vecadd:start=3000', 'stencil:start=7777'], 'spatial+' + policy,
                   *on(scheduler), *NARROW)
    checked(result)
    laws(result)


def streams(build, scheduler, policy):
    """What two kernels that stream move in all stays the same, and when they are through does
    not."""
    with_it, without = (run(build, STREAMS, '--alone', 'skip', '--until', 'end', '--gpu', 'fermi30',
                            '--policy', p, '--set', 'map.channels=1', *on(scheduler))
                        for p in ('spatial+' + policy, 'spatial'))
    assert with_it['cycles'] != without['cycles']
    for key in ('dram.bytes', 'dram.reads', 'dram.writes', 'l2.misses'):
        assert with_it['stats'][key] == without['stats'][key], key


def same(build, scheduler, policy, apps):
    with_it, without = (run(build, apps, '--alone', 'skip', '--policy', p, *on(scheduler), *NARROW)
                        for p in ('spatial+' + policy, 'spatial'))
    for key in ('cycles', 'stats'):
        assert with_it[key] == without[key], key


def first(build, scheduler):
    """An app that goes first comes further, whichever it is."""
    done = [[a['thread_instructions'] for a in run(
        build, STREAMS, '--alone', 'skip', '--until', 'window', '--cycles', '30000', '--policy',
        'spatial+prior-app[order=%d]' % app, *on(scheduler), *NARROW, size='window')['apps']]
        for app in (0, 1)]
    assert done[0][0] > 1.1 * done[1][0] and done[1][1] > 1.1 * done[0][1], done


def refused(build):
    try:
        run(build, STREAMS, '--policy', 'its+weis')
    except AssertionError as e:
        assert "policies 'its' and 'weis' both decide dram.rank" in str(e), e
    else:
        raise AssertionError('its+weis was accepted')


def main(build):
    tap = Tap()
    for scheduler in ('frfcfs', 'fcfs'):
        for policy in POLICIES:
            tap.case('%s, %s: skip on and off' % (scheduler, policy), whole, build, scheduler,
                     policy)
            tap.case('%s, %s: what streams move' % (scheduler, policy), streams, build, scheduler,
                     policy)
        for policy in ('its[window=1000000]', 'weis[window=1000000]'):
            tap.case('%s, %s: no ranks' % (scheduler, policy), same, build, scheduler, policy,
                     ['gups', 'vecadd'])
        for policy in POLICIES:
            if 'order=1' not in policy:
                tap.case('%s, %s: one app' % (scheduler, policy), same, build, scheduler, policy,
                         ['gups'])
        tap.case('%s: who goes first comes further' % scheduler, first, build, scheduler)
    tap.case('two that rank are refused', refused, build)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

#!/usr/bin/env python3
"""Policies that choose whose requests DRAM serves first, on both schedulers: skipping changes
nothing, policies change timing, not the total traffic of kernels; without ranks nothing changes."""
import sys

from common import Tap, bare, differ, run

POLICIES = ['rr-frfcfs', 'prior-app', 'prior-app[order=1]', 'prior-low-mpki', 'prior-low-bw', 'its',
            'weis', 'its[window=100]', 'weis[window=7]']
STREAMS = ['clone001-scp', 'clone001-red']
UNRANKED = {}
NARROW = ['--set', 'map.channels=1']


def on(scheduler):
    return ['--set', 'dram.scheduler=' + scheduler]


def equal(build, apps, policy, *options):
    with_skip, without = (run(build, apps, '--policy', policy, '--alone', 'skip', '--skip', skip,
                              *options) for skip in ('on', 'off'))
    what = differ(bare(with_skip), bare(without))
    assert what is None, 'on | off: ' + what


def window(build, scheduler, policy):
    """Apps that start late and start again."""
    equal(build, ['clone001-gups', 'vecadd:start=2000', 'clone001-mum:start=5000'],
          'spatial+' + policy, '--until', 'window', '--cycles', '12000', *on(scheduler), *NARROW)


def streams(build, scheduler, policy):
    """The total traffic of two streaming kernels stays the same, and their end times change.
    32 misses in flight in L2: with 256 the order moves a thousandth of the traffic (not
    isolated)."""
    def moved(policy):
        return run(build, STREAMS, '--alone', 'skip', '--until', 'end', '--gpu', 'fermi30',
                   '--policy', policy, '--set', 'l2.mshrs=32', *NARROW, *on(scheduler))

    with_it = moved('spatial+' + policy)
    if scheduler not in UNRANKED:
        UNRANKED[scheduler] = moved('spatial')
    without = UNRANKED[scheduler]
    assert with_it['cycles'] != without['cycles']
    for key in ('dram.bytes', 'dram.reads', 'dram.writes', 'l2.misses'):
        assert with_it['stats'][key] == without['stats'][key], key


def same(build, scheduler, policy, apps):
    with_it, without = (run(build, apps, '--alone', 'skip', '--policy', p, *on(scheduler), *NARROW)
                        for p in ('spatial+' + policy, 'spatial'))
    for key in ('cycles', 'stats'):
        assert with_it[key] == without[key], key


def first(build, scheduler):
    """An app that goes first gets further than with the other app first."""
    done = [[a['thread_instructions'] for a in run(
        build, ['clone001-blk', 'clone001-mum'], '--alone', 'skip', '--until', 'window', '--cycles',
        '20000', '--policy', 'spatial+prior-app[order=%d]' % app, '--gpu', 'fermi30',
        *on(scheduler), size='window')['apps']] for app in (0, 1)]
    assert done[0][0] > 1.1 * done[1][0] and done[1][1] > 1.1 * done[0][1], done


def alone(build, policy, apps):
    """Ranks by the apps' isolated behaviour, here the second app first."""
    one, other = (run(build, apps, '--alone', 'skip', '--until', 'window', '--cycles', '20000',
                      '--policy', 'spatial+' + p, '--gpu', 'fermi30', size='window')
                  for p in (policy, 'prior-app[order=1]'))
    for key in ('cycles', 'stats'):
        assert one[key] == other[key], key


def refused(build):
    try:
        run(build, STREAMS, '--policy', 'its+weis')
    except AssertionError as e:
        assert "'its' and 'weis' both decide dram.rank" in str(e), e
    else:
        raise AssertionError('its+weis was accepted')


def main(build):
    tap = Tap(one_in=4)
    for scheduler in ('frfcfs', 'fcfs'):
        for policy in POLICIES:
            tap.case('%s, %s: skip on and off' % (scheduler, policy), window, build, scheduler,
                     policy)
            tap.case('%s, %s: what streams move' % (scheduler, policy), streams, build, scheduler,
                     policy)
        for policy in ('its[window=1000000000]', 'weis[window=1000000000]'):
            tap.case('%s, %s: no ranks' % (scheduler, policy), same, build, scheduler, policy,
                     ['stencil', 'vecadd'])
        for policy in ('rr-frfcfs', 'prior-app', 'its', 'weis'):
            tap.case('%s, %s: one app' % (scheduler, policy), same, build, scheduler, policy,
                     ['vecadd'])
        tap.case('%s: who goes first comes further' % scheduler, first, build, scheduler)
    tap.one_in = 1  # always
    tap.case('fewer misses alone first', alone, build, 'prior-low-mpki',
             ['clone001-mum', 'clone001-blk'])
    tap.case('less bandwidth alone first', alone, build, 'prior-low-bw',
             ['clone001-blk', 'clone001-qtc'])
    tap.case('two that rank are refused', refused, build)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

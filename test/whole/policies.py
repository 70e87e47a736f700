#!/usr/bin/env python3
"""Properties under every policy: answers are right, the laws hold, skipping changes nothing, an app
alone takes the cycles of the isolated run, equal apps fare alike under symmetric policies."""
import os
import subprocess
import sys
import tempfile

from common import Tap, bare, checked, differ, run
from laws import laws

PAIR = ['mm', 'gups']
SMALL = ['--set', 'sm.count=4']
POLICIES = [  # for two apps; the policy for an app alone, None: not for an app alone
    ('leftover', 'leftover'),
    ('sequential', 'sequential'),
    ('spatial', 'spatial'),
    ('spatial[split=smart]', 'spatial[split=smart]'),
    ('spatial+ideal', 'spatial+ideal'),
    ('fixed[blocks=2/3]', None),
    ('smk-even', 'smk-even'),
    ('smk-even+ideal', 'smk-even+ideal'),
    ('smk-p', 'smk-p'),
    ('smk-p+ideal+fair', 'smk-p+fair'),
    ('fair[epoch=64]', 'fair'),
    ('warped-slicer[mode=static]', 'warped-slicer[mode=static]'),
    ('warped-slicer[warm=500,sample=300]', 'warped-slicer'),
    ('warped-slicer[warm=100,sample=99,scale=none,phase=on]+ideal', None),
    ('mias[profile_cycles=700]', 'mias'),
    ('mias[profile_cycles=400,metric=linear]+ideal', None),
    ('maestro[epoch=700]', 'maestro'),
    ('maestro[epoch=300,objective=stp,steady=1,rededicate=2]+ideal', None),
    ('smk-even+l1-ucp[period=500]', 'l1-ucp[period=500]'),
    ('smk-p+l1-ucp[period=300,sample=4]+l1-mshr-split', 'l1-mshr-split'),
    ('spatial+l2-ways', 'l2-ways'),
    ('smk-even+l2-ways[ways=12/4]+l1-mshr-split[mshrs=9/5,missq=2/6]', None),
    ('smk-p+kernel-lrr', 'kernel-lrr'),
    ('smk-p+kernel-ipr', 'kernel-ipr'),
    ('smk-p+rbmi', 'rbmi'),
    ('smk-p+qbmi[interval=64]', 'qbmi[interval=64]'),
    ('warped-slicer[warm=500,sample=300]+smil[limits=2/5]', 'smil'),
    ('warped-slicer[warm=500,sample=300]+dmil[interval=64]', 'dmil[interval=64]'),
    ('smk-p+qbmi[interval=64]+dmil[interval=99,scope=global,growth=double]', 'qbmi+dmil'),
    ('smk-p+kernel-lrr+dmil[interval=64,bits=hardware,growth=plus1]', 'kernel-lrr+dmil'),
    ('spatial+rr-frfcfs', 'rr-frfcfs'),
    ('smk-p+prior-app[order=1]', 'prior-app'),
    ('spatial+prior-low-mpki', 'prior-low-mpki'),
    ('smk-even+prior-low-bw', 'prior-low-bw'),
    ('spatial+its', 'its'),
    ('smk-p+its[window=100]', 'its[window=100]'),
    ('spatial+weis', 'weis'),
    ('smk-p+weis[window=7]', 'weis[window=7]'),
]
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLUG = os.path.join(TESTS, 'policy/plug')
INCLUDE = os.path.join(os.path.dirname(TESTS), 'include')
# A policy for each group without a shipped policy, deciding something; and again, deciding nothing.
PLUGS = ['order.c[rule=ranked]', 'order.c[rule=rotate]', 'order.c[rule=least-ratio]',
         'arbiter.c', 'limit.c[n=2]', 'requests.c', 'l1_lines.c', 'l1_entries.c', 'l2_ways.c',
         'dram_rank.c[rule=ranked]', 'dram_rank.c[rule=rotate]', 'dram_rank.c[rule=bytes]']
NEUTRAL = ['smil[limits=inf]', 'smil[limits=0/500]', 'fair[epoch=1000000]', 'limit.c[n=1000]',
           'l1_lines.c[even=off]', 'l1_entries.c[even=off]', 'l2_ways.c[even=off]',
           'dram_rank.c[rule=none]', 'order.c[rule=none]']
# Shipped policies that give everything to each app.
GENEROUS = ['l1_lines.c[even=all]', 'l1-mshr-split[mshrs=128/128,missq=8/8]',
            'l2-ways[ways=16/16]']
SYMMETRIC = ['spatial', 'smk-even', 'smk-p', 'smk-p+fair', 'smk-p+kernel-lrr', 'smk-p+kernel-ipr',
             'smk-p+rbmi', 'smk-p+qbmi']
# Delayed instructions are still issued.
ISSUE = ['fair', 'kernel-lrr', 'kernel-ipr', 'rbmi', 'qbmi[interval=64]', 'smil[limits=1/3]',
         'dmil[interval=64]', 'qbmi+dmil']
CACHES = ['l1-ucp[period=500]', 'l1-mshr-split', 'l2-ways']
RANKS = ['rr-frfcfs', 'prior-app', 'prior-app[order=1]', 'prior-low-mpki', 'prior-low-bw', 'its',
         'weis']
ALONE = {}


def compiled(name, folder):
    """Compiles a policy of test/policy/plug to a shared object, only once."""
    source, bracket, options = name.partition('[')
    made = os.path.join(folder, source + '.so')
    if not os.path.exists(made):
        subprocess.run(['cc', '-std=gnu11', '-O2', '-fPIC', '-shared', '-I', INCLUDE, '-o', made,
                        os.path.join(PLUG, source)], check=True)
    return made + bracket + options


def equal(build, apps, policy, *options):
    on, off = (run(build, apps, '--policy', policy, '--alone', 'skip', '--skip', skip, *SMALL,
                   *options)
               for skip in ('on', 'off'))
    checked(on)
    laws(on)
    what = differ(bare(on), bare(off))
    assert what is None, 'on | off: ' + what


def alone(build, app, policy):
    """The same cycles, and no counter differs."""
    if app not in ALONE:
        ALONE[app] = run(build, [app], '--alone', 'skip')
    here = run(build, [app], '--policy', policy, '--alone', 'skip')
    for key in ('cycles', 'stats'):
        assert here[key] == ALONE[app][key], '%s: %s, isolated %s' % (key, here[key],
                                                                      ALONE[app][key])


def alike(build, app, policy):
    """Instructions of two copies in a window are within 5 %. (Except programs whose blocks outlive
    the window: greedy-then-oldest prefers the app whose blocks came first until they end.)"""
    result = run(build, [app, app], '--policy', policy, '--alone', 'skip', '--until', 'window',
                 '--cycles', '60000', size='window')
    a, b = (x['thread_instructions'] for x in result['apps'])
    assert abs(a - b) <= 0.05 * max(a, b), '%d and %d instructions' % (a, b)


def neutral(build, policy):
    """Joined to another policy, changes nothing."""
    with_it, without = (run(build, PAIR, '--alone', 'skip', *SMALL, '--policy', p)
                        for p in ('smk-even+' + policy, 'smk-even'))
    for key in ('cycles', 'stats'):
        assert with_it[key] == without[key], key


def works(build, policy):
    """Joined to another policy, changes results, on a machine with a small L2 and one channel."""
    with_it, without = (run(build, PAIR, '--alone', 'skip', *SMALL, '--set', 'l2.sets=4', '--set',
                            'map.channels=1', '--policy', p)
                        for p in ('smk-even+' + policy, 'smk-even'))
    assert with_it['cycles'] != without['cycles']


def mpki(build, policy, scheduler):
    """Misses of L2 per thousand thread instructions, of each app's first two millions."""
    result = run(build, ['clone001-scp', 'clone001-mm'], '--gpu', 'fermi30', '--alone', 'skip',
                 '--policy', policy, '--set', 'dram.scheduler=' + scheduler, '--instructions',
                 '2000000', size=None)
    return [1000 * a['stats']['l2.misses'] / a['thread_instructions'] for a in result['apps']]


def same_misses(build):
    """With an L2 partition an app's misses do not depend on DRAM ranks; without, some app's do."""
    ranks = [''] + ['+' + rank for rank in RANKS]
    for policy, alike in (('spatial+l2-ways', True), ('spatial', False)):
        found = [mpki(build, policy + rank, 'frfcfs') for rank in ranks]
        found.append(mpki(build, policy, 'fcfs'))
        close = [max(of) <= 1.02 * min(of) for of in zip(*found)]
        assert all(close) == alike, '%s: %s' % (policy, found)


def moved(build, policy):
    """L2 misses of two streams and the bytes moved. A single channel makes all requests wait. A
    store's line is fetched before the store completes, and L2 holds every line: nothing is in
    flight when the last block ends, and written lines stay in L2."""
    result = run(build, ['vecadd', 'vecadd'], '--alone', 'skip', '--until', 'end', '--policy',
                 policy, '--set', 'map.channels=1', '--set', 'l2.sets=4096', '--set',
                 'l2.write_miss=fetch')
    checked(result)
    return [(a['stats']['l2.misses'], a['stats']['dram.bytes']) for a in result['apps']]


def streams(build, policy):
    with_it, without = moved(build, 'smk-p+' + policy), moved(build, 'smk-p')
    assert with_it == without and all(128 * misses == n for misses, n in without), \
        (with_it, without)


def refused(build, policy, what):
    try:
        run(build, PAIR, '--policy', policy)
    except AssertionError as e:
        assert what in str(e), e
    else:
        raise AssertionError('%s was accepted' % policy)


def main(build, folder):
    tap = Tap(one_in=16)
    for policy, _ in POLICIES:
        tap.case('%s, %s: skip on and off' % (' + '.join(PAIR), policy), equal, build, PAIR, policy)
    for policy in ('spatial[split=smart]', 'smk-even', 'smk-p+fair', 'smk-p+ideal',
                   'warped-slicer[warm=90,sample=50]', 'mias[profile_cycles=99]',
                   'maestro[epoch=200]+ideal+kernel-lrr',
                   'smk-even+l1-ucp[period=300]+l1-mshr-split+l2-ways',
                   'smk-p+kernel-lrr+qbmi[interval=64]+dmil[interval=64]',
                   'smk-even+kernel-ipr+rbmi+smil[limits=3/0/1]'):
        tap.case('three apps, %s: skip on and off' % policy, equal, build,
                 ['stencil', 'bfs', 'hotspot'], policy)
    for plug in PLUGS:
        made = compiled(plug, folder)
        policy = 'smk-even+' + made
        for setting in ('gto', 'lrr', 'two-level'):
            tap.case('%s, %s: skip on and off' % (plug, setting), equal, build, PAIR, policy,
                     '--set', 'sm.scheduler=' + setting)
        tap.case('%s, gtx980: skip on and off' % plug, equal, build, ['bfs', 'spmv'], policy,
                 '--gpu', 'gtx980')
        tap.case('%s changes something' % plug, works, build, made)
    for policy in CACHES:
        tap.case('%s changes something' % policy, works, build, policy)
    for plug in NEUTRAL:
        policy = compiled(plug, folder) if '.c' in plug else plug
        tap.case('%s changes nothing' % plug, neutral, build, policy)
    for name in GENEROUS:
        policy = compiled(name, folder) if '.c[' in name else name
        tap.case('%s changes nothing' % name, neutral, build, policy)
    for policy in ISSUE + CACHES + RANKS:
        tap.case('what two streams move, %s' % policy, streams, build, policy)
    eight = ['vecadd', 'mm', 'stencil', 'spmv', 'hotspot', 'kmeans', 'vecadd', 'stencil']
    for policy in ('mias[profile_cycles=700]+ideal', 'warped-slicer[warm=90,sample=50]',
                   'maestro[epoch=300]+ideal'):
        tap.case('eight apps, %s: skip on and off' % policy, equal, build, eight, policy, '--until',
                 'end')
    for app in ('vecadd', 'bfs'):
        for _, policy in POLICIES:
            if policy:
                tap.case('%s alone, %s' % (app, policy), alone, build, app, policy)
    for policy in SYMMETRIC:
        tap.case('two copies of hotspot, %s' % policy, alike, build, 'hotspot', policy)
    tap.case('l2-ways: the same misses under every order of DRAM', same_misses, build)
    for policy in ('smk-p+spatial', 'fixed[blocks=1/1]+smk-even'):
        tap.case('%s is refused' % policy, refused, build, policy, 'both decide partition')
    for policy, what in (('fair+fair', 'quota'), ('kernel-lrr+kernel-ipr', 'order'),
                         ('rbmi+qbmi', 'gate.arbiter'), ('smil+dmil', 'gate.limit')):
        tap.case('%s is refused' % policy, refused, build, policy, 'both decide ' + what)
    tap.case('smk-p+ideal+drain is refused', refused, build, 'smk-p+ideal+drain',
             "'ideal' and 'drain' both decide preempt")
    tap.end()


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as temporary:
        main(sys.argv[1], temporary)

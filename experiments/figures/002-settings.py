"""Influence of GPU Maestro's settings, and of other rules for shares; no figure of the paper."""
import lib
from paper002 import EVEN, MAESTRO, SHORT, SPATIAL

TITLE = 'Paper 002: effect of the settings of Maestro'
SWEEPS = ['002-epochs', '002-trials', '002-allocators', '002-fill', '002-end', '002-settle']
ALLOCATORS = [('sm.allocator=counters', 'counters: only totals'),
              ('sm.allocator=first-fit', 'first fit'), ('sm.allocator=2-way', '2-way'),
              ('sm.allocator=2-way sm.boundary_priority=true', '2-way, boundary blocks first')]
WINDOWS = (250000, 1000000, 4000000)

TEXT = '''Forty pairs, from each class in proportion; geometric means of ANTT and STP over kernels
alone, in percent, over 1,000,000 cycles. Under Maestro's own settings an epoch has 50,000 cycles,
one SM each tries a block more and one less, one SM of each kernel is dedicated, the objective is
ANTT, blocks leave by Chimera.

'''
ALLOCATION = '''
Allocators of registers and shared memory under Maestro. Fragmented: registers,
and shared memory, free and needed but not contiguous, of all, means over SMs and cycles.

'''
SHARES = '''
Rules for shares. `tail`: from the end of a launch to the next launch the other program gets the
unused share; by default both programs keep the shares; `smart`: no program has more SMs than the
program's blocks can fill. Means over pairs, with ANTT's median, since a program of short launches
can nearly stop.

'''
SETTLE = '''
Until Maestro has settled: Maestro beside spatial sharing and even SMK, by interval of cycles.

'''


def row(title, runs):
    antt = sorted(r.antt for r in runs)
    return [title, lib.percent(lib.gmean(antt)), lib.percent(antt[len(antt) // 2]),
            lib.percent(lib.gmean(r.weighted_speedup for r in runs))]


def settled():
    """Returns the runs of the sample of pairs as the other sweeps vary them."""
    return lib.runs('002-settle', SHORT)


def by_policy(runs):
    of = {}
    for r in runs:
        of.setdefault(r.policy, []).append(r)
    return of


def share_table():
    of = by_policy([*settled(), *lib.runs('002-fill'), *lib.runs('002-end')])
    return lib.table(['policy', 'ANTT', 'median', 'STP'],
                     [row('`%s`' % p, of[p]) for p in sorted(of)])


def maestro_table():
    rows = []
    of = by_policy([r for r in settled() if r.policy == MAESTRO] + lib.runs('002-epochs') +
                   lib.runs('002-trials'))
    for policy, runs in of.items():
        count = [lib.show(lib.mean(int(r.policy_values.get(k, '0')) for r in runs), 1)
                 for k in ('epochs', 'moves')]
        rows.append(row('`%s`' % policy.split('+')[0], runs) + count)
    return lib.table(['policy', 'ANTT', 'median', 'STP', 'epochs', 'moves of SMs'], rows)


def allocator_table():
    of = {}
    for r in lib.runs('002-allocators') + settled():
        if r.policy == MAESTRO:
            of.setdefault(r.row['options'], []).append(r)
    rows = []
    for options, title in ALLOCATORS:
        apart = [lib.show(100 * lib.mean(getattr(r, key) for r in of[options])) for key in
                 ('sm.fragmented_register_fraction', 'sm.fragmented_shared_fraction')]
        rows.append(row(title, of[options]) + apart)
    return lib.table(['allocator', 'ANTT', 'median', 'STP', 'registers apart, %',
                      'shared memory apart, %'], rows)


def settle_table():
    """Returns a table of the STP in parts of the window: the instructions of the part relative to
    the isolated run's rate over the whole window."""
    rows = []
    for policy, title in ((SPATIAL, 'spatial'), (EVEN, 'even SMK'), (MAESTRO, 'Maestro')):
        before, cells = {}, []
        for cycles in WINDOWS:
            stp = []
            for r in lib.runs('002-settle', cycles):
                if r.policy != policy:
                    continue
                n = tuple(r.names)
                now = r.app('thread_instructions')
                alone = [i * cycles for i in r.app('alone_ipc_thread')]
                was, alone_was = before.get(n, ([0, 0], [0, 0]))
                stp.append(sum((a - b) / (c - d) for a, b, c, d in
                               zip(now, was, alone, alone_was)))
                before[n] = now, alone
            cells.append(lib.percent(lib.gmean(stp)))
        rows.append([title] + cells)
    return lib.table(['STP over kernels alone, %'] + ['to {:,}'.format(c) for c in WINDOWS], rows)


def section():
    text = TEXT + maestro_table() + ALLOCATION + allocator_table() + SHARES + share_table() + \
        SETTLE + settle_table()
    return text, lib.Verdicts()

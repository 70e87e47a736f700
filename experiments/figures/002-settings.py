"""Influence of GPU Maestro's settings, and of other rules for shares; no figure of the paper."""
import lib
import paper002
from paper002 import EVEN, MAESTRO

TITLE = 'Paper 002: effect of the settings of Maestro'
SWEEPS = ['002-epochs', '002-trials', '002-allocators', '002-fill', '002-settle', '002-maestro',
          '002-pairs']
ALLOCATORS = [('sm.allocator=counters', 'counters: only totals'),
              ('sm.allocator=first-fit', 'first fit'), ('sm.allocator=2-way', '2-way'),
              ('sm.allocator=2-way sm.boundary_priority=true', '2-way, boundary blocks first')]

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
Other rules for shares, and the default rules of the same policies. `tail`: from the end of a launch
to the next launch the other program gets the unused share; `smart`: no program has more SMs than
the program's blocks can fill. Means over pairs, with ANTT's median, since a program of short
launches can nearly stop.

'''
SETTLE = '''
Until Maestro has settled: Maestro beside even SMK, by interval of cycles.

'''


def by_machine(sweep):
    """Returns {options: {names: {policy: run}}}."""
    of = {}
    for r in lib.runs(sweep):
        of.setdefault(r.row['options'], []).append(r)
    return {options: lib.by_set(runs) for options, runs in of.items()}


def row(title, runs):
    antt = sorted(r.antt for r in runs)
    return [title, lib.percent(lib.gmean(antt)), lib.percent(antt[len(antt) // 2]),
            lib.percent(lib.gmean(r.weighted_speedup for r in runs))]


def policy_table(sweeps, names):
    """Returns a table of every policy of the sweeps, over the sample of pairs."""
    rows = {}
    for sweep in sweeps:
        for r in lib.runs(sweep):
            if tuple(r.names) in names:
                rows.setdefault(r.policy, []).append(r)
    return lib.table(['policy', 'ANTT', 'median', 'STP'],
                     [row('`%s`' % p, runs) for p, runs in rows.items()])


def maestro_table(names):
    rows = []
    for sweep in ('002-maestro', '002-epochs', '002-trials'):
        runs = {}
        for r in lib.runs(sweep):
            if tuple(r.names) in names:
                runs.setdefault(r.policy.split('+')[0], []).append(r)
        for policy, of in runs.items():
            count = [lib.show(lib.mean(int(r.policy_values.get(k, '0')) for r in of), 1)
                     for k in ('epochs', 'moves')]
            rows.append(row('`%s`' % policy, of) + count)
    return lib.table(['policy', 'ANTT', 'median', 'STP', 'epochs', 'moves of SMs'], rows)


def allocator_table(names):
    machines = {**by_machine('002-allocators'), **by_machine('002-maestro')}
    rows = []
    for options, title in ALLOCATORS:
        runs = [by[MAESTRO] for n, by in machines.get(options, {}).items() if n in names]
        if runs:
            apart = [lib.show(100 * lib.mean(getattr(r, key) for r in runs)) for key in
                     ('sm.fragmented_register_fraction', 'sm.fragmented_shared_fraction')]
            rows.append(row(title, runs) + apart)
    return lib.table(['allocator', 'ANTT', 'median', 'STP', 'registers apart, %',
                      'shared memory apart, %'], rows)


def settle_table():
    """Returns a table of the STP in parts of the window: the instructions of the part relative to
    the isolated run's rate over the whole window."""
    rows = []
    for policy, title in ((EVEN, 'even SMK'), (MAESTRO, 'Maestro')):
        before, cells = {}, []
        for cycles in (250000, 500000, 1000000):
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
    return lib.table(['STP over kernels alone, %', 'to 250,000', 'to 500,000', 'to 1,000,000'],
                     rows)


def section():
    names = set(paper002.pairs('002-epochs'))
    text = TEXT + maestro_table(names)
    if lib.runs('002-allocators'):
        text += ALLOCATION + allocator_table(names)
    if lib.runs('002-fill'):
        text += SHARES + policy_table(['002-pairs', '002-maestro', '002-fill'], names)
    if lib.runs('002-settle'):
        text += SETTLE + settle_table()
    return text, lib.Verdicts()

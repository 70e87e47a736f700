"""Programs of paper 002, their classes and pairs, and rows of verdicts with causes, for the scripts
of the paper's figures.

Runs of pairs have the form {names: {policy: run}}.
"""
import csv
import functools
import itertools
import os
import random

import causes
import lib

CLASSES = ['COM/COM', 'COM/MEM', 'MEM/MEM']
SYMBOL = {'backprop': 'BP', 'cutcp': 'CP', 'hotspot': 'HS', 'heartwall': 'HW', 'leukocyte': 'LC',
          'mri-q': 'MRIQ', 'sad': 'SAD', 'tpacf': 'TPACF', 'bfs': 'BFS', 'blackscholes': 'BS',
          'btree': 'BT', 'fdtd': 'FDTD', 'fwt': 'FWT', 'kmeans': 'KM', 'lbm': 'LBM',
          'lavamd': 'LMD', 'lud': 'LUD', 'mummer': 'MUM', 'nw': 'NW', 'streamcluster': 'SC',
          'srad': 'SRAD', 'stencil': 'ST'}
SPATIAL, EVEN = 'spatial[fill=tail]+chimera', 'smk-even[fill=tail]+chimera'
SMART = 'spatial[split=smart,fill=tail]+chimera'
MAESTRO = 'maestro[fill=tail]+kernel-lrr+chimera'
SMK = 'smk-p[fill=tail]+fair+chimera'
SLICER = 'warped-slicer[mode=static,fill=tail]+chimera'
COM_FROM = 12  # Table 3: speedup on 16 SMs over a single SM above which a program is COM
SHORT = 1000000  # cycles of runs of the sample of pairs
METRICS = [('ANTT', 'antt'), ('STP', 'weighted_speedup')]
# Machines with a limit removed: (option of the machine, words).
WITHOUT = [('sm.scheduler=lrr', 'with loose round robin'),
           ('l1.ways=48', 'with an L1 of eight times the size'),
           ('l1.merges=64', 'where an MSHR merges 64 requests'),
           ('xbar.flit_bytes=136', 'with a crossbar four times as wide'),
           ('clock.dram_mhz=7000', 'with DRAM four times as fast')]
REMOVED = ['002-removed', '002-removed-issue', '002-removed-prior']
BEST = 'the best of all mixes%s, in each of 15 pairs of six programs,'


def paper_class():
    """Returns {program: COM or MEM}, from Table 3."""
    path = os.path.join(lib.HERE, '..', 'workloads', 'papers.csv')
    with open(path, encoding='utf-8') as f:
        of = {r[1]: r[3] for r in csv.reader(f) if r[0] == '002' and r[2] == 'scaling'}
    return {p: of[s] for p, s in SYMBOL.items()}


def scaling():
    """Returns {removed limit in words: {program: speedup on 16 SMs over a single SM}}, for equal
    work, with the unchanged machine under ''."""
    of = {}
    limits = [*WITHOUT, ('clock.dram_mhz=875', 'with DRAM at half the speed')]
    for words, some in causes.by_limit(lib.runs('002-classes') + lib.runs('002-classes-half'),
                                       limits).items():
        ipc = {}
        for r in some:
            count = r.row['options'].split()[0]
            ipc.setdefault(r.names[0], {})[count] = r.app('ipc_thread')[0]
        of[words] = {p: x['sm.count=16'] / x['sm.count=1'] for p, x in ipc.items()}
    return of


def own_class(times):
    return {p: 'COM' if x > COM_FROM else 'MEM' for p, x in times.items()}


def pair_class(names, of):
    return '/'.join(sorted(of[n] for n in names))


def pairs(*sweeps, cycles=None):
    """Returns the pairs of runs, merged over sweeps of overlapping pairs."""
    of = {}
    for sweep in sweeps:
        for names, by_policy in lib.by_set(lib.runs(sweep, cycles)).items():
            of.setdefault(names, {}).update(by_policy)
    return of


def common(of, policies):
    """Returns the pairs with a run under every policy."""
    return {names: by for names, by in of.items() if all(p in by for p in policies)}


def within(of, which, classes=None):
    """Returns the pairs of a class, by default the paper's class, or all pairs."""
    classes = classes or paper_class()
    return {names: by for names, by in of.items() if which in ('all', pair_class(names, classes))}


def mean(of, policy, metric):
    """Returns a metric relative to isolated runs, the geometric mean over pairs."""
    return lib.Mean({names: getattr(by[policy], metric) for names, by in of.items()
                     if policy in by})


def gains(of, policy):
    """Returns the means of ANTT and STP."""
    return tuple(mean(of, policy, metric) for _, metric in METRICS)


def over(of, policy, base):
    """Returns the STP under a policy over the STP under another."""
    return lib.Mean({names: by[policy].weighted_speedup / by[base].weighted_speedup
                     for names, by in common(of, (policy, base)).items()})


def bars(of, title, policies, classes=None):
    """Returns the paper's bar charts as a table: increase of ANTT and gain of STP per class."""
    rows = []
    for c in CLASSES + ['all']:
        some = within(of, c, classes)
        values = [gains(some, p) for p, _ in policies]
        rows.append([c, str(len(some))] + [lib.percent(a) for a, _ in values] +
                    [lib.percent(s) for _, s in values])
    return lib.table([title, 'pairs'] + ['ANTT, ' + n for _, n in policies] +
                     ['STP, ' + n for _, n in policies], rows)


def spreads(of, metric, policies):
    return lib.spread_table(metric.replace('_', ' '), {
        title: {names: getattr(by[policy], metric) for names, by in of.items()}
        for policy, title in policies})


# Readings of mechanisms in which the sample of pairs was run, too: (sweep, {policy of the sweep:
# policy in whose place the runs are}, words). END changes all policies of figure 11, OWN Maestro.
END = (('002-end', {'spatial+chimera': SPATIAL, 'smk-even+chimera': EVEN,
                    'maestro+kernel-lrr+chimera': MAESTRO}, 'with `fill=end`'),)
OWN = (
    ('002-trials', {'maestro[reference=isolated,fill=tail]+kernel-lrr+chimera': MAESTRO},
     'with `reference=isolated`'),
    ('002-trials', {'maestro[objective=stp,fill=tail]+kernel-lrr+chimera': MAESTRO},
     'with `objective=stp`'),
    ('002-trials', {'maestro[trial=2,fill=tail]+kernel-lrr+chimera': MAESTRO}, 'with `trial=2`'),
    ('002-epochs', {'maestro[epoch=12500,fill=tail]+kernel-lrr+chimera': MAESTRO},
     'with `epoch=12500`'),
    ('002-epochs', {'maestro[epoch=100000,fill=tail]+kernel-lrr+chimera': MAESTRO},
     'with `epoch=100000`'))


@functools.cache
def removed():
    """Returns {removed limit in words: pairs of the sample}, with the unchanged machine under
    ''."""
    of = {'': pairs('002-settle', '002-fill', '002-issue', '002-prior', cycles=SHORT)}
    every = [r for sweep in REMOVED for r in lib.runs(sweep)]
    for words, runs in causes.by_limit(every, WITHOUT).items():
        of[words] = lib.by_set(runs)
    return of


def machines(readings=()):
    """Returns the same, with other readings. A reading must change all policies of a row that have
    the choice."""
    of = dict(removed())
    for sweep, policies, words in readings:
        of[words] = {names: {**of[''][names], **{policies[p]: r for p, r in by.items()
                                                 if p in policies}}
                     for names, by in pairs(sweep).items()}
    return of


def mix(run):
    """Returns the blocks of each app under a fixed table; None: another policy."""
    name, _, blocks = run.policy.partition('[blocks=')
    return tuple(map(int, blocks.partition(']')[0].split('/'))) if name == 'fixed' else None


def best(metric, policy):
    """Returns the best static choice of each pair of six programs, for causes.Rows.number: of all
    mixes of blocks, under Maestro also of SMs of their own; None for other policies."""
    if policy not in (SMK, SLICER) and not policy.startswith('maestro'):
        return None
    apart = policy.startswith('maestro')
    better = max if metric == 'weighted_speedup' else min

    def limit(_):
        return lib.Mean({names: better(getattr(r, metric) for p, r in by.items()
                                       if mix(r) or apart and not p.startswith('maestro'))
                         for names, by in pairs('002-oracle').items()})
    return BEST % (' and of spatial sharing' * apart), limit


def mean_rows(rows, entries):
    """Adds rows of means over pairs. entries: (targets of ANTT and STP, description, policy, the
    paper's ANTT, the paper's STP)."""
    for targets, what, policy, *papers in entries:
        for target, (name, metric), paper in zip(targets, METRICS, papers):
            rows.number(target, '%s: %s, all pairs' % (what, name), paper,
                        lambda of, policy=policy, metric=metric: mean(of, policy, metric),
                        show=lib.change, one_way=name == 'ANTT',
                        best=best(metric, policy))


def fact(rows, target, what, paper, policies, measure, which='all', other=lambda of: None):
    """Adds a row on a statement. measure(pairs of the class with runs under the policies) ->
    (numbers, holds, holds partly)."""
    def cell(of):
        some = within(common(of, policies), which)
        said, *facts = measure(some) if some else ('-', False)
        return said, lib.true(*facts) if some else '-'
    rows.add(target, what, paper, cell, other)


def app(program):
    """Returns the program's specification in the sweeps. NW begins where a launch has many blocks:
    the launches before are shorter than an epoch of Maestro."""
    return program + ':size=window' + (',n=8192,first=400' if program == 'nw' else '')


def later(spec, start):
    return '%s%sstart=%d' % (spec, ',' if ':' in spec else ':', start)


def sample(n=40):
    """Returns a sample of about n pairs, for studies of a single choice: from each class in
    proportion, drawn with the smallest seed for which every program is in at least two pairs."""
    of = paper_class()
    groups = {c: [] for c in CLASSES}
    for names in itertools.combinations(of, 2):
        groups[pair_class(names, of)].append(names)
    every = sum(map(len, groups.values()))
    for seed in itertools.count(1):
        rng = random.Random(seed)
        drawn = [p for g in groups.values()
                 for p in sorted(rng.sample(g, round(n * len(g) / every)), key=g.index)]
        if all(sum(p in names for names in drawn) > 1 for p in of):
            return drawn

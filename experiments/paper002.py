"""Programs of paper 002, their classes and pairs, for the scripts of the paper's figures."""
import csv
import itertools
import os
import random

import lib

CLASSES = ['COM/COM', 'COM/MEM', 'MEM/MEM']
SYMBOL = {'backprop': 'BP', 'cutcp': 'CP', 'hotspot': 'HS', 'heartwall': 'HW', 'leukocyte': 'LC',
          'mri-q': 'MRIQ', 'sad': 'SAD', 'tpacf': 'TPACF', 'bfs': 'BFS', 'blackscholes': 'BS',
          'btree': 'BT', 'fdtd': 'FDTD', 'fwt': 'FWT', 'kmeans': 'KM', 'lbm': 'LBM',
          'lavamd': 'LMD', 'lud': 'LUD', 'mummer': 'MUM', 'nw': 'NW', 'streamcluster': 'SC',
          'srad': 'SRAD', 'stencil': 'ST'}
SPATIAL, EVEN, MAESTRO = 'spatial+chimera', 'smk-even+chimera', 'maestro+kernel-lrr+chimera'
SMK, SLICER = 'smk-p+fair+chimera', 'warped-slicer[mode=static]+chimera'
COM_FROM = 12  # Table 3: speedup on 16 SMs over a single SM above which a program is COM


def paper_class():
    """Returns {program: COM or MEM}, from Table 3."""
    path = os.path.join(lib.HERE, '..', 'workloads', 'papers.csv')
    with open(path, encoding='utf-8') as f:
        of = {r[1]: r[3] for r in csv.reader(f) if r[0] == '002' and r[2] == 'scaling'}
    return {p: of[s] for p, s in SYMBOL.items()}


def scaling():
    """Returns {program: speedup on 16 SMs over a single SM}, for equal work; empty if not
    measured."""
    ipc = {}
    for r in lib.runs('002-classes'):
        ipc.setdefault(r.names[0], {})[r.row['options']] = r.app('ipc_thread')[0]
    return {p: v['sm.count=16'] / v['sm.count=1'] for p, v in ipc.items() if len(v) == 2}


def own_class():
    return {p: 'COM' if x > COM_FROM else 'MEM' for p, x in scaling().items()}


def pair_class(names, of):
    return '/'.join(sorted(of[n] for n in names))


def pairs(*sweeps):
    """Returns {(program, program): {policy: run}}, merged over sweeps of overlapping pairs."""
    of = {}
    for sweep in sweeps:
        for names, by_policy in lib.by_set(lib.runs(sweep)).items():
            of.setdefault(names, {}).update(by_policy)
    return of


def common(of, policies):
    """Returns the pairs with a run under every policy."""
    return {names: by for names, by in of.items() if all(p in by for p, _ in policies)}


def grouped(of, pairs_of):
    """Returns {class: [{policy: run}]}, and all pairs under 'all'."""
    groups = {c: [] for c in CLASSES + ['all']}
    for names, by_policy in pairs_of.items():
        groups[pair_class(names, of)].append(by_policy)
        groups['all'].append(by_policy)
    return groups


def gains(group, policy):
    """Returns (ANTT, STP) relative to isolated runs, geometric means over pairs."""
    return tuple(lib.Mean({tuple(p[policy].names): getattr(p[policy], metric) for p in group})
                 for metric in ('antt', 'weighted_speedup'))


def bars(groups, title, policies):
    """Returns the paper's bar charts as a table: increase of ANTT and gain of STP per class."""
    rows = []
    for c in CLASSES + ['all']:
        values = [gains(groups[c], p) for p, _ in policies]
        rows.append([c, str(len(groups[c]))] + [lib.percent(a) for a, _ in values] +
                    [lib.percent(s) for _, s in values])
    return lib.table([title, 'pairs'] + ['ANTT, ' + n for _, n in policies] +
                     ['STP, ' + n for _, n in policies], rows)


def mean_rows(v, group, rows):
    """Adds verdicts on means over pairs. rows: (targets of ANTT and STP, description, policy, the
    paper's ANTT, the paper's STP)."""
    for targets, what, policy, *papers in rows:
        for target, name, x, paper in zip(targets, ('ANTT', 'STP'), gains(group, policy), papers):
            v.add(target, '%s: %s, all pairs' % (what, name), lib.percent(paper) + ' %',
                  programs=(lib.percent(x) + ' %', lib.like(x, paper, one_way=name == 'ANTT')))


def spreads(of, metric, policies):
    return lib.spread_table(metric.replace('_', ' '), {
        title: {names: getattr(by[policy], metric) for names, by in of.items()}
        for policy, title in policies})


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

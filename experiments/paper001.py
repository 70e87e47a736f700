"""Applications of paper 001, the classes of the paper's section 7, and the 100 of the 300 pairs
simulated: a fixed random sample, stratified by class.

    paper001.py     prints the pairs in the format of sweeps/001-pairs.yaml
"""
import csv
import functools
import itertools
import os
import random

import lib

DEMAND = 'demand'  # bandwidth in proportion to the demands, the base of FR-FCFS
LOWEST = 'lowest'  # the app with the lower bandwidth alone first
SHOWN = 25  # pairs that the paper shows
PAIRS = 100
SEED = 1
# Pairs discussed in sections 4 and 8.
NAMED = ['BLK_GUPS', 'BLK_QTC', 'BLK_NN', 'HISTO_TRD', 'BLK_MUM', 'BLK_LUH', 'NW_SCP', 'QTC_SCP',
         'NW_FWT', 'BLK_3DS', 'BLK_MM', 'BLK_NW', '3DS_RED', 'JPEG_GUPS']


def table():
    """Returns {application: (MPKI, bandwidth in % of the peak)}, in the order of Table 1."""
    of = {}
    path = os.path.join(lib.HERE, '..', 'workloads', 'papers.csv')
    with open(path, encoding='utf-8') as f:
        for r in csv.reader(f):
            if r[0] == '001' and r[2] in ('l2.mpki', 'dram.bandwidth_fraction'):
                of.setdefault(r[1], {})[r[2]] = float(r[3])
    return {name: (v['l2.mpki'], v['dram.bandwidth_fraction']) for name, v in of.items()}


PROGRAMS = {'hotspot': 'HS', 'backprop': 'BP', 'bfs': 'BFS2', 'stencil': '3DS', 'cfd': 'CFD',
            'sad': 'SAD', 'gups': 'GUPS', 'nw': 'NW', 'reduction': 'RED', 'scan': 'SCAN',
            'scalarprod': 'SCP', 'fwt': 'FWT', 'blackscholes': 'BLK', 'srad': 'SRAD',
            'histo': 'HISTO', 'mm': 'MM', 'triad': 'TRD'}


CLONE = 'clone001-'


def symbol(name):
    """Returns the paper's name of a program or stand-in."""
    return PROGRAMS.get(name, name.upper())


def isolated(stand_ins):
    """Returns {application: {statistic: value}} of isolated runs of the stand-ins, or of the
    programs."""
    of = lib.measured('fermi30', 'window 500000')
    if stand_ins:
        return {symbol(app[len(CLONE):]): v for app, v in of.items() if app.startswith(CLONE)}
    return {PROGRAMS[app.split(':')[0]]: v for app, v in of.items()
            if app.split(':')[0] in PROGRAMS}


def own_table():
    """Returns a table like table() of the programs, from measurements of isolated runs."""
    return {name: (float(v['l2.mpki']), 100 * float(v['dram.bandwidth_fraction']))
            for name, v in isolated(False).items()}


def performance(apps, first=None):
    """Returns instruction throughput and weighted speedup of two apps (MPKI, bandwidth alone in %)
    by the model of section 5. `first`: the app served first; None: the apps take turns; DEMAND:
    bandwidth in proportion to the demands. Instructions are bandwidth / MPKI."""
    alone = [bandwidth for _, bandwidth in apps]
    if first == DEMAND:
        got = [x * min(1, 100 / sum(alone)) for x in alone]
    elif first is None:
        spare = [max(50 - x, 0) for x in alone]
        got = [min(x, 50 + spare[1 - i]) for i, x in enumerate(alone)]
    else:
        got = [0, 0]
        got[first] = min(alone[first], 100)
        got[1 - first] = min(alone[1 - first], 100 - got[first])
    return {'instruction_throughput': sum(g / m for g, (m, _) in zip(got, apps)),
            'weighted_speedup': sum(g / a for g, a in zip(got, alone))}


@functools.cache
def head_room(metric, base, which='all', pairs=None):
    """Returns the mean gain, over the base, of the better of both priorities: by the model and
    Table 1, over all pairs of a class; `pairs`: over the so many pairs with the largest gains."""
    of, gains = table(), []
    for names in itertools.combinations(of, 2):
        if which == 'all' or which in classes(of, names):
            apps = [of[n] for n in names]
            best = max(performance(apps, first=f)[metric] for f in (0, 1))
            first = min((0, 1), key=lambda i: apps[i][1]) if base == LOWEST else base
            gains.append(max(best / performance(apps, first=first)[metric], 1))
    return lib.gmean(sorted(gains)[-pairs:] if pairs else gains)


def classes(of, pair):
    """Returns the classes of a pair by MPKI and by bandwidth, e.g. A-MPKI and C-BW."""
    mpki, bandwidth = (abs(a - b) for a, b in zip(of[pair[0]], of[pair[1]]))
    return ('A' if mpki > 10 else 'B' if mpki < 1 else 'C') + '-MPKI', \
        ('A' if bandwidth > 50 else 'C' if bandwidth < 25 else 'B') + '-BW'


def strata():
    """Returns {classes: [pair]} of all 300 pairs."""
    of, groups = table(), {}
    for pair in itertools.combinations(of, 2):
        groups.setdefault(classes(of, pair), []).append(pair)
    return groups


def draw():
    """Draws PAIRS pairs: from each class in proportion to the class's part of all pairs, at least
    one pair; pairs in NAMED come first."""
    groups = strata()
    share = {c: len(g) * PAIRS / sum(map(len, groups.values())) for c, g in groups.items()}
    take = {c: max(int(x), 1) for c, x in share.items()}
    for c in sorted(share, key=lambda c: (take[c] - share[c], c))[:PAIRS - sum(take.values())]:
        take[c] += 1
    drawn, chance = [], random.Random(SEED)
    for c in sorted(groups):
        named = [p for p in groups[c] if '_'.join(p) in NAMED or '_'.join(p[::-1]) in NAMED]
        rest = [p for p in groups[c] if p not in named]
        drawn += named + chance.sample(rest, max(take[c] - len(named), 0))
    return drawn


def main():
    for pair in draw():
        print('  - [%s]' % ', '.join('clone001-' + n.lower() for n in pair))


if __name__ == '__main__':
    main()

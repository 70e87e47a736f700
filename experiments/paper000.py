"""Kernels, classes, pairs and triples of paper 000, for the scripts of the paper's figures."""
import functools

import causes
import lib

COMPUTE = ['cp', 'hs', 'dc', 'pf', 'bp', 'bs', 'st']  # Table 2, the paper's types
NAME = {'cutcp': 'cp', 'hotspot': 'hs', 'dxtc': 'dc', 'pathfinder': 'pf', 'backprop': 'bp',
        'bfs': 'bs', 'stencil': 'st', '3mm': '3m', 'spmv-jds': 'sv', 'cfd': 'cd', 'sad': 's2',
        'kmeans': 'ks', 'atax': 'ax'}
CLASSES = ['C+C', 'C+M', 'M+M']
TRIPLES = ['C+C+C', 'C+C+M', 'C+M+M', 'M+M+M']
ARITHMETIC = ('antt', 'fairness')  # metrics for which the paper names no mean
STATIC, DYNAMIC = 'warped-slicer[mode=static]', 'warped-slicer'


def short(names):
    """Returns the paper's names of the programs."""
    return tuple(NAME.get(n, n) for n in names)


def kind(name):
    """Returns the type of a kernel: C or M."""
    return 'C' if NAME.get(name, name) in COMPUTE else 'M'


def mix(names):
    """Returns the class of a pair or triple, e.g. C+M or C+M+M."""
    return '+'.join(sorted(map(kind, names)))


def sets(*sweeps):
    """Returns {names as in the paper: {policy: run}}, merged over sweeps of the same sets."""
    of = {}
    for sweep in sweeps:
        for names, by_policy in lib.by_set(lib.runs(sweep)).items():
            of.setdefault(short(names), {}).update(by_policy)
    return of


def grouped(of):
    """Returns {class: [{policy: run}]} of sets, and all sets under 'all'."""
    groups = {'all': list(of.values())}
    for names, by_policy in of.items():
        groups.setdefault(mix(names), []).append(by_policy)
    return groups


def mean_gain(sets_of, policy, base, metric, geometric=False):
    """Returns the mean of the metric under `policy` relative to `base`, over sets with runs of
    both: of weighted speedup the geometric mean, as in the paper's figure 4; of ANTT and fairness,
    for which the paper names no mean, the ratio of the arithmetic means."""
    both = {tuple(s[policy].names): (getattr(s[policy], metric), getattr(s[base], metric))
            for s in sets_of if policy in s and base in s}
    if geometric or metric not in ARITHMETIC:
        return lib.Mean({names: a / b for names, (a, b) in both.items()})
    return lib.Mean(both, lib.ratio_of_means)


def beside(sets_of, policy, base, metric):
    """Returns the text beside a gain: of ANTT and fairness the geometric mean."""
    return ' (geometric %s)' % lib.change(mean_gain(sets_of, policy, base, metric, True)) \
        if metric in ARITHMETIC else ''


def gmean(sets_of, policy, metric):
    return lib.Mean({tuple(s[policy].names): getattr(s[policy], metric)
                     for s in sets_of if policy in s})


def kernels(sets_of, policy, key, of_kind=None):
    """Returns the mean of a statistic over kernels, of one type or of all."""
    values = []
    for s in sets_of:
        if policy in s:
            run = s[policy]
            values += [x for n, x in zip(run.names, run.app(key)) if of_kind in (None, kind(n))]
    return lib.mean(values)


# Machines with a possible cause of deviations removed: (option of the machine, description).
CAUSES = '000-pair-causes'
WITHOUT = [
    ('sm.scheduler=lrr', 'with loose round robin'),
    ('xbar.flit_bytes=128', 'with a crossbar four times as wide and DRAM four times as fast'),
    ('l1.ways=48', 'with an L1 of eight times the size'),
    ('l1.ways=16', 'with longer queues behind an L1 of 16 ways, where MSHRs fill up first')]


@functools.cache
def machines():
    """Returns {removed cause: groups of pairs}; '' is the unchanged machine."""
    return {words: grouped({short(names): sets_of for names, sets_of in lib.by_set(runs).items()})
            for words, runs in causes.by_limit(lib.runs(CAUSES), WITHOUT).items()}


def rows(v, stand_ins, programs):
    """Returns the causes.Rows of groups of pairs; only stand-ins ran without single limits."""
    return causes.Rows(v, programs, None, stand_ins, machines())

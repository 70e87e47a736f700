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


# Machines with a limit removed: (option of the machine, words).
WITHOUT = [
    ('sm.scheduler=lrr', 'with loose round robin'),
    ('l1.ways=48', 'with an L1 of eight times the size'),
    ('l1.missq=128', 'with a miss queue of L1 as long as its MSHRs'),
    ('xbar.flit_bytes=136', 'with a crossbar and L2 ports that limit nothing'),
    ('clock.dram_mhz=3696', 'with DRAM four times as fast'),
    ('l1.ways=16', 'with longer queues behind an L1 of 16 ways, where MSHRs fill up first')]
# Sweeps of thirteen pairs on these machines.
STAND_INS = ('000-removed', '000-removed-static')
PROGRAMS = ('000-removed-programs', '000-removed-static-programs')


# Warped-Slicer that decides once, by curves of isolated runs; the paper's is dynamic.
ONCE = causes.OPTION + 'mode=static` of Warped-Slicer'
OPEN = causes.OPTION + 'growth=open` of DMIL'  # limits that rise again; by default they only fall
# Lengths of an epoch of SMK-(P+W), in warp instructions; by default 4096, the papers name none.
EPOCHS = {causes.OPTION + 'epoch=%d` of SMK-(P+W)' % n: 'epoch=%d' % n for n in (512, 65536)}


def reread(of, runs, option):
    """Returns {names: {policy: run}} with the runs of policies with an option in the place of
    policies without the option, of sets with such runs of the same stand-ins or programs."""
    own = {}
    for r in runs:
        if option in r.policy:
            own.setdefault(r.row['apps'], {})[r.policy.replace('[%s]' % option, '')] = r
    apps = {names: next(iter(by.values())).row['apps'] for names, by in of.items()}
    return {names: {**by, **own[apps[names]]} for names, by in of.items() if apps[names] in own}


def opened(of, runs):
    """Returns {names: {policy: run}} with DMIL of the option `growth=open`; {} without runs."""
    return reread(of, runs, 'growth=open')


def decided_once(of):
    """Returns {names: {policy: run}} with static in the place of dynamic Warped-Slicer."""
    return {names: {**by, **{p.replace(STATIC, DYNAMIC): r for p, r in by.items() if STATIC in p}}
            for names, by in of.items()}


def with_epochs(of, sweep):
    """Returns {length of an epoch in words: {names: {policy: run}}}, for lengths in the sweep."""
    found = {words: reread(of, lib.runs(sweep), option) for words, option in EPOCHS.items()}
    return {words: sets for words, sets in found.items() if sets}


def by_limit(*sweeps, also=None, epochs=None):
    """Returns {removed limit in words: {names: {policy: run}}}; '' is the unchanged machine. also:
    sweep of DMIL with `growth=open`, added under OPEN; epochs: sweep of SMK-(P+W) with other
    epochs."""
    stored = [r for sweep in sweeps for r in lib.runs(sweep)]
    of = {words: {short(names): by for names, by in lib.by_set(runs).items()}
          for words, runs in causes.by_limit(stored, WITHOUT).items()}
    once = any({DYNAMIC, STATIC + '+dmil'} <= by.keys() for by in of.get('', {}).values())
    return {**of, **({OPEN: opened(of[''], lib.runs(also))} if also else {}),
            **({ONCE: decided_once(of[''])} if once else {}),
            **(with_epochs(of[''], epochs) if epochs else {})}


@functools.cache
def machines(*sweeps, also=None, epochs=None):
    """Returns {removed limit in words: groups of sets}; parameters as in by_limit."""
    return {words: grouped(of)
            for words, of in by_limit(*sweeps, also=also, epochs=epochs).items()}


def rows(v, stand_ins, programs):
    """Returns the causes.Rows of groups of pairs."""
    return causes.Rows(v, programs, machines(*PROGRAMS, also='000-open', epochs='000-epochs'),
                       stand_ins, machines(*STAND_INS, also='000-open', epochs='000-epochs'))

"""Paper 000's kernels, their classes, and its pairs and triples, for the scripts of its figures."""
import functools

import lib

COMPUTE = ['cp', 'hs', 'dc', 'pf', 'bp', 'bs', 'st']  # Table 2, the paper's types
NAME = {'cutcp': 'cp', 'hotspot': 'hs', 'dxtc': 'dc', 'pathfinder': 'pf', 'backprop': 'bp',
        'bfs': 'bs', 'stencil': 'st', '3mm': '3m', 'spmv-jds': 'sv', 'cfd': 'cd', 'sad': 's2',
        'kmeans': 'ks', 'atax': 'ax'}
CLASSES = ['C+C', 'C+M', 'M+M']
TRIPLES = ['C+C+C', 'C+C+M', 'C+M+M', 'M+M+M']
STATIC, DYNAMIC = 'warped-slicer[mode=static]', 'warped-slicer'


def short(names):
    """As the paper calls them."""
    return tuple(NAME.get(n, n) for n in names)


def kind(name):
    """C or M."""
    return 'C' if NAME.get(name, name) in COMPUTE else 'M'


def mix(names):
    """C+M of such a pair, C+M+M of such a triple."""
    return '+'.join(sorted(map(kind, names)))


def sets(*sweeps):
    """{names as in the paper: {policy: run}}, of several sweeps over the same sets."""
    of = {}
    for sweep in sweeps:
        for names, by_policy in lib.by_set(lib.runs(sweep)).items():
            of.setdefault(short(names), {}).update(by_policy)
    return of


def grouped(of):
    """{class: [{policy: run}]} of sets, and all under 'all'."""
    groups = {'all': list(of.values())}
    for names, by_policy in of.items():
        groups.setdefault(mix(names), []).append(by_policy)
    return groups


def mean_gain(sets_of, policy, base, metric):
    """Geometric mean of one over the other, over sets that have both."""
    return lib.gmean(getattr(s[policy], metric) / getattr(s[base], metric) for s in sets_of
                     if policy in s and base in s)


def gmean(sets_of, policy, metric):
    return lib.gmean(getattr(s[policy], metric) for s in sets_of if policy in s)


def kernels(sets_of, policy, key, of_kind=None):
    """Mean of a statistic over kernels, of one kind or all."""
    values = []
    for s in sets_of:
        if policy in s:
            run = s[policy]
            values += [x for n, x in zip(run.names, run.app(key)) if of_kind in (None, kind(n))]
    return lib.mean(values)


# Machines on which something that may be a cause is out of the way, by their options.
CAUSES = '000-pair-causes'
WITHOUT = [
    ('sm.scheduler=lrr', 'with loose round robin'),
    ('xbar.flit_bytes=128', 'with a crossbar four times as wide and DRAM four times as fast'),
    ('l1.ways=48', 'with an L1 of eight times the size'),
    ('l1.ways=16', 'with longer queues behind an L1 of 16 ways, where MSHRs fill up first')]
SAID = '{what}: {pairs} pairs of stand-ins over {cycles} cycles give {shipped}; {without}.'


@functools.cache
def machines():
    """{what is out of the way: groups of pairs}; '' is the machine as it is."""
    of = {}
    for r in lib.runs(CAUSES):
        words = [w for option, w in WITHOUT if option in r.row['options'].split()]
        of.setdefault(words[0] if words else '', []).append(r)
    return {words: grouped({short(names): sets_of for names, sets_of in lib.by_set(runs).items()})
            for words, runs in of.items()}


def nearer(verdict, shipped):
    """Whether at least a quarter of what lies between measured and printed is gone: of what is said
    in words, all of it."""
    parts = [lib.part(v) for v in (verdict, shipped)]
    if None in parts:
        return lib.word(verdict) == lib.HOLDS != lib.word(shipped)
    return abs(parts[0] - 1) <= 0.75 * abs(parts[1] - 1)


def give_cause(v, target, what, measure):
    """For the row of `target` that v is given next: machines on which measure(groups), what is
    measured and its verdict, is nearer to the paper."""
    v.why.pop(target, None)
    v.facts.pop(target, None)
    of = machines()
    if not of:
        return
    shipped, verdict = measure(of[''])
    found = ['%s %s' % (words, said) for words, (said, its) in
             ((w, measure(of[w])) for _, w in WITHOUT if w in of) if nearer(its, verdict)]
    if found:
        v.why[target] = SAID
        v.facts[target] = {'what': what, 'pairs': len(of['']['all']), 'shipped': shipped,
                           'cycles': format(of['']['all'][0][DYNAMIC].cycles, ','),
                           'without': ', '.join(found)}

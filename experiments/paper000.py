"""Paper 000's kernels, their classes, and its pairs and triples, for the scripts of its figures."""
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

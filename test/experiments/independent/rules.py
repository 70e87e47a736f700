"""Stored runs, the papers' figures and the rules of experiments.md for verdicts, written a second
time: no module of experiments/ is imported. `Rows` collects recomputed verdicts.
"""
import csv
import functools
import math
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))))
HOLDS, DIRECTION, FAILS = 'holds', 'direction holds', 'fails'
STAND_INS, PROGRAMS = 'stand-ins', 'programs'
QUARTER, TENTH, DUST = 0.25, 0.1, 1e-9


@functools.cache
def table(path):
    """Returns the rows of a CSV file of the tree, each a dictionary."""
    with open(os.path.join(ROOT, path), encoding='utf-8', newline='') as f:
        return list(csv.DictReader(f))


# ---- the papers ----

@functools.cache
def targets():
    """Returns {id: row} of experiments/targets.csv."""
    return {row['id']: row for row in table('experiments/targets.csv')}


def printed(target):
    """Returns the number of a target as the paper prints the number."""
    return float(targets()[target]['value'])


def ends(target):
    """Returns both ends of a printed range, as factors: 23-47 percent give 1.23 and 1.47."""
    return [1 + float(x) / 100 for x in targets()[target]['value'].split('-')]


def factor(target):
    """Returns a printed percentage as a factor: a gain of 20 % gives 1.2, a loss 0.8."""
    row = targets()[target]
    less = row['direction'] == '-' or 'lower' in row['unit']
    return 1 + (-1 if less else 1) * abs(float(row['value'])) / 100


@functools.cache
def told(paper, metric):
    """Returns {workload: value} of a paper's targets of a metric."""
    return {row['workload']: row['value'] for row in targets().values()
            if row['id'].startswith('T' + paper) and row['metric'] == metric}


# ---- runs ----

class Run:
    """A stored run. `run['antt']` is a number of the run, `run.of('l1.miss_rate')` has a number per
    app."""

    def __init__(self, row):
        self.row = row
        self.apps = row['apps'].split(' + ')
        self.names = tuple(app.split(':')[0].split('clone', 1)[-1].split('-', 1)[-1]
                           if app.startswith('clone') else app.split(':')[0] for app in self.apps)
        self.policy, self.options = row['policy'], row['options']
        self.cycles = int(row['cycles'])

    def __getitem__(self, key):
        return float(self.row[key])

    def of(self, key):
        """Returns the numbers of the apps; NaN for a number absent."""
        return [math.nan if x in ('', '-') else float(x)
                for x in self.row['app.' + key].split('/')]

    def said(self, key, absent='0'):
        """Returns a number reported by the policy."""
        for pair in self.row['policy_values'].split():
            name, _, value = pair.rpartition('=')
            if name == key:
                return int(value)
        return int(absent)


@functools.cache
def windows(sweep):
    """Returns {window: [run]} of a sweep."""
    of = {}
    for row in table('experiments/results/%s.csv' % sweep):
        of.setdefault(row['cycle_limit'], []).append(Run(row))
    return of


def runs(sweep, window=None):
    """Returns the runs of a sweep over a window; without a window the sweep must have one only."""
    of = windows(sweep)
    if window is None:
        assert len(of) == 1, '%s has several windows: %s' % (sweep, ' '.join(of))
        return next(iter(of.values()))
    return of[str(window)]


def sets(found, rename=lambda name: name):
    """Returns {names: {policy: run}}, with the apps in the order of the sweep."""
    of = {}
    for run in found:
        by_policy = of.setdefault(tuple(map(rename, run.names)), {})
        assert run.policy not in by_policy, (run.apps, run.policy)
        by_policy[run.policy] = run
    return of


def member(of, names, key, policy):
    """Returns the numbers of the apps of a set, in the order of `names`, whatever the order in the
    sweep."""
    for stored, by_policy in of.items():
        if sorted(stored) == sorted(names):
            numbers = by_policy[policy].of(key)
            return [numbers[stored.index(n)] for n in names]
    raise LookupError('no run of %s' % ' + '.join(names))


@functools.cache
def isolated(gpu, rule):
    """Returns {app: {statistic: text}} of workloads/measured.csv, without rows of kernels."""
    of = {}
    for row in table('workloads/measured.csv'):
        if (row['gpu'], row['rule'], row['kernel']) == (gpu, rule, ''):
            of.setdefault(row['app'], {})[row['metric']] = row['value']
    return of


@functools.cache
def stands(paper):
    """Returns {program: the paper's name}."""
    return {row['program']: row['name'] for row in table('workloads/stands.csv')
            if row['paper'] == paper}


# ---- means ----

def arithmetic(values):
    values = list(values)
    return math.fsum(values) / len(values)


def geometric(values):
    values = list(values)
    return math.prod(x ** (1 / len(values)) for x in values)


def pearson(xs, ys):
    """Returns the correlation of two lists."""
    n, sx, sy = len(xs), math.fsum(xs), math.fsum(ys)
    top = n * math.fsum(x * y for x, y in zip(xs, ys)) - sx * sy
    return top / math.sqrt((n * math.fsum(x * x for x in xs) - sx * sx) *
                           (n * math.fsum(y * y for y in ys) - sy * sy))


class Mean(float):
    """A mean over sets of programs: average([data of a set]). `left_out` has the means without the
    sets of each single program."""

    def __new__(cls, of, average):
        self = super().__new__(cls, average(list(of.values())))
        programs = sorted({name for names in of for name in names})
        kept = [[x for names, x in of.items() if out not in names] for out in programs]
        self.left_out = [average(some) for some in kept if some]
        return self


def over(average):
    """Returns an average of pairs (a, b): the average of all a over the average of all b."""
    return lambda pairs: average(a for a, _ in pairs) / average(b for _, b in pairs)


# ---- verdicts ----

class Rows:
    """Recomputed verdicts of experiments: {(experiment, target, what, of): (values, word,
    ratio)}."""

    def __init__(self):
        self.of = {}

    def add(self, key, values, word, ratio=None):
        assert key not in self.of, 'twice: %s' % (key,)
        self.of[key] = list(values), word, ratio

    def fact(self, key, values, holds, partly=False):
        """Adds a statement in words."""
        self.add(key, values, HOLDS if holds else DIRECTION if partly else FAILS)

    def number(self, key, values, got, paper, **rule):
        """Adds a number."""
        self.add(key, values, *compare(got, paper, **rule))


def compare(got, paper, base=1.0, one_sided=False):
    """Returns word and ratio by the rules of experiments.md. `base`: the number that stands for no
    change, 0 for numbers compared as such; one_sided: only the paper's sign is possible."""
    ratio = (got - base) / (paper - base)
    if 1 - QUARTER - DUST <= ratio <= 1 + QUARTER + DUST:
        return HOLDS, ratio
    steady = all((x - base) * (paper - base) > 0 for x in getattr(got, 'left_out', []))
    moved = ratio >= TENTH and steady and not one_sided
    return DIRECTION if moved else FAILS, ratio

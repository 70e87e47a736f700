"""Verdicts of paper 001, recomputed: schedulers at DRAM, per pair, triple and class."""
import functools
import math

from independent import rules
from independent.rules import (Mean, PROGRAMS, STAND_INS, factor, geometric, member, printed, runs,
                               sets)

BASE = 'spatial+l2-ways'
RR, LOW_MPKI, LOW_BW, ITS, WEIS = ('+rr-frfcfs', '+prior-low-mpki', '+prior-low-bw', '+its',
                                   '+weis')
FIRST, SECOND = '+prior-app[order=0/1]', '+prior-app[order=1/0]'
TITLE = {'': 'FR-FCFS', RR: 'RR', LOW_MPKI: 'low MPKI', LOW_BW: 'low BW', ITS: 'ITS', WEIS: 'WEIS'}
SWEEPS = {STAND_INS: '001-pairs', PROGRAMS: '001-programs'}
GPU, RULE = 'fermi30', 'window 500000'
SHORT_WINDOW, USUAL_WINDOW, LONG_WINDOW = 256, 1024, 2048
SPLIT = 'spatial[split=%s]+l2-ways'
BANDWIDTH, MPKI, ROWS = 'dram.bandwidth_fraction', 'l2.mpki', 'dram.row_locality'

# Limits of words in the rows.
LARGE = 1.25         # "large" slowdown
NEGLIGIBLE = 1.05    # "negligible" slowdown
MUCH_LOWER, ALL_KEPT = 0.8, 0.95  # IT of both, of the sum alone
NO_EFFECT = 1.01     # "no effect": greatest over least
EQUAL = 0.01         # equal throughputs
MUCH = 1.01          # "much higher"
MISSES = 0.05        # MPKI of an app with misses
STILL = 0.02         # an MPKI within 2 %


def symbol(name):
    """Returns the paper's name of a program or stand-in."""
    known = rules.told('001', 'L2_MPKI')
    return name.upper() if name.upper() in known else rules.stands('001')[name]


@functools.cache
def load(sweep, options=None):
    """Returns the sets of a sweep; options: of one machine."""
    return sets([r for r in runs(sweep) if options in (None, r.options)], symbol)


@functools.cache
def alone(kind):
    """Returns {app: (MPKI, bandwidth in percent)} that classes go by: Table 1 for stand-ins, own
    measurements for programs."""
    if kind == STAND_INS:
        mpki, share = (rules.told('001', m) for m in ('L2_MPKI', 'BW/C'))
        return {name: (float(mpki[name]), float(share[name])) for name in mpki}
    measured = rules.isolated(GPU, RULE)
    apps = {app for r in runs(SWEEPS[kind]) for app in r.apps}
    return {symbol(app.split(':')[0]): (float(measured[app][MPKI]),
                                        100 * float(measured[app][BANDWIDTH])) for app in apps}


def within(kind, which):
    """Returns the pairs of a class by section 7, e.g. A-MPKI, or all pairs."""
    of = load(SWEEPS[kind])
    if which == 'all':
        return of
    letter, _, metric = which.partition('-')
    most, least = {'MPKI': (10, 1), 'BW': (50, 25)}[metric]
    between, small = {'MPKI': 'CB', 'BW': 'BC'}[metric]
    found = {}
    for names, by_policy in of.items():
        a, b = (alone(kind)[n][metric == 'BW'] for n in names)
        far = abs(a - b)
        if letter == ('A' if far > most else small if far < least else between):
            found[names] = by_policy
    return found


def it(run):
    return run['instruction_throughput']


def ws(run):
    return run['weighted_speedup']


def hs(run):
    """Returns the harmonic speedup by the paper's definition."""
    return 1 / sum(1 / x for x in run.of('normalized_ipc'))


SHORT = {it: 'IT', ws: 'WS', hs: 'HS'}


def gain(of, metric, scheduler, base='', stem=BASE):
    """Returns the geometric mean of the metric under a scheduler over the metric under `base`."""
    return Mean({n: metric(by[stem + scheduler]) / metric(by[stem + base])
                 for n, by in of.items()}, lambda ratios: geometric(list(ratios)))


def percent(x):
    return 100 * (x - 1)


def find(of, names):
    """Returns the runs of a set in any order of names, or None."""
    return next((by for stored, by in of.items() if sorted(stored) == sorted(names)), None)


def row(kind, target, what):
    return '001-memory', target, what, kind


# ---- figures 4 and 5 ----

def priority(rows):
    of = load('001-priority', '')
    for target, b in (('T001-082', 'GUPS'), ('T001-083', 'QTC'), ('T001-084', 'NN')):
        x = 2 / ws(of['BLK', b][BASE])
        rows.number(row(STAND_INS, target, 'BLK_%s: loss of WS under FR-FCFS, 2/WS - 1' % b),
                    [percent(x)], x, factor(target), one_sided=True)
    for target, b, holds in (('T001-085', 'GUPS', lambda x, y: x > LARGE < y),
                             ('T001-086', 'QTC', lambda x, y: y - 1 > 2 * (x - 1)),
                             ('T001-087', 'NN', lambda x, y: x < NEGLIGIBLE > y)):
        slow = [1 / x for x in of['BLK', b][BASE].of('normalized_ipc')]
        rows.fact(row(STAND_INS, target, 'BLK_%s: slowdowns under FR-FCFS' % b), slow, holds(*slow))
    best = {0: lambda f, a, b, r: a >= max(f, b, r), 1: lambda f, a, b, r: b >= max(f, a, r)}
    for target, pair, metric, holds in (
            ('T001-088', ('HISTO', 'TRD'), it, best[1]),
            ('T001-088', ('HISTO', 'TRD'), ws, best[1]),
            ('T001-089', ('HISTO', 'TRD'), ws, lambda f, a, b, r: f < r < (f + b) / 2),
            ('T001-089', ('HISTO', 'TRD'), it, lambda f, a, b, r: f < r < (f + b) / 2),
            ('T001-090', ('BLK', 'QTC'), it, best[0]), ('T001-091', ('BLK', 'QTC'), ws, best[1]),
            ('T001-092', ('BLK', 'QTC'), it, lambda f, a, b, r: b < r < a),
            ('T001-092', ('BLK', 'QTC'), ws, lambda f, a, b, r: a < r < b),
            ('T001-093', ('BLK', 'NN'), ws, lambda *x: max(x) < NO_EFFECT * min(x)),
            ('T001-093', ('BLK', 'NN'), it, lambda *x: max(x) < NO_EFFECT * min(x))):
        x = [metric(of[pair][BASE + s]) for s in ('', FIRST, SECOND, RR)]
        rows.fact(row(STAND_INS, target, '%s_%s: %s under FR-FCFS, %s first, %s first, RR' % (
            *pair, SHORT[metric], *pair)), x, holds(*x))
    kept = {b: it(of['BLK', b][BASE]) / sum(of['BLK', b][BASE].of('alone_ipc_thread'))
            for b in ('GUPS', 'QTC', 'NN')}
    rows.fact(row(STAND_INS, 'T001-305', 'BLK_GUPS, BLK_QTC, BLK_NN: IT under FR-FCFS over the sum '
                  'alone'), kept.values(), kept['GUPS'] < MUCH_LOWER and
              2 * kept['QTC'] > ws(of['BLK', 'QTC'][BASE]) and kept['NN'] > ALL_KEPT)
    x = [100 * b for b in of['BLK', 'QTC'][BASE].of(BANDWIDTH)]
    rows.fact(row(STAND_INS, 'T001-094', 'BLK_QTC: bandwidth under FR-FCFS, %'), x, x[0] > x[1])


# ---- figures 7 to 9 ----

def single(rows, kind):
    """Adds the rows of single pairs, of pairs in the sweep."""
    of = load(SWEEPS[kind])

    def shares(pair, scheduler=''):
        return [100 * x for x in member(of, pair, BANDWIDTH, BASE + scheduler)]

    def gap(pair, scheduler=''):
        a, b = shares(pair, scheduler)
        return abs(a - b)

    def change(pair, metric, scheduler):
        by = find(of, pair)
        return metric(by[BASE + scheduler]) / metric(by[BASE])

    if find(of, ('BLK', 'MUM')):
        x = [shares(('BLK', 'MUM'), s)[0] for s in (RR, '')]
        rows.fact(row(kind, 'T001-112', "BLK_MUM: BLK's bandwidth, %: RR and FR-FCFS"), x,
                  x[0] > x[1])
        for target, s in (('T001-116', RR), ('T001-117', ITS)):
            x = change(('BLK', 'MUM'), it, s)
            rows.number(row(kind, target, 'BLK_MUM: IT of %s over FR-FCFS' % TITLE[s]),
                        [percent(x)], x, factor(target))
    if find(of, ('BLK', 'LUH')):
        x = [gap(('BLK', 'LUH'), s) for s in ('', RR)]
        rows.fact(row(kind, 'T001-113', 'BLK_LUH: difference of bandwidths, %: FR-FCFS and RR'), x,
                  x[1] < x[0])
    for a in ('NW', 'QTC'):
        if find(of, (a, 'SCP')):
            x = [shares((a, 'SCP'), s)[1] for s in (ITS, '')]
            rows.fact(row(kind, 'T001-114', a + "_SCP: SCP's bandwidth, %: ITS and FR-FCFS"), x,
                      x[0] > x[1])
    if find(of, ('NW', 'FWT')):
        x = change(('NW', 'FWT'), ws, RR)
        rows.fact(row(kind, 'T001-134', 'NW_FWT: WS of RR over FR-FCFS'), [percent(x)], x < 1)
    if find(of, ('3DS', 'RED')):
        x = [change(('3DS', 'RED'), ws, s) for s in (RR, WEIS)]
        rows.fact(row(kind, 'T001-304', '3DS_RED: WS of RR, of WEIS over FR-FCFS'), map(percent, x),
                  x[0] < 1 < x[1])
    for b in ('3DS', 'MM'):
        for s in (RR, WEIS) if find(of, ('BLK', b)) else ():
            x, y = gap(('BLK', b)), gap(('BLK', b), s)
            more = change(('BLK', b), ws, s)
            rows.fact(row(kind, 'T001-136', 'BLK_%s: difference of bandwidths under FR-FCFS and '
                          '%s, %%; its WS over FR-FCFS' % (b, TITLE[s])),
                      [x, y, percent(more)], y < x and more > 1)
    steady(rows, kind, of)
    local(rows, kind)


def local(rows, kind):
    """Adds the rows on row localities of isolated runs."""
    measured = rules.isolated(GPU, RULE)
    of = {r['name']: float(measured[r['app']][ROWS]) for r in rules.table('workloads/stands.csv')
          if r['paper'] == '001' and r['app'].startswith('clone') == (kind == STAND_INS)}
    for target, a, b in (('T001-112', 'BLK', 'MUM'), ('T001-135', 'FWT', 'NW')):
        if a in of and b in of:
            x = of[a] / of[b]
            rows.number(row(kind, target, 'row locality of %s over that of %s, alone' % (a, b)),
                        [x], x, printed(target))


def steady(rows, kind, of):
    """Adds the row on the largest relative change of an app's MPKI between two schedulers."""
    most = {}
    for names, by in of.items():
        for name, *mpki in zip(names, *(r.of(MPKI) for r in by.values())):
            if max(mpki) > MISSES:
                most[name] = max(most.get(name, 0), max(mpki) / min(mpki) - 1)
    still = sum(x <= STILL for x in most.values())
    rows.fact(row(kind, 'T001-115', 'farthest that MPKIs move with the scheduler'),
              [2, still, len(most), 100 * max(most.values())], still == len(most),
              2 * still > len(most))


# ---- figures 8 and 10 to 12 ----

MEANS = [('T001-118', 'all', it, ITS, ''), ('T001-119', 'all', it, ITS, RR),
         ('T001-120', 'A-MPKI', it, ITS, ''), ('T001-121', 'A-MPKI', it, ITS, RR),
         ('T001-122', 'B-MPKI', it, ITS, ''), ('T001-123', 'C-MPKI', it, ITS, ''),
         ('T001-126', 'all', ws, WEIS, ''), ('T001-127', 'all', ws, WEIS, RR),
         ('T001-128', 'A-BW', ws, WEIS, ''), ('T001-129', 'A-BW', ws, WEIS, RR),
         ('T001-130', 'B-BW', ws, WEIS, ''), ('T001-131', 'C-BW', ws, WEIS, ''),
         ('T001-137', 'all', hs, RR, ''), ('T001-138', 'all', hs, WEIS, '')]


# Means over all pairs and over the classes A, B and C, over FR-FCFS.
CLASSES = {it: {'all': 'T001-118', 'A-MPKI': 'T001-120', 'B-MPKI': 'T001-122',
                'C-MPKI': 'T001-123'},
           ws: {'all': 'T001-126', 'A-BW': 'T001-128', 'B-BW': 'T001-130', 'C-BW': 'T001-131'}}


def weights(metric):
    """Returns {class: weight} with which the paper's means of the classes give the mean of all; B
    and C weigh the same."""
    every, a, b, c = (math.log(factor(t)) for t in CLASSES[metric].values())
    rest = (a - every) / (2 * a - b - c)
    return dict(zip(list(CLASSES[metric])[1:], (1 - 2 * rest, rest, rest)))


def weighted(kind, metric, scheduler, base):
    """Returns the geometric mean over all pairs with the weights of classes."""
    of = {n: (metric(by[BASE + scheduler]) / metric(by[BASE + base]),
              [c for c in weights(metric) if n in within(kind, c)])
          for n, by in load(SWEEPS[kind]).items()}
    return Mean(of, lambda values: math.prod(
        geometric([x for x, classes in values if c in classes]) ** w
        for c, w in weights(metric).items()))


def means(rows, kind):
    for target, which, metric, scheduler, base in MEANS:
        x = gain(within(kind, which), metric, scheduler, base)
        values = [percent(x)]
        if which == 'all' and metric in CLASSES:
            x = weighted(kind, metric, scheduler, base)
            values = [percent(x), *values]
        rows.number(row(kind, target, '%s of %s over %s, %s' % (
            SHORT[metric], TITLE[scheduler], TITLE[base], which)), values, x, factor(target))


def orders(rows, kind):
    """Adds the rows on the order of schedulers."""
    of, low = load(SWEEPS[kind]), within(kind, 'C-BW')
    for target, what, x, holds in (
            ('T001-124', 'IT of WEIS and RR over FR-FCFS', [gain(of, it, WEIS), gain(of, it, RR)],
             lambda weis, rr: 1 < weis < rr),
            ('T001-125', 'IT of ITS over low MPKI', [gain(of, it, ITS, LOW_MPKI)],
             lambda x: abs(x - 1) < EQUAL),
            ('T001-132', 'WS of ITS and RR over FR-FCFS', [gain(of, ws, ITS), gain(of, ws, RR)],
             lambda its, rr: 1 < its < rr),
            ('T001-133, -302', 'C-BW: WS of WEIS over low BW', [gain(low, ws, WEIS, LOW_BW)],
             lambda x: x > MUCH),
            ('T001-301', 'IT of ITS, RR over FR-FCFS: best, then RR',
             [gain(of, it, ITS), gain(of, it, RR)], lambda its, rr: its > rr > 1),
            ('T001-301', 'WS of WEIS, RR over FR-FCFS: best, then RR',
             [gain(of, ws, WEIS), gain(of, ws, RR)], lambda weis, rr: weis > rr > 1)):
        rows.fact(row(kind, target, what), map(percent, x), holds(*x))
    classes = [c for metric in CLASSES.values() for c in list(metric)[1:]]
    x = [gain(within(kind, c), hs, WEIS, base) for base in ('', RR) for c in classes]
    rows.fact(row(kind, 'T001-303', 'HS of WEIS over FR-FCFS, then over RR, by class'),
              map(percent, x), min(x) > 1, min(x[:len(classes)]) > 1)


# ---- figures 13 and 14, section 6 ----

def scale(rows):
    triples, pairs = load('001-triples', ''), load(SWEEPS[STAND_INS])
    named = find(triples, ('GUPS', 'SCP', 'HISTO'))
    x = it(named[BASE + ITS]) / it(named[BASE])
    rows.number(row(STAND_INS, 'T001-139', 'GUPS_SCP_HISTO: IT of ITS over FR-FCFS'),
                [percent(x)], x, factor('T001-139'))
    for metric, s in ((it, ITS), (ws, WEIS)):
        three, two = (gain(of, metric, s) for of in (triples, pairs))
        rows.fact(row(STAND_INS, 'T001-140', '%s of %s over FR-FCFS: ten triples, pairs' % (
            SHORT[metric], TITLE[s])), [percent(three), percent(two)], three > two)
    cores = load('001-cores', '')
    even = gain(cores, it, ITS, stem=SPLIT % '15/15')
    for target, split in (('T001-141', '10/20'), ('T001-142', '20/10')):
        x = gain(cores, it, ITS, stem=SPLIT % split)
        rows.fact(row(STAND_INS, target, 'JPEG_GUPS: IT of ITS over FR-FCFS on %s SMs, on 15/15' %
                      split), [percent(x), percent(even)], 1 < x < even, x > 1)
    far = max(abs(gain(load('001-windows'), metric, '%s[window=%d]' % (s, w),
                       '%s[window=%d]' % (s, USUAL_WINDOW)) - 1)
              for metric, s in ((it, ITS), (ws, WEIS)) for w in (SHORT_WINDOW, LONG_WINDOW))
    rows.fact(row(STAND_INS, 'T001-109', 'ITS and WEIS with windows of 256 and 2048 cycles: '
                  'difference'), [100 * far], 100 * far < printed('T001-109'))


def add(rows):
    priority(rows)
    for kind in SWEEPS:
        single(rows, kind)
        means(rows, kind)
        orders(rows, kind)
    scale(rows)

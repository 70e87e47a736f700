"""Paper 001, figures 4, 5 and 7 to 14: priorities of apps at DRAM, per pair and per class."""
import math

import causes
import lib
import paper001

TITLE = 'Paper 001, figures 4, 5 and 7 to 14: schedulers at DRAM'
SWEEPS = ['001-pairs', '001-programs', '001-priority', '001-cores', '001-triples', '001-windows',
          '001-mshrs-clones', '001-mshrs', '001-removed', '001-removed-programs', '001-complete',
          '001-complete-programs', '001-throttled', '001-mpki', '001-blk-3ds']
BASE = 'spatial+l2-ways'
RR, LOW_MPKI, LOW_BW, ITS, WEIS = ('+rr-frfcfs', '+prior-low-mpki', '+prior-low-bw', '+its',
                                   '+weis')
BEST, BEST_WORDS = 'best', 'the best of the six schedulers in each pair'
SCHEDULERS = [(RR, 'RR'), (LOW_MPKI, 'low MPKI'), (LOW_BW, 'low BW'), (ITS, 'ITS'), (WEIS, 'WEIS')]
CLASSES = ['A-MPKI', 'B-MPKI', 'C-MPKI', 'A-BW', 'B-BW', 'C-BW']
IT, WS, HS = 'instruction_throughput', 'weighted_speedup', 'harmonic'
SHORT = {IT: 'IT', WS: 'WS', HS: 'HS'}

TEXT = '''On 30 SMs, half to each app, with half of L2's ways; alone an app has the same SMs and
ways. Gains over FR-FCFS in percent, geometric means, in instruction throughput (IT), weighted
speedup (WS) and harmonic speedup (HS); classes by the difference of the apps' MPKI and bandwidth
alone: of the stand-ins by Table 1, of the programs as measured. The paper shows 25 pairs without
naming the pairs; the table has %s.

'''
ROOM = '''
Head room: by the model of section 5 and Table 1, the better of both priorities in each pair of the
25 applications gains so much, in percent. *Best*: in the pairs with the largest gains, as many as
the paper shows, by class as the paper's means imply. RR gives equal turns; FR-FCFS is assumed to
share the bandwidth by demand.

{table}
'''
BEYOND = 'by the model of section 5 and Table 1 the better of both priorities gains {all} % over ' \
    '{base} in all pairs, and {most} % in the {n} pairs with the largest gains.'
SUMMARY = '''
What the paper does not fix, by the gains of its abstract, in percent. *Until completed*: until both
apps have completed once, 20 million thread instructions or the end. *Computing*: stand-ins that
compute between bursts of accesses and take all places of half of the SMs, fitted to the same rows
of isolated runs, in place of a few warps that wait for memory. A slice of L2 has 256 MSHRs, as
many as the requests of a controller in the paper's Table 2: only then can the controller's queue
fill. Beside it: 32, as in GPGPU-Sim, and 64, two of GPGPU-Sim's sub-partitions.

'''
FREE = 'by Table 1 both together demand {:.0f} % of the bandwidth; by the model of section 5 no ' \
    'order of requests has an effect then.'
LOWEST = 'by the model of section 5 and Table 1 the better of both priorities gains {} % over ' \
    'the lower bandwidth first: no order is better.'
MOVES = 'in the {pairs} pairs of programs with the largest change {small} %, with an L2 of ' \
    'sixteen times the size {large} %.'
# Machines with a limit changed: (option of the machine, words).
WITHOUT = [('sm.scheduler=lrr', 'with loose round robin'),
           ('l2.sets=1024', 'with an L2 of sixteen times the size'),
           ('xbar.flit_bytes=136', 'with a crossbar four times as wide'),
           ('clock.dram_mhz=462', 'with DRAM at half the speed')]
COMPLETE, COMPUTING = 'until both have completed once', 'with stand-ins that compute between bursts'


def metric(run, name):
    if name == HS:
        ipc = run.app('normalized_ipc')
        return len(ipc) / sum(1 / x for x in ipc)
    return getattr(run, name)


def ratio(runs, name, scheduler, base):
    """Returns the metric under a scheduler, or under BEST of all, over the metric under another."""
    got = max(metric(r, name) for r in runs.values()) if scheduler == BEST else \
        metric(runs[BASE + scheduler], name)
    return got / metric(runs[BASE + base], name)


class Pairs:
    """Sets of apps, each run under all schedulers, and the classes of the sets."""

    def __init__(self, runs, table=None):
        self.of = {tuple(paper001.symbol(n) for n in names): by_policy
                   for names, by_policy in lib.by_set(runs).items()}
        self.table = table
        self.classes = {n: paper001.classes(table, n) for n in self.of} if table else {}

    def runs(self, names):
        """Returns {policy: run} of the apps."""
        return self.of.get(names) or self.of.get(names[::-1]) or {}

    def run(self, names, scheduler=''):
        """Returns the run of the apps under the scheduler, or None."""
        return self.runs(names).get(BASE + scheduler)

    def app(self, names, key, scheduler=''):
        """Returns the statistic of both apps, in the order of `names`."""
        values = self.run(names, scheduler).app(key)
        return values if names in self.of else values[::-1]

    def inside(self, which):
        return {n: runs for n, runs in self.of.items()
                if which == 'all' or which in self.classes[n]}

    def weighted(self, name, scheduler, base=''):
        """Returns the mean gain over all pairs, with the paper's shares of classes."""
        shares = class_shares(name)

        def average(values):
            of = {which: lib.gmean(x for x, classes in values if which in classes)
                  for which in shares}
            return math.exp(sum(share * math.log(of[which]) for which, share in shares.items()))
        return lib.Mean({n: (ratio(r, name, scheduler, base), self.classes[n])
                         for n, r in self.of.items()}, average)

    def gain(self, name, scheduler, which='all', base=''):
        """Returns the mean gain as a ratio (1.05 is 5 %); NaN without pairs."""
        return lib.Mean({n: ratio(r, name, scheduler, base)
                         for n, r in self.inside(which).items()})


def class_table(pairs):
    rows = []
    for which in CLASSES + ['all']:
        rows.append([which, str(len(pairs.inside(which)))] +
                    [lib.percent(pairs.gain(m, s, which))
                     for m in (IT, WS, HS) for s, _ in SCHEDULERS])
    return lib.table(['class', 'pairs'] + ['%s, %s' % (m, title) for m in ('IT', 'WS', 'HS')
                                           for _, title in SCHEDULERS], rows)


def spreads(pairs):
    return lib.spread_table('over FR-FCFS', {
        '%s, %s' % (short, title): {n: metric(r[BASE + s], m) / metric(r[BASE], m)
                                    for n, r in pairs.of.items()}
        for m, short in ((IT, 'IT'), (WS, 'WS')) for s, title in SCHEDULERS})


SHOWN = [('BLK', 'MUM'), ('BLK', 'LUH'), ('NW', 'SCP'), ('QTC', 'SCP'), ('NW', 'FWT'),
         ('3DS', 'RED'), ('BLK', '3DS'), ('BLK', 'MM'), ('BLK', 'NW')]


def room(which, name, base):
    """Returns the head room over FR-FCFS (base '') or RR, in all pairs of the class and in the n
    best pairs, and n."""
    first, n = None if base == RR else paper001.DEMAND, SHOWN_PAIRS[which]
    return paper001.head_room(name, first, which), paper001.head_room(name, first, which, n), n


def room_table():
    """Returns a table of the model's head room beside the paper's gains."""
    rows = []
    for target, which, name, scheduler, base, paper in AVERAGES:
        if name == HS:
            continue
        every, best, n = room(which, name, base)
        rows.append(['%s of %s over %s, %s' % (SHORT[name],
                                               dict(SCHEDULERS)[scheduler],
                                               'RR' if base else 'FR-FCFS', which),
                     '%+d' % paper, lib.percent(every), '%s (of %d)' % (lib.percent(best), n)])
    return ROOM.format(table=lib.table(['gain', 'paper', 'all pairs', 'best'], rows))


def shown_table(pairs):
    """Returns a table of the pairs of figures 7 and 9."""
    rows = []
    for names in SHOWN:
        if pairs.run(names):
            mpki = pairs.app(names, 'l2.mpki')
            rows.append(['%s_%s' % names, '%+.1f' % (mpki[0] - mpki[1])])
            for scheduler, _ in [('', '')] + SCHEDULERS:
                a, b = pairs.app(names, 'dram.bandwidth_fraction', scheduler)
                rows[-1].append('%+.0f' % (100 * (a - b)))
    return lib.table(['pair', 'MPKI, difference', 'bandwidth, difference in %, FR-FCFS'] +
                     [title for _, title in SCHEDULERS], rows)


def opinion(pairs, table):
    """Returns a text that compares the analytic model of two apps on a memory with simulation."""
    said = []
    for m, scheduler in ((IT, LOW_MPKI), (WS, LOW_BW)):
        model, measured = [], []
        for names, runs in pairs.of.items():
            apps = [table[n] for n in names]
            first = min((0, 1), key=lambda i, apps=apps, m=m: apps[i][m == WS])
            prior, even = (paper001.performance(apps, first=f) for f in (first, None))
            model.append(prior[m] / even[m])
            measured.append(metric(runs[BASE + scheduler], m) / metric(runs[BASE + RR], m))
        said.append((lib.gmean(model), lib.gmean(measured), lib.correlation(model, measured)))
    (a, b, c), (d, e, f) = said
    return 'The model of section 5 (two apps that fill the memory; `corun model`) expects %s %% ' \
        'of IT from low MPKI first and %s %% of WS from low bandwidth first, over RR; simulated ' \
        'are %s and %s %%, and the correlation over the pairs is %.2f and ' \
        '%.2f.\n\n' \
        % (lib.percent(a), lib.percent(d), lib.percent(b), lib.percent(e), c, f)


# Averages, figures 8, 10, 11 and 12: target, class, metric, scheduler, base scheduler, percent.
AVERAGES = [
    ('T001-118', 'all', IT, ITS, '', 34), ('T001-119', 'all', IT, ITS, RR, 8),
    ('T001-120', 'A-MPKI', IT, ITS, '', 49), ('T001-121', 'A-MPKI', IT, ITS, RR, 7),
    ('T001-122', 'B-MPKI', IT, ITS, '', 7), ('T001-123', 'C-MPKI', IT, ITS, '', 12),
    ('T001-126', 'all', WS, WEIS, '', 10), ('T001-127', 'all', WS, WEIS, RR, 5),
    ('T001-128', 'A-BW', WS, WEIS, '', 14), ('T001-129', 'A-BW', WS, WEIS, RR, 3),
    ('T001-130', 'B-BW', WS, WEIS, '', 5), ('T001-131', 'C-BW', WS, WEIS, '', 8),
    ('T001-137', 'all', HS, RR, '', 4), ('T001-138', 'all', HS, WEIS, '', 8)]


def class_shares(name):
    """Returns {class: share of the paper's pairs}, by its means over FR-FCFS, of all and
    of each class; the classes B and C have equal shares."""
    of = {which: math.log(1 + paper / 100) for _, which, metric_name, _, base, paper in AVERAGES
          if metric_name == name and not base}
    every, (a, b, c) = of.pop('all'), of.values()
    share = (every - (b + c) / 2) / (a - (b + c) / 2)
    return dict(zip(of, (share, (1 - share) / 2, (1 - share) / 2)))


# Pairs of the paper by class, as implied by the means.
SHOWN_PAIRS = {'all': paper001.SHOWN, **{which: round(paper001.SHOWN * share) for name in (IT, WS)
                                         for which, share in class_shares(name).items()}}


def machines(sweep, table=None, others=()):
    """Returns {changed limit in words: Pairs}, with the unchanged machine under ''. others: (words,
    sweep) of the same sets, with runs of the unchanged machine."""
    of = causes.by_limit(lib.runs(sweep), WITHOUT)
    for words, name in others:
        of[words] = [r for r in lib.runs(name) if not r.row['options']]
    return {words: Pairs(runs, table) for words, runs in of.items()}


def gain_rows(rows):
    """Adds the rows of averages."""
    for target, which, name, scheduler, base, paper in AVERAGES:
        words = dict(SCHEDULERS, **{'': 'FR-FCFS'})
        beyond = None

        def gain(pairs, scheduler=scheduler, name=name, which=which, base=base):
            return pairs.weighted(name, scheduler, base) if which == 'all' and name != HS else \
                pairs.gain(name, scheduler, which, base)

        def alike(pairs, scheduler=scheduler, name=name, which=which, base=base):
            return ' (all pairs alike %s)' % lib.change(pairs.gain(name, scheduler, which, base)) \
                if which == 'all' and name != HS else ''
        if name != HS:
            every, most, n = room(which, name, base)
            if most < 1 + paper / 100:
                beyond = lib.Cause(lib.BEYOND, BEYOND.format(
                    all=lib.percent(every), most=lib.percent(most), n=n,
                    base='equal turns' if base == RR else 'shares by demand'))
        rows.number(target, '%s of %s over %s, %s' % (SHORT[name], words[scheduler], words[base],
                                                      which), 1 + paper / 100,
                    gain, show=lib.change, known=beyond, beside=alike,
                    best=(BEST_WORDS, lambda pairs, gain=gain: gain(pairs, BEST)))


def order_rows(rows):
    """Adds the rows on the ranking of schedulers."""
    def row(target, what, paper, fact, *gains):
        def measure(pairs):
            x = [pairs.gain(*g) for g in gains]
            return ', '.join(map(lib.percent, x)) + ' %', lib.true(fact(*x))
        rows.add(target, what, paper, measure)

    row('T001-124', 'IT of WEIS and RR over FR-FCFS', 'WEIS below RR, above 0',
        lambda w, r: 1 < w < r, (IT, WEIS), (IT, RR))
    row('T001-132', 'WS of ITS and RR over FR-FCFS', 'ITS below RR, above 0',
        lambda i, r: 1 < i < r, (WS, ITS), (WS, RR))
    row('T001-301', 'IT of ITS, RR over FR-FCFS: best, then RR', 'yes',
        lambda i, r: i > r > 1, (IT, ITS), (IT, RR))
    row('T001-301', 'WS of WEIS, RR over FR-FCFS: best, then RR', 'yes',
        lambda w, r: w > r > 1, (WS, WEIS), (WS, RR))

    def every_class(pairs):
        x = [pairs.gain(HS, WEIS, c, base) for base in ('', RR) for c in CLASSES]
        return ', '.join(map(lib.percent, x)) + ' %', lib.true(min(x) > 1, min(x[:6]) > 1)
    rows.add('T001-303', 'HS of WEIS over FR-FCFS, then over RR, by class', 'above 0 in each',
             every_class)


def profile_rows(plain):
    """Adds the rows on ITS and WEIS beside priorities by profiles."""
    def row(target, what, paper, fact, *gain, known=None):
        plain.add(target, what, paper, lambda pairs: (
            lib.percent(pairs.gain(*gain)) + ' %', lib.true(fact(pairs.gain(*gain)))), known=known)
    row('T001-125', 'IT of ITS over low MPKI', '0', lambda x: abs(x - 1) < 0.01, IT, ITS, 'all',
        LOW_MPKI)
    most = paper001.head_room(WS, paper001.LOWEST, 'C-BW')
    row('T001-133, -302', 'C-BW: WS of WEIS over low BW', 'much higher', lambda x: x > 1.01, WS,
        WEIS, 'C-BW', LOW_BW, known=lib.Cause(lib.BEYOND, LOWEST.format(lib.percent(most)))
        if most <= 1.01 else None)


def mpki_moves(pairs):
    """Returns {app: maximum relative difference of the app's MPKI between two schedulers}, for apps
    with misses."""
    moves = {}
    for names, runs in pairs.of.items():
        for name, values in zip(names, zip(*(r.app('l2.mpki') for r in runs.values()))):
            if max(values) > 0.05:
                moves[name] = max(moves.get(name, 0), max(values) / min(values) - 1)
    return moves


def mpki_cause():
    """Returns the cause of changes of MPKIs, or None."""
    small, large = (Pairs([r for r in lib.runs('001-mpki') if r.row['options'] == o])
                    for o in ('', 'l2.sets=1024'))
    moves = [max(mpki_moves(p).values()) for p in (small, large)]
    return lib.Cause(lib.ISOLATED, MOVES.format(
        pairs=len(large.of), small='%.1f' % (100 * moves[0]), large='%.1f' % (100 * moves[1]))) \
        if moves[1] < 0.75 * moves[0] else None


def mpki_verdict(pairs):
    moves = mpki_moves(pairs)
    still = sum(m <= 0.02 for m in moves.values())
    return 'within 2 %% for %d of %d apps, at most %.1f %%' % (
        still, len(moves), 100 * max(moves.values())), \
        lib.true(still == len(moves), 2 * still > len(moves))


def locality_rows(v):
    """Adds the rows on row localities, which the paper ascribes to the applications."""
    stand_ins, programs = map(paper001.isolated, (True, False))
    rows = causes.Rows(v, programs, None, stand_ins)
    for target, names, paper in (('T001-112', ('BLK', 'MUM'), 4), ('T001-135', ('FWT', 'NW'), 13)):
        def measure(of, names=names, paper=paper):
            a, b = (float(of[n]['dram.row_locality']) if n in of else math.nan for n in names)
            return lib.show(a / b), lib.like(a / b, paper)
        rows.add(target, 'row locality of %s over that of %s, alone' % names, str(paper), measure)


def inputs_3ds():
    """Returns {input of 3DS in words: BLK_3DS under FR-FCFS and RR}."""
    of = {}
    for r in lib.runs('001-blk-3ds'):
        size = r.apps[1].split('window,')[1]
        of.setdefault('with `%s` for 3DS' % size, []).append(r)
    return {words: Pairs(runs) for words, runs in of.items()}


def pair_rows(rows, single, inputs):
    """Adds the rows of single pairs: figures 7 to 9. single: rows of stand-ins only; inputs: as
    rows, with other inputs of 3DS."""
    def row(target, what, paper, names, fact, to=rows):
        """Adds a row. fact(pairs) -> (measured value, verdict)."""
        to.add(target, what, paper,
               lambda pairs: fact(pairs) if pairs.run(names) else ('-', '-'))

    def bandwidth(pairs, names, scheduler=''):
        return [100 * x for x in pairs.app(names, 'dram.bandwidth_fraction', scheduler)]

    def over(pairs, names, m, scheduler):
        return metric(pairs.run(names, scheduler), m) / metric(pairs.run(names), m)

    def gap(pairs, names, scheduler=''):
        a, b = bandwidth(pairs, names, scheduler)
        return abs(a - b)

    def more(a, b, digits=0):
        return '%.*f and %.*f' % (digits, a, digits, b), lib.true(a > b)

    blk_mum, nw_fwt = ('BLK', 'MUM'), ('FWT', 'NW')
    row('T001-112', "BLK_MUM: BLK's bandwidth, %: RR and FR-FCFS", 'RR more', blk_mum,
        lambda p: more(bandwidth(p, blk_mum, RR)[0], bandwidth(p, blk_mum)[0]))
    for target, scheduler, paper in (('T001-116', RR, 1.15), ('T001-117', ITS, 1.30)):
        single.number(target, 'BLK_MUM: IT of %s over FR-FCFS' % dict(SCHEDULERS)[scheduler], paper,
                      lambda p, s=scheduler: over(p, blk_mum, IT, s), show=lib.change,
                      best=(BEST_WORDS, lambda p: ratio(p.runs(blk_mum), IT, BEST, '')))
    row('T001-113', 'BLK_LUH: difference of bandwidths, %: FR-FCFS and RR', 'RR less',
        ('BLK', 'LUH'), lambda p: more(gap(p, ('BLK', 'LUH')), gap(p, ('BLK', 'LUH'), RR)))
    for names in (('SCP', 'NW'), ('SCP', 'QTC')):
        row('T001-114', "%s_SCP: SCP's bandwidth, %%: ITS and FR-FCFS" % names[1], 'ITS more',
            names, lambda p, n=names: more(bandwidth(p, n, ITS)[0], bandwidth(p, n)[0]))
    row('T001-134', 'NW_FWT: WS of RR over FR-FCFS', 'below 0', nw_fwt,
        lambda p: (lib.percent(over(p, nw_fwt, WS, RR)) + ' %',
                   lib.true(over(p, nw_fwt, WS, RR) < 1)))
    row('T001-304', '3DS_RED: WS of RR, of WEIS over FR-FCFS', 'below 0, above 0', ('3DS', 'RED'),
        lambda p: (', '.join(lib.percent(over(p, ('3DS', 'RED'), WS, s)) for s in (RR, WEIS)) +
                   ' %', lib.true(over(p, ('3DS', 'RED'), WS, RR) < 1 <
                                  over(p, ('3DS', 'RED'), WS, WEIS))))
    for names in (('BLK', '3DS'), ('BLK', 'MM')):
        for s in (RR, WEIS):
            row('T001-136', '%s_%s: difference of bandwidths under FR-FCFS and %s, %%; its WS over '
                'FR-FCFS' % (*names, dict(SCHEDULERS)[s]), 'less, higher', names,
                lambda p, n=names, s=s: (
                    '%.0f and %.0f, %s %%' % (gap(p, n), gap(p, n, s),
                                              lib.percent(over(p, n, WS, s))),
                    lib.true(gap(p, n, s) < gap(p, n) and over(p, n, WS, s) > 1)),
                inputs if (s, names[1]) == (RR, '3DS') else rows)
    rows.add('T001-115', 'farthest that MPKIs move with the scheduler', 'unchanged', mpki_verdict,
             known=mpki_cause())


FIRST, SECOND = '+prior-app[order=0/1]', '+prior-app[order=1/0]'


def priority_rows(rows):
    """Adds the rows of figures 4 and 5."""
    def all_of(pairs, names, m):
        """Returns the metric under FR-FCFS, priority of the first app, of the second app, RR."""
        return [metric(pairs.run(names, s), m) for s in ('', FIRST, SECOND, RR)]

    blk_gups, blk_qtc, blk_nn = ('BLK', 'GUPS'), ('BLK', 'QTC'), ('BLK', 'NN')
    histo_trd = ('HISTO', 'TRD')
    for target, names, paper in (('T001-082', blk_gups, 1.9), ('T001-083', blk_qtc, 1.54),
                                 ('T001-084', blk_nn, 1.02)):
        rows.number(target, '%s_%s: loss of WS under FR-FCFS, 2/WS - 1' % names, paper,
                    lambda p, names=names: 2 / all_of(p, names, WS)[0], one_way=True,
                    show=lambda x: '%.0f %%' % (100 * (x - 1)))
    for target, names, paper, fact in (
            ('T001-085', blk_gups, 'both large', lambda a, b: min(a, b) > 1.25),
            ('T001-086', blk_qtc, "QTC's much larger", lambda a, b: b - 1 > 2 * (a - 1)),
            ('T001-087', blk_nn, 'negligible', lambda a, b: max(a, b) < 1.05)):
        def slowdowns(pairs, names=names, fact=fact):
            slow = [1 / x for x in pairs.app(names, 'normalized_ipc')]
            return '%.2f, %.2f' % tuple(slow), lib.true(fact(*slow))
        rows.add(target, '%s_%s: slowdowns under FR-FCFS' % names, paper, slowdowns)
    best = {0: lambda f, a, b, r: a == max(f, a, b, r), 1: lambda f, a, b, r: b == max(f, a, b, r)}

    def below_half(f, a, b, r):
        return f < r < (f + b) / 2

    def alike(*x):
        return max(x) / min(x) < 1.01

    half = 'RR above FR-FCFS, not half way to TRD first'
    for target, names, m, paper, fact in (
            ('T001-088', histo_trd, IT, 'TRD first best', best[1]),
            ('T001-088', histo_trd, WS, 'TRD first best', best[1]),
            ('T001-089', histo_trd, WS, half, below_half),
            ('T001-089', histo_trd, IT, half, below_half),
            ('T001-090', blk_qtc, IT, 'BLK first best', best[0]),
            ('T001-091', blk_qtc, WS, 'QTC first best', best[1]),
            ('T001-092', blk_qtc, IT, 'RR between', lambda f, a, b, r: b < r < a),
            ('T001-092', blk_qtc, WS, 'RR between', lambda f, a, b, r: a < r < b),
            ('T001-093', blk_nn, WS, 'no effect (1 %)', alike),
            ('T001-093', blk_nn, IT, 'no effect (1 %)', alike)):
        def order(pairs, names=names, m=m, fact=fact):
            x = all_of(pairs, names, m)
            return ', '.join(lib.show(y, 1 if m == IT else 3) for y in x), lib.true(fact(*x))
        demand = sum(paper001.table()[n][1] for n in names)
        rows.add(target, '%s_%s: %s under FR-FCFS, %s first, %s first, RR' % (
            *names, SHORT[m], *names), paper, order, known=lib.Cause(
                lib.BEYOND, FREE.format(demand)) if demand < 100 and fact == below_half else None)

    def kept(pairs):
        x = [sum(pairs.app(n, 'ipc_thread')) / sum(pairs.app(n, 'alone_ipc_thread'))
             for n in (blk_gups, blk_qtc, blk_nn)]
        return ', '.join(map(lib.show, x)), lib.true(
            x[0] < 0.8 and x[1] > all_of(pairs, blk_qtc, WS)[0] / 2 and x[2] > 0.95)
    rows.add('T001-305', 'BLK_GUPS, BLK_QTC, BLK_NN: IT under FR-FCFS over the sum alone',
             'much lower; less lost than of WS; nothing lost (5 %)', kept)

    def share(pairs):
        x = [100 * x for x in pairs.app(blk_qtc, 'dram.bandwidth_fraction')]
        return '%.0f, %.0f' % tuple(x), lib.true(x[0] > x[1])
    rows.add('T001-094', 'BLK_QTC: bandwidth under FR-FCFS, %', 'BLK more', share)


def triple_rows(rows, pairs):
    """Adds the rows of figure 14."""
    named = ('GUPS', 'SCP', 'HISTO')
    rows.number('T001-139', 'GUPS_SCP_HISTO: IT of ITS over FR-FCFS', 1.27, lambda p: metric(
        p.run(named, ITS), IT) / metric(p.run(named), IT), show=lib.change)
    for m, s, title in ((IT, ITS, 'IT of ITS'), (WS, WEIS, 'WS of WEIS')):
        def more(triples, m=m, s=s):
            a, b = triples.gain(m, s), pairs.gain(m, s)
            return '%s, %s %%' % (lib.percent(a), lib.percent(b)), lib.true(a > b)
        rows.add('T001-140', title + ' over FR-FCFS: ten triples, pairs', 'triples more', more)


def core_rows(rows):
    """Adds the rows of figure 13."""
    for target, split in (('T001-141', '10/20'), ('T001-142', '20/10')):
        def less(cores, split=split):
            runs = next(iter(cores.of.values()))
            a, b = (metric(runs['spatial[split=%s]+l2-ways' % x + ITS], IT) /
                    metric(runs['spatial[split=%s]+l2-ways' % x], IT) for x in (split, '15/15'))
            return '%s, %s %%' % (lib.percent(a), lib.percent(b)), lib.true(1 < a < b, a > 1)
        rows.add(target, 'JPEG_GUPS: IT of ITS over FR-FCFS on %s SMs, on 15/15' % split,
                 'significant, less', less)


def window_row(plain):
    """Adds the row of section 6 on the window."""
    def far(windows):
        x = [abs(windows.gain(m, s + '[window=%d]' % w, base=s + '[window=1024]') - 1)
             for m, s in ((IT, ITS), (WS, WEIS)) for w in (256, 2048)]
        return '%.2f %%' % (100 * max(x)), lib.true(max(x) < 0.01)
    plain.add('T001-109', 'ITS and WEIS with windows of 256 and 2048 cycles: difference', '< 1 %',
              far)


def summary(kinds, machines_of):
    """Returns a table of the abstract's gains under choices that the paper does not make."""
    (stand_ins, programs), few = machines_of, 'l2.mshrs=32'
    columns = [stand_ins[''], stand_ins[COMPLETE], stand_ins[COMPUTING],
               Pairs([r for r in lib.runs('001-throttled') if r.row['options'] == few],
                     kinds[0].table), programs[''], programs[COMPLETE]]
    for sweep, pairs in (('001-mshrs', programs['']), ('001-mshrs-clones', kinds[0])):
        for n in (32, 64):
            columns.append(Pairs([r for r in lib.runs(sweep) if r.row['options'] ==
                                  'l2.mshrs=%d' % n], pairs.table))
    columns.append(kinds[0])
    rows = [['%s of %s over %s, %s (paper %+d)' % (SHORT[m], dict(SCHEDULERS)[s],
                                                   dict(SCHEDULERS).get(base, 'FR-FCFS'), which,
                                                   paper)] +
            [lib.percent(p.gain(m, s, which, base)) for p in columns]
            for _, which, m, s, base, paper in AVERAGES
            if (m, s) in ((IT, ITS), (WS, WEIS)) and which in ('all', 'A-MPKI', 'A-BW')]
    return SUMMARY + lib.table(
        ['gain', 'stand-ins, %d pairs' % len(columns[0].of), 'until completed', 'computing',
         'computing, 32 MSHRs', 'programs, %d pairs' % len(columns[4].of), 'until completed',
         '32 MSHRs', '64 MSHRs', 'stand-ins, %d pairs, 32 MSHRs' % len(columns[-1].of), '64 MSHRs',
         '256 MSHRs'], rows)


def section():
    tables = paper001.table(), paper001.own_table()
    kinds = [Pairs(lib.runs(s), table) for s, table in zip(SWEEPS, tables)]
    said = ['%d pairs of stand-ins' % len(kinds[0].of), '%d of programs' % len(kinds[1].of)]
    text = TEXT % ' and '.join(said)
    for title, pairs in zip(('Stand-ins', 'Programs'), kinds):
        text += '%s:\n\n%s\n%s\n%s\n' % (title, class_table(pairs), spreads(pairs),
                                         shown_table(pairs))
        text += opinion(pairs, pairs.table)
    limits = [machines('001-removed', tables[0],
                       [(COMPLETE, '001-complete'), (COMPUTING, '001-throttled')]),
              machines('001-removed-programs', tables[1], [(COMPLETE, '001-complete-programs')])]
    v = lib.Verdicts()
    rows = causes.Rows(v, kinds[1], limits[1], kinds[0], limits[0])
    plain = causes.Rows(v, kinds[1], None, kinds[0])
    first = machines('001-priority')
    priority_rows(causes.Rows(v, None, None, first[''], first))
    pair_rows(rows, causes.Rows(v, None, None, kinds[0], limits[0]), causes.Rows(
        v, kinds[1], {**limits[1], **inputs_3ds()}, kinds[0], limits[0]))
    locality_rows(v)
    gain_rows(rows)
    order_rows(rows)
    profile_rows(plain)
    triples, cores = machines('001-triples'), machines('001-cores')
    triple_rows(causes.Rows(v, None, None, triples[''], triples), kinds[0])
    core_rows(causes.Rows(v, None, None, cores[''], cores))
    window_row(causes.Rows(v, None, None, Pairs(lib.runs('001-windows'))))
    return text + room_table() + summary(kinds, limits) + '\n' + v.markdown(), v

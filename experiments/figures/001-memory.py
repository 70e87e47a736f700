"""Paper 001, figures 4, 5 and 7 to 14: priorities of apps at DRAM, per pair and per class."""
import math

import lib
import paper001

TITLE = 'Paper 001, figures 4, 5 and 7 to 14: schedulers at DRAM'
SWEEPS = ['001-pairs', '001-programs', '001-priority', '001-cores', '001-triples', '001-windows',
          '001-mshrs', '001-narrow', '001-mpki']
BASE = 'spatial+l2-ways'
RR, LOW_MPKI, LOW_BW, ITS, WEIS = ('+rr-frfcfs', '+prior-low-mpki', '+prior-low-bw', '+its',
                                   '+weis')
SCHEDULERS = [(RR, 'RR'), (LOW_MPKI, 'low MPKI'), (LOW_BW, 'low BW'), (ITS, 'ITS'), (WEIS, 'WEIS')]
CLASSES = ['A-MPKI', 'B-MPKI', 'C-MPKI', 'A-BW', 'B-BW', 'C-BW']
IT, WS, HS = 'instruction_throughput', 'weighted_speedup', 'harmonic'

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
LIMITS = '''In the runs above a slice of L2 holds 32 misses, GPGPU-Sim's number (today 256), so DRAM
chooses among few requests of a bank. The same pairs of programs with 256 misses in a slice:

'''
MOVES = 'in the {pairs} pairs of programs with the largest change {small} %, with an L2 of ' \
    'sixteen times the size {large} %. The rest: not isolated.'
RISE = 0.003  # minimum rise of a gain without a limit, for the limit to be named as a cause


def metric(run, name):
    if name == HS:
        ipc = run.app('normalized_ipc')
        return len(ipc) / sum(1 / x for x in ipc)
    return getattr(run, name)


class Pairs:
    """Sets of apps, each run under all schedulers, and the classes of the sets."""

    def __init__(self, sweep, table=None, options=None):
        runs = [r for r in lib.runs(sweep) if options in (None, r.row['options'])]
        self.of = {tuple(paper001.symbol(n) for n in names): by_policy
                   for names, by_policy in lib.by_set(runs).items()}
        self.classes = {n: paper001.classes(table, n) for n in self.of} if table else {}

    def run(self, names, scheduler=''):
        """Returns the run of the apps under the scheduler, or None."""
        found = self.of.get(names) or self.of.get(names[::-1]) or {}
        return found.get(BASE + scheduler)

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
        return lib.Mean({n: (metric(r[BASE + scheduler], name) / metric(r[BASE + base], name),
                             self.classes[n]) for n, r in self.of.items()}, average)

    def gain(self, name, scheduler, which='all', base=''):
        """Returns the mean gain as a ratio (1.05 is 5 %); NaN without pairs."""
        return lib.Mean({n: metric(r[BASE + scheduler], name) / metric(r[BASE + base], name)
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
        rows.append(['%s of %s over %s, %s' % ({IT: 'IT', WS: 'WS'}[name],
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


def both(v, target, what, paper, kinds, measure):
    """Adds a row for stand-ins and programs. measure(pairs) -> (measured value, verdict) or
    None."""
    v.add(target, what, paper, *[measure(k) if k.of else None for k in kinds])


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

# Averages of rows without a number in the paper, in the same format.
ORDERS = [('T001-132', 'all', WS, ITS, '', 0), ('T001-133, -302', 'C-BW', WS, WEIS, LOW_BW, 0)]


def causes(programs, mshrs):
    """Returns {target: sentence} for targets where removing a limit gives results nearer to the
    paper, and {target: figures of the sentence}."""
    why, facts = {}, {}
    wide, narrow = (Pairs('001-narrow', options=o) for o in ('', 'clock.dram_mhz=462'))
    for target, which, name, scheduler, base, _ in AVERAGES + ORDERS:
        said, numbers = [], {}
        for pairs, other, words, keys in (
                (programs, mshrs, 'with 256 misses in a slice of L2, not 32, programs give {queue} '
                 '%, not {few} %', ('few', 'queue')),
                (wide, narrow, 'with DRAM at half the speed a quarter of the stand-ins\' pairs '
                 'give {slow} %, not {fast} %', ('fast', 'slow'))):
            if not other.of or (pairs is wide and which != 'all'):
                continue
            x = [p.gain(name, scheduler, which, base) for p in (pairs, other)]
            if x[1] - x[0] > RISE:
                said.append(words)
                numbers.update(zip(keys, map(lib.percent, x)))
        if said:
            why[target] = '; '.join(said) + '. The rest not isolated.'
            facts[target] = numbers
    small, large = (Pairs('001-mpki', options=o) for o in ('', 'l2.sets=1024'))
    if large.of:
        moves = [max(mpki_moves(p).values()) for p in (small, large)]
        if moves[1] < 0.75 * moves[0]:
            why['T001-115'] = MOVES
            facts['T001-115'] = {'pairs': len(large.of), 'small': '%.1f' % (100 * moves[0]),
                                 'large': '%.1f' % (100 * moves[1])}
    return why, facts


def gain_rows(v, kinds):
    """Adds the rows of averages."""
    for target, which, name, scheduler, base, paper in AVERAGES:
        words = dict(SCHEDULERS, **{'': 'FR-FCFS'})
        short = {IT: 'IT', WS: 'WS', HS: 'HS'}[name]

        def measure(pairs, a=(name, scheduler, which, base), paper=paper):
            x, beside = pairs.gain(*a), ''
            if a[2] == 'all' and a[0] != HS:
                beside = ' (all pairs alike %s %%)' % lib.percent(x)
                x = pairs.weighted(*a[:2], a[3])
            return lib.percent(x) + ' %' + beside, lib.like(x, 1 + paper / 100)

        if name != HS:
            every, most, n = room(which, name, base)
            if most < 1 + paper / 100:
                v.beyond[target] = BEYOND.format(
                    all=lib.percent(every), most=lib.percent(most), n=n,
                    base='equal turns' if base == RR else 'shares by demand')
        both(v, target, '%s of %s over %s, %s' % (short, words[scheduler], words[base], which),
             '%+d %%' % paper, kinds, measure)


def order_rows(v, kinds):
    """Adds the rows on the ranking of schedulers."""
    def row(target, what, paper, fact, *gains):
        def measure(pairs):
            x = [pairs.gain(*g) for g in gains]
            return ', '.join(map(lib.percent, x)) + ' %', lib.true(fact(*x))
        both(v, target, what, paper, kinds, measure)

    row('T001-124', 'IT of WEIS and RR over FR-FCFS', 'WEIS below RR, above 0',
        lambda w, r: 1 < w < r, (IT, WEIS), (IT, RR))
    row('T001-125', 'IT of ITS over low MPKI', '0', lambda x: abs(x - 1) < 0.01,
        (IT, ITS, 'all', LOW_MPKI))
    row('T001-132', 'WS of ITS and RR over FR-FCFS', 'ITS below RR, above 0',
        lambda i, r: 1 < i < r, (WS, ITS), (WS, RR))
    row('T001-133, -302', 'C-BW: WS of WEIS over low BW', 'much higher', lambda x: x > 1.01,
        (WS, WEIS, 'C-BW', LOW_BW))
    row('T001-301', 'IT of ITS, RR over FR-FCFS: best, then RR', 'yes',
        lambda i, r: i > r > 1, (IT, ITS), (IT, RR))
    row('T001-301', 'WS of WEIS, RR over FR-FCFS: best, then RR', 'yes',
        lambda w, r: w > r > 1, (WS, WEIS), (WS, RR))

    def every_class(pairs):
        x = [pairs.gain(HS, WEIS, c, base) for base in ('', RR) for c in CLASSES]
        return ', '.join(map(lib.percent, x)) + ' %', lib.true(min(x) > 1, min(x[:6]) > 1)
    both(v, 'T001-303', 'HS of WEIS over FR-FCFS, then over RR, by class', 'above 0 in each', kinds,
         every_class)


def mpki_moves(pairs):
    """Returns {app: maximum relative difference of the app's MPKI between two schedulers}, for apps
    with misses."""
    moves = {}
    for names, runs in pairs.of.items():
        for name, values in zip(names, zip(*(r.app('l2.mpki') for r in runs.values()))):
            if max(values) > 0.05:
                moves[name] = max(moves.get(name, 0), max(values) / min(values) - 1)
    return moves


def mpki_verdict(pairs):
    moves = mpki_moves(pairs)
    still = sum(m <= 0.02 for m in moves.values())
    return 'within 2 %% for %d of %d apps, at most %.1f %%' % (
        still, len(moves), 100 * max(moves.values())), \
        lib.true(still == len(moves), 2 * still > len(moves))


def pair_rows(v, kinds):
    """Adds the rows of single pairs: figures 7 to 9."""
    def row(target, what, paper, names, fact):
        """Adds a row. fact(pairs) -> (measured value, verdict)."""
        both(v, target, what, paper, kinds,
             lambda pairs: fact(pairs) if pairs.run(names) else None)

    def bandwidth(pairs, names, scheduler=''):
        return [100 * x for x in pairs.app(names, 'dram.bandwidth_fraction', scheduler)]

    def over(pairs, names, m, scheduler):
        return metric(pairs.run(names, scheduler), m) / metric(pairs.run(names), m)

    def gap(pairs, names, scheduler=''):
        a, b = bandwidth(pairs, names, scheduler)
        return abs(a - b)

    def times(pairs, names, paper):
        a, b = pairs.app(names, 'dram.row_locality')
        return lib.show(a / b), lib.like(a / b, paper)

    def change(pairs, names, m, scheduler, paper):
        x = over(pairs, names, m, scheduler)
        return lib.percent(x) + ' %', lib.like(x, paper)

    def more(a, b, digits=0):
        return '%.*f and %.*f' % (digits, a, digits, b), lib.true(a > b)

    blk_mum, nw_fwt = ('BLK', 'MUM'), ('FWT', 'NW')
    row('T001-112', 'row locality of BLK over that of MUM', '4', blk_mum,
        lambda p: times(p, blk_mum, 4))
    row('T001-112', "BLK_MUM: BLK's bandwidth, %: RR and FR-FCFS", 'RR more', blk_mum,
        lambda p: more(bandwidth(p, blk_mum, RR)[0], bandwidth(p, blk_mum)[0]))
    for target, scheduler, paper in (('T001-116', RR, 1.15), ('T001-117', ITS, 1.30)):
        row(target, 'BLK_MUM: IT of %s over FR-FCFS' % dict(SCHEDULERS)[scheduler],
            lib.percent(paper, 0) + ' %', blk_mum,
            lambda p, s=scheduler, x=paper: change(p, blk_mum, IT, s, x))
    row('T001-113', 'BLK_LUH: difference of bandwidths, %: FR-FCFS and RR', 'RR less',
        ('BLK', 'LUH'), lambda p: more(gap(p, ('BLK', 'LUH')), gap(p, ('BLK', 'LUH'), RR)))
    for names in (('SCP', 'NW'), ('SCP', 'QTC')):
        row('T001-114', "%s_SCP: SCP's bandwidth, %%: ITS and FR-FCFS" % names[1], 'ITS more',
            names, lambda p, n=names: more(bandwidth(p, n, ITS)[0], bandwidth(p, n)[0]))
    row('T001-135', 'row locality of FWT over that of NW', '13', nw_fwt,
        lambda p: times(p, nw_fwt, 13))
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
                    lib.true(gap(p, n, s) < gap(p, n) and over(p, n, WS, s) > 1)))
    both(v, 'T001-115', 'farthest that MPKIs move with the scheduler', 'unchanged', kinds,
         mpki_verdict)


FIRST, SECOND = '+prior-app[order=0/1]', '+prior-app[order=1/0]'


def priority_rows(v, pairs):
    """Adds the rows of figures 4 and 5."""
    if not pairs.of:
        return

    def all_of(names, m):
        """Returns the metric under FR-FCFS, priority of the first app, of the second app, RR."""
        return [metric(pairs.run(names, s), m) for s in ('', FIRST, SECOND, RR)]

    blk_gups, blk_qtc, blk_nn = ('BLK', 'GUPS'), ('BLK', 'QTC'), ('BLK', 'NN')
    histo_trd = ('HISTO', 'TRD')
    for target, names, paper in (('T001-082', blk_gups, 90), ('T001-083', blk_qtc, 54),
                                 ('T001-084', blk_nn, 2)):
        x = 2 / all_of(names, WS)[0]
        v.add(target, '%s_%s: loss of WS under FR-FCFS, 2/WS - 1' % names, '%d %%' % paper,
              ('%.0f %%' % (100 * (x - 1)), lib.like(x, 1 + paper / 100, one_way=True)))
    for target, names, paper, fact in (
            ('T001-085', blk_gups, 'both large', lambda a, b: min(a, b) > 1.25),
            ('T001-086', blk_qtc, "QTC's much larger", lambda a, b: b - 1 > 2 * (a - 1)),
            ('T001-087', blk_nn, 'negligible', lambda a, b: max(a, b) < 1.05)):
        slow = [1 / x for x in pairs.app(names, 'normalized_ipc')]
        v.add(target, '%s_%s: slowdowns under FR-FCFS' % names, paper,
              ('%.2f, %.2f' % tuple(slow), lib.true(fact(*slow))))
    for target, names, m, paper, fact in (
            ('T001-088', histo_trd, IT, 'TRD first best',
             lambda f, a, b, r: b == max(f, a, b, r)),
            ('T001-088', histo_trd, WS, 'TRD first best',
             lambda f, a, b, r: b == max(f, a, b, r)),
            ('T001-089', histo_trd, WS, 'RR above FR-FCFS, not half way to TRD first',
             lambda f, a, b, r: f < r < (f + b) / 2),
            ('T001-089', histo_trd, IT, 'RR above FR-FCFS, not half way to TRD first',
             lambda f, a, b, r: f < r < (f + b) / 2),
            ('T001-090', blk_qtc, IT, 'BLK first best', lambda f, a, b, r: a == max(f, a, b, r)),
            ('T001-091', blk_qtc, WS, 'QTC first best', lambda f, a, b, r: b == max(f, a, b, r)),
            ('T001-092', blk_qtc, IT, 'RR between', lambda f, a, b, r: b < r < a),
            ('T001-092', blk_qtc, WS, 'RR between', lambda f, a, b, r: a < r < b),
            ('T001-093', blk_nn, WS, 'no effect (1 %)',
             lambda f, a, b, r: max(f, a, b, r) / min(f, a, b, r) < 1.01),
            ('T001-093', blk_nn, IT, 'no effect (1 %)',
             lambda f, a, b, r: max(f, a, b, r) / min(f, a, b, r) < 1.01)):
        x = all_of(names, m)
        v.add(target, '%s_%s: %s under FR-FCFS, %s first, %s first, RR'
              % (*names, {IT: 'IT', WS: 'WS'}[m], *names), paper,
              (', '.join(lib.show(y, 1 if m == IT else 3) for y in x), lib.true(fact(*x))))
    kept = [sum(pairs.app(n, 'ipc_thread')) / sum(pairs.app(n, 'alone_ipc_thread'))
            for n in (blk_gups, blk_qtc, blk_nn)]
    v.add('T001-305', 'BLK_GUPS, BLK_QTC, BLK_NN: IT under FR-FCFS over the sum alone',
          'much lower; less lost than of WS; nothing lost (5 %)',
          (', '.join(map(lib.show, kept)), lib.true(
              kept[0] < 0.8 and kept[1] > all_of(blk_qtc, WS)[0] / 2 and kept[2] > 0.95)))
    share = [100 * x for x in pairs.app(blk_qtc, 'dram.bandwidth_fraction')]
    v.add('T001-094', 'BLK_QTC: bandwidth under FR-FCFS, %', 'BLK more',
          ('%.0f, %.0f' % tuple(share), lib.true(share[0] > share[1])))


def scale_rows(v, triples, cores, windows, pairs):
    """Adds the rows of figures 13 and 14, and of section 6 on the window."""
    named = ('GUPS', 'SCP', 'HISTO')
    if triples.of:
        x = metric(triples.run(named, ITS), IT) / metric(triples.run(named), IT)
        v.add('T001-139', 'GUPS_SCP_HISTO: IT of ITS over FR-FCFS', '+27 %',
              (lib.percent(x) + ' %', lib.like(x, 1.27)))
        for m, s, title in ((IT, ITS, 'IT of ITS'), (WS, WEIS, 'WS of WEIS')):
            a, b = triples.gain(m, s), pairs.gain(m, s)
            v.add('T001-140', title + ' over FR-FCFS: ten triples, pairs', 'triples more',
                  ('%s, %s %%' % (lib.percent(a), lib.percent(b)), lib.true(a > b)))
    if cores.of:
        runs = next(iter(cores.of.values()))
        gains = {}
        for split in ('15/15', '10/20', '20/10'):
            at = 'spatial[split=%s]+l2-ways' % split
            gains[split] = metric(runs[at + ITS], IT) / metric(runs[at], IT)
        for target, split in (('T001-141', '10/20'), ('T001-142', '20/10')):
            a, b = gains[split], gains['15/15']
            v.add(target, 'JPEG_GUPS: IT of ITS over FR-FCFS on %s SMs, on 15/15' % split,
                  'significant, less', ('%s, %s %%' % (lib.percent(a), lib.percent(b)),
                                        lib.true(1 < a < b, a > 1)))
    if windows.of:
        far = []
        for m, s in ((IT, ITS), (WS, WEIS)):
            at = [windows.gain(m, s + '[window=%d]' % w, base=s + '[window=1024]')
                  for w in (256, 2048)]
            far += [abs(x - 1) for x in at]
        v.add('T001-109', 'ITS and WEIS with windows of 256 and 2048 cycles: difference', '< 1 %',
              ('%.2f %%' % (100 * max(far)), lib.true(max(far) < 0.01)))


def section():
    kinds = [Pairs('001-pairs', paper001.table()), Pairs('001-programs', paper001.own_table())]
    said = ['%d pairs of stand-ins' % len(kinds[0].of), '%d of programs' % len(kinds[1].of)]
    text = TEXT % ' and '.join(said)
    for title, pairs, table in (('Stand-ins', kinds[0], paper001.table()),
                                ('Programs', kinds[1], paper001.own_table())):
        if pairs.of:
            text += '%s:\n\n%s\n%s\n%s\n' % (title, class_table(pairs), spreads(pairs),
                                             shown_table(pairs))
            text += opinion(pairs, table)
    mshrs = Pairs('001-mshrs', paper001.own_table())
    if mshrs.of:
        text += LIMITS + class_table(mshrs) + '\n'
    text += room_table()
    v = lib.Verdicts(*causes(kinds[1], mshrs))
    priority_rows(v, Pairs('001-priority'))
    pair_rows(v, kinds)
    gain_rows(v, kinds)
    order_rows(v, kinds)
    scale_rows(v, Pairs('001-triples'), Pairs('001-cores'), Pairs('001-windows'), kinds[0])
    return text + v.markdown(), v

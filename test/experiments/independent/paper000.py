"""Verdicts of paper 000, recomputed: thirteen kernels, their pairs and triples."""
import functools
import math
import re

from independent import rules
from independent.rules import (Mean, PROGRAMS, STAND_INS, arithmetic, factor, geometric, member,
                               over, printed, runs, sets)

STATIC, DYNAMIC = 'warped-slicer[mode=static]', 'warped-slicer'
SMK, FAIR, SPATIAL = 'smk-p', 'smk-p+fair', 'spatial'
Q, D = '+qbmi', '+dmil'
WHOLE, RULES = '2000000', {STAND_INS: 'window 2000000', PROGRAMS: 'window 500000'}
GPU = 'maxwell16'
PAIRS = {STAND_INS: '000-pairs-clones', PROGRAMS: '000-pairs-programs'}
ISSUE = {STAND_INS: '000-issue-clones', PROGRAMS: '000-issue-programs'}
WS, ANTT, FAIRNESS = 'weighted_speedup', 'antt', 'fairness'
WORDS = {WS: 'weighted speedup', ANTT: 'ANTT', FAIRNESS: 'fairness'}
MISS, FAIL = 'l1.miss_rate', 'l1.rsfail_rate'

# Limits of words in the rows.
NEAR_LINEAR = 0.9    # "near linear": mean share of n times the IPC of one block
CLOSE = 0.9          # "close": achieved over predicted speedup
SAME = 0.05          # "similar" speedups
NO_GAIN = 1.02       # "no gain" by parts of L1 or MSHRs
EQUAL = 0.03         # "equal" speedups of a single pair
MUCH = 1.5           # "much higher" failure rate
SLIGHTLY = 1.1       # "slightly higher"
FEW = 8              # limits below are small


def types():
    """Returns {kernel: C or M} of Table 2."""
    return rules.told('000', 'type')


def short(name):
    """Returns the paper's name of a program or stand-in."""
    return name if name in types() else rules.stands('000')[name]


def mix(names):
    """Returns the class of a pair or triple: C+M."""
    return '+'.join(sorted(types()[n] for n in names))


@functools.cache
def load(sweep, window=None, options=''):
    return sets([r for r in runs(sweep, window) if r.options == options], short)


def within(of, which):
    """Returns the sets of a class, or all."""
    return {n: by for n, by in of.items() if which in ('all', mix(n))}


def speedup(of, policy):
    return Mean({n: by[policy][WS] for n, by in of.items()}, geometric)


def gain(of, policy, base, metric=WS, average=None):
    """Returns the mean of a metric relative to a base policy: of weighted speedup geometric as in
    figure 4, of other metrics arithmetic since no mean is named."""
    average = average or (geometric if metric == WS else arithmetic)

    def ratio(pairs):
        return over(lambda x: average(list(x)))(pairs)
    return Mean({n: (by[policy][metric], by[base][metric]) for n, by in of.items()}, ratio)


def percent(x):
    return 100 * (x - 1)


def change(rows, key, target, of, policy, base, metric):
    """Adds a row on the relative change of a metric; the cell has the geometric mean beside the
    arithmetic mean."""
    x = gain(of, policy, base, metric)
    said = [percent(x)]
    if metric != WS:
        said.append(percent(gain(of, policy, base, metric, geometric)))
    rows.number((key[0], target, *key[1:]), said, x, factor(target))


def kernels(of, policy, key, kind=''):
    """Returns the mean of a statistic over the kernels of the sets, or over kernels of one type."""
    return arithmetic(x for names, by in of.items() for n, x in zip(names, by[policy].of(key))
                      if kind in ('', types()[n]))


# ---- figures 2, 3, 6 c and 8 d; bp beside sv cannot exceed bp alone ----

def curve(app):
    """Returns the IPC with 1, 2, ... blocks on every SM."""
    of = {}
    for r in runs('000-curves'):
        asked = int(r.options.partition('sm.blocks=')[2])
        if r.apps == [app] and r.of('blocks_per_sm') == [asked]:
            of[asked] = r.of('ipc_thread')[0]
    assert list(of) == list(range(1, len(of) + 1)), app
    return list(of.values())


def fig03(rows):
    point = rules.targets()['T000-122']['value']
    for kind, bp, sv in ((STAND_INS, 'clone000-bp', 'clone000-sv'),
                         (PROGRAMS, 'backprop:size=window', 'spmv-jds:size=window')):
        ipc = curve(bp)
        share = arithmetic(x / (n * ipc[0]) for n, x in enumerate(ipc, 1))
        rows.fact(('000-fig03', 'T000-120', 'bp is near linear: IPC of n blocks over n times the '
                   'IPC of a block, mean', kind), [share], share > NEAR_LINEAR)
        ipc = curve(sv)
        best = ipc.index(max(ipc)) + 1
        rows.fact(('000-fig03', 'T000-121', 'sv rises and falls: best at, and with all blocks',
                   kind), [best, len(ipc), ipc[-1] / max(ipc)],
                  1 < best < len(ipc) and ipc[-1] < max(ipc))
        of = load(PAIRS[kind], WHOLE)
        blocks = [round(x) for x in member(of, ('bp', 'sv'), 'blocks.mean_resident', STATIC)]
        rows.fact(('000-fig03', 'T000-122', 'sweet point of bp+sv (blocks per SM)', kind), blocks,
                  '(%d,%d)' % tuple(blocks) == point)
        expected = predicted(of['bp', 'sv'])
        rows.number(('000-fig03', 'T000-123', 'weighted speedup predicted by the curves for the '
                     'sweet point', kind), [expected], expected, printed('T000-123'))
        alone = rules.isolated(GPU, RULES[kind])
        mine = [v for app, v in alone.items() if app.startswith('clone000-') == (kind == STAND_INS)]
        assert len(mine) == len(types()), len(mine)
        r = rules.pearson(*([float(v[k]) for v in mine]
                            for k in ('alu.utilization', 'ldst.stall_fraction')))
        rows.fact(('000-fig03', 'T000-119', 'ALU utilization against stalls of the load/store '
                   'unit, 13 programs alone: correlation', kind), [r], r < 0)
        x = member(of, ('bp', 'sv'), 'l1.accesses_per_kcycle', DYNAMIC)[0]
        rows.number(('000-fig03', 'T000-145', 'bp+sv under dynamic WS: L1 accesses of bp in 1000 '
                     'cycles', kind), [x], x, printed('T000-145'), base=printed('T000-143'),
                    one_sided=True)
        x = member(of, ('bp', 'sv'), 'normalized_ipc', DYNAMIC)[0]
        rows.number(('000-fig03', 'T000-146', 'bp+sv under dynamic WS: normalized IPC of bp',
                     kind), [x], x, printed('T000-146'), one_sided=True)


# ---- figures 4, 12 a and 13 ----

def predicted(by_policy):
    """Returns the speedup predicted by the curves, 0 if the kernels get separate SMs."""
    return by_policy[STATIC].said('predicted') / 1000


def achieved(of):
    """Returns the ratio of achieved to predicted speedup, of the pairs that share SMs."""
    both = {n: by for n, by in of.items() if predicted(by)}
    return speedup(both, DYNAMIC) / geometric(predicted(by) for by in both.values())


def fig04(rows):
    for kind, sweep in PAIRS.items():
        of = load(sweep, WHOLE)
        cc, cm, mm = (within(of, c) for c in ('C+C', 'C+M', 'M+M'))
        for target, title, policy in (('T000-160', 'spatial', SPATIAL),
                                      ('T000-161', 'WS dynamic', DYNAMIC),
                                      ('T000-176', 'SMK-(P+W)', FAIR)):
            x = speedup(of, policy)
            rows.number(('000-fig04', target, 'weighted speedup, all pairs, ' + title, kind), [x],
                        x, printed(target))
        for title, policy in (('dynamic', DYNAMIC), ('static', STATIC)):
            for c, some in (('C+C', cc), ('C+M', cm)):
                x = gain(some, policy, SPATIAL)
                rows.fact(('000-fig04', 'fig. 12 a', 'WS %s over spatial, %s' % (title, c), kind),
                          [x], x > 1)
        first = achieved(cc)
        rows.fact(('000-fig04', 'T000-124', 'C+C: achieved over predicted', kind), [first],
                  first > CLOSE)
        for target, c, some in (('T000-125', 'C+M', cm), ('T000-126', 'M+M', mm)):
            x = achieved(some)
            rows.fact(('000-fig04', target, c + ': achieved over predicted', kind), [x], x < CLOSE,
                      x < first)
        c, m = (kernels(cm, DYNAMIC, 'normalized_ipc', k) for k in 'CM')
        rows.fact(('000-fig04', 'T000-125', 'C+M: normalized IPC of C and of M kernels', kind),
                  [c, m], c < m)
        c, m = (geometric(by[DYNAMIC][FAIRNESS] for by in some.values()) for some in (cc, mm))
        rows.fact(('000-fig04', 'T000-124', 'C+C: slower over faster of a pair', kind), [c], c > m)
        rows.fact(('000-fig04', 'T000-126', 'M+M: slower over faster of a pair', kind), [m], m < c)


# ---- figures 5, 6 and 8, section 4.5 ----

def fig05(rows):
    of = load('000-mechanisms')
    parts_of_l1(rows, of)
    for target, name in (('T000-143', 'bp'), ('T000-144', 'sv')):
        alone = rules.isolated(GPU, RULES[STAND_INS])['clone000-' + name]
        x = float(alone['l1.accesses_per_kcycle'])
        rows.number(('000-fig05', target, name + ' alone: L1 accesses of an SM in 1000 cycles',
                     STAND_INS), [x], x, printed(target), base=0, one_sided=True)
    ipc = [member(of, ('bp', 'sv'), 'normalized_ipc', STATIC + s)[0] for s in ('', '+rbmi', Q)]
    for target, title, x in (('T000-147', 'RBMI', ipc[1]), ('T000-148', 'QBMI', ipc[2])):
        rows.number(('000-fig05', target, 'bp+sv: normalized IPC of bp, WS-' + title, STAND_INS),
                    [x], x, printed(target), one_sided=True)
    rows.fact(('000-fig05', 'T000-149', 'bp+sv: normalized IPC of bp under WS, RBMI, QBMI',
               STAND_INS), ipc, ipc == sorted(set(ipc)), ipc[0] < ipc[2])
    for kind, rule in RULES.items():
        common(rows, kind, rule)


def parts_of_l1(rows, of):
    ucp, split = STATIC + '+l1-ucp', STATIC + '+l1-mshr-split'
    for target, c in (('T000-127', 'C+C'), ('T000-128', 'C+M'), ('T000-129', 'M+M')):
        x = gain(within(of, c), ucp, STATIC)
        rows.fact(('000-fig05', target, c + ': weighted speedup of UCP over WS', STAND_INS),
                  [percent(x)], x < NO_GAIN)
    said = {'about equal': lambda x: abs(x - 1) < EQUAL, 'lower': lambda x: x < 1,
            'higher': lambda x: x > 1}
    for n in range(130, 136):
        row = rules.targets()['T000-%d' % n]
        pair = tuple(row['workload'].split('+'))
        by = next(b for names, b in of.items() if sorted(names) == sorted(pair))
        x = by[ucp][WS] / by[STATIC][WS]
        rows.fact(('000-fig05', row['id'], '%s+%s: weighted speedup of UCP over WS' % pair,
                   STAND_INS), [percent(x)], said[row['value']](x))
    for n, pair in ((136, ('bp', 'hs')), (137, ('ks', 'bp')), (138, ('ks', 'sv'))):
        a, b = (member(of, pair, MISS, p)[0] for p in (STATIC, ucp))
        rows.fact(('000-fig05', 'T000-%d' % n, '%s+%s: miss rate of %s, WS and UCP' %
                   (*pair, pair[0]), STAND_INS), [a, b], b < a)
        a, b = (member(of, pair, FAIL, p)[1] for p in (STATIC, ucp))
        rows.fact(('000-fig05', 'T000-%d' % (n + 3), '%s+%s: failures per access of %s, WS and UCP'
                   % (*pair, pair[1]), STAND_INS), [a, b], b > MUCH * a, b > a)
    (m, mu), (f, fu) = ([member(of, ('sv', 'ax'), k, p)[1] for p in (STATIC, ucp)]
                        for k in (MISS, FAIL))
    rows.fact(('000-fig05', 'T000-142', 'sv+ax: miss rate and failures of ax, WS and UCP',
               STAND_INS), [m, mu, f, fu], mu < m and fu < f, mu < m or fu < f)
    x = gain(of, split, STATIC)
    rows.fact(('000-fig05', 'T000-207', 'weighted speedup of the split over WS, all pairs',
               STAND_INS), [percent(x)], x < NO_GAIN)


def common(rows, kind, rule):
    """Adds the row of the most common failure: the cause that leads for most kernels with
    failures."""
    causes = {'fail.mshr': 'MSHR', 'fail.missq': 'miss queue', 'fail.merge': 'merge',
              'fail.line': 'line'}
    led = []
    for app, v in rules.isolated(GPU, rule).items():
        mine = app.startswith('clone000-') == (kind == STAND_INS)
        if mine and float(v[FAIL]):
            parts = {words: float(v[k]) for k, words in causes.items()}
            led.append(max(parts, key=parts.get))
    most = max(causes.values(), key=led.count)
    rows.fact(('000-fig05', 'T000-205', 'most common reservation failure, kernels alone', kind),
              [most, led.count(most), len(led)], most == 'MSHR')


# ---- figure 9 ----

def limit(text):
    return math.inf if text == 'inf' else int(text)


@functools.cache
def grids():
    """Returns {pair: {(limit, limit): weighted speedup}}."""
    of = {}
    for r in runs('000-smil'):
        two = re.fullmatch(re.escape(STATIC) + r'\+smil\[limits=(\w+)/(\w+)\]', r.policy)
        of.setdefault(tuple(map(short, r.names)), {})[tuple(map(limit, two.groups()))] = r[WS]
    return of


def fig09(rows):
    inf = math.inf
    g = grids()['pf', 'bp']
    rows.fact(('000-fig09', 'T000-150', 'pf+bp: weighted speedup at 1/1, 8/8, inf/inf', STAND_INS),
              [g[1, 1], g[8, 8], g[inf, inf]], g[1, 1] < g[8, 8] <= g[inf, inf] * 1.01,
              g[1, 1] < g[inf, inf])
    for target, first, best_holds, partly in (
            ('T000-151', 'bp', lambda a, b: a >= FEW > b, lambda a, b: b < FEW),
            ('T000-152', 'sv', lambda a, b: '(%s,%s)' % (a, b) == rules.targets()['T000-152'][
                'value'], lambda a, b: max(a, b) < FEW)):
        g = grids()[first, 'ks']
        high = arithmetic(x for (_, b), x in g.items() if b >= FEW)
        low = arithmetic(x for (_, b), x in g.items() if b < FEW)
        rows.fact(('000-fig09', target, first + '+ks: mean with 8 and more of ks, with fewer',
                   STAND_INS), [high, low], high < low)
        a, b = max(g, key=g.get)
        rows.fact(('000-fig09', target, first + '+ks: best limits', STAND_INS),
                  ['%s/%s' % (a, b)], best_holds(a, b), partly(a, b))


# ---- figures 11 to 13 ----

OVER = {Q: 'QBMI', D: 'DMIL'}


def fig12(rows):
    for kind, sweep in ISSUE.items():
        of = load(sweep)
        for target, title, policy in (('T000-162', 'WS-QBMI', DYNAMIC + Q),
                                      ('T000-163', 'WS-DMIL', DYNAMIC + D),
                                      ('T000-177', 'SMK-(P+QBMI)', SMK + Q),
                                      ('T000-178', 'SMK-(P+DMIL)', SMK + D)):
            x = speedup(of, policy)
            rows.number(('000-fig12', target, 'weighted speedup, all pairs, ' + title, kind), [x],
                        x, printed(target))
        for numbers, s, metrics in (((164, 166, 168), Q, (WS, ANTT, FAIRNESS)),
                                    ((165, 167, 169), D, (WS, ANTT, FAIRNESS))):
            for n, metric in zip(numbers, metrics):
                change(rows, ('000-fig12', '%s of WS-%s over WS' % (WORDS[metric], OVER[s]), kind),
                       'T000-%d' % n, of, DYNAMIC + s, DYNAMIC, metric)
        for numbers, s in (((179, 180), Q), ((181, 182), D)):
            for n, metric in zip(numbers, (WS, ANTT)):
                change(rows, ('000-fig12', '%s of SMK-(P+%s) over SMK-(P+W)' % (
                    WORDS[metric], OVER[s]), kind), 'T000-%d' % n, of, SMK + s, FAIR, metric)
        orders(rows, of, kind)
        caches(rows, of, kind)
        smk(rows, of, kind)
    fig11(rows, load('000-mechanisms'))


def orders(rows, of, kind):
    """Adds the rows on the order of policies."""
    for target, c, stem, base, title in (('T000-301', 'C+M', DYNAMIC, DYNAMIC, 'WS'),
                                         ('T000-301', 'M+M', DYNAMIC, DYNAMIC, 'WS'),
                                         ('T000-303', 'C+M', SMK, FAIR, 'SMK-(P+W)')):
        q, d = (gain(within(of, c), stem + s, base) for s in (Q, D))
        rows.fact(('000-fig12', target, '%s: weighted speedup with QBMI, with DMIL, over %s' %
                   (c, title), kind), [percent(q), percent(d)], 1 < q < d, d > 1)
    x = gain(within(of, 'M+M'), SMK + D, FAIR)
    rows.fact(('000-fig12', 'T000-304', 'M+M: weighted speedup of SMK-(P+DMIL) over SMK-(P+W)',
               kind), [percent(x)], x > 1)
    cc = within(of, 'C+C')
    x = [gain(cc, DYNAMIC + s, DYNAMIC) for s in (Q, D)]
    rows.fact(('000-fig12', 'T000-170', 'C+C: weighted speedup with QBMI, with DMIL, over WS',
               kind), map(percent, x), all(abs(y - 1) < SAME for y in x))
    x = [gain(cc, SMK + s, FAIR) for s in (Q, D)]
    rows.fact(('000-fig12', 'T000-306', 'C+C: weighted speedup of SMK-(P+QBMI), of SMK-(P+DMIL), '
               'over SMK-(P+W)', kind), map(percent, x), all(abs(y - 1) < SAME for y in x))
    x = [gain(within(of, 'C+M'), DYNAMIC + s, DYNAMIC, ANTT) for s in (Q, D)]
    rows.fact(('000-fig12', 'T000-307', 'C+M: ANTT with QBMI, with DMIL, over WS', kind),
              map(percent, x), max(x) < 1, min(x) < 1)
    fair, antt = (gain(cc, DYNAMIC + Q, DYNAMIC, m) for m in (FAIRNESS, ANTT))
    rows.fact(('000-fig12', 'T000-302', 'C+C: fairness and ANTT of QBMI over WS', kind),
              [percent(fair), percent(antt)], fair > 1 and antt < 1, fair > 1 or antt < 1)


def caches(rows, of, kind):
    """Adds the rows on L1 and the load/store unit."""
    for c in ('C+M', 'M+M'):
        some = within(of, c)
        miss, fail = ({s: kernels(some, DYNAMIC + s, k) for s in ('', Q, D)} for k in (MISS, FAIL))
        what = c + ': L1 miss rate and failures per access, WS, WS-'
        rows.fact(('000-fig12', 'T000-171', what + 'QBMI', kind),
                  [miss[''], fail[''], miss[Q], fail[Q]],
                  all(abs(x[Q] / x[''] - 1) < rules.QUARTER for x in (miss, fail)))
        less = [x[D] < x[''] for x in (miss, fail)]
        rows.fact(('000-fig12', 'T000-172', what + 'DMIL', kind),
                  [miss[''], fail[''], miss[D], fail[D]], all(less), any(less))
    stalls = [(x, y) for by in of.values() for r in by.values()
              for x, y in zip(r.of(FAIL), r.of('ldst.stall_fraction'))]
    r = rules.pearson(*zip(*stalls))
    rows.fact(('000-fig12', 'T000-173', 'LSU stalls against failures per access, kernels under all '
               'policies: correlation', kind), [r], r > 0)
    for target, c, holds in (('T000-174', 'C+M', lambda x: x > 1),
                             ('T000-175', 'M+M', lambda x: x < 1 + SAME)):
        x = kernels(within(of, c), DYNAMIC + D, 'alu.utilization') / \
            kernels(within(of, c), DYNAMIC, 'alu.utilization')
        rows.fact(('000-fig12', target, c + ': ALU utilization of WS-DMIL over WS', kind),
                  [percent(x)], holds(x))


def smk(rows, of, kind):
    """Adds the rows on what QBMI and DMIL improve over SMK-(P+W)."""
    keys = (MISS, 'ldst.stall_fraction', 'alu.utilization')
    for s in (Q, D):
        both = [[kernels(of, p, k) for p in (FAIR, SMK + s)] for k in keys]
        good = [y < x for x, y in both[:2]] + [both[2][1] > both[2][0]]
        rows.fact(('000-fig12', 'T000-308', 'L1 miss rate, LSU stalls and ALU utilization of '
                   'SMK-(P+W), of SMK-(P+%s)' % OVER[s], kind), sum(both, []), all(good), any(good))


def fig11(rows, of):
    """Adds the rows of figure 11, on static Warped-Slicer."""
    for target, pair, s in (('T000-153', ('bp', 'ks'), Q), ('T000-154', ('bp', 'ks'), D),
                            ('T000-155', ('sv', 'ks'), Q), ('T000-156', ('sv', 'ks'), D)):
        x = member(of, pair, MISS, STATIC + s)[1]
        rows.number(('000-fig12', target, '%s+%s: L1 miss rate of ks, ' % pair + OVER[s],
                     STAND_INS), [x], x, printed(target), base=0, one_sided=True)
    for target, classes, title, a, b, holds in (
            ('T000-157', ['C+C'], 'DMIL over QBMI', D, Q, lambda x: abs(x - 1) < SAME),
            ('T000-158', ['C+M', 'M+M'], 'DMIL over QBMI', D, Q, lambda x: x > 1),
            ('T000-159', ['all'], 'QBMI+DMIL over DMIL', Q + D, D, lambda x: 1 <= x < SLIGHTLY)):
        x = [gain(within(of, c), STATIC + a, STATIC + b) for c in classes]
        rows.fact(('000-fig12', target, '%s: weighted speedup of %s, on WS static' % (
            ', '.join(classes), title), STAND_INS), map(percent, x), all(map(holds, x)))


# ---- figure 14 ----

def fig14(rows):
    of = load('000-triples')
    for n, stem, s, base, title in ((183, STATIC, Q, STATIC, 'WS-QBMI over WS'),
                                    (185, STATIC, D, STATIC, 'WS-DMIL over WS'),
                                    (187, SMK, Q, FAIR, 'SMK-(P+QBMI) over SMK-(P+W)'),
                                    (189, SMK, D, FAIR, 'SMK-(P+DMIL) over SMK-(P+W)')):
        for i, metric in enumerate((WS, ANTT)):
            change(rows, ('000-fig14', '%s of %s' % (WORDS[metric], title), STAND_INS),
                   'T000-%d' % (n + i), of, stem + s, base, metric)
    both = {c: [gain(within(of, c), STATIC + s, STATIC) for s in (Q, D)]
            for c in ('C+C+C', 'C+C+M', 'C+M+M')}
    what = ': weighted speedup with QBMI, with DMIL, over WS'
    rows.fact(('000-fig14', 'T000-191', 'C+C+C' + what, STAND_INS), map(percent, both['C+C+C']),
              all(abs(x - 1) < SAME for x in both['C+C+C']))
    x = gain(within(of, 'C+C+C'), STATIC + Q, STATIC, ANTT)
    rows.fact(('000-fig14', 'T000-191', 'C+C+C: ANTT with QBMI over WS', STAND_INS), [percent(x)],
              x < 1)
    up, fair = (gain(within(of, 'M+M+M'), STATIC + D, STATIC, m) for m in (WS, FAIRNESS))
    rows.fact(('000-fig14', 'T000-192', 'M+M+M: weighted speedup and fairness with DMIL over WS',
               STAND_INS), [percent(up), percent(fair)], up > 1 and fair < 1, up > 1 or fair < 1)
    for c in ('C+C+M', 'C+M+M'):
        rows.fact(('000-fig14', 'T000-305', c + what, STAND_INS), map(percent, both[c]),
                  min(both[c]) > 1, max(both[c]) > 1)


# ---- section 4.3 ----

def machines(rows):
    for n, options, s, title in ((193, 'l1.ways=12', Q, 'L1 of 48 KB'),
                                 (195, 'l1.ways=12', D, 'L1 of 48 KB'),
                                 (197, 'l1.ways=24', Q, 'L1 of 96 KB'),
                                 (199, 'l1.ways=24', D, 'L1 of 96 KB'),
                                 (201, 'sm.scheduler=lrr', Q, 'loose round robin'),
                                 (203, 'sm.scheduler=lrr', D, 'loose round robin')):
        for i, metric in enumerate((WS, ANTT)):
            change(rows, ('000-machines', '%s: %s of %s over WS' % (title, WORDS[metric], OVER[s]),
                          STAND_INS), 'T000-%d' % (n + i), load('000-machines', options=options),
                   STATIC + s, STATIC, metric)
    x = gain(load('000-machines', options='l1.mshrs=256'), STATIC + D, STATIC)
    rows.fact(('000-machines', 'T000-206', 'twice the MSHRs: weighted speedup of DMIL over WS',
               STAND_INS), [percent(x)], x > 1)


def add(rows):
    for part in (fig03, fig04, fig05, fig09, fig12, fig14, machines):
        part(rows)

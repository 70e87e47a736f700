"""Paper 000, figures 5, 6 and 8 and section 4.5: partitions of L1 and MSHRs, and even memory
issue."""
import lib
import paper000

TITLE = 'Paper 000, figures 5, 6 and 8 and section 4.5: parts of L1 and of the load/store unit'
SWEEPS = ['000-mechanisms']
WS = paper000.STATIC
UCP, SPLIT = WS + '+l1-ucp', WS + '+l1-mshr-split'
PAIRS = [('pf', 'bp'), ('bp', 'sv'), ('bp', 'hs'), ('bp', 'ks'), ('sv', 'ks'), ('sv', 'ax')]

TEXT = '''On static Warped-Slicer, stand-ins, over 400,000 cycles. UCP gives each kernel the
lines of L1 by the kernel's hits; the split gives each half of the MSHRs and the miss queue.

'''


def find(of, pair):
    return of.get(pair) or of.get(pair[::-1])


def app(of, pair, policy, key):
    """Returns the statistic of both apps, in the order of `pair`."""
    values = find(of, pair)[policy].app(key)
    return values if pair in of else values[::-1]


def ratio(of, pair, policy):
    return find(of, pair)[policy].weighted_speedup / find(of, pair)[WS].weighted_speedup


def class_table(groups):
    rows = []
    for c in paper000.CLASSES + ['all']:
        rows.append([c] + [paper000.gmean(groups[c], p, 'weighted_speedup')
                           for p in (WS, UCP, SPLIT)])
    return lib.table(['class', 'WS static', '+ UCP', '+ split'], rows)


def pair_table(of):
    rows = []
    for pair in PAIRS:
        row = ['%s + %s' % pair] + [find(of, pair)[p].weighted_speedup for p in (WS, UCP)]
        for key, digits in (('l1.miss_rate', 2), ('l1.rsfail_rate', 1)):
            for p in (WS, UCP):
                row.append(', '.join(lib.show(x, digits) for x in app(of, pair, p, key)))
        rows.append(row)
    return lib.table(['pair', 'WS', '+ UCP', 'miss rates, WS', '+ UCP', 'failures per access, WS',
                      '+ UCP'], rows)


def cache_rows(v, of, groups):
    for target, c in zip(('T000-127', 'T000-128', 'T000-129'), paper000.CLASSES):
        x = paper000.mean_gain(groups[c], UCP, WS, 'weighted_speedup')
        v.add(target, c + ': weighted speedup of UCP over WS', 'no gain',
              (lib.percent(x) + ' %', lib.true(x < 1.02)))
    for target, pair, paper in zip(range(130, 136), PAIRS,
                                   ('equal', 'equal', 'lower', 'lower', 'lower', 'higher')):
        x = ratio(of, pair, UCP)
        fact = {'equal': abs(x - 1) < 0.03, 'lower': x < 1, 'higher': x > 1}[paper]
        v.add('T000-%d' % target, '%s+%s: weighted speedup of UCP over WS' % pair, paper,
              (lib.percent(x) + ' %', lib.true(fact)))
    for targets, pair, one, other in (('136 139', ('bp', 'hs'), 0, 1),
                                      ('137 140', ('ks', 'bp'), 0, 1),
                                      ('138 141', ('ks', 'sv'), 0, 1)):
        miss, fail = targets.split()
        a, b = (app(of, pair, p, 'l1.miss_rate')[one] for p in (WS, UCP))
        v.add('T000-' + miss, '%s+%s: miss rate of %s, WS and UCP' % (*pair, pair[one]), 'lower',
              ('%.2f, %.2f' % (a, b), lib.true(b < a)))
        a, b = (app(of, pair, p, 'l1.rsfail_rate')[other] for p in (WS, UCP))
        v.add('T000-' + fail, '%s+%s: failures per access of %s, WS and UCP'
              % (*pair, pair[other]), 'much higher',
              ('%.1f, %.1f' % (a, b), lib.true(b > 1.5 * a, b > a)))
    a, b, c, d = (app(of, ('sv', 'ax'), p, k)[1] for k in ('l1.miss_rate', 'l1.rsfail_rate')
                  for p in (WS, UCP))
    v.add('T000-142', 'sv+ax: miss rate and failures of ax, WS and UCP', 'both lower',
          ('%.2f, %.2f; %.1f, %.1f' % (a, b, c, d), lib.true(b < a and d < c, b < a or d < c)))
    x = paper000.mean_gain(groups['all'], SPLIT, WS, 'weighted_speedup')
    v.add('T000-207', 'weighted speedup of the split over WS, all pairs', 'no gain',
          (lib.percent(x) + ' %', lib.true(x < 1.02)))


def issue_rows(v, of):
    """Adds the rows of figures 6 and 8: bp sharing with sv."""
    alone = lib.measured('maxwell16', 'window 2000000')
    for target, n in (('T000-143', 'bp'), ('T000-144', 'sv')):
        x = float(alone['clone000-' + n]['l1.accesses_per_kcycle'])
        v.add(target, n + ' alone: L1 accesses of an SM in 1000 cycles', '130',
              (lib.show(x, 0), lib.like(x, 130, 0, one_way=True)))
    got = [app(of, ('bp', 'sv'), WS + s, 'normalized_ipc')[0] for s in ('', '+rbmi', '+qbmi')]
    for target, title, x, paper in (('T000-147', 'RBMI', got[1], 0.45),
                                    ('T000-148', 'QBMI', got[2], 0.48)):
        v.add(target, 'bp+sv: normalized IPC of bp, WS-' + title, '%.2f' % paper,
              (lib.show(x), lib.like(x, paper, one_way=True)))
    v.add('T000-149', 'bp+sv: normalized IPC of bp under WS, RBMI, QBMI', 'rises',
          (', '.join(map(lib.show, got)), lib.true(got[0] < got[1] < got[2], got[0] < got[2])))


FAILURES = [('fail.mshr', 'MSHR'), ('fail.missq', 'miss queue'), ('fail.merge', 'merge'),
            ('fail.line', 'line')]


def most_common(window, mine, gpu='maxwell16'):
    """Returns the most common cause of reservation failures of kernels alone, with the number of
    kernels, and a verdict."""
    of = [{k: float(v[k]) for k, _ in FAILURES} for app, v in
          lib.measured(gpu, window).items() if mine(app) and 'fail.mshr' in v]
    first = [max(f, key=f.get) for f in of if any(f.values())]
    most = max(dict(FAILURES), key=first.count)
    return '%s, of %d in %d' % (dict(FAILURES)[most], first.count(most), len(first)), \
        lib.true(most == 'fail.mshr')


def stand_in(app):
    return app.startswith('clone000-')


QUEUES = 'maxwell16[xbar.in_flits=64 xbar.in_packets=64 xbar.out_packets=64 l2.in_queue=64 ' \
    'l2.reply_queue=64%s]'
WHY = {'T000-205': 'with longer queues of crossbar and L2 slices {queues}; with more '
                   'ways of L1 as well {ways} (programs.md).'}


def cause():
    """Returns the cause of the stand-ins' row of T000-205."""
    (queues, _), (ways, its) = (most_common('window 300000', stand_in, QUEUES % more)
                                for more in ('', ' l1.ways=16'))
    return lib.Cause(lib.ISOLATED, WHY['T000-205'].format(queues=queues, ways=ways)) \
        if its == lib.HOLDS else lib.UNKNOWN


def section():
    of = paper000.sets(*SWEEPS)
    groups = paper000.grouped(of)
    v = lib.Verdicts()
    cache_rows(v, of, groups)
    issue_rows(v, of)
    v.add('T000-205', 'most common reservation failure, kernels alone', 'MSHR',
          most_common('window 2000000', stand_in),
          most_common('window 500000', lambda app: app.split(':')[0] in paper000.NAME),
          because=[cause(), lib.UNKNOWN])
    return TEXT + class_table(groups) + '\n' + pair_table(of) + '\n' + v.markdown(), v

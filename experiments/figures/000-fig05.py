"""Paper 000, figures 5, 6 and 8 and section 4.5: partitions of L1 and MSHRs, and even memory
issue."""
import causes
import lib
import paper000

TITLE = 'Paper 000, figures 5, 6 and 8 and section 4.5: parts of L1 and of the load/store unit'
SWEEPS = ['000-mechanisms', '000-removed-l1', '000-removed-alone']
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


def class_rows(v, groups):
    for target, c in zip(('T000-127', 'T000-128', 'T000-129'), paper000.CLASSES):
        x = paper000.mean_gain(groups[c], UCP, WS, 'weighted_speedup')
        v.add(target, c + ': weighted speedup of UCP over WS', 'no gain',
              (lib.percent(x) + ' %', lib.true(x < 1.02)))
    x = paper000.mean_gain(groups['all'], SPLIT, WS, 'weighted_speedup')
    v.add('T000-207', 'weighted speedup of the split over WS, all pairs', 'no gain',
          (lib.percent(x) + ' %', lib.true(x < 1.02)))


def cache_rows(rows):
    for target, pair, paper in zip(range(130, 136), PAIRS,
                                   ('equal', 'equal', 'lower', 'lower', 'lower', 'higher')):
        def speed(of, pair=pair, paper=paper):
            x = ratio(of, pair, UCP)
            fact = {'equal': abs(x - 1) < 0.03, 'lower': x < 1, 'higher': x > 1}[paper]
            return lib.percent(x) + ' %', lib.true(fact)
        rows.add('T000-%d' % target, '%s+%s: weighted speedup of UCP over WS' % pair, paper, speed)
    for targets, pair in (('136 139', ('bp', 'hs')), ('137 140', ('ks', 'bp')),
                          ('138 141', ('ks', 'sv'))):
        def misses(of, pair=pair):
            a, b = (app(of, pair, p, 'l1.miss_rate')[0] for p in (WS, UCP))
            return '%.2f, %.2f' % (a, b), lib.true(b < a)

        def failures(of, pair=pair):
            a, b = (app(of, pair, p, 'l1.rsfail_rate')[1] for p in (WS, UCP))
            return '%.1f, %.1f' % (a, b), lib.true(b > 1.5 * a, b > a)
        miss, fail = targets.split()
        rows.add('T000-' + miss, '%s+%s: miss rate of %s, WS and UCP' % (*pair, pair[0]), 'lower',
                 misses)
        rows.add('T000-' + fail, '%s+%s: failures per access of %s, WS and UCP' % (*pair, pair[1]),
                 'much higher', failures)

    def both(of):
        a, b, c, d = (app(of, ('sv', 'ax'), p, k)[1] for k in ('l1.miss_rate', 'l1.rsfail_rate')
                      for p in (WS, UCP))
        return '%.2f, %.2f; %.1f, %.1f' % (a, b, c, d), \
            lib.true(b < a and d < c, b < a or d < c)
    rows.add('T000-142', 'sv+ax: miss rate and failures of ax, WS and UCP', 'both lower', both)


def issue_rows(rows):
    """Adds the rows of figure 8: bp sharing with sv."""
    def got(of):
        return [app(of, ('bp', 'sv'), WS + s, 'normalized_ipc')[0] for s in ('', '+rbmi', '+qbmi')]
    for target, title, which, paper in (('T000-147', 'RBMI', 1, 0.45),
                                        ('T000-148', 'QBMI', 2, 0.48)):
        rows.number(target, 'bp+sv: normalized IPC of bp, WS-' + title, paper,
                    lambda of, which=which: got(of)[which], one_way=True)

    def rises(of):
        x = got(of)
        return ', '.join(map(lib.show, x)), lib.true(x[0] < x[1] < x[2], x[0] < x[2])
    rows.add('T000-149', 'bp+sv: normalized IPC of bp under WS, RBMI, QBMI', 'rises', rises)


FAILURES = [('mshr', 'MSHR'), ('missq', 'miss queue'), ('merge', 'merge'), ('line', 'line')]


def most_common(of):
    """Returns the most common cause of reservation failures of kernels alone, with the number of
    kernels, and a verdict; of: {kernel: {statistic: value}}."""
    failures = [{k: float(v['fail.' + k]) for k, _ in FAILURES} for v in of.values()
                if 'fail.mshr' in v]
    first = [max(f, key=f.get) for f in failures if any(f.values())]
    most = max(dict(FAILURES), key=first.count)
    return '%s, of %d in %d' % (dict(FAILURES)[most], first.count(most), len(first)), \
        lib.true(most == 'mshr')


def values(run):
    """Returns {statistic: value} of a kernel alone, with the names of lib.measured."""
    return {'l1.accesses_per_kcycle': run.app('l1.accesses_per_kcycle')[0],
            **{'fail.' + k: run.app('l1.fail_' + k)[0] for k, _ in FAILURES}}


def of_kind(of):
    """Returns {app: ...} of the paper's stand-ins, of its programs."""
    return {a: v for a, v in of.items() if a.startswith('clone000-')}, \
        {a: v for a, v in of.items() if a.split(':')[0] in paper000.NAME}


def alone_rows(v):
    """Adds the rows of figure 6 and on the causes of reservation failures."""
    stand_ins = of_kind(lib.measured('maxwell16', 'window 2000000'))[0]
    programs = of_kind(lib.measured('maxwell16', 'window 500000'))[1]
    without = {words: of_kind({r.apps[0]: values(r) for r in runs}) for words, runs in
               causes.by_limit(lib.runs('000-removed-alone'), paper000.WITHOUT).items()}
    clones, written = ({words: both[i] for words, both in without.items()} for i in (0, 1))
    rows = causes.Rows(v, None, None, stand_ins, clones)
    for target, n in (('T000-143', 'bp'), ('T000-144', 'sv')):
        rows.number(target, n + ' alone: L1 accesses of an SM in 1000 cycles', 130,
                    lambda of, n=n: float(of['clone000-' + n]['l1.accesses_per_kcycle']),
                    show=lambda x: lib.show(x, 0), base=0, one_way=True)
    causes.Rows(v, programs, written, stand_ins, clones).add(
        'T000-205', 'most common reservation failure, kernels alone', 'MSHR', most_common)


def section():
    of = paper000.sets('000-mechanisms')
    groups = paper000.grouped(of)
    v = lib.Verdicts()
    class_rows(v, groups)
    rows = causes.Rows(v, None, None, of, paper000.by_limit('000-removed-l1'))
    cache_rows(rows)
    issue_rows(rows)
    alone_rows(v)
    return TEXT + class_table(groups) + '\n' + pair_table(of) + '\n' + v.markdown(), v

"""Paper 000, figure 14: three kernels."""
import lib
import paper000

TITLE = 'Paper 000, figure 14: all triples of thirteen kernels'
SWEEPS = ['000-triples', '000-causes']
WS, SMK = paper000.STATIC, 'smk-p'
POLICIES = [(WS, 'WS'), (WS + '+qbmi', 'WS-QBMI'), (WS + '+dmil', 'WS-DMIL'),
            (SMK + '+fair', 'SMK-(P+W)'), (SMK + '+qbmi', 'SMK-(P+QBMI)'),
            (SMK + '+dmil', 'SMK-(P+DMIL)')]
METRICS = [('weighted_speedup', 'weighted speedup'), ('antt', 'ANTT'), ('fairness', 'fairness')]

TEXT = '''Stand-ins, static Warped-Slicer, over 200,000 cycles; geometric means.

'''


def class_table(groups):
    rows = []
    for c in paper000.TRIPLES + ['all']:
        for metric, what in METRICS:
            rows.append([c, str(len(groups[c])), what] +
                        [paper000.gmean(groups[c], p, metric) for p, _ in POLICIES])
    return lib.table(['class', 'triples', 'of'] + [t for _, t in POLICIES], rows)


WHY = {
    'T000-183': 'six triples give {gto} %, with loose round robin in place of greedy-then-oldest '
                '{lrr} %.',
    'T000-188': 'the {n} triples without ax give {without} %. Six with ax give {beside} %, with '
                'memory instructions of ax in flight limited to one per SM (`smil` beside `qbmi`) '
                '{limited} %: quotas order memory instructions, and bound none in flight.'}


def causes(of):
    """Returns {target: lib.Cause} of targets where removing a cause gives a result nearer to the
    paper."""
    six = {}
    for r in lib.runs(SWEEPS[1]):
        six.setdefault(r.row['options'], []).append(r)
    if not six:
        return {}
    six = {options: list(lib.by_set(runs).values()) for options, runs in six.items()}
    gto, lrr = (paper000.mean_gain(six[o], WS + '+qbmi', WS, 'weighted_speedup')
                for o in ('', 'sm.scheduler=lrr'))
    without = [s for names, s in of.items() if 'ax' not in names]
    far, beside, limited = (
        paper000.mean_gain(sets, SMK + p, SMK + '+fair', 'antt') for sets, p in (
            (without, '+qbmi'), (six[''], '+qbmi'), (six[''], '+qbmi+smil[limits=inf/inf/1]')))
    facts = {}
    if lrr > gto + 0.01:
        facts['T000-183'] = {'gto': lib.percent(gto), 'lrr': lib.percent(lrr)}
    if limited < beside:
        facts['T000-188'] = {'n': len(without), 'without': lib.percent(far),
                             'beside': lib.percent(beside), 'limited': lib.percent(limited)}
    return {t: lib.Cause(lib.ISOLATED, WHY[t].format(**x)) for t, x in facts.items()}


def section():
    of = paper000.sets(SWEEPS[0])
    groups = paper000.grouped(of)
    v, known = lib.Verdicts(), causes(of)

    def gain(policy, base, metric, sets='all'):
        return paper000.mean_gain(groups[sets], policy, base, metric)

    for targets, policy, base, changes in (
            ('183 184', WS + '+qbmi', WS, (3.2, -58.3)),
            ('185 186', WS + '+dmil', WS, (19.4, -68.7)),
            ('187 188', SMK + '+qbmi', SMK + '+fair', (5.5, -79.1)),
            ('189 190', SMK + '+dmil', SMK + '+fair', (21.9, -85.9))):
        titles = dict(POLICIES)
        for t, (metric, what), paper in zip(targets.split(), METRICS, changes):
            x = gain(policy, base, metric)
            v.add('T000-' + t, '%s of %s over %s' % (what, titles[policy], titles[base]),
                  '%+g %%' % paper, (
                      lib.change(x) + paper000.beside(groups['all'], policy, base, metric),
                      lib.like(x, 1 + paper / 100)),
                  because=known.get('T000-' + t, lib.UNKNOWN))
    x = [gain(WS + s, WS, 'weighted_speedup', 'C+C+C') for s in ('+qbmi', '+dmil')]
    v.add('T000-191', 'C+C+C: weighted speedup with QBMI, with DMIL, over WS', 'similar',
          (', '.join(map(lib.percent, x)) + ' %', lib.true(all(abs(y - 1) < 0.05 for y in x))))
    x = gain(WS + '+qbmi', WS, 'antt', 'C+C+C')
    v.add('T000-191', 'C+C+C: ANTT with QBMI over WS', 'below 0',
          (lib.percent(x) + ' %', lib.true(x < 1)))
    x = [gain(WS + '+dmil', WS, m, 'M+M+M') for m in ('weighted_speedup', 'fairness')]
    v.add('T000-192', 'M+M+M: weighted speedup and fairness with DMIL over WS', 'up, down',
          (', '.join(map(lib.percent, x)) + ' %',
           lib.true(x[0] > 1 > x[1], x[0] > 1 or x[1] < 1)))
    for c in ('C+C+M', 'C+M+M'):
        x = [gain(WS + s, WS, 'weighted_speedup', c) for s in ('+qbmi', '+dmil')]
        v.add('T000-305', c + ': weighted speedup with QBMI, with DMIL, over WS', 'both above 0',
              (', '.join(map(lib.percent, x)) + ' %', lib.true(min(x) > 1, max(x) > 1)))
    return TEXT + class_table(groups) + '\n' + v.markdown(), v

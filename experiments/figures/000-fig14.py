"""Paper 000, figure 14: three kernels."""
import causes
import lib
import paper000

TITLE = 'Paper 000, figure 14: all triples of thirteen kernels'
SWEEPS = ['000-triples', '000-removed-triples', '000-growth', '000-open-static',
          '000-removed-triples-smk', '000-epochs-triples', '000-triples-shared',
          '000-triples-lrr']
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


REMOVED = '000-removed-triples'
# Otherwise the curves of most C+C+C triples predict so much loss that kernels have separate SMs.
SHARED = 'with `loss_limit=100` of Warped-Slicer, under which kernels always share SMs,'
TURNS = 'with loose round robin and `loss_limit=100`'
AX = 'quotas order memory instructions, and bound none in flight: of six triples with ax the ' \
    'change is {beside}, with memory instructions of ax in flight limited to one per SM (`smil` ' \
    'beside `qbmi`) {limited}; of the {n} triples without ax {without}.'


def beside_ax(of):
    """Returns the cause of T000-188, if runs show it; else None."""
    def change(sets, policy):
        return paper000.mean_gain(sets, SMK + policy, SMK + '+fair', 'antt')
    six = [s for names, s in paper000.by_limit(REMOVED)[''].items() if 'ax' in names]
    without = [s for names, s in of.items() if 'ax' not in names]
    quota, limited = (change(six, p) for p in ('+qbmi', '+qbmi+smil[limits=inf/inf/1]'))
    return lib.Cause(lib.ISOLATED, AX.format(
        beside=lib.change(quota), limited=lib.change(limited), n=len(without),
        without=lib.change(change(without, '+qbmi')))) if limited < quota else None


def even_sample(of):
    """Returns {removed limit in words: groups of sets} of every fourteenth triple, a sample whose
    mean under SMK is near the mean of all; of: all triples."""
    removed = paper000.by_limit('000-removed-triples-smk')
    sample = {n: of[n] for n in next(iter(removed.values()))}
    return {words: paper000.grouped(sets) for words, sets in {
        '': sample, **removed, **paper000.with_epochs(sample, '000-epochs-triples')}.items()}


def section():
    of = paper000.sets(SWEEPS[0])
    groups = paper000.grouped(of)
    v = lib.Verdicts()
    rows = causes.Rows(v, None, None, groups, paper000.machines(REMOVED, also='000-open-static'))
    even = causes.Rows(v, None, None, groups, even_sample(of))
    titles = dict(POLICIES)

    def gain(groups, policy, base, metric, sets='all'):
        return paper000.mean_gain(groups[sets], policy, base, metric)

    for targets, policy, base, changes in (
            ('183 184', WS + '+qbmi', WS, (3.2, -58.3)),
            ('185 186', WS + '+dmil', WS, (19.4, -68.7)),
            ('187 188', SMK + '+qbmi', SMK + '+fair', (5.5, -79.1)),
            ('189 190', SMK + '+dmil', SMK + '+fair', (21.9, -85.9))):
        for t, (metric, what), paper in zip(targets.split(), METRICS, changes):
            (even if t == '187' else rows).number(
                'T000-' + t, '%s of %s over %s' % (what, titles[policy], titles[base]),
                1 + paper / 100, lambda g, by=(policy, base, metric): gain(g, *by),
                show=lib.change,
                beside=lambda g, by=(policy, base, metric): paper000.beside(g['all'], *by),
                known=beside_ax(of) if t == '188' else None)

    def similar(groups):
        x = [gain(groups, WS + s, WS, 'weighted_speedup', 'C+C+C') for s in ('+qbmi', '+dmil')]
        return ', '.join(map(lib.percent, x)) + ' %', lib.true(all(abs(y - 1) < 0.05 for y in x))
    rows.add('T000-191', 'C+C+C: weighted speedup with QBMI, with DMIL, over WS', 'similar',
             similar)

    def below(groups):
        x = gain(groups, WS + '+qbmi', WS, 'antt', 'C+C+C')
        return lib.percent(x) + ' %', lib.true(x < 1)
    shared, in_turns = (
        {n: {p.replace(',loss_limit=100', ''): r for p, r in by.items()}
         for n, by in paper000.sets(sweep).items()}
        for sweep in ('000-triples-shared', '000-triples-lrr'))
    causes.Rows(v, None, None, groups, {
        **paper000.machines(REMOVED), '': paper000.grouped({n: of[n] for n in shared}),
        SHARED: paper000.grouped(shared), TURNS: paper000.grouped(in_turns)}).add(
            'T000-191', 'C+C+C: ANTT with QBMI over WS', 'below 0', below)

    def up_down(groups):
        x = [gain(groups, WS + '+dmil', WS, m, 'M+M+M') for m in ('weighted_speedup', 'fairness')]
        return ', '.join(map(lib.percent, x)) + ' %', \
            lib.true(x[0] > 1 > x[1], x[0] > 1 or x[1] < 1)

    def readings(_):
        """Returns the cause if another reading of DMIL has the paper's result."""
        sets = list(paper000.sets('000-growth').values())
        said = {g: [paper000.mean_gain(sets, WS + '+dmil' + g, WS, m) for m in (
            'weighted_speedup', 'fairness')] for g in (
                '', '[growth=open]', '[growth=double]', '[growth=plus1]')}
        text = 'M+M+M: weighted speedup and fairness over WS: %s.' % ', '.join(
            '`dmil%s` %s' % (g, ', '.join(map(lib.percent, x)) + ' %') for g, x in said.items())
        return lib.Cause(lib.ISOLATED, text) if any(
            a > 1 > b for a, b in said.values()) else lib.Cause(lib.TRIED, text)
    rows.add('T000-192', 'M+M+M: weighted speedup and fairness with DMIL over WS', 'up, down',
             up_down, readings)
    for c in ('C+C+M', 'C+M+M'):
        def both(groups, c=c):
            x = [gain(groups, WS + s, WS, 'weighted_speedup', c) for s in ('+qbmi', '+dmil')]
            return ', '.join(map(lib.percent, x)) + ' %', lib.true(min(x) > 1, max(x) > 1)
        rows.add('T000-305', c + ': weighted speedup with QBMI, with DMIL, over WS',
                 'both above 0', both)
    return TEXT + class_table(groups) + '\n' + v.markdown(), v

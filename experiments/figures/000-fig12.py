"""Paper 000, figures 11 to 13: quotas and limits on memory instructions, with Warped-Slicer and
SMK."""
import math

import causes
import lib
import paper000

TITLE = 'Paper 000, figures 11 to 13: memory instructions by quota and by limit'
SWEEPS = ['000-issue-clones', '000-issue-programs', '000-mechanisms', '000-limits',
          '000-removed-l1', '000-open', '000-open-static', *paper000.STAND_INS, *paper000.PROGRAMS,
          '000-removed-two']
TWO = 'with loose round robin and a miss queue of L1 as long as its MSHRs'
WS, SMK = paper000.DYNAMIC, 'smk-p'
POLICIES = [('spatial', 'spatial'),
            (WS, 'WS'), (WS + '+qbmi', 'WS-QBMI'), (WS + '+dmil', 'WS-DMIL'),
            (SMK + '+fair', 'SMK-(P+W)'), (SMK + '+qbmi', 'SMK-(P+QBMI)'),
            (SMK + '+dmil', 'SMK-(P+DMIL)')]
TITLES = dict(POLICIES)
STATIC = paper000.STATIC
READINGS = [('', 'none'), ('+qbmi', 'QBMI'), ('+dmil', 'DMIL'), ('+qbmi+dmil', 'QBMI+DMIL'),
            ('+dmil[growth=open]', 'DMIL, `growth=open`'),
            ('+dmil[growth=double]', 'DMIL, `growth=double`'),
            ('+dmil[growth=plus1]', 'DMIL, `growth=plus1`'),
            ('+dmil[bits=hardware]', 'DMIL, `bits=hardware`'),
            ('+dmil[scope=global]', 'DMIL, `scope=global`')]
# Columns of the kernel table: (statistic, title, digits).
KEYS = [('normalized_ipc', 'normalized IPC', 2), ('l1.miss_rate', 'L1 miss rate', 2),
        ('l1.rsfail_rate', 'L1 failures per access', 1), ('ldst.stall_fraction', 'LSU stalls', 2),
        ('alu.utilization', 'ALU utilization', 3)]
GAIN, PER_CLASS = paper000.mean_gain, paper000.CLASSES


def class_table(groups):
    rows = []
    for c in PER_CLASS + ['all']:
        for policy, title in POLICIES:
            if any(policy in s for s in groups[c]):
                rows.append([c, title] + [paper000.gmean(groups[c], policy, m) for m in
                                          ('weighted_speedup', 'antt', 'fairness')])
    return lib.table(['class', 'policy', 'weighted speedup', 'ANTT', 'fairness'], rows)


def kernel_table(groups):
    rows = []
    for c in PER_CLASS:
        for policy, title in POLICIES:
            row = [c, title]
            for key, _, digits in KEYS:
                both = [paper000.kernels(groups[c], policy, key, k) for k in 'CM']
                row.append(', '.join(lib.show(x, digits) for x in both if x == x) or '-')
            rows.append(row)
    return lib.table(['class', 'policy'] + ['%s, C, M' % title for _, title, _ in KEYS],
                     [r for r in rows if r[2] != '-'])


def readings_text():
    """Returns a text on details of DMIL left open by the paper, with static Warped-Slicer."""
    groups = paper000.grouped(paper000.sets('000-mechanisms'))
    if not groups['all']:
        return ''
    rows = [[title] + [paper000.gmean(groups[c], STATIC + s, 'weighted_speedup')
                       for c in PER_CLASS + ['all']] +
            [paper000.gmean(groups['all'], STATIC + s, m) for m in ('antt', 'fairness')]
            for s, title in READINGS]
    return 'On static Warped-Slicer, over 400,000 cycles, with both and with other readings of ' \
        'the unspecified parts of DMIL:\n\n' + lib.table(
            ['on WS static'] + ['weighted speedup, ' + c for c in PER_CLASS + ['all']] +
            ['ANTT, all', 'fairness, all'], rows) + '\n'


BEST = 'the best of seven static limits in each pair, on static Warped-Slicer,'
FREE = STATIC + '+smil[limits=inf/inf]'


def with_best(sets_of):
    """Returns the sets with runs with static limits, with the best of these runs under BEST; none
    for programs."""
    tried = [(s, [p for p in s if '+smil[' in p]) for s in sets_of]
    return [{**s, BEST: max((s[p] for p in limits), key=lambda r: r.weighted_speedup)}
            for s, limits in tried if limits]


def with_two(rows):
    """Returns the rows with a machine without two limits, for programs under Warped-Slicer."""
    stand_ins, (programs, machines) = rows.columns
    return causes.Rows(rows.v, programs, {
        **machines, TWO: paper000.grouped(paper000.sets('000-removed-two'))}, *stand_ins)


def add_rows(rows):
    on_ws = with_two(rows)

    def level(target, policy, paper):
        rows.number(target, 'weighted speedup, all pairs, ' + TITLES[policy], paper,
                    lambda g: paper000.gmean(g['all'], policy, 'weighted_speedup'),
                    best=(BEST, lambda g: paper000.gmean(with_best(g['all']), BEST,
                                                         'weighted_speedup')))

    def change(target, policy, base, metric, paper, what, sets='all'):
        """Adds a row on a relative change. paper: the paper's change in percent."""
        best = BEST, lambda g: GAIN(with_best(g[sets]), BEST, FREE, metric)
        (on_ws if base == WS else rows).number(
            target, '%s of %s over %s' % (what, TITLES[policy], TITLES[base]), 1 + paper / 100,
            lambda g: GAIN(g[sets], policy, base, metric), show=lib.change,
            beside=lambda g: paper000.beside(g[sets], policy, base, metric),
            best=best if metric == 'weighted_speedup' and base == WS else None)

    def fact(target, what, paper, fact_of):
        """Adds a row on a statement. fact_of(groups) -> (numbers, holds, holds partly)."""
        def measure(g):
            said, *facts = fact_of(g)
            return said, lib.true(*facts)
        rows.add(target, what, paper, measure)

    level('T000-162', WS + '+qbmi', 1.22)
    level('T000-163', WS + '+dmil', 1.49)
    level('T000-177', SMK + '+qbmi', 1.15)
    level('T000-178', SMK + '+dmil', 1.40)
    for targets, policy, base, changes in (
            ('164 166 168', WS + '+qbmi', WS, (1.5, -40.5, 17.8)),
            ('165 167 169', WS + '+dmil', WS, (24.6, -56.1, 32.3)),
            ('179 180', SMK + '+qbmi', SMK + '+fair', (4.4, -49.2)),
            ('181 182', SMK + '+dmil', SMK + '+fair', (27.2, -64.6))):
        for t, (metric, what), paper in zip(targets.split(), METRICS, changes):
            change('T000-' + t, policy, base, metric, paper, what)
    order_facts(fact)
    kernel_facts(fact)
    smk_facts(fact)


METRICS = [('weighted_speedup', 'weighted speedup'), ('antt', 'ANTT'), ('fairness', 'fairness')]


def order_facts(fact):
    for target, sets, base, who in (
            ('T000-301', 'C+M', WS, 'WS'), ('T000-301', 'M+M', WS, 'WS'),
            ('T000-303', 'C+M', SMK + '+fair', 'SMK-(P+W)')):
        stem = base.split('+')[0]

        def order(g, sets=sets, base=base, stem=stem):
            q, d = (GAIN(g[sets], stem + s, base, 'weighted_speedup') for s in ('+qbmi', '+dmil'))
            return '%s, %s %%' % (lib.percent(q), lib.percent(d)), d > q > 1, d > 1
        fact(target, sets + ': weighted speedup with QBMI, with DMIL, over ' + who,
             'both above, DMIL most', order)

    def alone(g):
        x = GAIN(g['M+M'], SMK + '+dmil', SMK + '+fair', 'weighted_speedup')
        return lib.percent(x) + ' %', x > 1
    fact('T000-304', 'M+M: weighted speedup of SMK-(P+DMIL) over SMK-(P+W)', 'above 0', alone)

    def similar(g):
        x = [GAIN(g['C+C'], WS + s, WS, 'weighted_speedup') for s in ('+qbmi', '+dmil')]
        return ', '.join(map(lib.percent, x)) + ' %', all(abs(y - 1) < 0.05 for y in x)
    fact('T000-170', 'C+C: weighted speedup with QBMI, with DMIL, over WS', 'similar', similar)

    def smk(g):
        x = [GAIN(g['C+C'], SMK + s, SMK + '+fair', 'weighted_speedup') for s in ('+qbmi', '+dmil')]
        return ', '.join(map(lib.percent, x)) + ' %', all(abs(y - 1) < 0.05 for y in x)
    fact('T000-306', 'C+C: weighted speedup of SMK-(P+QBMI), of SMK-(P+DMIL), over SMK-(P+W)',
         'similar', smk)

    def turnaround(g):
        x = [GAIN(g['C+M'], WS + s, WS, 'antt') for s in ('+qbmi', '+dmil')]
        return ', '.join(map(lib.percent, x)) + ' %', max(x) < 1, min(x) < 1
    fact('T000-307', 'C+M: ANTT with QBMI, with DMIL, over WS', 'both below 0', turnaround)

    def better(g):
        f, a = (GAIN(g['C+C'], WS + '+qbmi', WS, m) for m in ('fairness', 'antt'))
        return '%s, %s %%' % (lib.percent(f), lib.percent(a)), f > 1 > a, f > 1 or a < 1
    fact('T000-302', 'C+C: fairness and ANTT of QBMI over WS', 'better', better)


def kernel_facts(fact):
    keys = ('l1.miss_rate', 'l1.rsfail_rate')
    for c in ('C+M', 'M+M'):
        def values(g, policy, c=c):
            return [paper000.kernels(g[c], policy, k) for k in keys]

        def near(g, values=values):
            a, b = values(g, WS), values(g, WS + '+qbmi')
            return '%.2f and %.1f, %.2f and %.1f' % (*a, *b), \
                all(abs(y / x - 1) < 0.25 for x, y in zip(a, b))

        def less(g, values=values):
            a, b = values(g, WS), values(g, WS + '+dmil')
            return '%.2f and %.1f, %.2f and %.1f' % (*a, *b), \
                all(y < x for x, y in zip(a, b)), any(y < x for x, y in zip(a, b))
        what = c + ': L1 miss rate and failures per access, WS, '
        fact('T000-171', what + 'WS-QBMI', 'similar', near)
        fact('T000-172', what + 'WS-DMIL', 'lower', less)

    def together(g):
        x, y = ([v for s in g['all'] for p, _ in POLICIES if p in s for v in s[p].app(k)]
                for k in ('l1.rsfail_rate', 'ldst.stall_fraction'))
        r = lib.correlation(x, y)
        return lib.show(r), r > 0
    fact('T000-173', 'LSU stalls against failures per access, kernels under all policies: '
         'correlation', 'above 0', together)
    for target, c, paper, test in (('T000-174', 'C+M', 'higher', lambda x: x > 1),
                                   ('T000-175', 'M+M', 'not higher', lambda x: x < 1.05)):
        def use(g, c=c, test=test):
            a, b = (paper000.kernels(g[c], p, 'alu.utilization') for p in (WS, WS + '+dmil'))
            return lib.percent(b / a) + ' %', test(b / a)
        fact(target, c + ': ALU utilization of WS-DMIL over WS', paper, use)


def smk_facts(fact):
    for s, title in (('+qbmi', 'QBMI'), ('+dmil', 'DMIL')):
        def gains(g, s=s):
            before, after = ([paper000.kernels(g['all'], SMK + p, k) for k in
                              ('l1.miss_rate', 'ldst.stall_fraction', 'alu.utilization')]
                             for p in ('+fair', s))
            good = [y < x for x, y in zip(before[:2], after)] + [after[2] > before[2]]
            said = ', '.join('%.2f and %.2f' % both for both in zip(before[:2], after))
            return '%s, %.3f and %.3f' % (said, before[2], after[2]), all(good), any(good)
        fact('T000-308', 'L1 miss rate, LSU stalls and ALU utilization of SMK-(P+W), of SMK-(P+%s)'
             % title, 'less, less, more', gains)


def miss_rows(v):
    """Adds the rows of figure 11: L1 misses of ks sharing with bp and with sv, under static
    Warped-Slicer, and the gains by class."""
    of = paper000.sets('000-mechanisms')
    misses = causes.Rows(v, None, None, of, paper000.by_limit('000-removed-l1'))
    for targets, pair, papers in (('153 154', ('bp', 'ks'), (0.88, 0.52)),
                                  ('155 156', ('sv', 'ks'), (0.98, 0.52))):
        for t, s, title, paper in zip(targets.split(), ('+qbmi', '+dmil'), ('QBMI', 'DMIL'),
                                      papers):
            misses.number('T000-' + t, '%s+%s: L1 miss rate of ks, ' % pair + title, paper,
                          lambda of, pair=pair, s=s: of[pair][STATIC + s].app('l1.miss_rate')[1]
                          if STATIC + s in of[pair] else math.nan, base=0, one_way=True)
    rows = causes.Rows(v, None, None, paper000.grouped(of),
                       paper000.machines('000-removed-static', also='000-open-static'))
    for target, what, sets, a, b, paper, test in (
            ('T000-157', 'DMIL over QBMI', ['C+C'], '+dmil', '+qbmi', 'similar',
             lambda x: abs(x - 1) < 0.05),
            ('T000-158', 'DMIL over QBMI', ['C+M', 'M+M'], '+dmil', '+qbmi', 'higher',
             lambda x: x > 1),
            ('T000-159', 'QBMI+DMIL over DMIL', ['all'], '+qbmi+dmil', '+dmil', 'slightly higher',
             lambda x: 1 <= x < 1.1)):
        def measure(groups, sets=sets, a=a, b=b, test=test):
            x = [GAIN(groups[c], STATIC + a, STATIC + b, 'weighted_speedup') for c in sets]
            return ', '.join(map(lib.percent, x)) + ' %', lib.true(all(map(test, x)))
        rows.add(target, '%s: weighted speedup of %s, on WS static' % (', '.join(sets), what),
                 paper, measure)


def section():
    kinds = [paper000.grouped(paper000.sets(*names))
             for names in (('000-issue-clones', '000-limits'), ('000-issue-programs',))]
    text = ''
    for title, groups in zip(('Stand-ins', 'Programs'), kinds):
        if groups['all']:
            text += '%s, %s cycles; geometric means over pairs:\n\n%s\n' \
                'Means over kernels:\n\n%s\n' % (
                    title, format(groups['all'][0][WS].cycles, ','), class_table(groups),
                    kernel_table(groups))
    v = lib.Verdicts()
    add_rows(paper000.rows(v, *kinds))
    miss_rows(v)
    return text + readings_text() + v.markdown(), v

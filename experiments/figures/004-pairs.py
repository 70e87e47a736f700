"""Paper 004, figures 4.2, 4.3 and 4.4: MIAS with four metrics, and Warped-Slicer, all pairs."""
import causes
import lib
import paper004

TITLE = 'Paper 004, figures 4.2 to 4.4: MIAS and Warped-Slicer'
SWEEPS = ['004-pairs', '004-removed', '004-alone', '004-correction', *paper004.MIXES]
LITTLE = 0.03  # "not much of a difference"
WS, IPC, IPM, FACTOR, LINEAR = 'warped-slicer[warm=0,sample=45000]', 'mias[metric=ipc]', \
    'mias[metric=ipm-ipc]', 'mias[metric=factor]', 'mias[metric=linear]'
POLICIES = [(IPC, 'IPC'), (IPM, 'IPM*IPC'), (FACTOR, 'factor'), (LINEAR, 'linear'),
            (WS, 'Warped-Slicer')]
MIAS = POLICIES[:4]

TEXT = '''Speedup over sequential execution: the IPC of both together over the mean of the isolated
IPCs, over %s cycles; the profile of 45000 cycles takes 4.5 %% (the paper: 5000000, 0.9 %%). Means
are arithmetic, as in the paper. In brackets: chosen blocks per SM, if SMs are shared. Runs for the
causes below the verdicts, and of all mixes of blocks, are over %s cycles.

'''


def speedup(of, policy):
    return of[policy].sequential_speedup if policy in of else lib.math.nan


def mean(pairs, policy):
    return lib.Mean({names: speedup(of, policy) for names, of in pairs.items()}, lib.mean)


def chosen(run):
    blocks = run.app('blocks_per_sm')
    return '%d-%d' % tuple(blocks) if all(b == b for b in blocks) else ''


def cell(of, policy):
    if policy not in of:
        return '-'
    table = chosen(of[policy])
    return '%.2f%s' % (speedup(of, policy), ' (%s)' % table if table else '')


def speed_table(groups):
    rows = []
    for g in paper004.GROUPS:
        for names, of in groups[g].items():
            rows.append(['%s + %s' % names] + [cell(of, p) for p, _ in POLICIES])
        rows.append(['**mean of %d %s**' % (len(groups[g]), g)] +
                    [mean(groups[g], p) for p, _ in POLICIES])
    rows.append(['**mean of %d**' % len(groups['all'])] +
                [mean(groups['all'], p) for p, _ in POLICIES])
    return lib.table(['pair'] + ['MIAS ' + n if p != WS else n for p, n in POLICIES], rows)


def number_rows(rows):
    for target, policy, g, paper in (
            ('T004-014, -019', IPM, 'all', 1.32), ('T004-015', IPC, 'all', 1.30),
            ('T004-016', LINEAR, 'all', 1.27), ('T004-017', FACTOR, 'all', 1.24),
            ('T004-018', WS, 'all', 1.10), ('T004-021', IPC, 'COM-COM', 1.19),
            ('T004-022', LINEAR, 'COM-COM', 1.19), ('T004-045', IPM, 'COM-COM', 1.165),
            ('T004-024', IPC, 'MEM-MEM', 1.19), ('T004-025', IPM, 'MEM-MEM', 1.19),
            ('T004-027', IPM, 'MEM-COM', 1.43), ('T004-028', FACTOR, 'MEM-COM', 1.43),
            ('T004-029', LINEAR, 'MEM-COM', 1.43), ('T004-044', IPC, 'MEM-COM', 1.38),
            ('T004-046', WS, 'MEM-COM', 1.12)):
        rows.number(target, '%s%s, mean of %s pairs' % (
            '' if policy == WS else 'MIAS ', dict(POLICIES)[policy], g), paper,
                    lambda groups, g=g, policy=policy: mean(groups[g], policy))
    for target, g, paper in (('T004-020', 'all', 1.2), ('T004-030', 'MEM-COM', 1.28)):
        rows.number(target, 'MIAS IPM*IPC against Warped-Slicer, %s pairs' % g, paper,
                    lambda groups, g=g: lib.Mean({
                        names: (speedup(of, IPM), speedup(of, WS))
                        for names, of in groups[g].items()}, lib.ratio_of_means))

    def best(groups):
        found = max((speedup(of, p), '%s + %s' % n) for n, of in groups['all'].items()
                    for p, _ in MIAS)
        return '%.2f, %s' % found, lib.like(found[0], 1.72)
    rows.add('T004-031', 'best pair under MIAS', '1.72', best)
    rows.number('T004-032', 'MIAS, pairs of one kind', 1.18,
                lambda groups: mean({**groups['COM-COM'], **groups['MEM-MEM']}, IPM))
    rows.number('T004-033', 'MIAS, pairs of two kinds', 1.43,
                lambda groups: mean(groups['MEM-COM'], IPM))


def by_rule(of):
    """Returns the mix of Warped-Slicer's rule, with the greatest least normalized performance, and
    its run; of: {mix: run}."""
    mix = max(of, key=lambda m: min(of[m].app('normalized_ipc')))
    return mix, of[mix]


def by_choice(names, holds):
    """Returns the cause of a pair's row on Warped-Slicer. Isolated: the choice, if the row holds
    with the mix of Warped-Slicer's rule; else the row is bounded by the rule."""
    def cause(groups):
        of = paper004.mixes()[names]
        mix, run = by_rule(of)
        right = holds(run.sequential_speedup)
        if right and chosen(groups['all'][names][WS]) == mix:
            return None
        said = "of all mixes (%s) Warped-Slicer's rule, the greatest least normalized " \
            'performance, gives %s%s.' % (said_mixes(of), mix, '; the estimate from the profile '
                                          'chooses another' * right)
        return lib.Cause(lib.ISOLATED if right else lib.BOUNDED, said)
    return cause


def said_mixes(of):
    return ', '.join('%s %.2f' % (m, r.sequential_speedup) for m, r in of.items())


def bound_count(g, enough):
    """Returns the cause of a row on the number of pairs below 1 under Warped-Slicer: the number
    with the mixes of Warped-Slicer's rule is too small, too."""
    def cause(groups):
        low = [n for n in groups[g] if by_rule(paper004.mixes()[n])[1].sequential_speedup < 1]
        if enough(len(low), len(groups[g])):
            return None
        return lib.Cause(lib.BOUNDED, "below 1 in %d of %d pairs with the mix of Warped-Slicer's "
                         'rule, the greatest least normalized performance, found by running all '
                         'mixes.' % (len(low), len(groups[g])))
    return cause


def order_rows(rows):
    def values(groups, g, *policies):
        return ', '.join('%s %.2f' % (dict(POLICIES)[p], mean(groups[g], p)) for p in policies)

    def lowest(groups):
        com = [mean(groups['COM-COM'], p) for p, _ in POLICIES]
        return '%.2f, others %.2f to %.2f' % (com[4], min(com[:4]), max(com[:4])), \
            lib.true(1 < com[4] < min(com[:4]), com[4] > 1)
    rows.add('T004-023', 'COM-COM: Warped-Slicer the lowest of the five, above 1', 'yes', lowest)

    def below(groups):
        ipc, ipm, factor, linear = (mean(groups['COM-COM'], p) for p, _ in MIAS)
        return values(groups, 'COM-COM', IPC, IPM, FACTOR, LINEAR), \
            lib.true(max(ipm, factor) < min(ipc, linear), ipm + factor < ipc + linear)
    rows.add('T004-301', 'COM-COM: IPM*IPC and factor below IPC and linear', 'yes', below)

    def every(groups):
        low = [n for n, of in groups['MEM-MEM'].items() if speedup(of, WS) < 1]
        return '%d of %d' % (len(low), len(groups['MEM-MEM'])), \
            lib.true(len(low) == len(groups['MEM-MEM']), low)
    rows.add('T004-026', 'MEM-MEM: Warped-Slicer below 1 in every pair', '3 of 3', every,
             bound_count('MEM-MEM', lambda low, n: low == n))

    def worse(groups):
        ipc, factor, linear = (mean(groups['MEM-MEM'], p) for p in (IPC, FACTOR, LINEAR))
        return values(groups, 'MEM-MEM', IPC, FACTOR, LINEAR), \
            lib.true(max(factor, linear) < ipc, min(factor, linear) < ipc)

    def factor_best(groups):
        """Returns the cause: if factor chooses the best of all mixes, no metric is better."""
        best = {names: max(paper004.mixes()[names].items(),
                           key=lambda x: x[1].sequential_speedup)[0]
                for names in groups['MEM-MEM']}
        return lib.Cause(lib.BOUNDED, 'factor chooses the best of all mixes in every pair (%s).' %
                         ', '.join('%s + %s %s' % (*n, m) for n, m in best.items())) if all(
                             chosen(of[FACTOR]) == best[n]
                             for n, of in groups['MEM-MEM'].items()) else None
    rows.add('T004-043', 'MEM-MEM: factor and linear choose worse than IPC', 'yes', worse,
             factor_best)

    def many(groups):
        low = [n for n, of in groups['MEM-COM'].items() if speedup(of, WS) < 1]
        return '%d of %d' % (len(low), len(groups['MEM-COM'])), \
            lib.true(3 * len(low) >= len(groups['MEM-COM']), low)
    rows.add('T004-302', 'MEM-COM: Warped-Slicer below 1 in many pairs (a third or more)', 'yes',
             many, bound_count('MEM-COM', lambda low, n: 3 * low >= n))


def correction_row(v, pairs):
    plain = paper004.by_names(lib.runs('004-correction'))
    x = lib.gmean(speedup(of, WS) / next(iter(plain[names].values())).sequential_speedup
                  for names, of in pairs.items())
    v.add('T004-303', 'Warped-Slicer with its correction for memory over without, all pairs',
          'not much (3 %)', programs=(lib.change(x), lib.true(abs(x - 1) <= LITTLE)))


def pair_rows(rows):
    def under_ws(names, verdict):
        def measure(groups):
            x = speedup(groups['all'][names], WS)
            return '%.2f' % x, verdict(x)
        return measure

    for target, names, paper, verdict in (
            ('T004-034', ('fwt', 'dxtc'), '1.6', lambda x: lib.like(x, 1.6)),
            ('T004-035', ('bfs', 'bopt'), 'below 1', lambda x: lib.true(x < 1)),
            ('T004-036', ('mm', 'bopt'), 'above 1', lambda x: lib.true(x > 1))):
        rows.add(target, '%s + %s, Warped-Slicer' % names, paper, under_ws(names, verdict),
                 by_choice(names, lambda x, verdict=verdict: lib.word(verdict(x)) == lib.HOLDS))

    def all_below(groups):
        x = [speedup(groups['all']['bfs', 'mm'], p) for p, _ in POLICIES]
        return '%.2f to %.2f' % (min(x), max(x)), lib.true(max(x) < 1, min(x) < 1)

    def none_below(_):
        of = paper004.mixes()['bfs', 'mm']
        return lib.Cause(lib.BOUNDED, 'no mix is below 1 (%s).' % said_mixes(of)) if all(
            r.sequential_speedup >= 1 for r in of.values()) else None
    rows.add('T004-037', 'bfs + mm: all five below 1', 'yes', all_below, none_below)

    def least(groups):
        found = chosen(groups['all']['bfs', 'mm'][IPM])
        return found, lib.true(found == '1-3')
    rows.add('T004-038', 'bfs + mm, MIAS: the least blocks of bfs, 1-3', '1-3', least)

    def above_ipc(groups):
        said, wins = [], []
        for other in ('fwt', 'blk'):
            of = groups['all'][other, 'mm']
            ipc, rest = speedup(of, IPC), [speedup(of, p) for p in (IPM, FACTOR, LINEAR)]
            said.append('%s: IPC %.2f, others %.2f to %.2f' % (other, ipc, min(rest), max(rest)))
            wins.append((min(rest) > ipc, max(rest) > ipc))
        return '; '.join(said), lib.true(all(w[0] for w in wins), any(w[1] for w in wins))

    def best_by_ipc(groups):
        of = paper004.mixes()['fwt', 'mm']
        best = max(of, key=lambda m: of[m].sequential_speedup)
        return lib.Cause(lib.BOUNDED, 'of fwt with mm the metric IPC chooses the best of all mixes '
                         '(%s).' % said_mixes(of)) if chosen(
                             groups['all']['fwt', 'mm'][IPC]) == best else None
    rows.add('T004-042', 'fwt and blk with mm: IPM*IPC, factor and linear above IPC', 'yes',
             above_ipc, best_by_ipc)

    def mixes(groups):
        n = groups['all']['mm', 'nbdy'][IPM].policy_values.get('configurations', '-')
        return n, lib.true(n == '3')
    rows.add('T004-047', 'mixes of two kernels of which four blocks fit an SM (mm + nbdy)', '3',
             mixes)


STALL_PAIRS = [('mm', 'bopt'), ('fwt', 'blk'), ('fwt', 'dxtc'), ('bfs', 'mm')]


def lost(groups, names):
    """Returns the stalls of each program alone, then of the pair under MIAS."""
    return [paper004.stalls(groups['alone'][n]) for n in names] + \
        [paper004.stalls(groups['all'][names][IPM])]


def stall_table(groups):
    rows = []
    for names in STALL_PAIRS:
        for label, s in zip(names + ('%s + %s' % names,), lost(groups, names)):
            rows.append([label] + ['%.0f' % (100 * s[n]) for _, n in paper004.STALLS] +
                        ['%.0f' % (100 * sum(s.values()))])
    return lib.table(['MIAS IPM*IPC'] + [n for _, n in paper004.STALLS] + ['all stalls'], rows)


def no_mix(names, holds, said):
    """Returns the function that finds the cause of a pair's row on stalls: bounded if no mix of
    blocks has the paper's result. holds(stalls of both programs alone, of the mix); said(stalls of
    a mix) -> text."""
    def cause(groups):
        alone = [paper004.stalls(groups['alone'][n]) for n in names]
        of = {m: paper004.stalls(r) for m, r in paper004.mixes()[names].items()}
        return None if any(holds(*alone, s) for s in of.values()) else lib.Cause(
            lib.BOUNDED, '%s + %s: no mix of blocks has the result (%s).' % (*names, ', '.join(
                '%s %s' % (m, said(s)) for m, s in of.items())))
    return cause


def stall_rows(rows):
    def fewer(groups):
        mm, bopt, both = lost(groups, ('mm', 'bopt'))
        less = both['compute'] < mm['compute'], both['idle'] < bopt['idle']
        return 'compute %.0f and %.0f %%, idle %.1f and %.1f %%' % tuple(
            100 * x for x in (both['compute'], mm['compute'], both['idle'], bopt['idle'])), \
            lib.true(all(less), any(less))
    rows.add('T004-039', 'mm + bopt: fewer compute stalls than mm, fewer idle ones than bopt',
             'yes', fewer, no_mix(('mm', 'bopt'), lambda mm, bopt, both: (
                 both['compute'] < mm['compute'] and both['idle'] < bopt['idle']),
                 lambda s: 'compute %.0f %%, idle %.1f %%' % (100 * s['compute'],
                                                              100 * s['idle'])))

    def as_many(groups):
        fwt, dxtc, both = (s['RAW'] for s in lost(groups, ('fwt', 'dxtc')))
        return '%.0f and %.0f %%, fwt %.0f %%' % (100 * both, 100 * dxtc, 100 * fwt), \
            lib.true(abs(both - dxtc) <= 0.05, both < fwt)
    rows.add('T004-040', 'fwt + dxtc: as many RAW stalls as dxtc alone (within 5 % of the cycles)',
             'yes', as_many, no_mix(('fwt', 'dxtc'), lambda _, dxtc, both: (
                 abs(both['RAW'] - dxtc['RAW']) <= 0.05), lambda s: 'RAW %.0f %%' % (
                     100 * s['RAW'])))

    def above(groups):
        _, mm, both = map(waits, lost(groups, ('bfs', 'mm')))
        return '%.0f and %.0f %%' % (both, mm), lib.true(both > mm)
    rows.add('T004-041', 'bfs + mm: RAW and memory stalls above those of mm alone', 'yes', above,
             no_mix(('bfs', 'mm'), lambda _, mm, both: waits(both) > waits(mm),
                    lambda s: '%.0f %%' % waits(s)))


def waits(stalls):
    return 100 * (stalls['RAW'] + stalls['memory'])


def alike(pairs):
    """Returns a text on the number of pairs with equal results under a metric and under IPC."""
    said = ['%s in %d' % (title, sum(of[policy].app('ipc_thread') ==
                                     of[IPC].app('ipc_thread') for of in pairs.values()))
            for policy, title in MIAS[1:]]
    return '\nPairs, of %d, with equal choices under the metric and under IPC: %s. For equal ' \
        'choices the rows below cannot distinguish the metric from IPC.\n' % (
            len(pairs), ', '.join(said))


def section():
    v = lib.Verdicts()
    alone = paper004.alone()
    pairs = paper004.by_names(lib.runs('004-pairs'))
    groups = paper004.grouped(pairs, alone[''])
    rows = causes.Rows(v, groups, {
        words: paper004.grouped(paper004.by_names(runs), alone[words])
        for words, runs in paper004.by_limit('004-removed').items()})
    number_rows(rows)
    order_rows(rows)
    pair_rows(rows)
    stall_rows(rows)
    correction_row(v, pairs)
    cycles = [format(run.cycles, ',') for run in (groups['all']['bfs', 'mm'][WS],
                                                  paper004.mixes()['bfs', 'mm']['1-3'])]
    text = TEXT % tuple(cycles) + speed_table(groups) + alike(pairs) + \
        '\nScheduler cycles lost, alone (as above) and together, in percent:\n\n' + \
        stall_table(groups) + '\n'
    return text + v.markdown(), v

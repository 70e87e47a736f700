"""Paper 004, figures 4.2, 4.3 and 4.4: MIAS with four metrics, and Warped-Slicer, all pairs."""
import lib
import paper004

TITLE = 'Paper 004, figures 4.2 to 4.4: MIAS and Warped-Slicer'
SWEEPS = ['004-pairs']
WS, IPC, IPM, FACTOR, LINEAR = 'warped-slicer[warm=0,sample=45000]', 'mias[metric=ipc]', \
    'mias[metric=ipm-ipc]', 'mias[metric=factor]', 'mias[metric=linear]'
POLICIES = [(IPC, 'IPC'), (IPM, 'IPM*IPC'), (FACTOR, 'factor'), (LINEAR, 'linear'),
            (WS, 'Warped-Slicer')]
MIAS = POLICIES[:4]

TEXT = '''Speedup over sequential execution: the IPC of both together over the mean of the isolated
IPCs, over %s cycles; the profile of 45000 cycles takes 4.5 %% (the paper: 5000000, 0.9 %%). Means
are arithmetic, as in the paper. In brackets: chosen blocks per SM, if SMs are shared.

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


def number_rows(v, groups):
    for target, policy, g, paper in (
            ('T004-014, -019', IPM, 'all', 1.32), ('T004-015', IPC, 'all', 1.30),
            ('T004-016', LINEAR, 'all', 1.27), ('T004-017', FACTOR, 'all', 1.24),
            ('T004-018', WS, 'all', 1.10), ('T004-021', IPC, 'COM-COM', 1.19),
            ('T004-022', LINEAR, 'COM-COM', 1.19), ('T004-045', IPM, 'COM-COM', 1.165),
            ('T004-024', IPC, 'MEM-MEM', 1.19), ('T004-025', IPM, 'MEM-MEM', 1.19),
            ('T004-027', IPM, 'MEM-COM', 1.43), ('T004-028', FACTOR, 'MEM-COM', 1.43),
            ('T004-029', LINEAR, 'MEM-COM', 1.43), ('T004-044', IPC, 'MEM-COM', 1.38),
            ('T004-046', WS, 'MEM-COM', 1.12)):
        x = mean(groups[g], policy)
        name = dict(POLICIES)[policy]
        v.add(target, '%s%s, mean of %s pairs' % ('' if policy == WS else 'MIAS ', name, g),
              '%.3g' % paper, programs=('%.2f' % x, lib.like(x, paper)))
    for target, what, g, paper in (('T004-020', 'all', 'all', 1.2),
                                   ('T004-030', 'MEM-COM', 'MEM-COM', 1.28)):
        x = lib.Mean({names: (speedup(of, IPM), speedup(of, WS))
                      for names, of in groups[g].items()}, lib.ratio_of_means)
        v.add(target, 'MIAS IPM*IPC against Warped-Slicer, %s pairs' % what, '%.2f' % paper,
              programs=('%.2f' % x, lib.like(x, paper)))
    best = max((speedup(of, p), '%s + %s' % n) for n, of in groups['all'].items() for p, _ in MIAS)
    v.add('T004-031', 'best pair under MIAS', '1.72',
          programs=('%.2f, %s' % best, lib.like(best[0], 1.72)))
    alike = {**groups['COM-COM'], **groups['MEM-MEM']}
    x = mean(alike, IPM)
    v.add('T004-032', 'MIAS, pairs of one kind', '1.18', programs=('%.2f' % x, lib.like(x, 1.18)))
    x = mean(groups['MEM-COM'], IPM)
    v.add('T004-033', 'MIAS, pairs of two kinds', '1.43', programs=('%.2f' % x, lib.like(x, 1.43)))


def order_rows(v, groups):
    def values(g, *policies):
        return ', '.join('%s %.2f' % (dict(POLICIES)[p], mean(groups[g], p)) for p in policies)

    every = groups['all']
    com = [mean(groups['COM-COM'], p) for p, _ in POLICIES]
    v.add('T004-023', 'COM-COM: Warped-Slicer the lowest of the five, above 1', 'yes',
          programs=('%.2f, others %.2f to %.2f' % (com[4], min(com[:4]), max(com[:4])),
                    lib.true(com[4] < min(com[:4]) and com[4] > 1, com[4] > 1)))
    v.add('T004-301', 'COM-COM: IPM*IPC and factor below IPC and linear', 'yes',
          programs=(values('COM-COM', IPC, IPM, FACTOR, LINEAR),
                    lib.true(max(com[1], com[2]) < min(com[0], com[3]),
                             com[1] + com[2] < com[0] + com[3])))
    low = [n for n, of in groups['MEM-MEM'].items() if speedup(of, WS) < 1]
    v.add('T004-026', 'MEM-MEM: Warped-Slicer below 1 in every pair', '3 of 3',
          programs=('%d of %d' % (len(low), len(groups['MEM-MEM'])),
                    lib.true(len(low) == len(groups['MEM-MEM']), low)))
    mem = {p: mean(groups['MEM-MEM'], p) for p, _ in POLICIES}
    v.add('T004-043', 'MEM-MEM: factor and linear choose worse than IPC', 'yes',
          programs=(values('MEM-MEM', IPC, FACTOR, LINEAR),
                    lib.true(max(mem[FACTOR], mem[LINEAR]) < mem[IPC],
                             min(mem[FACTOR], mem[LINEAR]) < mem[IPC])))
    low = [n for n, of in groups['MEM-COM'].items() if speedup(of, WS) < 1]
    v.add('T004-302', 'MEM-COM: Warped-Slicer below 1 in many pairs (a third or more)', 'yes',
          programs=('%d of %d' % (len(low), len(groups['MEM-COM'])),
                    lib.true(3 * len(low) >= len(groups['MEM-COM']), low)))


def pair_rows(v, groups):
    every = groups['all']
    x = speedup(every[('fwt', 'dxtc')], WS)
    v.add('T004-034', 'fwt + dxtc, Warped-Slicer', '1.6', programs=('%.2f' % x, lib.like(x, 1.6)))
    x = speedup(every[('bfs', 'bopt')], WS)
    v.add('T004-035', 'bfs + bopt, Warped-Slicer', 'below 1',
          programs=('%.2f' % x, lib.true(x < 1)))
    x = speedup(every[('mm', 'bopt')], WS)
    v.add('T004-036', 'mm + bopt, Warped-Slicer', 'above 1', programs=('%.2f' % x, lib.true(x > 1)))
    of = every[('bfs', 'mm')]
    values = [speedup(of, p) for p, _ in POLICIES]
    v.add('T004-037', 'bfs + mm: all five below 1', 'yes',
          programs=('%.2f to %.2f' % (min(values), max(values)),
                    lib.true(max(values) < 1, min(values) < 1)))
    v.add('T004-038', 'bfs + mm, MIAS: the least blocks of bfs, 1-3', '1-3',
          programs=(chosen(of[IPM]), lib.true(chosen(of[IPM]) == '1-3')))

    said, wins = [], []
    for other in ('fwt', 'blk'):
        with_mm = every[(other, 'mm')]
        ipc, rest = speedup(with_mm, IPC), [speedup(with_mm, p) for p in (IPM, FACTOR, LINEAR)]
        said.append('%s: IPC %.2f, others %.2f to %.2f' % (other, ipc, min(rest), max(rest)))
        wins.append((min(rest) > ipc, max(rest) > ipc))
    v.add('T004-042', 'fwt and blk with mm: IPM*IPC, factor and linear above IPC', 'yes',
          programs=('; '.join(said), lib.true(all(w[0] for w in wins), any(w[1] for w in wins))))
    n = every[('mm', 'nbdy')][IPM].policy_values.get('configurations', '-')
    v.add('T004-047', 'mixes of two kernels of which four blocks fit an SM (mm + nbdy)', '3',
          programs=(n, lib.true(n == '3')))


STALL_PAIRS = [('mm', 'bopt'), ('fwt', 'blk'), ('fwt', 'dxtc'), ('bfs', 'mm')]


def stall_rows(v, groups, alone):
    rows, of = [], {}
    for names in STALL_PAIRS:
        both = paper004.stalls(groups['all'][names][IPM].row)
        of[names] = [paper004.stalls(alone[n]) for n in names] + [both]
        for label, s in zip(names + ('%s + %s' % names,), of[names]):
            rows.append([label] + ['%.0f' % (100 * s[n]) for _, n in paper004.STALLS] +
                        ['%.0f' % (100 * sum(s.values()))])
    (mm, bopt, both) = of[('mm', 'bopt')]
    less = both['compute'] < mm['compute'], both['idle'] < bopt['idle']
    v.add('T004-039', 'mm + bopt: fewer compute stalls than mm, fewer idle ones than bopt', 'yes',
          programs=('compute %.0f and %.0f %%, idle %.1f and %.1f %%' % tuple(
              100 * x for x in (both['compute'], mm['compute'], both['idle'], bopt['idle'])),
                    lib.true(all(less), any(less))))
    (fwt, dxtc, both) = of[('fwt', 'dxtc')]
    near = abs(both['RAW'] - dxtc['RAW']) <= 0.05
    v.add('T004-040', 'fwt + dxtc: as many RAW stalls as dxtc alone (within 5 % of the cycles)',
          'yes', programs=('%.0f and %.0f %%, fwt %.0f %%' % tuple(
              100 * x for x in (both['RAW'], dxtc['RAW'], fwt['RAW'])),
                    lib.true(near, both['RAW'] < fwt['RAW'])))
    (bfs, mm, both) = of[('bfs', 'mm')]
    waits = [s['RAW'] + s['memory'] for s in (both, mm)]
    v.add('T004-041', 'bfs + mm: RAW and memory stalls above those of mm alone', 'yes',
          programs=('%.0f and %.0f %%' % tuple(100 * x for x in waits),
                    lib.true(waits[0] > waits[1])))
    return lib.table(['MIAS IPM*IPC'] + [n for _, n in paper004.STALLS] + ['all stalls'], rows)


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
    pairs, alone = paper004.pairs(), paper004.measured()
    groups = {g: {n: of for n, of in pairs.items() if paper004.group(n) == g}
              for g in paper004.GROUPS}
    groups['all'] = pairs
    number_rows(v, groups)
    order_rows(v, groups)
    pair_rows(v, groups)
    stalls = stall_rows(v, groups, alone)
    text = TEXT % paper004.WINDOW + speed_table(groups) + alike(pairs) + \
        '\nScheduler cycles lost, alone (as above) and together, in percent:\n\n' + \
        stalls + '\n'
    return text + v.markdown(), v

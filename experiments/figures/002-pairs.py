"""Paper 002, figures 11 and 14: all pairs under spatial, even SMK, SMK-(P+W) and Warped-Slicer."""
import lib
import paper002

TITLE = 'Paper 002, figures 11 and 14: all pairs of its programs'
SWEEPS = ['002-pairs', '002-fill', '002-preempt', '002-classes']
STATIC = 'warped-slicer[mode=static]'
POLICIES = [('spatial', 'spatial'), ('smk-even', 'even SMK'), ('smk-p+fair', 'SMK-(P+W)'),
            (STATIC, 'Warped-Slicer')]
TAIL = [('spatial[fill=tail]', 'spatial'), ('smk-even[fill=tail]', 'even SMK'),
        ('smk-p[fill=tail]+fair', 'SMK-(P+W)'),
        ('warped-slicer[mode=static,fill=tail]', 'Warped-Slicer')]
IDEAL = [('spatial+ideal', 'spatial'), ('smk-even+ideal', 'even SMK')]

TEXT = '''Increase of ANTT and gain of STP over kernels alone, in percent, by geometric means over
pairs, each kernel measured until its end or 30 million thread instructions (the paper: 1000
million; classes: 50 million). Warped-Slicer has the curves of isolated runs. Of the paper's 22
programs %(missing)s are missing, and NW, of
which there are 16 instructions a cycle, takes too long, so there are %(n)d of its 231 pairs.

'''
# Of what preemption that is immediate and free leaves: what waiting for blocks to end costs.
DRAINS = 'of the {antt} % of {policy} {drain} are waiting for blocks to end: with preemption at ' \
    'once it is {antt_ideal} % (STP {stp_ideal} % in place of {stp} %); the rest not isolated.'
WHY = {'T002-031': DRAINS, 'T002-033': DRAINS}
DRAINED = {'T002-031': 'spatial', 'T002-033': 'smk-even'}


def gains(pairs, policy):
    """(ANTT, STP) over kernels alone."""
    of = [p[policy] for p in pairs if policy in p]
    return lib.gmean(r.antt for r in of), lib.gmean(r.weighted_speedup for r in of)


def bars(groups, title, policies=tuple(POLICIES)):
    rows = []
    for c in paper002.CLASSES + ['all']:
        values = [gains(groups[c], p) for p, _ in policies]
        rows.append([c, str(len(groups[c]))] + [lib.percent(a) for a, _ in values] +
                    [lib.percent(s) for _, s in values])
    return lib.table([title, 'pairs'] + ['ANTT, ' + n for _, n in policies] +
                     ['STP, ' + n for _, n in policies], rows)


def spreads(metric):
    of = paper002.pairs()
    return lib.spread_table(metric.replace('_', ' '), {
        title: {names: getattr(p[policy], metric) for names, p in of.items() if policy in p}
        for policy, title in POLICIES})


def classes(paper, own):
    times = paper002.scaling()
    differ = ['%s (%s there, %s here)' % (paper002.SYMBOL[p], paper[p], own[p])
              for p in paper if own.get(p, paper[p]) != paper[p]]
    rows = [['times as fast'] + ['%.1f' % times.get(p, lib.math.nan) for p in paper]]
    text = lib.table(['16 SMs against one'] + [paper002.SYMBOL[p] for p in paper], rows)
    said = 'Of another class here than in Table 3: %s.' % ', '.join(differ) if differ else \
        'All are of the class that Table 3 gives them.'
    return text + '\n' + said + ' COM is above %d times.\n' % paper002.COM_FROM, differ


def mean_rows(v, groups):
    for target, policy, figure, antt, stp in (
            ('T002-031, -032', 'spatial', 'figure 11, spatial', 1.722, 1.207),
            ('T002-033, -034', 'smk-even', 'figure 11, even SMK', 1.991, 1.273),
            ('T002-060, -061', 'smk-p+fair', 'figure 14, SMK-(P+W)', 1.903, 1.262),
            ('T002-062, -063', STATIC, 'figure 14, Warped-Slicer', 1.784, 1.303)):
        a, s = gains(groups['all'], policy)
        for t, what, x, paper in zip(target.split(', '), ('ANTT', 'STP'), (a, s), (antt, stp)):
            t = t if t.startswith('T') else 'T002' + t
            v.add(t, '%s: %s, all pairs' % (figure, what), lib.percent(paper) + ' %',
                  programs=(lib.percent(x) + ' %', lib.like(x, paper, one_way=what == 'ANTT')))


def pattern_row(v, target, what, groups, own, c, better_antt, better_stp):
    """Whether even SMK has the better (or worse) ANTT and STP than spatial, by either grouping."""
    if not groups[c]:
        return
    said, facts = [], []
    for g in (groups, own):
        (ea, es), (sa, ss) = (gains(g[c], p) for p in ('smk-even', 'spatial'))
        said.append('ANTT %s and %s, STP %s and %s' % tuple(map(lib.percent, (ea, sa, es, ss))))
        facts.append(((ea < sa) == better_antt, (es > ss) == better_stp))
    verdict = lib.true(all(facts[0]), any(facts[0]))
    text = said[0] if said[0] == said[1] else '%s (by our classes: %s)' % tuple(said)
    v.add(target, '%s: even SMK %s' % (c, what), 'yes', programs=(text, verdict))


def drain_facts(groups, ideal):
    facts = {}
    for target, policy in DRAINED.items():
        (a, s), (ia, si) = gains(groups, policy), gains(ideal, policy + '+ideal')
        if a - ia > 0.005:
            facts[target] = {'policy': dict(POLICIES)[policy], 'antt': lib.percent(a),
                             'drain': lib.percent(1 + a - ia), 'antt_ideal': lib.percent(ia),
                             'stp_ideal': lib.percent(si), 'stp': lib.percent(s)}
    return facts


def ideal_text(pairs, ideal):
    """The same pairs where blocks that are too many leave at once and at no cost."""
    said = 'The same pairs where blocks that are too many leave at once and at no cost, nearer ' \
        'to the paper\'s Chimera than draining'
    same = all(gains(pairs, p) == gains(ideal['all'], p + '+ideal') for p in DRAINED.values())
    return said + (': the same figures; with `fill=end` an app never has blocks too many.\n' if same
                   else ':\n\n' + bars(ideal, 'class of the paper', IDEAL))


def section():
    paper, own = paper002.paper_class(), paper002.own_class()
    groups = paper002.grouped(paper)
    ideal = paper002.grouped(paper, '002-preempt')
    v = lib.Verdicts(WHY, drain_facts(groups['all'], ideal['all']))
    table, differ = classes(paper, own)
    ours = paper002.grouped(own) if differ else groups
    text = TEXT % {
        'missing': paper002.MISSING, 'n': len(groups['all'])} + \
        bars(groups, 'class of the paper')
    if differ:
        text += '\n' + bars(ours, 'class measured here')
    text += '\n' + spreads('antt') + '\n' + spreads('weighted_speedup')
    tail = paper002.grouped(paper, '002-fill')
    if tail['all']:
        text += '\nThe same where an app\'s share is the other\'s at the end of each of its ' \
            'launches (`fill=tail`) and not when it has ended (`fill=end`, above; as programs ' \
            'start again here, none does):\n\n' + bars(tail, 'class of the paper', TAIL)
    text += '\n' + ideal_text(groups['all'], ideal)
    text += '\n' + table + '\n'
    v.add('T002-001 to -022', 'class, of the %d programs that there are' % len(paper), 'Table 3',
          programs=('%d as there' % (len(paper) - len(differ)),
                    lib.true(not differ, len(differ) * 2 < len(paper))))
    mean_rows(v, groups)
    pattern_row(v, 'T002-037', 'better than spatial in both', groups, ours, 'COM/COM', True, True)
    pattern_row(v, 'T002-039', 'better in STP, worse in ANTT', groups, ours, 'COM/MEM', False, True)
    pattern_row(v, 'T002-038', 'worse than spatial in both', groups, ours, 'MEM/MEM', False, False)
    with_bfs = [p for names, p in paper002.pairs().items() if 'bfs' in names]
    rest = [p for names, p in paper002.pairs().items() if 'bfs' not in names]
    a, b = gains(with_bfs, STATIC)[1], gains(rest, STATIC)[1]
    v.add('T002-066', 'STP of Warped-Slicer poor in pairs with BFS', 'yes',
          programs=('%s %%, other pairs %s %%' % (lib.percent(a), lib.percent(b)), lib.true(a < b)))
    return text + v.markdown(), v

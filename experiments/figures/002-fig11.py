"""Paper 002, figure 11: all pairs under spatial sharing, even SMK and GPU Maestro; classes of
programs."""
import lib
import paper002
from paper002 import EVEN, MAESTRO, SPATIAL

TITLE = 'Paper 002, figure 11: all pairs of the 22 programs'
SWEEPS = ['002-pairs', '002-maestro', '002-classes']
POLICIES = [(SPATIAL, 'spatial'), (EVEN, 'even SMK'), (MAESTRO, 'Maestro')]

TEXT = '''Increase of ANTT and gain of STP over kernels alone, in percent, by geometric means over
%d pairs of 22 programs, in a window of %s cycles; a program that ends starts again (the paper:
until a kernel's end or 1000 million instructions; classes: 50 million). Blocks leave SMs by
Chimera. GPU Maestro minimises ANTT, with LRR among the kernels of an SM, 2-way allocation and
priority of boundary blocks. A program keeps the share between launches, too: if the other program
gets the share, programs of short launches nearly stop (below, with Maestro's settings).

'''


def classes(paper, own):
    times = paper002.scaling()
    differ = ['%s (%s there, %s here)' % (paper002.SYMBOL[p], paper[p], own[p])
              for p in paper if own.get(p, paper[p]) != paper[p]]
    said = 'Class differs from Table 3: %s.' % ', '.join(differ) if differ else \
        'All measured programs are of the class in Table 3.'
    rows = [[paper002.SYMBOL[p], paper[p], lib.show(times.get(p, lib.math.nan), 1)] for p in paper]
    third = -(-len(rows) // 3)
    wide = [sum((rows[i + k * third] if i + k * third < len(rows) else ['', '', '']
                 for k in range(3)), []) for i in range(third)]
    return lib.table(['program', 'Table 3', '16 SMs against one'] * 3, wide) + '\n' + said + \
        ' COM is above %d times.\n' % paper002.COM_FROM, differ


def pattern_row(v, target, what, groups, own, c, better_antt, better_stp):
    """Adds a row: even SMK has better (or worse) ANTT and STP than spatial, under the paper's and
    under our classes."""
    if not groups[c]:
        return
    said, facts = [], []
    for g in (groups, own):
        (ea, es), (sa, ss) = (paper002.gains(g[c], p) for p in (EVEN, SPATIAL))
        said.append('ANTT %s and %s, STP %s and %s' % tuple(map(lib.percent, (ea, sa, es, ss))))
        facts.append(((ea < sa) == better_antt, (es > ss) == better_stp))
    verdict = lib.true(all(facts[0]), any(facts[0]))
    text = said[0] if said[0] == said[1] else '%s (by our classes: %s)' % tuple(said)
    v.add(target, '%s: even SMK %s' % (c, what), 'yes', programs=(text, verdict))


def gap_row(v, target, groups, c, policy, title):
    """Adds a row on the STP of Maestro relative to a policy: according to the paper, the gain is
    smallest in class c."""
    gap = {g: paper002.gains(groups[g], MAESTRO)[1] / paper002.gains(groups[g], policy)[1]
           for g in paper002.CLASSES}
    v.add(target, '%s: Maestro gains less STP over %s than in other classes' % (c, title), 'yes',
          programs=(', '.join('%s %s' % (g, lib.percent(x)) for g, x in gap.items()) + ' %',
                    lib.true(min(gap, key=gap.get) == c)))


def section():
    paper, own = paper002.paper_class(), paper002.own_class()
    of = paper002.common(paper002.pairs('002-pairs', '002-maestro'), POLICIES)
    groups = paper002.grouped(paper, of)
    table, differ = classes(paper, own)
    ours = paper002.grouped(own, of) if differ else groups
    v = lib.Verdicts()
    cycles = next(iter(of.values()))[SPATIAL].cycles
    text = TEXT % (len(of), '{:,}'.format(cycles)) + \
        paper002.bars(groups, 'class of the paper', POLICIES)
    if differ:
        text += '\n' + paper002.bars(ours, 'class measured here', POLICIES)
    for metric in ('antt', 'weighted_speedup'):
        text += '\n' + paper002.spreads(of, metric, POLICIES)
    text += '\n' + table + '\n'
    if own:
        v.add('T002-001 to -022', 'class, of %d programs' % len(own), 'Table 3',
              programs=('%d as there' % (len(own) - len(differ)),
                        lib.true(not differ, len(differ) * 2 < len(own))))
    paper002.mean_rows(v, groups['all'], [
        (('T002-031', 'T002-032'), 'spatial', SPATIAL, 1.722, 1.207),
        (('T002-033', 'T002-034'), 'even SMK', EVEN, 1.991, 1.273),
        (('T002-035', 'T002-036'), 'Maestro', MAESTRO, 1.576, 1.450)])
    for target, policy, title, x in (('T002-040', SPATIAL, 'spatial', 1.202),
                                     ('T002-041', EVEN, 'even SMK', 1.139)):
        more = lib.Mean({names: by[MAESTRO].weighted_speedup / by[policy].weighted_speedup
                         for names, by in of.items()})
        v.add(target, 'STP of Maestro over %s, all pairs' % title, lib.percent(x) + ' %',
              programs=(lib.percent(more) + ' %', lib.like(more, x)))
    pattern_row(v, 'T002-037', 'better than spatial in both', groups, ours, 'COM/COM', True, True)
    pattern_row(v, 'T002-039', 'better in STP, worse in ANTT', groups, ours, 'COM/MEM', False, True)
    pattern_row(v, 'T002-038', 'worse than spatial in both', groups, ours, 'MEM/MEM', False, False)
    gap_row(v, 'T002-037', groups, 'COM/COM', EVEN, 'even SMK')
    gap_row(v, 'T002-038', groups, 'MEM/MEM', SPATIAL, 'spatial')
    return text + v.markdown(), v

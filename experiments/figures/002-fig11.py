"""Paper 002, figure 11: all pairs under spatial sharing, even SMK and GPU Maestro; classes of
programs."""
import causes
import lib
import paper002
from paper002 import EVEN, MAESTRO, SPATIAL

TITLE = 'Paper 002, figure 11: all pairs of the 22 programs'
SWEEPS = ['002-pairs', '002-maestro', '002-classes', '002-classes-half', '002-settle',
          *paper002.REMOVED, '002-end', '002-oracle', '002-trials', '002-preempt', '002-issue']
POLICIES = [(SPATIAL, 'spatial'), (EVEN, 'even SMK'), (MAESTRO, 'Maestro')]
# Choices of Maestro, one by one, with the sweep of the sample of pairs.
CHOICES = [
    ('blocks that leave at once (`ideal`)', '002-preempt', 'maestro[fill=tail]+kernel-lrr+ideal'),
    ('speeds alone of isolated runs (`reference=isolated`)', '002-trials',
     'maestro[reference=isolated,fill=tail]+kernel-lrr+chimera'),
    ('no order of kernels at issue', '002-issue', 'maestro[fill=tail]+chimera'),
    ('two SMs for each trial (`trial=2`)', '002-trials',
     'maestro[trial=2,fill=tail]+kernel-lrr+chimera'),
    ('STP as the objective (`objective=stp`)', '002-trials',
     'maestro[objective=stp,fill=tail]+kernel-lrr+chimera')]
LONG = 4000000  # cycles of runs of the sample of pairs until Maestro has settled

TEXT = '''Increase of ANTT and gain of STP over kernels alone, in percent, by geometric means over
%d pairs of 22 programs, in a window of %s cycles; a program that ends starts again (the paper:
until a kernel's end or 1000 million instructions; classes: 50 million). Blocks leave SMs by
Chimera. GPU Maestro minimises ANTT, with LRR among the kernels of an SM, 2-way allocation and
priority of boundary blocks. From the end of a launch to the next launch the other program gets the
unused share, as in the paper (`fill=tail`). The runs for the causes below the verdicts, and of both
of the tables that follow this table, are of forty pairs, from each class in proportion, over
%s cycles or as stated.

'''
SAMPLE = '''
Both programs keep unused shares between launches, too (`fill=end`):

%s
Over %s cycles:

%s
'''


def antt_over(of, by, base):
    """Returns the ANTT of runs over a base's, in percent, by geometric means over pairs. of:
    {names: run}; by: {names: {policy: run}}."""
    return lib.percent(lib.gmean(r.antt / by[n][base].antt for n, r in of.items())) + ' %'


def beside(of):
    """Returns a text on Maestro's ANTT beside both baselines, and the choices that decide."""
    def both(runs, by):
        return '%s and %s' % tuple(antt_over(runs, by, p) for p in (SPATIAL, EVEN))

    short, long = (paper002.pairs('002-settle', cycles=n) for n in (paper002.SHORT, LONG))
    lines = ['as shipped %s' % both({n: by[MAESTRO] for n, by in short.items()}, short)]
    for words, sweep, policy in CHOICES:
        runs = {n: by[policy] for n, by in paper002.pairs(sweep).items() if policy in by}
        lines.append('with %s %s' % (words, both(runs, short)))
    lines.append('over {:,} cycles {}'.format(
        LONG, both({n: by[MAESTRO] for n, by in long.items()}, long)))
    return "Maestro's ANTT over that of spatial sharing and of even SMK, all pairs: %s (paper: " \
        '%s %% and %s %%); below zero Maestro is better. The forty pairs, one choice changed ' \
        'at a time:\n\n%s\n' % (
            both({n: by[MAESTRO] for n, by in of.items()}, of), lib.percent(1.576 / 1.722),
            lib.percent(1.576 / 1.991), ''.join('* %s\n' % x for x in lines))


def classes(paper, times, own):
    differ = ['%s (%s there, %s here)' % (paper002.SYMBOL[p], paper[p], own[p])
              for p in paper if own.get(p, paper[p]) != paper[p]]
    said = 'Class differs from Table 3: %s.' % ', '.join(differ) if differ else \
        'All measured programs are of the class in Table 3.'
    rows = [[paper002.SYMBOL[p], paper[p], lib.show(times.get(p, lib.math.nan), 1)] for p in paper]
    third = -(-len(rows) // 3)
    wide = [sum((rows[i + k * third] if i + k * third < len(rows) else ['', '', '']
                 for k in range(3)), []) for i in range(third)]
    return lib.table(['program', 'Table 3', '16 SMs against one'] * 3, wide) + '\n' + said + \
        ' COM is above %d times.\n' % paper002.COM_FROM


def class_row(v, paper, scaling):
    """Adds the row on the programs' classes."""
    def differ(times):
        own = paper002.own_class(times)
        return sum(own[p] != paper[p] for p in own)

    def same(times):
        n = len(times) - differ(times)
        return '%d as there' % n, lib.true(n == len(times), 2 * n > len(times))

    def fewer(times):
        """Returns the cause: machines on which at least a quarter fewer programs differ."""
        found = ['%s %d' % (words, differ(x)) for words, x in scaling.items()
                 if differ(x) <= 0.75 * differ(times)]
        return lib.Cause(lib.ISOLATED, 'programs of another class: %d; %s.' % (
            differ(times), ', '.join(found))) if found else None
    causes.Rows(v, scaling[''], scaling).add('T002-001 to -022', 'class, of %d programs' %
                                             len(paper), 'Table 3', same, fewer)


def pattern_row(rows, target, what, c, better_antt, better_stp, own):
    """Adds a row: even SMK has better (or worse) ANTT and STP than spatial."""
    def compare(of):
        (ea, es), (sa, ss) = (paper002.gains(of, p) for p in (EVEN, SPATIAL))
        found = (ea < sa) == better_antt, (es > ss) == better_stp
        return 'ANTT %s and %s, STP %s and %s' % tuple(map(lib.percent, (ea, sa, es, ss))), \
            all(found), any(found)

    def by_own_class(of):
        said, holds, _ = compare(paper002.within(of, c, own))
        return lib.Cause(lib.ISOLATED, '%s; with the classes measured here %s.' % (
            compare(paper002.within(of, c))[0], said)) if holds else None
    paper002.fact(rows, target, '%s: even SMK %s' % (c, what), 'yes', (EVEN, SPATIAL), compare, c,
                  by_own_class)


def gap_row(rows, target, c, policy, title):
    """Adds a row on the STP of Maestro relative to a policy: according to the paper, the gain is
    smallest in class c."""
    def compare(of):
        gap = {g: paper002.over(paper002.within(of, g), MAESTRO, policy)
               for g in paper002.CLASSES}
        return ', '.join('%s %s' % (g, lib.percent(x)) for g, x in gap.items()) + ' %', \
            min(gap, key=gap.get) == c
    paper002.fact(rows, target, '%s: Maestro gains less STP over %s than in other classes' % (
        c, title), 'yes', (MAESTRO, policy), compare)


def com_row(rows):
    def compare(of):
        better = sum(by[EVEN].weighted_speedup > by[SPATIAL].weighted_speedup
                     for by in of.values())
        return '%d of %d' % (better, len(of)), better == len(of), 2 * better > len(of)
    paper002.fact(rows, 'T002-304', 'COM/COM: pairs with more STP under even SMK than under '
                  'spatial', 'all', (EVEN, SPATIAL), compare, 'COM/COM')


def over_rows(rows):
    """Adds the rows on the STP of Maestro relative to the baselines."""
    def best(base):
        def limit(_):
            return lib.Mean({
                names: max(r.weighted_speedup for p, r in by.items() if 'maestro' not in p) /
                by[base].weighted_speedup for names, by in paper002.pairs('002-oracle').items()})
        return paper002.BEST % ' and of spatial sharing', limit
    for target, policy, title, x, base in (
            ('T002-040', SPATIAL, 'spatial', 1.202, SPATIAL),
            ('T002-041', EVEN, 'even SMK', 1.139, 'fixed[blocks=4/4]+kernel-lrr')):
        rows.number(target, 'STP of Maestro over %s, all pairs' % title, x,
                    lambda of, policy=policy: paper002.over(of, MAESTRO, policy),
                    show=lib.change, best=best(base))


def section():
    paper, scaling = paper002.paper_class(), paper002.scaling()
    own = paper002.own_class(scaling[''])
    of = paper002.common(paper002.pairs('002-pairs', '002-maestro'), [p for p, _ in POLICIES])
    v = lib.Verdicts()
    cycles = next(iter(of.values()))[SPATIAL].cycles
    text = TEXT % (len(of), '{:,}'.format(cycles), '{:,}'.format(paper002.SHORT)) + \
        paper002.bars(of, 'class of the paper', POLICIES)
    end = paper002.machines(paper002.END)['with `fill=end`']
    text += SAMPLE % (
        paper002.bars(end, 'forty pairs, `fill=end`', POLICIES),
        '{:,}'.format(LONG),
        paper002.bars(paper002.pairs('002-settle', cycles=LONG), 'forty pairs, four times as long',
                      POLICIES))
    text += '\n' + beside(of)
    if own != paper:
        text += '\n' + paper002.bars(of, 'class measured here', POLICIES, own)
    for metric in ('antt', 'weighted_speedup'):
        text += '\n' + paper002.spreads(of, metric, POLICIES)
    text += '\n' + classes(paper, scaling[''], own) + '\n'
    class_row(v, paper, scaling)
    rows = causes.Rows(v, of, paper002.machines(paper002.END + paper002.OWN))
    paper002.mean_rows(rows, [
        (('T002-031', 'T002-032'), 'spatial', SPATIAL, 1.722, 1.207),
        (('T002-033', 'T002-034'), 'even SMK', EVEN, 1.991, 1.273),
        (('T002-035', 'T002-036'), 'Maestro', MAESTRO, 1.576, 1.450)])
    over_rows(rows)
    pattern_row(rows, 'T002-037', 'better than spatial in both', 'COM/COM', True, True, own)
    pattern_row(rows, 'T002-039', 'better in STP, worse in ANTT', 'COM/MEM', False, True, own)
    pattern_row(rows, 'T002-038', 'worse than spatial in both', 'MEM/MEM', False, False, own)
    gap_row(rows, 'T002-037', 'COM/COM', EVEN, 'even SMK')
    gap_row(rows, 'T002-038', 'MEM/MEM', SPATIAL, 'spatial')
    com_row(rows)
    return text + v.markdown(), v

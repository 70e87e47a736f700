"""Paper 002, figures 14 and 15: GPU Maestro compared with earlier policies."""
import causes
import lib
import paper002
from paper002 import EVEN, MAESTRO, SLICER, SMART, SMK, SPATIAL

TITLE = 'Paper 002, figures 14 and 15: Maestro beside earlier policies'
SWEEPS = ['002-prior', '002-settle', '002-fill', *paper002.REMOVED, '002-oracle',
          '002-oracle-prior', '002-slicer']
DYNAMIC = 'warped-slicer[fill=tail]+chimera'
POLICIES = [(SMART, 'spatial'), (SMK, 'SMK-(P+W)'), (SLICER, 'Warped-Slicer'),
            (MAESTRO, 'Maestro')]
SHOWN, NEAR = 3, 0.05  # pairs of each kind; maximum deviation of "similar"

TEXT = '''Increase of ANTT and gain of STP over kernels alone, in percent, %d pairs, from each class
in proportion (the paper: all pairs). Warped-Slicer has the curves of isolated runs; spatial is the
paper's Smart heuristic: an even split, but no program has more SMs than the program's blocks fill.
In %d pairs the heuristic and the even split give the same run; on machines with a limit removed,
DRAM's apart, the causes below the verdicts are of the even split.

'''
SELECTED = '''
Gain of STP of pairs selected as for figure 15: of each class the three pairs with the largest and
the three with the smallest gain of even SMK over spatial; of COM/COM the six pairs with the largest
gain.

'''


def selected(of):
    """Returns the pairs selected by the rule of figure 15 from our runs: [(class, names)]."""
    found = []
    for c in paper002.CLASSES:
        names = sorted(paper002.within(of, c), reverse=True,
                       key=lambda n: of[n][EVEN].weighted_speedup /
                       of[n][SPATIAL].weighted_speedup)
        some = names[:2 * SHOWN] if c == 'COM/COM' else names[:SHOWN] + names[-SHOWN:]
        found += [(c, n) for n in some]
    return found


def selected_table(of):
    return lib.table(['class of the paper', 'pair'] + [n for _, n in POLICIES], [
        [c, '/'.join(paper002.SYMBOL[n] for n in names)] +
        [lib.percent(of[names][p].weighted_speedup) for p, _ in POLICIES]
        for c, names in selected(of)])


BEST = 'the best of all mixes and of spatial sharing, by ANTT,'


def with_mixes(of):
    """Returns the pairs with runs of all mixes, of the sample `of` and others."""
    mixes = paper002.pairs('002-oracle')
    more = {names: {**mixes[names], **by}
            for names, by in paper002.pairs('002-oracle-prior').items()}
    return {names: {**mixes[names], **by} for names, by in {**more, **of}.items()
            if names in mixes}


def best_choices(of):
    """Returns the pairs with runs of all mixes, with the best choice in the place of Maestro."""
    return {names: {**by, MAESTRO: min(
        (r for p, r in by.items() if paper002.mix(r) or p == SPATIAL), key=lambda r: r.antt)}
            for names, by in with_mixes(of).items()}


def fact_rows(rows):
    def better(of):
        (a, s), rest = (paper002.gains(of, MAESTRO),
                        [paper002.gains(of, p) for p, _ in POLICIES[:-1]])
        found = a < min(x for x, _ in rest), s > max(x for _, x in rest)
        return 'ANTT %s, STP %s' % tuple('better' if b else 'not' for b in found), \
            all(found), any(found)
    every = [p for p, _ in POLICIES]
    for c in paper002.CLASSES:
        def by_choice(of, c=c):
            """Returns the cause: the choice, if the best choice in the place of Maestro holds."""
            mixed, some = with_mixes(of), paper002.within(best_choices(of), c)
            if not some:
                return None
            said, holds, _ = better(some)
            return lib.Cause(lib.ISOLATED if holds else lib.BOUNDED, '%s: the %d pairs with runs '
                             'of all mixes: Maestro %s; %s %s.' % (
                                 c, len(some), better({n: mixed[n] for n in some})[0], BEST, said))
        paper002.fact(rows, 'T002-302', '%s: Maestro better than the others in both' % c, 'yes',
                      every, better, c, by_choice)

    def poor(of):
        a, b = (lib.gmean(by[SLICER].weighted_speedup for names, by in of.items()
                          if ('bfs' in names) == there) for there in (True, False))
        return '%s %%, other pairs %s %%' % (lib.percent(a), lib.percent(b)), a < b
    programs, machines = rows.columns[1]
    dynamic = {names: {SLICER: by[DYNAMIC]} for names, by in paper002.pairs('002-slicer').items()}
    paper002.fact(causes.Rows(rows.v, programs, {
        **machines, 'with dynamic Warped-Slicer in pairs with BFS': {**programs, **dynamic}}),
                  'T002-066', 'STP of Warped-Slicer poor in pairs with BFS', 'yes', [SLICER], poor)

    def good(of):
        some = [[of[n][p].weighted_speedup for p in every] for _, n in selected(of)]
        n = sum(x[-1] >= max(x[:-1]) * (1 - NEAR) for x in some)
        return '%d of %d' % (n, len(some)), n == len(some), 2 * n > len(some)
    paper002.fact(rows, 'T002-067', 'selected pairs in which the STP of Maestro is at least 0.95 '
                  'of the best other one', 'all', [*every, EVEN, SPATIAL], good)


def section():
    v = lib.Verdicts()
    of = paper002.common(paper002.removed()[''], [p for p, _ in POLICIES] + [EVEN])
    alike = sum(by[SMART].app('ipc_thread') == by[SPATIAL].app('ipc_thread') for by in of.values())
    text = TEXT % (len(of), alike) + paper002.bars(of, 'class of the paper', POLICIES)
    for metric in ('antt', 'weighted_speedup'):
        text += '\n' + paper002.spreads(of, metric, POLICIES)
    rows = causes.Rows(v, of, {words: {names: {SMART: by[SPATIAL], **by}
                                       for names, by in sets.items()}
                               for words, sets in paper002.machines(paper002.OWN).items()})
    paper002.mean_rows(rows, [
        (('T002-058', 'T002-059'), 'spatial', SMART, 1.722, 1.207),
        (('T002-060', 'T002-061'), 'SMK-(P+W)', SMK, 1.903, 1.262),
        (('T002-062', 'T002-063'), 'Warped-Slicer', SLICER, 1.784, 1.303),
        (('T002-064', 'T002-065'), 'Maestro', MAESTRO, 1.576, 1.450)])
    fact_rows(rows)
    return text + SELECTED + selected_table(of) + '\n' + v.markdown(), v

"""Paper 002, figures 14 and 15: GPU Maestro compared with earlier policies."""
import lib
import paper002
from paper002 import EVEN, MAESTRO, SLICER, SMK, SPATIAL

TITLE = 'Paper 002, figures 14 and 15: Maestro beside earlier policies'
SWEEPS = ['002-prior', '002-pairs', '002-maestro']
POLICIES = [(SPATIAL, 'spatial'), (SMK, 'SMK-(P+W)'), (SLICER, 'Warped-Slicer'),
            (MAESTRO, 'Maestro')]
SHOWN, NEAR = 3, 0.05  # pairs of each kind; maximum deviation of "similar"

TEXT = '''Increase of ANTT and gain of STP over kernels alone, in percent, %d pairs, from each class
in proportion (the paper: all pairs). Warped-Slicer has the curves of isolated runs; spatial is an
even split (the paper's Smart heuristic: among Maestro's settings below).

'''
SELECTED = '''
Gain of STP of pairs selected as for figure 15: of each class the three pairs with the largest and
the three with the smallest gain of even SMK over spatial; of COM/COM the six pairs with the largest
gain.

'''


def selected(of, classes):
    """Returns the pairs selected by the rule of figure 15 from our runs: [(class, names)]."""
    found = []
    for c in paper002.CLASSES:
        names = sorted((n for n in of if paper002.pair_class(n, classes) == c), reverse=True,
                       key=lambda n: of[n][EVEN].weighted_speedup /
                       of[n][SPATIAL].weighted_speedup)
        some = names[:2 * SHOWN] if c == 'COM/COM' else names[:SHOWN] + names[-SHOWN:]
        found += [(c, n) for n in some]
    return found


def figure_15(v, of, classes):
    rows, good, picked = [], 0, selected(of, classes)
    for c, names in picked:
        stp = [of[names][p].weighted_speedup for p, _ in POLICIES]
        good += stp[-1] >= max(stp[:-1]) * (1 - NEAR)
        rows.append([c, '/'.join(paper002.SYMBOL[n] for n in names)] + list(map(lib.percent, stp)))
    v.add('T002-067', 'selected pairs in which the STP of Maestro is at least 0.95 of the best '
          'other one', 'all', programs=('%d of %d' % (good, len(picked)),
                                        lib.true(good == len(picked), 2 * good > len(picked))))
    return SELECTED + lib.table(['class of the paper', 'pair'] + [n for _, n in POLICIES], rows)


def section():
    classes, v = paper002.paper_class(), lib.Verdicts()
    of = paper002.common(paper002.pairs('002-pairs', '002-maestro', '002-prior'),
                         POLICIES + [(EVEN, '')])
    groups = paper002.grouped(classes, of)
    text = TEXT % len(of) + paper002.bars(groups, 'class of the paper', POLICIES)
    for metric in ('antt', 'weighted_speedup'):
        text += '\n' + paper002.spreads(of, metric, POLICIES)
    paper002.mean_rows(v, groups['all'], [
        (('T002-058', 'T002-059'), 'spatial', SPATIAL, 1.722, 1.207),
        (('T002-060', 'T002-061'), 'SMK-(P+W)', SMK, 1.903, 1.262),
        (('T002-062', 'T002-063'), 'Warped-Slicer', SLICER, 1.784, 1.303),
        (('T002-064', 'T002-065'), 'Maestro', MAESTRO, 1.576, 1.450)])
    for c in paper002.CLASSES:
        (a, s), rest = (paper002.gains(groups[c], MAESTRO),
                        [paper002.gains(groups[c], p) for p, _ in POLICIES[:-1]])
        better = a < min(x for x, _ in rest), s > max(x for _, x in rest)
        v.add('T002-302', '%s: Maestro better than the others in both' % c, 'yes', programs=(
            'ANTT %s, STP %s' % tuple('better' if b else 'not' for b in better),
            lib.true(all(better), any(better))))
    with_bfs, rest = ([by for names, by in of.items() if ('bfs' in names) == there]
                      for there in (True, False))
    a, b = paper002.gains(with_bfs, SLICER)[1], paper002.gains(rest, SLICER)[1]
    v.add('T002-066', 'STP of Warped-Slicer poor in pairs with BFS', 'yes',
          programs=('%s %%, other pairs %s %%' % (lib.percent(a), lib.percent(b)), lib.true(a < b)))
    text += figure_15(v, of, classes)
    return text + '\n' + v.markdown(), v

"""Gain of more blocks than seats when kernels share a GPU, a question left open by paper 003."""
import lib
from paper003 import CAPACITY, CLASS, limiters, symbol

TITLE = 'More blocks than seats where kernels share'
SWEEPS = ['003-shared']
BLOCKS = ['spatial', 'smk-p', 'warped-slicer[mode=static]']
ADDED = [('virtual-thread', 'Virtual Thread'), ('gpuduet', 'GPUDuet')]
METRICS = [('weighted_speedup', 'weighted speedup'), ('antt', 'ANTT'), ('fairness', 'fairness')]

CLASSES = ['underutilized', 'moderate', 'saturated']

TEXT = '''Paper 003 runs one kernel at a time. Here each of figure 12's fifteen kernels shares the
GPU with the kernel seven positions later in the figure's order (two of {pairs} pairs per kernel),
over {cycles:,} cycles under three policies for blocks, with Virtual Thread or GPUDuet added. An
SM's seats go to the kernels by the policy; extra blocks take the remaining registers and shared
memory, and are exchanged with blocks of the same kernel only. Geometric means over the
pairs; changes against the same policy alone.

{means}
{said}
Static Warped-Slicer loses most if a kernel with few blocks gets extra blocks: MMS + KM and KM + HS
in the last table.

Effect of the added policy: weighted speedup over the same policy alone, a value per pair:

{spread}
The same by the kernels' classes in figure 12, and by the limit of the kernels' blocks here:
capacity (registers or shared memory) or slots (threads or blocks).

{groups}
Weighted speedup of each pair, and the most blocks of the two kernels on an SM:

{pairs_table}'''


def pairs():
    """Returns {(symbol, symbol): {policy: run}}."""
    of = {}
    for r in lib.runs(SWEEPS[0]):
        of.setdefault(tuple(symbol(a) for a in r.apps), {})[r.policy] = r
    return of


def mean(of, policy, metric='weighted_speedup'):
    return lib.gmean(getattr(by[policy], metric) for by in of.values())


def gains(of, block, part):
    """Returns {pair: ratio of weighted speedups with and without the mechanism}."""
    return {names: by['%s+%s' % (block, part)].weighted_speedup / by[block].weighted_speedup
            for names, by in of.items()}


def spread(of):
    return lib.spread_table('policy', {'`%s+%s`' % (block, part): gains(of, block, part)
                                       for block in BLOCKS for part, _ in ADDED})


def groups(of):
    """Returns a table of gains per pair of classes and per pair of limiting resources."""
    limited = limiters()
    by_class, by_limit = {}, {}
    for names in of:
        classes = sorted((CLASS[n] for n in names), key=CLASSES.index)
        limits = sorted('capacity' if limited[n]['limiter'] in CAPACITY else 'slots'
                        for n in names)
        by_class.setdefault(' + '.join(classes), []).append(names)
        by_limit.setdefault(' + '.join(limits), []).append(names)
    rows = []
    for title, some in [*sorted(by_class.items()), *sorted(by_limit.items())]:
        part_of = {names: of[names] for names in some}
        rows.append([title, str(len(some))] +
                    ['%s (%s to %s)' % tuple(lib.percent(g) for g in (
                        lib.gmean(gain), min(gain), max(gain)))
                     for part, _ in ADDED for block in BLOCKS
                     for gain in [gains(part_of, block, part).values()]])
    return lib.table(['the two are', 'pairs'] + ['%s, `%s`' % (title, block)
                                              for _, title in ADDED for block in BLOCKS], rows)


def means_table(of):
    rows = []
    for block in BLOCKS:
        rows.append(['`%s`' % block] + [mean(of, block, m) for m, _ in METRICS] + [''] * 3)
        for part, _ in ADDED:
            policy = '%s+%s' % (block, part)
            better = sum(by[policy].weighted_speedup > by[block].weighted_speedup
                         for by in of.values())
            rows.append(['`%s`' % policy] + [mean(of, policy, m) for m, _ in METRICS] +
                        [lib.percent(mean(of, policy, m) / mean(of, block, m))
                         for m, _ in METRICS[:2]] + ['%d of %d' % (better, len(of))])
    return lib.table(['policy'] + [t for _, t in METRICS] +
                     [t + ', %' for _, t in METRICS[:2]] + ['pairs that gain'], rows)


def said(of):
    """Returns the answer, a sentence per mechanism."""
    lines = []
    for part, title in ADDED:
        gain = {b: lib.gmean(gains(of, b, part).values()) for b in BLOCKS}
        ends = [(g, names, b) for b in BLOCKS for names, g in gains(of, b, part).items()]
        (low, worst, worst_of), (high, best, best_of) = min(ends), max(ends)
        lines.append('* %s is worth %s of weighted speedup; of single pairs from %s %% (%s, `%s`) '
                     'to %s %% (%s, `%s`).\n' % (
                         title, ', '.join('%s %% with `%s`' % (lib.percent(g), b)
                                          for b, g in gain.items()),
                         lib.percent(low), ' + '.join(worst), worst_of, lib.percent(high),
                         ' + '.join(best), best_of))
    return ''.join(lines)


def most(run):
    return '/'.join('%d' % n for n in run.app('blocks.max_resident'))


def pairs_table(of):
    rows = []
    for names, by in of.items():
        for block in BLOCKS:
            cells = [by[p] for p in (block, *('%s+%s' % (block, part) for part, _ in ADDED))]
            rows.append([' + '.join(names), '`%s`' % block] +
                        ['%.2f (%s)' % (r.weighted_speedup, most(r)) for r in cells])
    return lib.table(['kernels', 'policy', 'alone', *(t for _, t in ADDED)], rows)


def section():
    of = pairs()
    cycles = next(iter(of.values()))[BLOCKS[0]].cycles
    return TEXT.format(pairs=len(of), cycles=cycles, means=means_table(of), said=said(of),
                       spread=spread(of), groups=groups(of),
                       pairs_table=pairs_table(of)), lib.Verdicts()

"""What more blocks than seats are worth where kernels share, which paper 003 leaves open."""
import lib
from paper003 import SYMBOL

TITLE = 'More blocks than seats where kernels share'
SWEEPS = ['003-shared']
BLOCKS = ['spatial', 'smk-p', 'warped-slicer[mode=static]']
ADDED = [('virtual-thread', 'Virtual Thread'), ('gpuduet[window=5000]', 'GPUDuet')]
METRICS = [('weighted_speedup', 'weighted speedup'), ('antt', 'ANTT'), ('fairness', 'fairness')]

TEXT = '''Paper 003 runs one kernel at a time. Here are {pairs} pairs of its kernels over {cycles:,}
cycles under three policies for blocks, with Virtual Thread or GPUDuet added. An SM's seats go to
the kernels as the policy says; extra blocks take what registers and shared memory are then left,
and change places with blocks of their own kernel only. Geometric means over the pairs; changes
against the same policy alone.

{means}
{said}
Weighted speedup of each pair, and the most blocks of its two kernels on an SM:

{pairs_table}'''


def pairs():
    """{(symbol, symbol): {policy: run}}"""
    of = {}
    for r in lib.runs(SWEEPS[0]):
        of.setdefault(tuple(SYMBOL[a] for a in r.apps), {})[r.policy] = r
    return of


def mean(of, policy, metric='weighted_speedup'):
    return lib.gmean(getattr(by[policy], metric) for by in of.values())


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
    """The answer in a sentence for each mechanism."""
    lines = []
    for part, title in ADDED:
        gain = {b: mean(of, '%s+%s' % (b, part)) / mean(of, b) for b in BLOCKS}
        ends = [(by['%s+%s' % (b, part)].weighted_speedup / by[b].weighted_speedup, names, b)
                for names, by in of.items() for b in BLOCKS]
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
                       pairs_table=pairs_table(of)), lib.Verdicts()

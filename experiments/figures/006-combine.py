"""Interaction of schedulers of blocks, warps, memory instructions, caches and DRAM, a question left
open by paper 004: a mechanism per group, in all combinations."""
import lib
import paper000
import paper001

TITLE = 'Schedulers of kernels, blocks, warps and memory together'
SWEEPS = ['combine-clones', 'combine-programs', 'combine-001']
NAMES = ["paper 000's stand-ins", "paper 000's programs", "paper 001's programs"]
BLOCKS = ['spatial', 'smk-p', 'warped-slicer[mode=static]']
ADDED = ['kernel-lrr', 'qbmi', 'dmil', 'l1-ucp', 'its', 'weis']
METRICS = [('weighted_speedup', 'weighted speedup'), ('antt', 'ANTT'), ('fairness', 'fairness')]
TOP = 5

TEXT = '''Paper 004 asks how schedulers of kernels, blocks, warps and memory act together. Here are
all 108 combinations of three policies for blocks with and without an order of kernels among warps
(`kernel-lrr`), a rule for memory instructions (`qbmi`, `dmil`), parts of L1 (`l1-ucp`) and ranks at
DRAM (`its`, `weis`), with each program in two pairs, over 200,000 cycles; geometric
means. The oracle is the best static partition, a table of blocks or a split of SMs, without the
other mechanisms.

'''

# The answer; every figure lists the values of the three sets of pairs, in order.
ANSWER = '''The best composition gains {gain} % in weighted speedup over the best policy for blocks
alone and reaches {far} % of the oracle's. The gain of a mechanism depends on the policy for blocks:
`dmil` gains {apart} % with separate SMs per app and {shared} % with the mix of Warped-Slicer; an
order of kernels and ranks at DRAM gain at most {most} % with any policy, and parts of L1 lose up to
{lost} %.'''


def classes(sweep):
    """Returns {class: [{policy: run}]}: pairs of paper 000 by types, pairs of paper 001 by
    difference of MPKI."""
    of = paper000.sets(sweep)
    if sweep == 'combine-001':
        table, groups = paper001.own_table(), {'all': list(of.values())}
        for names, runs in lib.by_set(lib.runs(sweep)).items():
            c = paper001.classes(table, [paper001.symbol(n) for n in names])[0]
            groups.setdefault(c, []).append(runs)
        return groups
    return paper000.grouped(of)


def value(sets, policy, metric='weighted_speedup'):
    return paper000.gmean(sets, policy, metric)


def combinations(sets):
    """Returns the policies, highest weighted speedup first."""
    return sorted((p for p in sets[0] if p != 'oracle'), key=lambda p: -value(sets, p))


def parts(policy):
    return policy.split('+')


def without(policy, part):
    return '+'.join(p for p in parts(policy) if p != part)


def ranking(groups):
    rows = []
    for c in sorted(groups, key=lambda c: (c == 'all', c)):
        sets = groups[c]
        ranked = combinations(sets)
        chosen = ranked[:TOP] + [b for b in BLOCKS if b not in ranked[:TOP]]
        for p in chosen + ['oracle'] * ('oracle' in sets[0]):
            rows.append(['%s (%d)' % (c, len(sets)),
                         str(ranked.index(p) + 1) if p in ranked else '-', '`%s`' % p] +
                        [value(sets, p, m) for m, _ in METRICS])
    return lib.table(['class (pairs)', 'rank', 'composition'] + [t for _, t in METRICS], rows)


def left_out(groups):
    """Returns a table of the gain by each mechanism of the best composition, per class."""
    rows = []
    for c in sorted(groups, key=lambda c: (c == 'all', c)):
        sets = groups[c]
        best = combinations(sets)[0]
        gains = ['`%s` %s %%' % (p, lib.percent(value(sets, best) /
                                                     value(sets, without(best, p))))
                 for p in parts(best)[1:]]
        far = value(sets, best) / value(sets, 'oracle') if 'oracle' in sets[0] else lib.math.nan
        rows.append([c, '`%s`' % best, ', '.join(gains) or '-', lib.percent(
            value(sets, best) / value(sets, parts(best)[0])), lib.percent(far)])
    return lib.table(['class', 'best composition', 'each mechanism, by leaving it out',
                      'over its blocks alone, %', 'over the oracle, %'], rows)


def effect(sets, part, block):
    """Returns the mechanism's mean gain over all compositions with this policy for blocks."""
    with_it = [p for p in sets[0] if part in parts(p)[1:] and parts(p)[0] == block]
    return lib.gmean(value(sets, p) / value(sets, without(p, part)) for p in with_it)


def effects(sets):
    return lib.table(['added to', *('`%s`' % b for b in BLOCKS)],
                     [['`%s`' % part] + [lib.percent(effect(sets, part, b)) for b in BLOCKS]
                      for part in ADDED])


def best_blocks(sets):
    return max(BLOCKS, key=lambda b: value(sets, b))


def answer(all_sets):
    """Returns the answer in two sentences."""
    best = [value(sets, combinations(sets)[0]) for sets in all_sets]

    def each(of):
        return lib.listed([lib.percent(of(sets)) for sets in all_sets])
    small = [effect(sets, part, b) for sets in all_sets for part in ('kernel-lrr', 'its', 'weis')
             for b in BLOCKS]
    return ' '.join(ANSWER.split()).format(
        gain=lib.listed([lib.percent(x / value(sets, best_blocks(sets)))
                         for x, sets in zip(best, all_sets)]),
        far=lib.listed(['%.0f' % (100 * x / value(sets, 'oracle'))
                        for x, sets in zip(best, all_sets)]),
        apart=each(lambda sets: effect(sets, 'dmil', BLOCKS[0])),
        shared=each(lambda sets: effect(sets, 'dmil', BLOCKS[2])),
        most=lib.percent(max(small)),
        lost=lib.percent(min(effect(sets, 'l1-ucp', b) for sets in all_sets
                             for b in BLOCKS)).lstrip('-')) + '\n\n'


def best_text(name, sets):
    best = combinations(sets)[0]
    block = best_blocks(sets)
    gains = {p: value(sets, best) / value(sets, without(best, p)) for p in parts(best)[1:]}
    most = max(gains, key=gains.get) if gains else None
    return '* For %s, `%s` is best, %s %% over the best policy for blocks alone (`%s`)%s.\n' % (
        name, best, lib.percent(value(sets, best) / value(sets, block)), block,
        '; `%s` gives most of the gain, %s %%' % (most, lib.percent(gains[most])) if most else '')


def section():
    said, tables, found = '', '', []
    for sweep, name in zip(SWEEPS, NAMES):
        groups = classes(sweep)
        if groups['all']:
            found.append(groups['all'])
            said += best_text(name, groups['all'])
            tables += '%s%s. The %d best and the policies for blocks alone:\n\n%s\n%s\n' \
                'Mean gain of a mechanism in weighted speedup, over all compositions without, %%:' \
                '\n\n%s\n' % (name[0].upper(), name[1:], TOP, ranking(groups), left_out(groups),
                              effects(groups['all']))
    return TEXT + answer(found) + said + '\n' + tables.rstrip('\n') + '\n', lib.Verdicts()

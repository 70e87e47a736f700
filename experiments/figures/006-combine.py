"""Interaction of schedulers of blocks, warps, memory instructions, caches and DRAM, a question left
open by paper 004: a mechanism per group, in all combinations."""
import math
import random

import lib
import paper000
import paper001

TITLE = 'Schedulers of kernels, blocks, warps and memory together'
SWEEPS = ['combine-clones', 'combine-programs', 'combine-001']
NAMES = ["paper 000's stand-ins", "paper 000's programs", "paper 001's programs"]
BLOCKS = ['spatial', 'smk-p', 'warped-slicer[mode=static]']
ADDED = ['kernel-lrr', 'qbmi', 'dmil', 'l1-ucp', 'its', 'weis']
INSIDE = ['kernel-lrr', 'qbmi', 'dmil', 'l1-ucp']  # act between apps that share an SM
SIMPLE = 'warped-slicer[mode=static]+dmil'
SPLITS = 200
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
ANSWER = '''**Add `dmil` where apps share an SM; nothing else pays on average.** Out of sample,
`{simple}` gains {simple_gain} % in weighted speedup over the best policy for blocks alone, and the
composition that was best in the other half of the pairs {chosen_gain} %. On Warped-Slicer's mix
`dmil` gains {shared} %. An order of kernels and ranks at DRAM gain at most {most} % with any
policy, and parts of L1 lose up to {lost} %.'''
HALVES = '''
Out of sample: {splits} times one half of the pairs, drawn at random, decides which composition, and
which policy for blocks alone, has the highest weighted speedup. The gain of that composition over
that policy in the other half, and the gain of the composition that nothing chose: mean, and the 5th
and 95th percentile over the draws, in percent.

{table}'''
FRONTIER = '''
Compositions of which no other has both a higher weighted speedup and a lower ANTT, and the best
composition of each pair, an oracle with mechanisms:

{table}'''


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


def acts(part, block):
    """Returns True if the mechanism is made for the policy: apps share SMs, or it acts at DRAM."""
    return part not in INSIDE or block != 'spatial'


def effects(sets):
    return lib.table(['added to', *('`%s`' % b for b in BLOCKS)],
                     [['`%s`' % part] + [lib.percent(effect(sets, part, b)) if acts(part, b)
                                         else '-' for b in BLOCKS] for part in ADDED])


def halves(sets):
    """Returns the gains over the policy for blocks alone, chosen with the composition on one half
    of the pairs, in the other half: [gain of the chosen composition], [gain of SIMPLE]."""
    policies = [p for p in sets[0] if p != 'oracle']
    logs = {p: [math.log(s[p].weighted_speedup) for s in sets] for p in policies}
    drawn, chosen, simple = random.Random(1), [], []
    for _ in range(SPLITS):
        half = set(drawn.sample(range(len(sets)), len(sets) // 2))
        rest = [i for i in range(len(sets)) if i not in half]

        def best(of, half=half):
            return max(of, key=lambda p: sum(logs[p][i] for i in half))
        block, composition = best(BLOCKS), best(policies)
        for found, policy in ((chosen, composition), (simple, SIMPLE)):
            found.append(math.exp(sum(logs[policy][i] - logs[block][i] for i in rest) / len(rest)))
    return chosen, simple


def range_of(gains):
    ranked = sorted(gains)
    at = [ranked[int(share * (len(ranked) - 1))] for share in (0.05, 0.95)]
    return '%s (%s to %s)' % tuple(map(lib.percent, (lib.gmean(gains), *at)))


def halves_table(both):
    """both: halves() of each set of pairs."""
    return HALVES.format(splits=SPLITS, simple=SIMPLE, table=lib.table(
        ['pairs', 'best of the other half', '`%s`' % SIMPLE],
        [[name, *map(range_of, gains)] for name, gains in zip(NAMES, both)]))


def frontier(sets):
    """Returns the policies that no other policy beats in both metrics."""
    points = {p: (value(sets, p), value(sets, p, 'antt')) for p in combinations(sets)
              if all(acts(part, parts(p)[0]) for part in parts(p)[1:])}
    return {p: (w, a) for p, (w, a) in points.items()
            if not any(x > w and y < a for x, y in points.values())}


def frontier_table(all_sets):
    rows = []
    for name, sets in zip(NAMES, all_sets):
        rows += [[name, '`%s`' % p, w, a] for p, (w, a) in frontier(sets).items()]
        best = [max((s[p] for p in s if p != 'oracle'), key=lambda r: r.weighted_speedup)
                for s in sets]
        rows.append([name, 'the best of each pair', *(
            lib.gmean(getattr(r, m) for r in best) for m in ('weighted_speedup', 'antt'))])
    return FRONTIER.format(table=lib.table(['pairs', 'composition', 'weighted speedup', 'ANTT'],
                                           rows))


def best_blocks(sets):
    return max(BLOCKS, key=lambda b: value(sets, b))


def answer(all_sets, both):
    """Returns the answer. both: halves() of each set of pairs."""
    def each(of):
        return lib.listed([lib.percent(of(sets)) for sets in all_sets])
    small = [effect(sets, part, b) for sets in all_sets for part in ('kernel-lrr', 'its', 'weis')
             for b in BLOCKS if acts(part, b)]
    return ' '.join(ANSWER.split()).format(
        simple=SIMPLE, simple_gain=lib.listed([lib.percent(lib.gmean(g)) for _, g in both]),
        chosen_gain=lib.listed([lib.percent(lib.gmean(g)) for g, _ in both]),
        shared=each(lambda sets: effect(sets, 'dmil', BLOCKS[2])),
        most=lib.percent(max(small)),
        lost=lib.percent(min(effect(sets, 'l1-ucp', b) for sets in all_sets
                             for b in BLOCKS[1:])).lstrip('-')) + '\n\n'


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
    both = list(map(halves, found))
    return TEXT + answer(found, both) + said + halves_table(both) + frontier_table(found) + '\n' + \
        tables.rstrip('\n') + '\n', lib.Verdicts()

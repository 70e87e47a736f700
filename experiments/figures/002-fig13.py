"""Paper 002, figure 13: decisions of GPU Maestro, and the cost of repartitioning."""
import causes
import lib
import paper002
from paper002 import MAESTRO

TITLE = 'Paper 002, figure 13: decisions of Maestro, and the cost of repartitioning'
SWEEPS = ['002-maestro', '002-preempt', '002-end', '002-settle', *paper002.REMOVED]
DECISIONS = ['spatial', 'smk_even', 'smk_other']
IDEAL = 'maestro[fill=tail]+kernel-lrr+ideal'
END = 'maestro+kernel-lrr+'  # the default: both programs keep unused shares
KINDS = [('maestro[fill=tail]+kernel-lrr+' + k, k) for k in ('drain', 'switch', 'flush')] + \
    [(MAESTRO, 'chimera'), (IDEAL, 'ideal')]
ALIKE = 1  # maximum difference of "small" differences between classes, in percent of STP

TEXT = '''Decisions of GPU Maestro at the end of epochs, in percent of the decisions of a pair,
means over pairs. Of %d pairs %d have no decision: if a program always has fewer pending blocks than
the share, Maestro cannot measure.

'''


def values(run):
    return {k: int(run.policy_values.get(k, '0'))
            for k in DECISIONS + ['one_off', 'epochs', 'moves', 'rededications', 'decided_at']}


def share(of, decision):
    """Returns the percentage of a decision, the mean over pairs with at least one decision."""
    found = {names: values(by[MAESTRO]) for names, by in of.items()}
    return lib.Mean({names: 100 * x[decision] / sum(x[d] for d in DECISIONS)
                     for names, x in found.items() if any(x[d] for d in DECISIONS)}, lib.mean)


def by_class(of, decision):
    return {c: share(paper002.within(of, c), decision) for c in paper002.CLASSES}


def best_one_off(_):
    """Returns the percentage of mixes with a block more or less than the even mix, of all best
    mixes that are neither even nor separate SMs."""
    off = []
    for by in paper002.pairs('002-oracle').values():
        best = min((r for p, r in by.items() if not p.startswith('maestro')), key=lambda r: r.antt)
        a, b = paper002.mix(best) or (0, 0)
        if a != b:
            off.append(abs(a - b) == 2)
    return 100 * lib.mean(off)


def decision_rows(rows):
    def one_off(of):
        found = {names: values(by[MAESTRO]) for names, by in of.items()}
        return lib.Mean({names: 100 * x['one_off'] / x['smk_other']
                         for names, x in found.items() if x['smk_other']}, lib.mean)

    def percentage(x):
        return lib.show(x, 1)
    for target, d, paper in (('T002-051', 'spatial', 13.0), ('T002-052', 'smk_even', 32.2),
                             ('T002-053', 'smk_other', 54.8)):
        rows.number(target, 'decisions for %s, %%' % d.replace('_', ' '), paper,
                    lambda of, d=d: share(of, d), percentage, base=0, one_way=True)
    rows.number('T002-054', 'of smk other: a block more or less than even, %', 29.4, one_off,
                percentage, base=0, one_way=True, best=(
                    'of the best mixes of 15 pairs of six programs, if neither even nor SMs of '
                    'their own, the share', best_one_off))

    def most(of):
        found = {c: max(DECISIONS, key=lambda d, c=c: by_class(of, d)[c])
                 for c in paper002.CLASSES}
        return ', '.join(d.replace('smk_', '') for d in found.values()), \
            list(found.values()) == ['smk_even', 'smk_other', 'smk_other'], \
            found['COM/COM'] == 'smk_even'
    paper002.fact(rows, 'T002-055', 'the most frequent decision: COM/COM, COM/MEM, MEM/MEM',
                  'even, other, other', [MAESTRO], most)

    def spatial(of):
        found = by_class(of, 'spatial')
        top = max(found, key=found.get)
        return top, top == 'MEM/MEM'
    paper002.fact(rows, 'T002-056', 'the class with the most decisions for spatial', 'MEM/MEM',
                  [MAESTRO], spatial)


def lost(of):
    """Returns the STP under ideal preemption over Maestro's own."""
    return lib.Mean({names: by[IDEAL].weighted_speedup / by[MAESTRO].weighted_speedup
                     for names, by in of.items()})


def points(x):
    """Formats a ratio as a loss in percent."""
    return lib.show(100 * (x - 1))


def overhead_rows(v, of):
    """Adds the rows on the cost of repartitioning."""
    machines = {'': of}
    for policy, kind in KINDS[:3]:
        machines['where all blocks leave by ' + kind] = {
            names: {**by, MAESTRO: by[policy]} for names, by in of.items()}
    machines['with `fill=end`'] = {
        names: {MAESTRO: by[END + 'chimera'], IDEAL: by[END + 'ideal']}
        for names, by in paper002.pairs('002-end').items()}
    rows = causes.Rows(v, of, machines)
    rows.number('T002-057', 'STP lost by repartitioning, %', 1.008, lost, points)

    def alike(of):
        found = {c: 100 * lost(paper002.within(of, c)) for c in paper002.CLASSES}
        return ', '.join('%s %.2f' % (c, x - 100) for c, x in found.items()), \
            max(found.values()) - min(found.values()) <= ALIKE
    paper002.fact(rows, 'T002-305', 'STP lost by repartitioning, %: alike in all classes, within '
                  'one percentage point', 'yes', [MAESTRO, IDEAL], alike)


def kind_table(of):
    """Returns a table of the cost of each preemption mechanism relative to ideal preemption."""
    free, rows = KINDS[-1][0], []
    for policy, title in KINDS:
        runs = [by[policy] for by in of.values()]
        overhead = lib.gmean(by[free].weighted_speedup / by[policy].weighted_speedup
                             for by in of.values())
        every = {k: sum(sum(r.app(k)) for r in runs) for k in
                 ('preempt.drained', 'preempt.switched', 'preempt.flushed', 'preempt.bytes',
                  'preempt.lost_thread_instructions', 'thread_instructions')}
        rows.append([title, lib.show(100 * (overhead - 1)), *(
            lib.percent(x) for x in paper002.gains(of, policy))] +
            [lib.show(every['preempt.' + k] / len(runs), 0)
             for k in ('drained', 'switched', 'flushed')] +
            [lib.show(every['preempt.bytes'] / len(runs) / 1e6, 1),
             lib.show(100 * every['preempt.lost_thread_instructions'] /
                      every['thread_instructions']),
             lib.show(lib.mean(values(r)['epochs'] for r in runs), 1)])
    return lib.table(['blocks leave by', 'STP lost, %', 'ANTT, %', 'STP, %', 'drained', 'switched',
                      'flushed', 'MB', 'instructions done again, %', 'epochs'], rows)


def section():
    v = lib.Verdicts()
    of = paper002.common(paper002.pairs('002-maestro'), [MAESTRO])
    idle = sum(not any(values(by[MAESTRO])[d] for d in DECISIONS) for by in of.values())
    rows = []
    for c in paper002.CLASSES + ['all']:
        some = paper002.within(of, c)
        found = [values(by[MAESTRO]) for by in some.values()]
        rows.append([c] + [lib.show(share(some, d), 1) for d in DECISIONS] +
                    [lib.show(lib.mean(x[k] for x in found), 1) for k in ('epochs', 'moves')] +
                    ['{:,}'.format(sorted(x['decided_at'] for x in found)[len(found) // 2])])
    text = TEXT % (len(of), idle) + lib.table(
        ['class of the paper', 'spatial', 'SMK: even', 'SMK: other', 'epochs of a pair',
         'moves of SMs', 'last change, cycles, median'], rows)
    decision_rows(causes.Rows(v, of, paper002.machines(paper002.END + paper002.OWN)))
    kinds = {names: {**by, MAESTRO: paper002.removed()[''][names][MAESTRO]}
             for names, by in paper002.pairs('002-preempt').items()}
    text += '\nWays of preemption, %d pairs; STP lost: against `ideal`, preemption in no ' \
        'time and without traffic; blocks and bytes of a pair, means:\n\n' % len(kinds) \
        + kind_table(kinds)
    overhead_rows(v, kinds)
    return text + '\n' + v.markdown(), v

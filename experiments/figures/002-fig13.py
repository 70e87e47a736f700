"""Paper 002, figure 13: decisions of GPU Maestro, and the cost of repartitioning."""
import lib
import paper002
from paper002 import MAESTRO

TITLE = 'Paper 002, figure 13: decisions of Maestro, and the cost of repartitioning'
SWEEPS = ['002-maestro', '002-preempt']
DECISIONS = ['spatial', 'smk_even', 'smk_other']
KINDS = [('maestro+kernel-lrr+' + k, k) for k in ('drain', 'switch', 'flush')] + \
    [(MAESTRO, 'chimera'), ('maestro+kernel-lrr+ideal', 'ideal')]

TEXT = '''Decisions of GPU Maestro at the end of epochs, in percent of the decisions of a pair,
means over pairs. Of %d pairs %d have no decision: if a program always has fewer pending blocks than
the share, Maestro cannot measure.

'''


def values(run):
    return {k: int(run.policy_values.get(k, '0'))
            for k in DECISIONS + ['one_off', 'epochs', 'moves', 'rededications', 'decided_at']}


def shares(group):
    """Returns means over pairs with at least one decision: {decision: percent}."""
    of = [values(p[MAESTRO]) for p in group]
    of = [x for x in of if sum(x[d] for d in DECISIONS)]
    return {d: lib.mean(100 * x[d] / sum(x[e] for e in DECISIONS) for x in of)
            for d in DECISIONS}


def decision_rows(v, by_class, groups):
    for target, d, paper in (('T002-051', 'spatial', 13.0), ('T002-052', 'smk_even', 32.2),
                             ('T002-053', 'smk_other', 54.8)):
        x = by_class['all'][d]
        v.add(target, 'decisions for %s, %%' % d.replace('_', ' '), lib.show(paper, 1),
              programs=(lib.show(x, 1), lib.like(x, paper, 0, one_way=True)))
    of = [values(p[MAESTRO]) for p in groups['all']]
    other = lib.mean(100 * x['one_off'] / x['smk_other'] for x in of if x['smk_other'])
    v.add('T002-054', 'of smk other: a block more or less than even, %', '29.4',
          programs=(lib.show(other, 1), lib.like(other, 29.4, 0, one_way=True)))
    most = {c: max(DECISIONS, key=by_class[c].get) for c in paper002.CLASSES}
    v.add('T002-055', 'the most frequent decision: COM/COM, COM/MEM, MEM/MEM',
          'even, other, other', programs=(
              ', '.join(d.replace('smk_', '') for d in most.values()),
              lib.true(list(most.values()) == ['smk_even', 'smk_other', 'smk_other'],
                       most['COM/COM'] == 'smk_even')))
    spatial = {c: by_class[c]['spatial'] for c in paper002.CLASSES}
    v.add('T002-056', 'the class with the most decisions for spatial', 'MEM/MEM', programs=(
        max(spatial, key=spatial.get), lib.true(max(spatial, key=spatial.get) == 'MEM/MEM')))


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
            lib.percent(x) for x in paper002.gains(list(of.values()), policy))] +
            [lib.show(every['preempt.' + k] / len(runs), 0)
             for k in ('drained', 'switched', 'flushed')] +
            [lib.show(every['preempt.bytes'] / len(runs) / 1e6, 1),
             lib.show(100 * every['preempt.lost_thread_instructions'] /
                      every['thread_instructions']),
             lib.show(lib.mean(values(r)['epochs'] for r in runs), 1)])
    return lib.table(['blocks leave by', 'STP lost, %', 'ANTT, %', 'STP, %', 'drained', 'switched',
                      'flushed', 'MB', 'instructions done again, %', 'epochs'], rows)


def section():
    classes, v = paper002.paper_class(), lib.Verdicts()
    all_of = paper002.pairs('002-maestro')
    groups = paper002.grouped(classes, all_of)
    by_class = {c: shares(g) for c, g in groups.items()}
    idle = sum(not sum(values(by[MAESTRO])[d] for d in DECISIONS) for by in all_of.values())
    text = TEXT % (len(all_of), idle) + lib.table(
        ['class of the paper', 'spatial', 'SMK: even', 'SMK: other', 'epochs of a pair',
         'moves of SMs', 'last change, cycles, median'],
        [[c] + [lib.show(by_class[c][d], 1) for d in DECISIONS] +
         [lib.show(lib.mean(values(p[MAESTRO])[k] for p in groups[c]), 1)
          for k in ('epochs', 'moves')] +
         ['{:,}'.format(sorted(values(p[MAESTRO])['decided_at'] for p in groups[c])[
             len(groups[c]) // 2] if groups[c] else 0)]
         for c in paper002.CLASSES + ['all']])
    decision_rows(v, by_class, groups)
    of = paper002.common(paper002.pairs('002-maestro', '002-preempt'), KINDS)
    if of:
        text += '\nWays of preemption, %d pairs; STP lost: against `ideal`, preemption in no ' \
            'time and without traffic; blocks and bytes of a pair, means:\n\n' % len(of) \
            + kind_table(of)
        lost = lib.Mean({names: by[KINDS[-1][0]].weighted_speedup / by[MAESTRO].weighted_speedup
                         for names, by in of.items()}, lambda x: 100 * (lib.gmean(x) - 1))
        v.add('T002-057', 'STP lost by repartitioning, %', '0.8',
              programs=(lib.show(lost), lib.like(lost, 0.8, 0)))
    return text + '\n' + v.markdown(), v

"""A program arriving later: cost of each preemption mechanism, and the program's waiting time;
beyond paper 002."""
import csv

import lib
import paper002

TITLE = 'Beyond paper 002: a program arriving later, by ways of preemption'
SWEEPS = ['002-arrive', '002-arrivals']
STUDY = {'002-arrivals': ['arrivals', '500000', '100000']}
POLICY = 'warped-slicer[mode=static]+'
KINDS = ['drain', 'switch', 'flush', 'chimera', 'ideal']
RANKS = [('median', 0.5), ('90th percentile', 0.9), ('most', 1.0)]

TEXT = '''Forty pairs, from each class in proportion; the second program arrives in cycle 500,000 of
1,000,000. From cycle 500,000 on each SM has the blocks chosen by static Warped-Slicer;
excess blocks of the first program leave as stated in the row. *Newcomer*, *first*:
normalized IPC over the program's own time, geometric means over pairs (the first program had the
GPU alone for half of the time); STP: both. Bytes, repeated instructions: of both
programs, means of a pair.

'''
NEVER = '''
-: under %s the newcomer issues nothing within the window in %d of the %d pairs.
'''
WAITS = '''
Cycles until the newcomer's first block is on an SM, and until the newcomer has nine tenths of the
most blocks resident at once in the 100,000 cycles after arrival, over %d pairs; -: not within
100,000 cycles.

'''


def waits():
    """Returns {kind: ([cycles to the first block], [cycles to nine tenths])}, sorted; infinite if
    never reached."""
    of = {}
    for r in csv.DictReader(lib.results('002-arrivals')):
        both = of.setdefault(r['kind'], ([], []))
        for found, key in zip(both, ('first_block', 'all_blocks')):
            found.append(float(r[key] or 'inf'))
    return {kind: tuple(map(sorted, both)) for kind, both in of.items()}


def at(values, share):
    """Returns the quantile of sorted values at `share`, formatted."""
    x = values[max(-int(-share * len(values) // 1) - 1, 0)]
    return '-' if x == float('inf') else '{:,}'.format(int(x))


def cost_rows(of):
    rows = []
    for kind in KINDS:
        runs = [by[POLICY + kind] for by in of]
        norm = [r.app('normalized_ipc') for r in runs]
        every = {k: sum(sum(r.app(k)) for r in runs) / len(runs) for k in
                 ('preempt.drained', 'preempt.switched', 'preempt.flushed', 'preempt.bytes',
                  'preempt.lost_thread_instructions')}
        rows.append([kind] + [lib.show(lib.gmean(n[i] for n in norm), 3) for i in (1, 0)] +
                    [lib.show(lib.gmean(sum(n) for n in norm), 3)] +
                    [lib.show(every['preempt.' + k], 0) for k in ('drained', 'switched',
                                                                  'flushed')] +
                    [lib.show(every['preempt.bytes'] / 1e6, 1),
                     lib.show(every['preempt.lost_thread_instructions'] / 1e6, 2)])
    return rows


def never(of):
    """Returns the sentence about newcomers without an instruction; '' if there are none."""
    text = ''
    for kind in KINDS:
        n = sum(not by[POLICY + kind].app('normalized_ipc')[1] for by in of)
        text += NEVER % (kind, n, len(of)) if n else ''
    return text


def section():
    of = list(paper002.common(paper002.pairs('002-arrive'), [POLICY + k for k in KINDS]).values())
    text = TEXT + lib.table(['blocks leave by', 'newcomer', 'first', 'STP', 'drained', 'switched',
                             'flushed', 'MB', 'millions of repeated instructions'],
                            cost_rows(of)) + never(of)
    found = waits()
    text += WAITS % len(next(iter(found.values()))[0]) + lib.table(
        ['blocks leave by'] + ['first block, ' + n for n, _ in RANKS] +
        ['nine tenths, ' + n for n, _ in RANKS],
        [[kind] + [at(values, q) for values in both for _, q in RANKS]
         for kind, both in found.items()])
    return text, lib.Verdicts()

"""Verdicts of paper 002, recomputed: pairs of 22 programs under GPU Maestro and earlier
policies."""
import functools

from independent import rules
from independent.rules import (Mean, PROGRAMS, arithmetic, factor, geometric, over, printed, runs,
                               sets)

SPATIAL, EVEN = 'spatial[fill=tail]+chimera', 'smk-even[fill=tail]+chimera'
SMART = 'spatial[split=smart,fill=tail]+chimera'
NONE, MAESTRO, IPR, FAIR, IDEAL = ('maestro[fill=tail]' + rest for rest in (
    '+chimera', '+kernel-lrr+chimera', '+kernel-ipr+chimera', '+fair+chimera',
    '+kernel-lrr+ideal'))
SMK = 'smk-p[fill=tail]+fair+chimera'
SLICER = 'warped-slicer[mode=static,fill=tail]+chimera'
GREEDY, ROBIN = 'smk-even', 'smk-even+kernel-lrr'  # figure 7
SPLIT_EVEN, SPLIT_SPATIAL = 'smk-even', 'spatial'  # figure 2
ORACLE, ORACLE_EVEN = 'oracle[mode=window]', 'smk-even'  # figure 4
WINDOW = '1000000'
STARVE_WINDOWS = [str(100000 * n) for n in range(1, 11)]
PAIRS, MAESTRO_SWEEP, SAMPLE, SMART_SWEEP, ISSUE, PRIOR, PREEMPT, RR = (
    '002-pairs', '002-maestro', '002-settle', '002-fill', '002-issue', '002-prior', '002-preempt',
    '002-rr')
CLASSES = ['COM/COM', 'COM/MEM', 'MEM/MEM']
ANTT, STP = 'antt', 'weighted_speedup'
DECISIONS = ['spatial', 'smk_even', 'smk_other']

# Limits of words in the rows.
STARVING = 0.75      # starving: least IPC of a part over the mean
ABOUT, FAR = 0.05, 0.1
ALIKE = 1            # percentage points
HALF_SM = 32768      # registers of a block that takes half of the registers
CLOSE = 0.9          # close to half of the registers
SELECTED = 3         # pairs at each end, of a class


def key(experiment, target, what):
    return experiment, target, what, PROGRAMS


def short(program):
    return rules.stands('002')[program]


def paper_classes():
    """Returns {program: COM or MEM} of Table 3."""
    return rules.told('002', 'type')


@functools.cache
def own_classes():
    """Returns {program: COM or MEM} by the speedup on 16 SMs over a single SM."""
    limit = {r['direction'].strip('<>').partition('x')[0] for r in rules.targets().values()
             if r['id'].startswith('T002') and r['metric'] == 'type'}
    assert len(limit) == 1, limit
    ipc = {}
    for r in unchanged('002-classes', 'sm.count=16', 'sm.count=1'):
        ipc.setdefault(short(*r.names), {})[r.options] = r.of('ipc_thread')[0]
    return {n: 'COM' if x['sm.count=16'] / x['sm.count=1'] > float(*limit) else 'MEM'
            for n, x in ipc.items()}


def unchanged(sweep, *machines, window=None):
    """Returns the runs of a sweep on the machine as shipped, or on the named ones: no runs with a
    limit removed."""
    return [r for r in runs(sweep, window) if r.options in (machines or ('',))]


def load(policies, *sweeps):
    """Returns {names: {policy: run}} of the pairs that have a run under every policy."""
    of = {}
    for sweep in sweeps:
        for names, by in sets(runs(sweep, WINDOW), short).items():
            of.setdefault(names, {}).update(by)
    return {names: by for names, by in of.items() if set(policies) <= set(by)}


def within(of, which, classes=None):
    """Returns the pairs of a class, by default the paper's, or all pairs."""
    classes = classes or paper_classes()
    return {n: by for n, by in of.items() if which in ('all', '/'.join(sorted(
        classes[m] for m in n)))}


def mean(of, policy, metric):
    return Mean({n: by[policy][metric] for n, by in of.items()}, lambda x: geometric(list(x)))


def both(of, policy):
    """Returns the means of ANTT and STP."""
    return mean(of, policy, ANTT), mean(of, policy, STP)


def ratio(of, policy, base):
    """Returns the STP under a policy over the STP under another."""
    return Mean({n: (by[policy][STP], by[base][STP]) for n, by in of.items()},
                over(lambda x: geometric(list(x))))


def percent(x):
    return 100 * (x - 1)


def means(rows, experiment, of, policies):
    """Adds the rows of means over all pairs; an ANTT below 1 is not possible."""
    for number, title, policy in policies:
        for n, word, x, sided in ((number, 'ANTT', mean(of, policy, ANTT), True),
                                  (number + 1, 'STP', mean(of, policy, STP), False)):
            target = 'T002-%03d' % n
            rows.number(key(experiment, target, '%s: %s, all pairs' % (title, word)), [percent(x)],
                        x, factor(target), one_sided=sided)


# ---- figure 11 ----

def fig11(rows):
    of = load([SPATIAL, EVEN, MAESTRO], PAIRS, MAESTRO_SWEEP)
    paper, own = paper_classes(), own_classes()
    same = sum(own[n] == paper[n] for n in own)
    rows.fact(key('002-fig11', 'T002-001 to -022', 'class, of %d programs' % len(own)), [same],
              same == len(paper), 2 * same > len(own))
    means(rows, '002-fig11', of, [(31, 'spatial', SPATIAL), (33, 'even SMK', EVEN),
                                  (35, 'Maestro', MAESTRO)])
    for target, title, base in (('T002-040', 'spatial', SPATIAL), ('T002-041', 'even SMK', EVEN)):
        x = ratio(of, MAESTRO, base)
        rows.number(key('002-fig11', target, 'STP of Maestro over %s, all pairs' % title),
                    [percent(x)], x, factor(target))
    for target, c, what, less_antt, more_stp in (
            ('T002-037', 'COM/COM', 'better than spatial in both', True, True),
            ('T002-039', 'COM/MEM', 'better in STP, worse in ANTT', False, True),
            ('T002-038', 'MEM/MEM', 'worse than spatial in both', False, False)):
        some = within(of, c)
        (even_antt, even_stp), (apart_antt, apart_stp) = both(some, EVEN), both(some, SPATIAL)
        facts = (even_antt < apart_antt) == less_antt, (even_stp > apart_stp) == more_stp
        rows.fact(key('002-fig11', target, '%s: even SMK %s' % (c, what)),
                  map(percent, (even_antt, apart_antt, even_stp, apart_stp)), all(facts),
                  any(facts))
    for target, c, title, base in (('T002-037', 'COM/COM', 'even SMK', EVEN),
                                   ('T002-038', 'MEM/MEM', 'spatial', SPATIAL)):
        gap = {k: ratio(within(of, k), MAESTRO, base) for k in CLASSES}
        rows.fact(key('002-fig11', target, '%s: Maestro gains less STP over %s than in other '
                      'classes' % (c, title)),
                  [x for k, g in gap.items() for x in (k, percent(g))],
                  gap[c] == min(gap.values()))
    compute = within(of, 'COM/COM').values()
    n = sum(by[EVEN][STP] > by[SPATIAL][STP] for by in compute)
    rows.fact(key('002-fig11', 'T002-304', 'COM/COM: pairs with more STP under even SMK than under '
                  'spatial'), [n, len(compute)], n == len(compute), 2 * n > len(compute))


# ---- figures 7 and 12 ----

def fig12(rows):
    of = load([NONE, MAESTRO, IPR, FAIR], SAMPLE, ISSUE)
    titles = [(42, 'none', NONE), (44, 'LRR', MAESTRO), (46, 'IPR', IPR), (48, 'Fair', FAIR)]
    means(rows, '002-fig12', of, titles)
    antt, stp = both(of, NONE)
    for _, title, policy in titles[1:]:
        a, s = both(of, policy)
        rows.fact(key('002-fig12', 'T002-301', title + ' better than none in both'),
                  map(percent, (a, antt, s, stp)), a < antt and s > stp, a < antt or s > stp)
    fair, lrr, ipr = (geometric([x for names, by in within(of, 'COM/MEM').items()
                                 for n, x in zip(names, by[p].of('normalized_ipc'))
                                 if paper_classes()[n] == 'MEM']) for p in (FAIR, MAESTRO, IPR))
    rows.fact(key('002-fig12', 'T002-050', 'COM/MEM: normalized IPC of MEM kernels under Fair, '
                  'LRR, IPR'), [fair, lrr, ipr], fair < lrr and fair < ipr,
              fair < lrr or fair < ipr)
    robin = load([NONE], RR)
    x = Mean({n: (by[NONE][STP], of[n][NONE][STP]) for n, by in robin.items()},
             over(lambda x: geometric(list(x))))
    rows.number(key('002-fig12', 'T002-029', 'no order of kernels: STP with round-robin warps over '
                    'greedy-then-oldest, each by programs alone under the same'), [percent(x)], x,
                factor('T002-029'))
    least = {policy: starving(policy) for policy in (GREEDY, ROBIN)}
    rows.fact(key('002-fig12', 'T002-030', 'LC/BS, even SMK: least IPC of BS in a tenth of the '
                  'window, over the mean'), [least[GREEDY], least[ROBIN]],
              least[GREEDY] < min(STARVING, least[ROBIN]), least[GREEDY] < STARVING)


def starving(policy):
    """Returns the least IPC of BS in a tenth of the window, over the mean of the tenths."""
    done = [0.0]
    for window in STARVE_WINDOWS:
        by = sets(unchanged('002-starve', window=window), short)['LC', 'BS']
        done.append(by[policy].of('thread_instructions')[1])
    parts = [b - a for a, b in zip(done, done[1:])]
    return min(parts) / arithmetic(parts)


# ---- figure 13 ----

def shares(of):
    """Returns the percentage of each decision, a mean over the pairs with decisions."""
    n = [[by[MAESTRO].said(d) for d in DECISIONS] for by in of.values()]
    return {d: arithmetic(100 * x[i] / sum(x) for x in n if sum(x))
            for i, d in enumerate(DECISIONS)}


def fig13(rows):
    of = load([MAESTRO], MAESTRO_SWEEP)
    for target, d in zip(('T002-051', 'T002-052', 'T002-053'), DECISIONS):
        x = shares(of)[d]
        rows.number(key('002-fig13', target, 'decisions for %s, %%' % d.replace('_', ' ')), [x], x,
                    printed(target), base=0, one_sided=True)
    other = [by[MAESTRO] for by in of.values() if by[MAESTRO].said('smk_other')]
    x = arithmetic(100 * r.said('one_off') / r.said('smk_other') for r in other)
    rows.number(key('002-fig13', 'T002-054', 'of smk other: a block more or less than even, %'),
                [x], x, printed('T002-054'), base=0, one_sided=True)
    by_class = {c: shares(within(of, c)) for c in CLASSES}
    most = [max(by_class[c], key=by_class[c].get) for c in CLASSES]
    rows.fact(key('002-fig13', 'T002-055', 'the most frequent decision: COM/COM, COM/MEM, '
                  'MEM/MEM'), [d.replace('smk_', '') for d in most],
              most == ['smk_even', 'smk_other', 'smk_other'], most[0] == 'smk_even')
    top = max(CLASSES, key=lambda c: by_class[c]['spatial'])
    rows.fact(key('002-fig13', 'T002-056', 'the class with the most decisions for spatial'), [top],
              top == rules.targets()['T002-056']['workload'])
    lost = load([MAESTRO, IDEAL], SAMPLE, PREEMPT)
    x = overhead(lost)
    rows.number(key('002-fig13', 'T002-057', 'STP lost by repartitioning, %'), [percent(x)], x,
                1 + printed('T002-057') / 100)
    per_class = {c: overhead(within(lost, c)) for c in CLASSES}
    rows.fact(key('002-fig13', 'T002-305', 'STP lost by repartitioning, %: alike in all classes, '
                  'within one percentage point'),
              [word for c, x in per_class.items() for word in (c, percent(x))],
              percent(max(per_class.values())) - percent(min(per_class.values())) <= ALIKE)


def overhead(of):
    """Returns the STP under ideal preemption over Maestro's own."""
    return Mean({n: by[IDEAL][STP] / by[MAESTRO][STP] for n, by in of.items()},
                lambda x: geometric(list(x)))


# ---- figures 14 and 15 ----

def fig14(rows):
    policies = [SMART, SMK, SLICER, MAESTRO]
    of = load([*policies, EVEN, SPATIAL], SAMPLE, SMART_SWEEP, PRIOR)
    means(rows, '002-fig14', of, [(58, 'spatial', SMART), (60, 'SMK-(P+W)', SMK),
                                  (62, 'Warped-Slicer', SLICER), (64, 'Maestro', MAESTRO)])
    for c in CLASSES:
        antt, stp = zip(*(both(within(of, c), p) for p in policies))
        better = antt[-1] < min(antt[:-1]), stp[-1] > max(stp[:-1])
        rows.fact(key('002-fig14', 'T002-302', c + ': Maestro better than the others in both'),
                  [word for name, b in zip(('ANTT', 'STP'), better)
                   for word in (name, 'better' if b else 'not')], all(better), any(better))
    poor, rest = (mean({n: by for n, by in of.items() if ('BFS' in n) == there}, SLICER, STP)
                  for there in (True, False))
    rows.fact(key('002-fig14', 'T002-066', 'STP of Warped-Slicer poor in pairs with BFS'),
              [percent(poor), percent(rest)], poor < rest)
    some = [by for c in CLASSES for by in selected(within(of, c), c)]
    good = sum(by[MAESTRO][STP] >= (1 - ABOUT) * max(by[p][STP] for p in policies[:-1])
               for by in some)
    rows.fact(key('002-fig14', 'T002-067', 'selected pairs in which the STP of Maestro is at least '
                  '0.95 of the best other one'), [good, len(some)], good == len(some),
              2 * good > len(some))


def selected(of, which):
    """Returns the runs of the pairs with the largest and the smallest gain of even SMK over
    spatial, of COM/COM with the largest gain only."""
    gains = sorted(of.values(), key=lambda by: by[EVEN][STP] / by[SPATIAL][STP])
    if which == 'COM/COM':
        return gains[-2 * SELECTED:]
    return gains[:SELECTED] + gains[-SELECTED:]


# ---- figure 2 ----

def fig02(rows):
    even, best, *_ = splits('002-split-com', (256, 256))
    near = even >= (1 - ABOUT) * best
    rows.fact(key('002-fig2', 'T002-023', 'COM/COM: even SMK about the best SMK, not below '
                  'spatial'), [even, best], near and even >= 1, near or even >= 1)
    even, best, share, mix = splits('002-split-mixed', (256, 256))
    rows.fact(key('002-fig2', 'T002-024', 'COM/MEM: an uneven SMK far above even SMK and spatial, '
                  'more blocks to COM'), [even, best, mix],
              best >= max(even, 1) + FAR and share > 0.5, best > max(even, 1) and share > 0.5)
    even, best, _, mix = splits('002-split-mem', (128, 512))
    rows.fact(key('002-fig2', 'T002-025', 'MEM/MEM: spatial above any SMK'), [even, best, mix],
              max(even, best) < 1, even < 1)


def splits(sweep, threads):
    """Returns, relative to spatial, the STP of even SMK and of the best mix; the first kernel's
    share of the threads in the best mix, and the mix."""
    by, = sets(unchanged(sweep)).values()
    apart = by[SPLIT_SPATIAL][STP]
    mixes = {p[len('fixed[blocks='):-1]: r[STP] / apart for p, r in by.items()
             if p.startswith('fixed[blocks=')}
    mix = max(mixes, key=mixes.get)
    a, b = (int(n) * t for n, t in zip(mix.split('/'), threads))
    return by[SPLIT_EVEN][STP] / apart, mixes[mix], a / (a + b), mix


# ---- figures 4 and 6 ----

def fig06(rows):
    free = {(int(r['registers_a']), int(r['registers_b'])): 100 * float(r['first_fit'])
            for r in rules.table('experiments/results/002-fragments.csv')}
    a, b = max(free, key=free.get)
    most, near = free[a, b], abs(free[a, b] - printed('T002-027')) < 100 * ABOUT
    rows.fact(key('002-fig6', 'T002-027', 'most fragmented registers, percent; A below 32768, B '
                  'close to 32768'), [most, a, b], near and a < HALF_SM and a < b > CLOSE * HALF_SM,
              near)
    none = not any(x for (a, b), x in free.items() if a >= b)
    rows.fact(key('002-fig6', 'T002-027', 'none if a block of A takes as many as a block of B, or '
                  'more'), ['yes' if none else 'no'], none)


def fig04(rows):
    by = sets(runs('002-window'), short)['SRAD', 'BFS']
    x = percent(by[ORACLE][STP] / by[ORACLE_EVEN][STP])
    rows.number(key('002-window', 'T002-026', 'SRAD/BFS: STP of the windowed oracle over even SMK, '
                    '%'), [x], x, printed('T002-026'), base=0)
    n = by[ORACLE].said('changes')
    rows.fact(key('002-window', 'T002-026', 'because the best mix changes: number of changes'),
              [n], n > 0)
    slow = min(slowness())
    rows.fact(key('002-window', 'T002-303', 'SRAD/BFS, even SMK: IPC of SRAD over the IPC alone, '
                  'the least of four intervals of 100,000 cycles'), [slow], slow < 0.5)


def slowness():
    """Yields the IPC of SRAD beside BFS over the IPC of SRAD alone, interval by interval."""
    sums = {}
    for row in rules.table('experiments/results/002-trace.csv'):
        first = row['app.thread_instructions'].split('/')[0]
        sums[row['apps'], int(row['cycle_limit'])] = float(first)
    for end in range(100000, 400001, 100000):
        beside, alone = (sums[apps, end] - sums.get((apps, end - 100000), 0) for apps in (
            'srad:size=window + bfs:size=window', 'srad:size=window'))
        yield beside / alone


def add(rows):
    for part in (fig11, fig12, fig13, fig14, fig02, fig06, fig04):
        part(rows)

"""Paper 000, figures 4, 12 and 13: speedup predicted by curves and speedup achieved, per class of
pairs."""
import causes
import lib
import paper000

TITLE = 'Paper 000, figures 4, 12 a and 13: all pairs of thirteen kernels'
SWEEPS = ['000-pairs-clones', '000-pairs-programs', *paper000.STAND_INS, *paper000.PROGRAMS,
          '000-oracle']
DECIDED = 100000  # cycles of the shorter window of the programs
CLOSE = 0.9  # least ratio of achieved to predicted speedup that is close
CLASSES, STATIC, DYNAMIC = paper000.CLASSES, paper000.STATIC, paper000.DYNAMIC
POLICIES = [('spatial', 'spatial'), ('smk-p+fair', 'SMK-(P+W)'),
            (STATIC, 'WS static'), (DYNAMIC, 'WS dynamic')]


def load(sweep):
    """Returns {class: [{policy: run}]}, and all pairs under 'all'."""
    return {c: [] for c in CLASSES} | paper000.grouped(paper000.sets(sweep))


def speedup(pairs, policy):
    return lib.Mean({tuple(p[policy].names): p[policy].weighted_speedup
                     for p in pairs if policy in p})


def predicted(pair):
    return int(pair[STATIC].policy_values.get('predicted', 0)) / 1000


def together(pairs):
    """Returns the pairs with curves that lead to blocks of both kernels on an SM; the other pairs
    get separate SMs."""
    return [p for p in pairs if predicted(p)]


def gap(pairs, policy):
    """Returns the ratio of the speedup achieved to the speedup predicted by the curves."""
    pairs = together(pairs)
    return speedup(pairs, policy) / lib.gmean(predicted(p) for p in pairs)


def kernels(pairs, policy):
    """Returns means of normalized IPC: of C and M kernels, and of the slower and the faster kernel
    of a pair."""
    ipc = {'C': [], 'M': [], 'low': [], 'high': []}
    for p in pairs:
        r = p[policy]
        values = r.app('normalized_ipc')
        for n, x in zip(r.names, values):
            ipc[paper000.kind(n)].append(x)
        ipc['low'].append(min(values))
        ipc['high'].append(max(values))
    return {k: lib.mean(v) for k, v in ipc.items() if v}


def spreads(sweep):
    """Returns the table of distributions over all pairs."""
    pairs = lib.by_set(lib.runs(sweep))
    return lib.spread_table('weighted speedup', {
        title: {names: p[policy].weighted_speedup for names, p in pairs.items() if policy in p}
        for policy, title in POLICIES})


def class_table(of):
    rows = []
    for c in CLASSES + ['all']:
        pairs = of[c]
        inside = together(pairs)
        rows.append([c, str(len(pairs)), lib.show(lib.gmean(predicted(p) for p in inside)),
                     str(len(pairs) - len(inside))] +
                    [lib.show(speedup(pairs, policy)) for policy, _ in POLICIES] +
                    [lib.show(gap(pairs, DYNAMIC))])
    return lib.table(['class', 'pairs', 'predicted', 'of them apart'] +
                     [title for _, title in POLICIES] + ['dynamic / predicted'], rows)


def kernel_table(of):
    rows = []
    for c in CLASSES:
        for policy, title in POLICIES:
            k = kernels(of[c], policy)
            rows.append([c, title] + [lib.show(k.get(x, lib.math.nan))
                                      for x in ('C', 'M', 'low', 'high')])
    return lib.table(['class', 'policy', 'C kernels', 'M kernels', 'slower of a pair',
                      'faster of a pair'], rows)


SMS, SFU_CYCLES = 16, 8  # SMs of maxwell16; cycles between two warps in the special function unit


def limit_table(of):
    """Returns a table of the resources used by C kernels on their half of the SMs under spatial."""
    sfu, dram = {}, {}
    for p in of['all']:
        r = p['spatial']
        bandwidths = r.app('dram.bandwidth_fraction')
        for n, warps, bandwidth in zip(r.names, r.app('inst.sfu'), bandwidths):
            if paper000.kind(n) == 'C':
                sfu.setdefault(n, []).append(100 * SFU_CYCLES * warps / r.cycles / (SMS / 2))
                dram.setdefault(n, []).append(100 * bandwidth)
    return lib.table(['in use under spatial, %'] + list(sfu),
                     [['special function units of its SMs'] +
                      [lib.show(lib.mean(x), 0) for x in sfu.values()],
                      ['DRAM bandwidth of the GPU'] +
                      [lib.show(lib.mean(x), 0) for x in dram.values()]])


STEPS = (0, 1.3, 1.7, 9)  # bounds of predicted speedup; curves are near linear up to the first step


def step_table(of):
    """Returns a table of C+C pairs, grouped by the speedup predicted from their curves."""
    rows = []
    for low, high in zip(STEPS, STEPS[1:]):
        pairs = [p for p in together(of['C+C']) if low < predicted(p) <= high]
        if pairs:
            rows.append(['%s to %s' % (low, high) if high < 9 else 'above %s' % low,
                         str(len(pairs)), lib.show(gap(pairs, STATIC)),
                         lib.show(gap(pairs, DYNAMIC))])
    return lib.table(['C+C pairs whose curves predict', 'pairs', 'WS static / predicted',
                      'WS dynamic / predicted'], rows)


def add(rows, target, what, paper, measure, verdict, other=lambda of: None):
    def cell(of):
        x = measure(of)
        return x if isinstance(x, str) else lib.show(x), verdict(x, of)
    rows.add(target, what, paper, cell, other)


def best_gap(of):
    """Returns the cause if the best partition of C+C pairs does not come close to the prediction
    either; of: pairs by class, of stand-ins or of programs."""
    def stand_in(run):
        return run.apps[0].startswith('clone')
    kind = stand_in(of['C+C'][0][STATIC])
    pairs = [p for names, p in lib.by_set(r for r in lib.runs('000-oracle')
                                          if stand_in(r) == kind).items()
             if paper000.mix(names) == 'C+C']
    x, y = (gap(pairs, policy) for policy in (DYNAMIC, 'oracle'))
    return lib.Cause(lib.BOUNDED, 'C+C: achieved over predicted: %s in %d pairs; the best of all '
                     'partitions of each pair reaches %s.' % (lib.show(x), len(pairs), lib.show(y))
                     ) if y <= CLOSE else None


def verdicts(kinds):
    v = lib.Verdicts()
    rows = paper000.rows(v, *kinds)

    def number(target, policy, paper):
        rows.number(target, 'weighted speedup, all pairs, ' + dict(POLICIES)[policy], paper,
                    lambda of: speedup(of['all'], policy))

    number('T000-160', 'spatial', 1.13)
    number('T000-161', DYNAMIC, 1.20)
    number('T000-176', 'smk-p+fair', 1.10)
    for c in ('C+C', 'C+M'):
        add(rows, 'fig. 12 a', 'WS dynamic over spatial, ' + c, 'above 1',
            lambda of, c=c: speedup(of[c], DYNAMIC) / speedup(of[c], 'spatial'),
            lambda x, of: lib.true(x > 1))
        add(rows, 'fig. 12 a', 'WS static over spatial, ' + c, 'above 1',
            lambda of, c=c: speedup(of[c], STATIC) / speedup(of[c], 'spatial'),
            lambda x, of: lib.true(x > 1))
    add(rows, 'T000-124', 'C+C: achieved over predicted', 'close to 1',
        lambda of: gap(of['C+C'], DYNAMIC), lambda x, of: lib.true(x > CLOSE),
        best_gap)
    for target, c in (('T000-125', 'C+M'), ('T000-126', 'M+M')):
        add(rows, target, c + ': achieved over predicted', 'much lower',
            lambda of, c=c: gap(of[c], DYNAMIC),
            lambda x, of: lib.true(x < CLOSE, x < gap(of['C+C'], DYNAMIC)))
    add(rows, 'T000-125', 'C+M: normalized IPC of C and of M kernels', 'C loses most',
        lambda of: '%.2f, %.2f' % tuple(kernels(of['C+M'], DYNAMIC)[k] for k in 'CM'),
        lambda x, of: lib.true(kernels(of['C+M'], DYNAMIC)['C'] <
                               kernels(of['C+M'], DYNAMIC)['M']))
    for target, c, equal in (('T000-124', 'C+C', True), ('T000-126', 'M+M', False)):
        add(rows, target, c + ': slower over faster of a pair',
            'similar' if equal else 'one suffers more',
            lambda of, c=c: ratio(of[c]),
            lambda x, of, equal=equal: lib.true((x > ratio(of['M+M' if equal else 'C+C']))
                                                if equal else x < ratio(of['C+C'])))
    return v


def ratio(pairs):
    return lib.gmean(p[DYNAMIC].fairness for p in pairs)


def chosen(pair, policy):
    """Returns the blocks per SM of each app by the policy's last decision; None: separate SMs, or
    not stored."""
    values = pair[policy].policy_values
    return [int(values['blocks_%d' % a]) for a in (0, 1)] if 'blocks_0' in values else None


def choices_text(pairs):
    """Returns a text on the choices of static and dynamic WS and the resulting speedups."""
    both = [(p, chosen(p, STATIC), chosen(p, DYNAMIC)) for p in pairs
            if STATIC in p and DYNAMIC in p]
    both = [(p, s, d) for p, s, d in both if s and d]
    if not both:
        return ''
    gain = [p[DYNAMIC].weighted_speedup / p[STATIC].weighted_speedup for p, _, _ in both]
    rows = [[' + '.join(paper000.short(p[STATIC].names)), '%d, %d' % tuple(s),
             '%d, %d' % tuple(d), p[STATIC].weighted_speedup, p[DYNAMIC].weighted_speedup, g]
            for (p, s, d), g in zip(both, gain)]
    return 'Choice of WS: blocks per SM by the last decision. The dynamic form caps a sample at ' \
        'an even share of DRAM bandwidth (our reading; the factors of the original are not in ' \
        'the papers). The dynamic choice is within a block of the static choice, for both ' \
        'kernels, in %d of %d pairs, and has %.3f of the static weighted speedup, profile ' \
        'included.\n\n' \
        % (sum(near(s, d) for _, s, d in both), len(both), lib.gmean(gain)) + lib.table(
            ['pair', 'static', 'dynamic', 'weighted speedup, static', 'dynamic',
             'dynamic / static'], rows) + '\n'


def late_speedup(short, long):
    """Returns the weighted speedup over the cycles after the short window."""
    cycles = long.cycles - short.cycles
    return sum((b - a) / cycles / ipc for a, b, ipc in zip(
        short.app('thread_instructions'), long.app('thread_instructions'),
        long.app('alone_ipc_thread')))


def near(a, b):
    """Returns True if the choices differ by at most one block for both kernels."""
    return bool(a and b) and all(abs(x - y) < 2 for x, y in zip(a, b))


def late_text(sweep):
    """Returns a text that compares static and dynamic WS after the decision of dynamic WS, without
    the cycles of profiling."""
    short, long = (lib.by_set(lib.runs(sweep, c)) for c in (DECIDED, None))
    pairs = {names: late_speedup(short[names][DYNAMIC], of[DYNAMIC]) /
             late_speedup(short[names][STATIC], of[STATIC]) for names, of in long.items()
             if names in short}
    if not pairs:
        return ''
    at = [int(of[DYNAMIC].policy_values.get('decided_at', 0)) for of in short.values()]
    mean = lib.Mean(pairs)
    alike = sum(near(chosen(short[names], STATIC), chosen(long[names], STATIC)) for names in pairs)
    return 'From cycle {:,} on (WS dynamic has decided in {} of {} pairs, the latest at {:,}) WS ' \
        'dynamic has {:.3f} of the weighted speedup of WS static, {:.3f} to {:.3f} with any ' \
        'single program left out. The best choice depends on the phase: WS static by curves up ' \
        'to the same cycle is within a block of WS static by curves over the whole window in ' \
        '{}.\n\n'.format(
            DECIDED, sum(map(bool, at)), len(at), max(at), mean, *mean.range, alike)


def section():
    kinds = [load(s) for s in SWEEPS[:2]]
    text = ''
    for kind, of, sweep in zip(('stand-ins', 'programs'), kinds, SWEEPS):
        if of['all']:
            cycles = lib.runs(sweep)[0].cycles
            text += '%s, over %s cycles; weighted speedup, geometric means:\n\n%s\n' % (
                kind.capitalize(), '{:,}'.format(cycles), class_table(of))
            text += spreads(sweep) + '\n'
            text += 'Normalized IPC of the kernels, means:\n\n%s\n%s\n%s\n' % (
                kernel_table(of), step_table(of), limit_table(of)) + choices_text(of['all'])
    v = verdicts(kinds)
    return text + late_text(SWEEPS[1]) + v.markdown(), v

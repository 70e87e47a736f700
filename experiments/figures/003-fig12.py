"""Paper 003, figures 7 and 12 to 15: Virtual Thread and GPUDuet."""
import functools

import causes
import lib
import paper003
from paper003 import CLASS, MODERATE, SATURATED, UNDER, UNSATURATED

TITLE = 'Paper 003, figures 7 and 12 to 15: Virtual Thread and GPUDuet'
SWEEPS = ['003-duet', '003-bandwidth', '003-causes', '003-bypass', '003-me', '003-removed',
          '003-removed-alone', '003-removed-me', '003-removed-tb', '003-removed-bypass',
          '003-removed-km', '003-removed-bp', '003-removed-two', '003-removed-mms',
          '003-removed-memory', '003-removed-all-tb',
          '003-inputs', '003-inputs-me', '003-inputs-bypass', '003-inputs-lines',
          '003-inputs-registers']
PLAIN, VT = 'leftover', 'virtual-thread'
DUET, BLOCKS = 'gpuduet', 'gpuduet[levels=tb]'
FEW, FREE = 'gpuduet[registers=0.44]', 'gpuduet[bandwidth=4096]'
MES = [1, 2, 3, 4, 6, 8]
BANDWIDTHS = [(64, 1.18, 'T003-089'), (128, 1.22, 'T003-088'), (256, 1.24, 'T003-087')]
NO_L1 = 'l1.bypass=true'
LITTLE = 0.05  # upper limit of "a very small improvement"

TEXT = '''Each kernel alone over {cycles:,} cycles, as in the paper, with the registers of NVIDIA's
compiler; BT, DWT_2, HS and ST with as many as the paper's limits imply. Speedup over the machine
without the policy; of DWT_2, with L1 as a buffer, over the machine with bypassed L1, as in the
paper. Tests hold the worked examples, the thresholds of Table 3 (T003-028 to -032) and the sums of
Table 4 and section 6.8, 8272 and 672 bits (T003-091, -092; `test/policy/test_residency.c`).

The causes below the verdicts are of {short:,} cycles, on machines with a limit removed.

Figure 12, with the given number of extra blocks on an SM from the beginning (-: no room; over
{short:,} cycles) and as measured (with the most allowed extra blocks):

{figure12}
Figures 13 and 14, speedup and the most blocks on an SM (TLP in the paper). *44 %*:
GPUDuet with 44 % of the registers kept by a waiting warp, the paper's mean, instead of the live
registers; *at once*: 4096 bytes move in a cycle, so exchanging blocks costs next to nothing.

{figure13}
Figure 15, GPUDuet's speedup by bytes moved per cycle:

{figure15}
'''
TWO_LIMITS = 'with two SP units per SM and DRAM and crossbar four times as fast'
NARROW = 'with wires of 16 bytes, DRAM four times as fast and `window=50000` of GPUDuet'
MEMORY = 'with DRAM sixteen times as fast and four times the collector units of memory instructions'
FREE_WORDS, FEW_WORDS = 'with state that moves at once', 'with 44 % of the registers kept'


def base(of, name):
    """Returns the base IPC of the kernel's speedups."""
    without = of[name].get((PLAIN, NO_L1)) if name == 'DWT_2' else None
    return paper003.ipc(without or of[name][PLAIN, ''])


def speedup(of, name, policy):
    run = of[name].get((policy, ''))
    return paper003.ipc(run) / base(of, name) if run else lib.math.nan


def mean(of, names, policy):
    return lib.Mean({(n,): speedup(of, n, policy) for n in names})


def extra(of, name, policy):
    """Returns the maximum number of extra blocks allowed."""
    return paper003.value(of[name][policy, ''], 'extra_blocks')


def blocks(of, name, policy=PLAIN):
    return int(of[name][policy, ''].app('blocks.max_resident')[0])


@functools.cache
def fixed():
    """Returns {symbol: {(policy, options): run}} of fixed numbers of extra blocks, and of none."""
    return paper003.by_symbol(r for sweep in ('003-removed-alone', '003-bypass', '003-me')
                              for r in lib.runs(sweep, paper003.SHORT))


def static_machines():
    """Returns {removed limit in words: as fixed()}, of some kernels."""
    alone, extra_blocks = (
        causes.by_limit([r for s in sweeps for r in lib.runs(s, paper003.SHORT)], paper003.WITHOUT)
        for sweeps in (['003-removed-alone'], ['003-me', '003-removed-me']))
    of = {words: paper003.by_symbol(alone[words] + runs, plain=True)
          for words, runs in extra_blocks.items()}
    other = {words: {**of[''], name: by[name]} for name in ('BP_1', 'KM')
             for words, by in paper003.inputs('003-inputs', '003-inputs-me').items()
             if words.endswith(' ' + name)}
    own = {'with a crossbar twice as wide for KM': ('003-removed-km', ''),
           'with two SP units per SM and DRAM four times as fast for BP_1':
           ('003-removed-bp', 'clock.dram_mhz=4800'),
           'with two SP units per SM and DRAM twice as fast for BP_1':
           ('003-removed-bp', 'clock.dram_mhz=2400')}
    return {**of, **other, **{
        words: {**of[''], **paper003.by_symbol(
            [r for r in lib.runs(sweep) if option in r.row['options']], plain=True)}
        for words, (sweep, option) in own.items()}}


def static(of, name):
    """Returns {extra blocks: speedup}, for the numbers of extra blocks that fit; of: fixed()."""
    return {me: speedup(of, name, 'gpuduet[me=%d]' % me) for me in MES
            if extra(of, name, 'gpuduet[me=%d]' % me) == me}


def decided(run):
    """Returns the class found by gpuduet. gpuduet decides once for each launch, and again for
    kernels of moderate use only: several decisions without a moderate one are of several
    launches."""
    n = {c: paper003.value(run, c) for c in ('moderate', 'underutilized', 'saturated')}
    if n['moderate'] or n['underutilized'] and n['saturated']:
        return 'moderate'
    return 'underutilized' if n['underutilized'] else 'saturated'


# ---- tables ----

def figure12(of):
    rows = []
    for name in CLASS:
        bars, run = static(fixed(), name), of[name][DUET, '']
        rows.append([name, CLASS[name], decided(run)] + [bars.get(me, '-') for me in MES] +
                    ['%.2f (%d)' % (speedup(of, name, DUET), extra(of, name, DUET))])
    return lib.table(['kernel', 'class of the paper', 'here', *map(str, MES), 'as measured'], rows)


def figure13(of, limited):
    rows = []
    for name in CLASS:
        by = limited[name]
        rows.append([name, by['paper'], by['limiter'], str(blocks(of, name)),
                     str(blocks(of, name, VT)), str(blocks(of, name, DUET))] +
                    [speedup(of, name, p) for p in (VT, DUET, BLOCKS, FEW, FREE)])
    for title, names in (('unsaturated', UNSATURATED), ('all', CLASS)):
        rows.append([title] + [''] * 5 +
                    [mean(of, names, p) for p in (VT, DUET, BLOCKS, FEW, FREE)])
    return lib.table(['kernel', 'paper: limited by', 'here', 'blocks', 'VT', 'GPUDuet',
                      'speedup: VT', 'GPUDuet', 'GPUDuet_TB', 'GPUDuet, 44 %',
                      'GPUDuet, at once'], rows)


def with_bandwidth(bytes_per_cycle):
    return DUET if bytes_per_cycle == 128 else 'gpuduet[bandwidth=%d]' % bytes_per_cycle


def figure15(of):
    rows = [[name] + [speedup(of, name, with_bandwidth(b)) for b, _, _ in BANDWIDTHS]
            for name in UNSATURATED]
    rows.append(['unsaturated'] + [mean(of, UNSATURATED, with_bandwidth(b))
                                   for b, _, _ in BANDWIDTHS])
    return lib.table(['kernel'] + ['%d bytes' % b for b, _, _ in BANDWIDTHS], rows)


# ---- rows ----

@functools.cache
def machines():
    """Returns {removed limit in words: {symbol: {(policy, ''): run}}}, with the unchanged machine
    under '', all over SHORT cycles: limits of the machine, and of GPUDuet."""
    of = dict(paper003.machines())
    own = paper003.by_symbol(lib.runs('003-causes', paper003.SHORT))
    for policy, words in ((FREE, FREE_WORDS), (FEW, FEW_WORDS)):
        of[words] = {name: {**runs, (DUET, ''): own[name][policy, '']}
                     for name, runs in of[''].items() if name in own}
    return {**of, **paper003.inputs('003-inputs')}


def worst(*verdicts):
    """Returns the worst verdict, of equal words the farthest from the paper's change."""
    return max(verdicts, key=lambda v: (lib.rank(v), abs(lib.part(v) - 1)))


def in_range(rows, target, names, low, high):
    def judged(x):
        return '%.2f to %.2f' % (min(x), max(x)), worst(lib.like(min(x), low),
                                                         lib.like(max(x), high))
    what = 'GPUDuet, %s: least and greatest speedup' % ' '.join(names)

    def measure(of):
        return judged([speedup(of, n, DUET) for n in names])

    def cause(of):
        """Returns the cause if not even the least of the paper's speedups is in reach, or if a
        removed limit mends the worse end: with other ends in SHORT cycles causes.find() cannot."""
        best = [max(1, *static(fixed(), n).values()) for n in names]
        if max(best) < low:
            return lib.Cause(lib.BOUNDED, '%s: the best fixed number of extra blocks of each '
                             'kernel, or none, reaches %s.' % (what, judged(best)[0]))
        cells = {words: measure(data) for words, data in machines().items()}
        short = cells.pop('')
        found = ['%s %s' % (words, said) for words, (said, its) in cells.items() if all(
            causes.nearer(its, verdict) for verdict in (measure(of)[1], short[1]))]
        return lib.Cause(lib.ISOLATED, '%s: %s; over {:,} cycles %s, %s.'.format(
            paper003.SHORT) % (what, measure(of)[0], short[0], ', '.join(found))) \
            if found else None
    rows.add(target, what, '%.2f to %.2f' % (low, high), measure, cause)


@functools.cache
def own_machines():
    """Returns {kernel: {removed limits, or input, in words: {(policy, options): run}}} of runs for
    a single kernel."""
    two = {(r.policy, NO_L1 * (NO_L1 in r.row['options'])): r for r in lib.runs('003-removed-two')}
    more, memory = ({(r.policy, ''): r for r in lib.runs(sweep)}
                    for sweep in ('003-inputs-registers', '003-removed-memory'))
    return {'DWT_2': {TWO_LIMITS: two}, 'HG': {'with `registers=32` for HG': more},
            'MMS': {NARROW: paper003.narrow_mms()}, 'BP_1': {MEMORY: memory}}


def rows_of(v, of, name):
    """Returns the causes.Rows of a kernel, with the machines for this kernel only; of: runs by
    kernel."""
    own = {words: {**machines()[''], name: runs}
           for words, runs in own_machines().get(name, {}).items()}
    return causes.Rows(v, of, {**machines(), **own})


def class_rows(v, of):
    for n, name in enumerate(CLASS, 33):
        def measure(of, name=name):
            found = decided(of[name][DUET, ''])
            return found, lib.true(found == CLASS[name])
        rows_of(v, of, name).add('T003-%03d' % n, '%s: class found by GPUDuet' % name,
                                 CLASS[name], measure)


def limit_rows(v, limited):
    free = [n for n in UNSATURATED if limited[n]['limiter'] not in paper003.CAPACITY]
    v.add('T003-058', 'of the ten unsaturated, limited by warp or block slots', '5',
          programs=('%d' % len(free), lib.like(len(free), 5, 0, one_way=True)))
    part = float(limited['BT']['register_occupancy'])
    v.add('T003-059', 'BT: of the registers, taken', '88 %', programs=(
        '%.0f %%' % (100 * part), lib.like(part, 0.88, 0, one_way=True)))


def speedup_rows(rows):
    rows.number('T003-060', 'GPUDuet, ten unsaturated kernels, geometric mean', 1.22,
                lambda of: mean(of, UNSATURATED, DUET))
    rows.number('T003-061', 'GPUDuet, the greatest speedup', 1.47,
                lambda of: max(speedup(of, n, DUET) for n in CLASS), one_way=True)
    in_range(rows, 'T003-062', UNDER, 1.23, 1.47)
    in_range(rows, 'T003-063', MODERATE[:4], 1.07, 1.25)

    def none(of):
        names = [n for n in SATURATED if not extra(of, n, DUET)]
        return '%d: %s' % (len(names), ' '.join(names)), lib.like(len(names), 5, 0, one_way=True)
    rows.add('T003-068', 'of the five saturated, GPUDuet allows no extra block to', '5', none)


def static_rows(v):
    """Adds the rows on fixed numbers of extra blocks."""
    def best(of, name):
        bars = static(of, name)
        return max(bars, key=bars.get), max(bars)

    def ends(of, name):
        bars = static(of, name).values()
        return min(bars), max(bars)

    rows = causes.Rows(v, fixed(), static_machines())
    rows.count('T003-062', 'of the five underutilized, best with the most extra blocks', 5,
               lambda of: sum(at == most for at, most in (best(of, n) for n in UNDER)))

    def spmv(of):
        low, high = ends(of, 'SPMV')
        return '%.2f to %.2f' % (low, high), lib.true(high < 1, low < 1)
    rows.add('T003-064', 'SPMV: any extra block is a loss', 'below 1', spmv)
    rows.count('T003-065', 'MM: the best number of extra blocks', 3, lambda of: best(of, 'MM')[0])

    def bp(of):
        x = ends(of, 'BP_1')[1]
        return lib.show(x), lib.true(1 < x <= 1 + LITTLE, x > 1)
    rows.add('T003-066', 'BP_1: the best is a very small gain (up to 5 %)', '> 1', bp)
    rows.number('T003-067', 'KM: the worst', 0.74, lambda of: ends(of, 'KM')[0])


def bypass_row(v, of):
    """Adds the row on DWT_2 without L1; of: runs by kernel."""
    alone, without = (causes.by_limit(lib.runs(sweep, paper003.SHORT), paper003.WITHOUT)
                      for sweep in ('003-removed-alone', '003-removed-bypass'))
    rows = causes.Rows(v, [of['DWT_2'][PLAIN, o] for o in (NO_L1, '')], {
        words: [run] + [r for r in alone[words] if r.apps == run.apps]
        for words, (run,) in without.items()} | {
            words: [by['DWT_2'][PLAIN, o] for o in (NO_L1, '')]
            for words, by in paper003.inputs('003-inputs-bypass', '003-inputs-lines').items()} | {
                words: [runs[PLAIN, o] for o in (NO_L1, '')]
                for words, runs in own_machines()['DWT_2'].items()})
    rows.number('T003-069', 'DWT_2 without L1', 0.95,
                lambda both: paper003.ipc(both[0]) / paper003.ipc(both[1]))


def versus_rows(v, rows, of):
    for target, names, title, paper in (('T003-070', CLASS, '15 kernels', 1.12),
                                        ('T003-071', UNSATURATED, 'the unsaturated', 1.16)):
        rows.number(target, 'GPUDuet over Virtual Thread, ' + title, paper,
                    lambda of, names=names: over_vt(of, names))
    for n, name in enumerate(('CFD', 'LBM', 'ST', 'MMS', 'DWT_2', 'HG', 'HS'), 72):
        def none(of, name=name):
            more = blocks(of, name, VT) - blocks(of, name)
            return str(more), lib.true(not more)
        rows.add('T003-%03d' % n, '%s: extra blocks of Virtual Thread' % name, '0', none)
    for target, name, policy, paper in (('T003-079', 'BT', VT, 1), ('T003-080', 'BT', DUET, 6),
                                        ('T003-081', 'HG', DUET, 8),
                                        ('T003-082', 'DWT_2', DUET, 2)):
        rows_of(v, of, name).count(target, '%s: extra blocks of %s' % (
            name, 'Virtual Thread' if policy == VT else 'GPUDuet'), paper,
            lambda of, name=name, policy=policy: blocks(of, name, policy) - blocks(of, name))

    def km(of):
        x = speedup(of, 'KM', VT)
        return '%.3f' % x, lib.true(x < 1)
    rows.add('T003-083', 'KM: Virtual Thread', 'below 1', km)


def level_row(v, of):
    """Adds the row on GPUDuet's two levels; of: runs by kernel."""
    some = causes.by_limit([r for sweep in ('003-removed', '003-removed-tb', '003-removed-all-tb')
                            for r in lib.runs(sweep)], paper003.WITHOUT)
    both = {words: paper003.by_symbol(runs, plain=True) for words, runs in some.items()}
    other = {words: {**both[''], name: by[name]} for name in ('HS', 'BFS')
             for words, by in paper003.inputs('003-inputs').items() if words.endswith(' ' + name)}
    other[causes.ALL + ' for BFS'] = {**both[''], 'BFS': both[causes.ALL]['BFS']}

    def measure(of):
        x = [paper003.ipc(of[n][DUET, '']) / paper003.ipc(of[n][BLOCKS, '']) for n in ('HS', 'BFS')]
        return '%.2f, %.2f' % tuple(x), lib.true(min(x) > 1, max(x) > 1)
    causes.Rows(v, of, {**both, **other}).add(
        'T003-084', 'HS, BFS: GPUDuet over GPUDuet_TB', '> 1', measure)


def more_rows(v, rows, of):
    level_row(v, of)
    for target, policy, title, paper in (('T003-085', VT, 'Virtual Thread', 1.18),
                                         ('T003-086', DUET, 'GPUDuet', 1.70)):
        rows.number(target, 'the most blocks on an SM, the unsaturated, %s over none' % title,
                    paper, lambda of, policy=policy: lib.Mean({
                        (n,): blocks(of, n, policy) / blocks(of, n) for n in UNSATURATED},
                        lib.mean), one_way=True)
    free = mean(of, UNSATURATED, FREE)
    for b, paper, target in reversed(BANDWIDTHS):
        x = mean(of, UNSATURATED, with_bandwidth(b))
        what = 'GPUDuet at %d bytes a cycle, the unsaturated' % b
        v.add(target, what, lib.show(paper), programs=(lib.show(x), lib.like(x, paper)),
              because=causes.find(what + ':', {'': x, FREE_WORDS: free}, lambda x, paper=paper: (
                  lib.show(x), lib.like(x, paper))))

    most, least = (with_bandwidth(b) for b in (256, 64))
    by_moves = {n: speedup(of, n, most) / speedup(of, n, least) for n in UNSATURATED}
    first = sorted(by_moves, key=by_moves.get)[:-3:-1]
    v.add('T003-301', 'the two kernels most sensitive to the bytes moved per cycle', 'HG, BT',
          programs=(', '.join('%s %.2f' % (n, by_moves[n]) for n in first),
                    lib.true({*first} == {'HG', 'BT'}, {*first} & {'HG', 'BT'})))

    def more(of):
        x = [blocks(of, n, p) for n in ('BP_1', 'KM') for p in (VT, DUET)]
        return '%d and %d, %d and %d' % tuple(x), lib.true(x[0] > x[1] and x[2] > x[3],
                                                           x[0] > x[1] or x[2] > x[3])
    rows.add('T003-302', 'BP_1, KM: the most blocks on an SM, Virtual Thread and GPUDuet',
             'Virtual Thread more', more)

    def kept(of):
        x = lib.mean(paper003.value(of[n][DUET, ''], 'kept_percent') for n in CLASS)
        return '%.0f %%' % x, lib.like(x, 44, 0, one_way=True)
    rows.add('T003-090', 'share of registers kept by a waiting warp, mean', '44 %', kept)


def over_vt(of, names, policy=DUET):
    return lib.Mean({(n,): paper003.ipc(of[n][policy, '']) / paper003.ipc(of[n][VT, ''])
                     for n in names})


def section():
    of, v = paper003.runs(*SWEEPS[:4]), lib.Verdicts()
    rows, limited = causes.Rows(v, of, machines()), paper003.limiters()
    class_rows(v, of)
    limit_rows(v, limited)
    speedup_rows(rows)
    static_rows(v)
    bypass_row(v, of)
    versus_rows(v, rows, of)
    more_rows(v, rows, of)
    text = TEXT.format(cycles=of['BT'][PLAIN, ''].cycles, short=paper003.SHORT,
                       figure12=figure12(of), figure13=figure13(of, limited),
                       figure15=figure15(of))
    return text + v.markdown(), v

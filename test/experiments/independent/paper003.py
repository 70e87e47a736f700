"""Verdicts of paper 003, recomputed: 22 kernels alone, Virtual Thread and GPUDuet."""
import functools
import re

from independent import rules
from independent.rules import (Mean, PROGRAMS, arithmetic, compare, ends, factor, geometric,
                               printed, runs)

PLAIN, VT = 'leftover', 'virtual-thread'
DUET, BLOCKS = 'gpuduet', 'gpuduet[levels=tb]'
MOVING = {64: 'gpuduet[bandwidth=64]', 128: DUET, 256: 'gpuduet[bandwidth=256]'}
EXTRA = {n: 'gpuduet[me=%d]' % n for n in (1, 2, 3, 4, 6, 8)}
TWICE = 'sm.threads=4096 sm.blocks=64 sm.registers=131072 sm.shared_bytes=196608'
NO_L1 = 'l1.bypass=true'
WINDOW, EARLY = '4000000', '2000000'
ALONE, WARPS = '003-alone', '003-warps'
MEASURED = ['003-duet', '003-bandwidth', '003-bypass']
FIXED, FIXED_WINDOW = ['003-removed-alone', '003-bypass', '003-me'], '1000000'
MACHINE = 'maxwell16-duet'
# Programs of the sweeps, without a number of registers.
KERNEL = {
    'BFS': 'bfs:size=window', 'BT': 'btree:size=window', 'HS': 'hotspot:size=window',
    'DWT_1': 'dwt2d:size=window,levels=0', 'DWT_2': 'dwt2d:size=window,first=1,levels=1',
    'HG': 'hybridsort:size=window,kernels=1', 'MMS': 'mm:size=window',
    'CONV': '2dconv:size=window', 'MM': '3mm:ni=2048,nj=2048,nk=2048,nl=2048,nm=2048',
    'ST': 'stencil:size=window', 'SPMV': 'spmv-jds:size=window,shuffle=2048',
    'CFD': 'cfd:repeat=64',
    'BP_1': 'backprop:size=window,only=1', 'BP_2': 'backprop:size=window,only=2',
    'KM': 'kmeans:size=window', 'LBM': 'lbm:size=window', 'SAD_1': 'sad:size=window',
    'SAD_2': 'sad:size=window,first=1', 'CP': 'cutcp:size=window', 'GEMM': 'gemm:size=window',
    'FDTD_1': 'fdtd:size=window,only=2', 'FDTD_2': 'fdtd:size=window,only=1'}
USE = {'scheduler': 'sched.utilization', 'L1': 'l1.utilization', 'L2': 'l2.utilization',
       'SM-to-L2': 'xbar.to_l2_utilization', 'L2-to-SM': 'xbar.to_sm_utilization',
       'DRAM': 'dram.bandwidth_fraction'}

# Limits of words in the rows.
FLAT = 0.02          # "no fall"
LITTLE = 0.05        # "little", "a very small gain"
SATURATED = 0.9      # a saturated crossbar, of the sustainable traffic
HALF = 0.5           # DRAM used to less than half
LOW_L1, LOW_L2 = 0.05, 0.1
STABLE = 0.02        # stable counters, of the capacity


def key(experiment, target, what):
    return experiment, target, what, PROGRAMS


def kernel(app):
    """Returns the paper's name of a program of the sweeps."""
    bare = re.sub(r',registers=\d+', '', app)
    return next(name for name, spec in KERNEL.items() if spec == bare)


@functools.cache
def load(*sweeps, window=WINDOW):
    """Returns {kernel: {(policy, options): run}}."""
    of = {}
    for sweep in sweeps:
        for r in runs(sweep, window):
            of.setdefault(kernel(*r.apps), {})[r.policy, r.options] = r
    return of


def ipc(run):
    return run.of('ipc_thread')[0]


def use(run):
    """Returns {resource: use}, of crossbars as a part of the sustainable traffic."""
    return {name: run.of(k)[0] for name, k in USE.items()}


@functools.cache
def thresholds():
    """Returns {resource: (use of an underutilized kernel, use of a saturated kernel)}, Table 3."""
    of = {}
    for row in rules.targets().values():
        name, _, rest = row['metric'].partition(' ')
        if rest == 'under/sat':
            low, high = (float(x) / 100 for x in row['value'].split('/'))
            for resource in {'interconnect': ('SM-to-L2', 'L2-to-SM')}.get(name, (name,)):
                of[resource] = low, high
    return of


def beyond(run):
    """Returns {resource: use over the limit}, the highest first, of resources above the limit."""
    of = {n: x / thresholds()[n][0] for n, x in use(run).items()}
    return {n: of[n] for n in sorted(of, key=of.get, reverse=True) if of[n] > 1}


@functools.cache
def categories():
    """Returns {kernel: [(target, resource)]} of section 4.2; None: no resource used to the full."""
    of = {}
    for row in rules.targets().values():
        if row['id'].startswith('T003') and row['metric'] == 'category':
            word = row['value'].split()[0]
            name = {'compute': 'scheduler', 'underutilised': None}.get(word, word)
            of.setdefault(row['workload'], []).append((row['id'], name))
    return of


# ---- figures 1 and 5 ----

def fig01(rows):
    of = {}
    for r in runs(WARPS, WINDOW):
        o = dict(x.split('=') for x in r.options.split())
        of.setdefault(int(o['xbar.flit_bytes']), {})[int(o['sm.issue_warps'])] = r
    narrow = of[16]
    hits = {n: 1 - r.of('l1.miss_rate')[0] for n, r in narrow.items()}
    rows.fact(key('003-fig01', 'T003-048', 'L1 hit rate from 1 warp to 24 falls by more than half'),
              [hits[1], hits[24]], hits[24] < hits[1] / 2, hits[24] < hits[1])
    best = max(narrow, key=lambda n: ipc(narrow[n]))
    rows.number(key('003-fig01', 'T003-049', '16 bytes: the best number of warps'), [best], best,
                printed('T003-049'), base=0, one_sided=True)
    late = ipc(narrow[64]) / ipc(narrow[32])
    dram = use(narrow[64])['DRAM']
    rows.fact(key('003-fig01', 'T003-050', '16 bytes, 32 to 64 warps: IPC does not rise; DRAM used '
                  'to less than half'), [late, 100 * dram], late <= 1 and dram < HALF,
              late <= 1 or dram < HALF)
    last = {w: ipc(c[max(c)]) / max(map(ipc, c.values())) for w, c in of.items()}
    wire = use(narrow[64])['L2-to-SM']
    falls = last[16] < 1 - FLAT
    rows.fact(key('003-fig01', 'T003-051', '16 bytes: IPC falls beyond the best; the crossbar is '
                  'saturated (over 90 %)'), [last[16], 100 * wire], falls and wire > SATURATED,
              falls or wire > SATURATED)
    rows.fact(key('003-fig01', 'T003-052', '32 bytes: falls less'), [last[32]],
              last[32] > last[16])
    rows.fact(key('003-fig01', 'T003-053', '64 bytes: no fall (within 2 %)'), [last[64]],
              last[64] >= 1 - FLAT, last[64] > last[16])
    x = [ipc(of[w][64]) for w in (16, 32, 64)]
    rows.fact(key('003-fig01', 'T003-303', 'IPC with all warps, 16, 32 and 64 bytes'), x,
              x == sorted(set(x)))
    share = printed('T003-026') / 100
    most = max(use(r)['L2-to-SM'] for r in narrow.values()) * share
    rows.number(key('003-fig01', 'T003-026', 'most traffic of the crossbar, of the peak, 16 bytes'),
                [100 * most], most, share, base=0, one_sided=True)


# ---- figures 4 and 6 ----

def fig04(rows):
    of = {n: by[PLAIN, ''] for n, by in load(ALONE).items()}
    for name, said in categories().items():
        wanted = {resource for _, resource in said} - {None}
        found, used = beyond(of[name]), use(of[name])
        near = {n: x / thresholds()[n][0] for n, x in used.items()}
        top = max(near, key=near.get)
        values = [x for n in found for x in (n, 100 * used[n])] or ['none', top, 100 * used[top]]
        target = ', '.join([said[0][0]] + [t[4:] for t, _ in said[1:]])
        if wanted:
            rows.fact(key('003-fig04', target, name + ': used to the full'), values,
                      wanted <= set(found) and next(iter(found)) in wanted, top in wanted)
        else:
            rows.fact(key('003-fig04', target, name + ': used to the full'), values, not found)
    leads = [next(iter(beyond(r)), 'none') for r in of.values()]
    for target, what, n in (
            ('T003-023', 'kernels led by a crossbar', sum('-to-' in x for x in leads)),
            ('T003-024', 'kernels using more than 5 % of L1',
             sum(use(r)['L1'] > LOW_L1 for r in of.values())),
            ('T003-025', 'kernels using more than 10 % of L2',
             sum(use(r)['L2'] > LOW_L2 for r in of.values()))):
        rows.number(key('003-fig04', target, what + ', of %d' % len(of)), [n], n, printed(target),
                    base=0, one_sided=True)
    fig06(rows, {n: ipc(by[PLAIN, TWICE]) / ipc(by[PLAIN, '']) for n, by in load(ALONE).items()})
    counters(rows)


def counters(rows):
    """Adds the row on counters that are stable after half of the window."""
    early, late = load('003-counters', window=EARLY), load(ALONE)
    moved = {n: max(abs(late[n][PLAIN, ''].of(k)[0] - early[n][PLAIN, ''].of(k)[0])
                    for k in USE.values()) for n in late}
    far, still = max(moved, key=moved.get), [n for n, x in moved.items() if x <= STABLE]
    rows.fact(key('003-fig04', 'T003-093', 'kernels in which the use of no resource changes by '
                  'over 2 % of the capacity from 2 to 4 million cycles'),
              [len(still), len(moved), far, 100 * moved[far]], len(still) == len(moved),
              2 * len(still) > len(moved))


def fig06(rows, gain):
    groups = {}
    for name, said in categories().items():
        for _, resource in said:
            groups.setdefault(resource or 'none', []).append(gain[name])
    means = {g: geometric(x) for g, x in groups.items()}
    best = max(means, key=means.get)
    rows.fact(key('003-fig04', 'T003-054', 'the group of figure 4 that gains most from twice the '
                  'context'), [best, means[best], 'none', means['none']], best == 'none',
              means['none'] > 1)
    x = gain['SAD_1']
    rows.fact(key('003-fig04', 'T003-055', 'SAD_1: little (within 5 %)'), [x], abs(x - 1) < LITTLE)
    x = gain['KM']
    rows.fact(key('003-fig04', 'T003-056', 'KM: below 1'), [x], x < 1)
    x = [gain['BP_1'], gain['FDTD_1']]
    rows.fact(key('003-fig04', 'T003-057', 'BP_1, FDTD_1: some'), x, min(x) > 1, max(x) > 1)


# ---- figures 7 and 12 to 15 ----

def classes():
    """Returns {kernel: class} of figure 12."""
    return {n: c.replace('utilised', 'utilized')
            for n, c in rules.told('003', 'GPUDuet class').items()}


def inside(*wanted):
    return [n for n, c in classes().items() if c in wanted]


def speedup(of, name, policy):
    """Returns the speedup over the kernel alone; of DWT_2 over the run without L1, as in 7.1."""
    return ipc(of[name][policy, '']) / ipc(of[name][PLAIN, NO_L1 if name == 'DWT_2' else ''])


def mean(of, names, policy):
    return Mean({(n,): speedup(of, n, policy) for n in names}, lambda x: geometric(list(x)))


def resident(of, name, policy=PLAIN):
    return int(of[name][policy, ''].of('blocks.max_resident')[0])


def found_class(run):
    """Returns the class found: that of all decisions, or moderate. Only kernels of moderate use are
    classified again; a second launch is classified anew."""
    n = {c: run.said(c) for c in ('underutilized', 'moderate', 'saturated')}
    found = [c for c in n if n[c]]
    return 'moderate' if len(found) > 1 else (found or ['saturated'])[0]


def bars(of, name):
    """Returns {extra blocks: speedup} of the numbers of extra blocks that fit."""
    return {n: speedup(of, name, p) for n, p in EXTRA.items()
            if of[name][p, ''].said('extra_blocks') == n}


def fig12(rows):
    of = load(*MEASURED)
    for target, row in rules.targets().items():
        if target.startswith('T003') and row['metric'] == 'GPUDuet class':
            name = row['workload']
            got = found_class(of[name][DUET, ''])
            rows.fact(key('003-fig12', target, name + ': class found by GPUDuet'), [got],
                      got == classes()[name])
    limits(rows)
    ranges(rows, of)
    extras(rows, of)
    versus(rows, of)
    fig14(rows, of)


def limits(rows):
    """Adds the rows on resources that limit blocks, from measurements of kernels alone."""
    of, unsaturated = {}, inside('underutilized', 'moderate')
    for row in rules.table('workloads/measured.csv'):
        if row['gpu'] == MACHINE:
            of.setdefault((row['app'], row['kernel']), {})[row['metric']] = row['value']
    bound = {}
    for row in rules.table('workloads/stands.csv'):
        if row['paper'] == '003':
            said = [v for (app, name), v in of.items() if app == row['app'] and 'limiter' in v
                    and row['kernel'] in ('', name)]
            assert len(said) == 1, row['name']
            bound[row['name']] = said[0]
    free = sum(bound[n]['limiter'] not in ('registers', 'shared') for n in unsaturated)
    rows.number(key('003-fig12', 'T003-058', 'of the ten unsaturated, limited by warp or block '
                    'slots'), [free], free, printed('T003-058'), base=0, one_sided=True)
    x = float(bound['BT']['register_occupancy'])
    rows.number(key('003-fig12', 'T003-059', 'BT: of the registers, taken'), [100 * x], 100 * x,
                printed('T003-059'), base=0, one_sided=True)


def ranges(rows, of):
    x = mean(of, inside('underutilized', 'moderate'), DUET)
    rows.number(key('003-fig12', 'T003-060', 'GPUDuet, ten unsaturated kernels, geometric mean'),
                [x], x, factor('T003-060'))
    x = max(speedup(of, n, DUET) for n in classes())
    rows.number(key('003-fig12', 'T003-061', 'GPUDuet, the greatest speedup'), [x], x,
                factor('T003-061'), one_sided=True)
    for target, names in (('T003-062', inside('underutilized')),
                          ('T003-063', rules.targets()['T003-063']['workload'].split())):
        x = [speedup(of, n, DUET) for n in names]
        x = min(x), max(x)
        both = [compare(got, paper) for got, paper in zip(x, ends(target))]
        order = [rules.HOLDS, rules.DIRECTION, rules.FAILS]
        worst = max(both, key=lambda v: (order.index(v[0]), abs(v[1] - 1)))
        rows.add(key('003-fig12', target, 'GPUDuet, %s: least and greatest speedup' %
                     ' '.join(names)), x, *worst)


def extras(rows, of):
    """Adds the rows of figure 12 with a given number of extra blocks."""
    fixed, best = load(*FIXED, window=FIXED_WINDOW), 0
    for name in inside('underutilized'):
        x = bars(fixed, name)
        best += max(x, key=x.get) == max(x)
    rows.number(key('003-fig12', 'T003-062', 'of the five underutilized, best with the most extra '
                    'blocks'), [best], best, len(inside('underutilized')), base=0, one_sided=True)
    x = bars(fixed, 'SPMV').values()
    rows.fact(key('003-fig12', 'T003-064', 'SPMV: any extra block is a loss'), [min(x), max(x)],
              max(x) < 1, min(x) < 1)
    x = bars(fixed, 'MM')
    n = max(x, key=x.get)
    rows.number(key('003-fig12', 'T003-065', 'MM: the best number of extra blocks'), [n], n,
                printed('T003-065'), base=0, one_sided=True)
    x = max(bars(fixed, 'BP_1').values())
    rows.fact(key('003-fig12', 'T003-066', 'BP_1: the best is a very small gain (up to 5 %)'), [x],
              1 < x <= 1 + LITTLE, x > 1)
    x = min(bars(fixed, 'KM').values())
    rows.number(key('003-fig12', 'T003-067', 'KM: the worst'), [x], x, factor('T003-067'))
    none = [n for n in inside('saturated') if not of[n][DUET, ''].said('extra_blocks')]
    rows.number(key('003-fig12', 'T003-068', 'of the five saturated, GPUDuet allows no extra block '
                    'to'), [len(none), *none], len(none), len(inside('saturated')), base=0,
                one_sided=True)
    x = ipc(of['DWT_2'][PLAIN, NO_L1]) / ipc(of['DWT_2'][PLAIN, ''])
    rows.number(key('003-fig12', 'T003-069', 'DWT_2 without L1'), [x], x, factor('T003-069'))


def versus(rows, of):
    for target, names, title in (('T003-070', list(classes()), '15 kernels'),
                                 ('T003-071', inside('underutilized', 'moderate'),
                                  'the unsaturated')):
        x = Mean({(n,): ipc(of[n][DUET, '']) / ipc(of[n][VT, '']) for n in names},
                 lambda x: geometric(list(x)))
        rows.number(key('003-fig12', target, 'GPUDuet over Virtual Thread, ' + title), [x], x,
                    factor(target))
    for n in range(72, 83):
        row = rules.targets()['T003-%03d' % n]
        policy = VT if row['policy'] == 'VT' else DUET
        more = resident(of, row['workload'], policy) - resident(of, row['workload'])
        where = key('003-fig12', row['id'], '%s: extra blocks of %s' % (
            row['workload'], 'Virtual Thread' if policy == VT else 'GPUDuet'))
        if float(row['value']):
            rows.number(where, [more], more, printed(row['id']), base=0, one_sided=True)
        else:
            rows.fact(where, [more], more == 0)
    x = speedup(of, 'KM', VT)
    rows.fact(key('003-fig12', 'T003-083', 'KM: Virtual Thread'), [x], x < 1)
    x = [ipc(of[n][DUET, '']) / ipc(of[n][BLOCKS, '']) for n in ('HS', 'BFS')]
    rows.fact(key('003-fig12', 'T003-084', 'HS, BFS: GPUDuet over GPUDuet_TB'), x, min(x) > 1,
              max(x) > 1)


def fig14(rows, of):
    """Adds the rows of figures 14 and 15. Neither mechanism can have fewer blocks than the plain
    SM, nor keep more than all registers."""
    names = inside('underutilized', 'moderate')
    for target, policy, title in (('T003-085', VT, 'Virtual Thread'),
                                  ('T003-086', DUET, 'GPUDuet')):
        x = arithmetic(resident(of, n, policy) / resident(of, n) for n in names)
        rows.number(key('003-fig12', target, 'the most blocks on an SM, the unsaturated, %s over '
                        'none' % title), [x], x, factor(target), one_sided=True)
    for target, b in (('T003-087', 256), ('T003-088', 128), ('T003-089', 64)):
        x = mean(of, names, MOVING[b])
        rows.number(key('003-fig12', target, 'GPUDuet at %d bytes a cycle, the unsaturated' % b),
                    [x], x, factor(target))
    gain = {n: speedup(of, n, MOVING[256]) / speedup(of, n, MOVING[64]) for n in names}
    a, b = sorted(gain, key=gain.get)[-1:-3:-1]
    told = rules.targets()['T003-301']['workload'].split(' and ')
    rows.fact(key('003-fig12', 'T003-301', 'the two kernels most sensitive to the bytes moved per '
                  'cycle'), [a, gain[a], b, gain[b]], a in told and b in told,
              a in told or b in told)
    x = [resident(of, n, p) for n in ('BP_1', 'KM') for p in (VT, DUET)]
    rows.fact(key('003-fig12', 'T003-302', 'BP_1, KM: the most blocks on an SM, Virtual Thread and '
                  'GPUDuet'), x, x[0] > x[1] and x[2] > x[3], x[0] > x[1] or x[2] > x[3])
    x = arithmetic(of[n][DUET, ''].said('kept_percent') for n in classes())
    rows.number(key('003-fig12', 'T003-090', 'share of registers kept by a waiting warp, mean'),
                [x], x, printed('T003-090'), base=0, one_sided=True)


def add(rows):
    fig01(rows)
    fig04(rows)
    fig12(rows)

"""Verdicts of paper 004, recomputed: seven programs alone and in pairs, MIAS and Warped-Slicer."""
from independent import rules
from independent.rules import (PROGRAMS, Mean, arithmetic, factor, geometric, over, printed, runs,
                               sets)

SLICER = 'warped-slicer[warm=0,sample=45000]'
IPC, IPM, FACTOR, LINEAR = ('mias[metric=%s]' % m for m in ('ipc', 'ipm-ipc', 'factor', 'linear'))
TITLE = {IPC: 'MIAS IPC', IPM: 'MIAS IPM*IPC', FACTOR: 'MIAS factor', LINEAR: 'MIAS linear',
         SLICER: 'Warped-Slicer'}
MIAS = [IPC, IPM, FACTOR, LINEAR]
WINDOW = '1000000'
ALONE = 'leftover'
SETTLED_WITHIN, SETTLED_BY = 0.05, 50000
STALLS = {'RAW': 'stall.raw', 'memory': 'stall.memory', 'compute': 'stall.compute',
          'idle': 'stall.idle'}
MANY, FEW = 0.25, 0.1  # "many" and "few" stalls, of all stalls
LITTLE = 0.03          # "not much of a difference"
NEAR = 0.05            # "as many", in parts of the cycles


def short(program):
    return rules.stands('004')[program]


def memory():
    return {name for name, kind in rules.told('004', 'type').items() if kind == 'MEM'}


def key(experiment, target, what):
    return experiment, target, what, PROGRAMS


# ---- figures 3.4 and 4.1 ----

def settling():
    """Returns the cycle from which on each program's IPC stays near the last value."""
    stored, found = rules.table('experiments/results/004-settling.csv'), {}
    for app in list(stored[0])[1:]:
        ipc = [(int(r['cycles']), float(r[app])) for r in stored]
        last = ipc[-1][1]
        at = None
        for cycles, x in reversed(ipc):
            if abs(x - last) > SETTLED_WITHIN * last:
                break
            at = cycles
        found[short(app.split(':')[0])] = at
    return found


def stalls(run):
    """Returns {cause: part of the scheduler cycles}."""
    return {cause: run[k] for cause, k in STALLS.items()}


def isolated():
    shipped = [run for run in runs('004-alone', WINDOW) if not run.options]
    return {names[0]: by[ALONE] for names, by in sets(shipped, short).items()}


def alone(rows):
    at = sorted(settling().values())
    soon = sum(x <= SETTLED_BY for x in at)
    rows.fact(key('004-alone', 'T004-013', "most kernels' IPC has settled by 50000 cycles"),
              [soon, len(at), at[len(at) // 2]], 2 * soon > len(at))
    of = isolated()
    waits = {n: stalls(v)['RAW'] + stalls(v)['memory'] for n, v in of.items()}
    mem, com = ([100 * x for n, x in waits.items() if (n in memory()) == kind]
                for kind in (True, False))
    rows.fact(key('004-alone', 'T004-001 to -007', 'the three memory-bound programs lose more of '
                  'the cycles to RAW and memory than the four others'),
              [min(mem), max(mem), min(com), max(com)], min(mem) > max(com))
    part = {n: {cause: x / sum(stalls(v).values()) for cause, x in stalls(v).items()}
            for n, v in of.items()}
    bfs, mm, nbdy, bopt = (part[n] for n in ('bfs', 'mm', 'nbdy', 'bopt'))
    rows.fact(key('004-alone', 'T004-008', 'bfs: most stalls are RAW'), [100 * bfs['RAW']],
              bfs['RAW'] > 0.5)
    rows.fact(key('004-alone', 'T004-009', 'mm: many compute stalls (over a fourth), few memory '
                  'stalls (below a tenth)'), [100 * mm['compute'], 100 * mm['memory']],
              mm['compute'] > MANY and mm['memory'] < FEW, mm['compute'] > mm['memory'])
    bus = of['nbdy'].of('dram.bandwidth_fraction')[0]
    rows.fact(key('004-alone', 'T004-010', 'nbdy: some RAW (over a fourth), from memory (uses 5 % '
                  'of DRAM)'), [100 * nbdy['RAW'], 100 * bus],
              nbdy['RAW'] > MANY and bus > 0.05, nbdy['RAW'] > MANY)
    rows.fact(key('004-alone', 'T004-011', 'bopt: much idle (over a fourth), little memory (below '
                  'a tenth)'), [100 * bopt['idle'], 100 * bopt['memory']],
              bopt['idle'] > MANY and bopt['memory'] < FEW, bopt['idle'] > bopt['memory'])
    ipc = {n: v.of('ipc_thread')[0] for n, v in of.items()}
    rows.fact(key('004-alone', 'T004-012', 'dxtc: high IPC'),
              [ipc['dxtc'], arithmetic(ipc.values())], ipc['dxtc'] > arithmetic(ipc.values()))


# ---- figures 4.2 to 4.4 ----

def speed(run):
    return run['sequential_speedup']


def groups():
    """Returns {class: {names: {policy: run}}}."""
    of = {'all': {}, 'COM-COM': {}, 'MEM-COM': {}, 'MEM-MEM': {}}
    for names, by in sets(runs('004-pairs', WINDOW), short).items():
        bound = sum(n in memory() for n in names)
        of[('COM-COM', 'MEM-COM', 'MEM-MEM')[bound]][names] = of['all'][names] = by
    return of


def mean(some, policy):
    return Mean({n: speed(by[policy]) for n, by in some.items()}, arithmetic)


def numbers(rows, of):
    for target, policy, which in (
            ('T004-014, -019', IPM, 'all'), ('T004-015', IPC, 'all'), ('T004-016', LINEAR, 'all'),
            ('T004-017', FACTOR, 'all'), ('T004-018', SLICER, 'all'),
            ('T004-021', IPC, 'COM-COM'), ('T004-022', LINEAR, 'COM-COM'),
            ('T004-045', IPM, 'COM-COM'), ('T004-024', IPC, 'MEM-MEM'),
            ('T004-025', IPM, 'MEM-MEM'), ('T004-027', IPM, 'MEM-COM'),
            ('T004-028', FACTOR, 'MEM-COM'), ('T004-029', LINEAR, 'MEM-COM'),
            ('T004-044', IPC, 'MEM-COM'), ('T004-046', SLICER, 'MEM-COM')):
        x = mean(of[which], policy)
        rows.number(key('004-pairs', target, '%s, mean of %s pairs' % (TITLE[policy], which)), [x],
                    x, printed(target[:8]))
    for target, which in (('T004-020', 'all'), ('T004-030', 'MEM-COM')):
        x = Mean({n: (speed(by[IPM]), speed(by[SLICER])) for n, by in of[which].items()},
                 over(arithmetic))
        rows.number(key('004-pairs', target, 'MIAS IPM*IPC against Warped-Slicer, %s pairs' %
                        which), [x], x, factor(target))
    x, names = max((speed(by[p]), n) for n, by in of['all'].items() for p in MIAS)
    rows.number(key('004-pairs', 'T004-031', 'best pair under MIAS'), [x, '%s + %s' % names], x,
                printed('T004-031'))
    for target, title, some in (
            ('T004-032', 'one kind', {**of['COM-COM'], **of['MEM-MEM']}),
            ('T004-033', 'two kinds', of['MEM-COM'])):
        x = mean(some, IPM)
        rows.number(key('004-pairs', target, 'MIAS, pairs of ' + title), [x], x, factor(target))


def orders(rows, of):
    com = {p: mean(of['COM-COM'], p) for p in TITLE}
    rest = [com[p] for p in MIAS]
    rows.fact(key('004-pairs', 'T004-023', 'COM-COM: Warped-Slicer the lowest of the five, above '
                  '1'), [com[SLICER], min(rest), max(rest)], 1 < com[SLICER] < min(rest),
              com[SLICER] > 1)
    rows.fact(key('004-pairs', 'T004-301', 'COM-COM: IPM*IPC and factor below IPC and linear'),
              rest, max(com[IPM], com[FACTOR]) < min(com[IPC], com[LINEAR]),
              com[IPM] + com[FACTOR] < com[IPC] + com[LINEAR])
    low = [speed(by[SLICER]) < 1 for by in of['MEM-MEM'].values()]
    rows.fact(key('004-pairs', 'T004-026', 'MEM-MEM: Warped-Slicer below 1 in every pair'),
              [sum(low), len(low)], all(low), any(low))
    mem = {p: mean(of['MEM-MEM'], p) for p in TITLE}
    rows.fact(key('004-pairs', 'T004-043', 'MEM-MEM: factor and linear choose worse than IPC'),
              [mem[IPC], mem[FACTOR], mem[LINEAR]], max(mem[FACTOR], mem[LINEAR]) < mem[IPC],
              min(mem[FACTOR], mem[LINEAR]) < mem[IPC])
    low = [speed(by[SLICER]) < 1 for by in of['MEM-COM'].values()]
    rows.fact(key('004-pairs', 'T004-302', 'MEM-COM: Warped-Slicer below 1 in many pairs (a third '
                  'or more)'), [sum(low), len(low)], 3 * sum(low) >= len(low), any(low))


def single(rows, of):
    """Adds the rows of single pairs."""
    slicer = {n: speed(by[SLICER]) for n, by in of.items()}
    x = slicer['fwt', 'dxtc']
    rows.number(key('004-pairs', 'T004-034', 'fwt + dxtc, Warped-Slicer'), [x], x,
                printed('T004-034'))
    x = slicer['bfs', 'bopt']
    rows.fact(key('004-pairs', 'T004-035', 'bfs + bopt, Warped-Slicer'), [x], x < 1)
    x = slicer['mm', 'bopt']
    rows.fact(key('004-pairs', 'T004-036', 'mm + bopt, Warped-Slicer'), [x], x > 1)
    by = of['bfs', 'mm']
    five = [speed(by[p]) for p in TITLE]
    rows.fact(key('004-pairs', 'T004-037', 'bfs + mm: all five below 1'), [min(five), max(five)],
              max(five) < 1, min(five) < 1)
    mix = '%d-%d' % tuple(by[IPM].of('blocks_per_sm'))
    rows.fact(key('004-pairs', 'T004-038', 'bfs + mm, MIAS: the least blocks of bfs, 1-3'), [mix],
              mix == rules.targets()['T004-038']['value'])
    said, least, most = [], [], []
    for name in ('fwt', 'blk'):
        ipc, *rest = (speed(of[name, 'mm'][p]) for p in MIAS)
        said += [name, ipc, min(rest), max(rest)]
        least.append(min(rest) > ipc)
        most.append(max(rest) > ipc)
    rows.fact(key('004-pairs', 'T004-042', 'fwt and blk with mm: IPM*IPC, factor and linear above '
                  'IPC'), said, all(least), any(most))
    n = of['mm', 'nbdy'][IPM].said('configurations')
    rows.fact(key('004-pairs', 'T004-047', 'mixes of two kernels of which four blocks fit an SM '
                  '(mm + nbdy)'), [n], n == rules.targets()['T004-047']['value'].count('('))


def correction(rows, of):
    without = sets(runs('004-correction', WINDOW), short)
    x = geometric([speed(by[SLICER]) / speed(next(iter(without[n].values())))
                   for n, by in of.items()])
    rows.fact(key('004-pairs', 'T004-303', 'Warped-Slicer with its correction for memory over '
                  'without, all pairs'), [100 * (x - 1)], -LITTLE <= x - 1 <= LITTLE)


def lost(rows, of):
    """Adds the rows on stalls of pairs beside the programs alone."""
    single_of = {n: stalls(v) for n, v in isolated().items()}

    def three(a, b):
        return single_of[a], single_of[b], stalls(of[a, b][IPM])

    mm, bopt, both = three('mm', 'bopt')
    less = both['compute'] < mm['compute'], both['idle'] < bopt['idle']
    rows.fact(key('004-pairs', 'T004-039', 'mm + bopt: fewer compute stalls than mm, fewer idle '
                  'ones than bopt'), [100 * x for x in (both['compute'], mm['compute'],
                                                        both['idle'], bopt['idle'])],
              all(less), any(less))
    fwt, dxtc, both = three('fwt', 'dxtc')
    rows.fact(key('004-pairs', 'T004-040', 'fwt + dxtc: as many RAW stalls as dxtc alone (within '
                  '5 % of the cycles)'), [100 * s['RAW'] for s in (both, dxtc, fwt)],
              abs(both['RAW'] - dxtc['RAW']) <= NEAR, both['RAW'] < fwt['RAW'])
    _, mm, both = three('bfs', 'mm')
    waits = [100 * (s['RAW'] + s['memory']) for s in (both, mm)]
    rows.fact(key('004-pairs', 'T004-041', 'bfs + mm: RAW and memory stalls above those of mm '
                  'alone'), waits, waits[0] > waits[1])


def add(rows):
    alone(rows)
    of = groups()
    numbers(rows, of)
    orders(rows, of)
    single(rows, of['all'])
    lost(rows, of['all'])
    correction(rows, of['all'])

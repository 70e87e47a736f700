"""Paper 000, figures 2, 3, 6 c and 8 d: programs alone; IPC of bp and sv versus blocks per SM; the
sweet point of the pair, and the performance of bp at the sweet point."""
import lib

TITLE = 'Paper 000, figures 2, 3, 6 c and 8 d: curves and the sweet point of bp and sv'
SWEEPS = ['000-curves', '000-pairs-clones', '000-pairs-programs']
PROGRAMS = {'bp': 'backprop', 'sv': 'spmv-jds'}
SWEET = (9, 4)
LINEAR = 0.9  # near linear: mean ratio of the IPC with n blocks to n times the IPC with one block


def curve(runs, name):
    """Returns the IPC with 1, 2, ... blocks per SM, up to the number of blocks that fit."""
    points = [r.app('ipc_thread')[0] for r in runs if r.names == [name]]
    while len(points) > 1 and points[-1] == points[-2]:
        points.pop()
    return points


def near_linear(points):
    return lib.mean(p / points[0] / (i + 1) for i, p in enumerate(points))


def falls(points):
    best = max(points)
    return 1 < points.index(best) + 1 < len(points) and points[-1] < best


def sweet(sweep, pair):
    """Returns the blocks per SM chosen from the curves, and the weighted speedup predicted."""
    for r in lib.runs(sweep):
        if sorted(r.names) == sorted(pair) and r.policy == 'warped-slicer[mode=static]':
            table = {n: round(b) for n, b in zip(r.names, r.app('blocks.mean_resident'))}
            return (tuple(table[n] for n in pair),
                    int(r.policy_values.get('predicted', 0)) / 1000)
    return None


PROGRAMS_OF_TABLE_2 = ['cutcp', 'hotspot', 'dxtc', 'pathfinder', 'backprop', 'bfs', 'stencil',
                       '3mm', 'spmv-jds', 'cfd', 'sad', 'kmeans', 'atax']


def use_against_stall():
    """Yields the correlation of ALU utilization and load/store unit stalls over the thirteen
    kernels alone: first for stand-ins, then for programs."""
    for rule, mine in (('window 2000000', lambda app: app.startswith('clone000-')),
                       ('window 500000', lambda app: app.split(':')[0] in PROGRAMS_OF_TABLE_2)):
        of = [v for app, v in lib.measured('maxwell16', rule).items() if mine(app)]
        yield lib.correlation([float(v['alu.utilization']) for v in of],
                              [float(v['ldst.stall_fraction']) for v in of])


def beside(sweep, pair, key):
    """Returns a statistic of the pair's first kernel under dynamic Warped-Slicer."""
    for r in lib.runs(sweep):
        if sorted(r.names) == sorted(pair) and r.policy == 'warped-slicer':
            return r.app(key)[r.names.index(pair[0])]
    return None


def section():
    runs = lib.runs('000-curves')
    curves = [{n: curve(runs, n) for n in PROGRAMS},
              {n: curve(runs, p) for n, p in PROGRAMS.items()}]
    if not runs:
        return '', lib.Verdicts()
    rows = []
    for kind, of in zip(('stand-in', 'program'), curves):
        for n, points in of.items():
            rows.append([n, kind, ' '.join('%.0f' % (100 * p / max(points)) for p in points)])
    text = lib.table(['kernel', 'is a', 'IPC with 1, 2, ... blocks on every SM, in % of the best'],
                     rows)
    v = lib.Verdicts()
    linear = [near_linear(c['bp']) for c in curves]
    v.add('T000-120', 'bp is near linear: IPC of n blocks over n times the IPC of a block, mean',
          'near 1', *[(lib.show(x), lib.true(x > LINEAR)) for x in linear])
    v.add('T000-121', 'sv rises and falls: best at, and with all blocks',
          'in between, less',
          *[('%d of %d, %.2f' % (c['sv'].index(max(c['sv'])) + 1, len(c['sv']),
                                 c['sv'][-1] / max(c['sv'])), lib.true(falls(c['sv'])))
            for c in curves])
    found = [sweet('000-pairs-clones', ('bp', 'sv')),
             sweet('000-pairs-programs', ('backprop', 'spmv-jds'))]
    v.add('T000-122', 'sweet point of bp+sv (blocks per SM)', str(SWEET),
          *[f and (str(f[0]), lib.true(f[0] == SWEET)) for f in found])
    v.add('T000-123', 'weighted speedup predicted by the curves for the sweet point', '1.94',
          *[f and (lib.show(f[1]), lib.like(f[1], 1.94)) for f in found])
    v.add('T000-119', 'ALU utilization against stalls of the load/store unit, 13 programs alone: '
          'correlation', 'below 0', *[(lib.show(x), lib.true(x < 0)) for x in use_against_stall()])
    pairs = list(zip(SWEEPS[1:], (('bp', 'sv'), ('backprop', 'spmv-jds'))))
    for target, key, what, paper, base, digits in (
            ('T000-145', 'l1.accesses_per_kcycle', 'L1 accesses of bp in 1000 cycles', 70, 130, 0),
            ('T000-146', 'normalized_ipc', 'normalized IPC of bp', 0.39, 1, 2)):
        of = [beside(sweep, pair, key) for sweep, pair in pairs]
        v.add(target, 'bp+sv under dynamic WS: ' + what, '%g' % paper,
              *[x and (lib.show(x, digits), lib.like(x, paper, base, one_way=True)) for x in of])
    return text + '\n' + v.markdown(), v

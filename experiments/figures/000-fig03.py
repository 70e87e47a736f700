"""Paper 000, figures 2, 3, 6 c and 8 d: programs alone; IPC of bp and sv versus blocks per SM; the
sweet point of the pair, and the performance of bp at the sweet point."""
import causes
import lib
import paper000

TITLE = 'Paper 000, figures 2, 3, 6 c and 8 d: curves and the sweet point of bp and sv'
SWEEPS = ['000-curves', '000-pairs-clones', '000-pairs-programs', '000-removed-curves',
          '000-removed-blocks', '000-inputs']
PAIRS = [('bp', 'sv'), ('backprop', 'spmv-jds')]  # of stand-ins, of programs
BP = [bp for bp, _ in PAIRS]
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


def of_pair(runs, pair):
    """Returns {policy: run} of a pair."""
    return {r.policy: r for r in runs if sorted(r.names) == sorted(pair)}


def sweet(of, pair):
    """Returns the blocks per SM chosen from the curves, and the weighted speedup predicted."""
    r = of[paper000.STATIC]
    table = {n: round(b) for n, b in zip(r.names, r.app('blocks.mean_resident'))}
    return tuple(table[n] for n in pair), int(r.policy_values.get('predicted', 0)) / 1000


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


def linear(points):
    x = near_linear(points)
    return lib.show(x), lib.true(x > LINEAR)


def in_between(points):
    best = max(points)
    return '%d of %d, %.2f' % (points.index(best) + 1, len(points), points[-1] / best), \
        lib.true(falls(points))


def curve_rows(v, curves):
    """Adds the rows on curves; curves: {kernel: IPC with 1, 2, ... blocks} of stand-ins, of
    programs."""
    without = {words: curve(runs, PROGRAMS['bp']) for words, runs in causes.by_limit(
        lib.runs('000-removed-blocks'), paper000.WITHOUT).items()}
    causes.Rows(v, curves[1]['bp'], without, curves[0]['bp']).add(
        'T000-120', 'bp is near linear: IPC of n blocks over n times the IPC of a block, mean',
        'near 1', linear)
    v.add('T000-121', 'sv rises and falls: best at, and with all blocks', 'in between, less',
          *[in_between(c['sv']) for c in curves])


def pair_rows(v):
    """Adds the rows on bp sharing with sv."""
    shipped = [of_pair(lib.runs(sweep), pair) for sweep, pair in zip(SWEEPS[1:3], PAIRS)]
    removed = causes.by_limit(lib.runs('000-removed-curves'), paper000.WITHOUT)
    without = [{words: of_pair(runs, pair) for words, runs in removed.items()} for pair in PAIRS]
    rows = causes.Rows(v, shipped[1], without[1], shipped[0], without[0])

    def of(by_policy):
        return next(p for p in PAIRS if sorted(p) == sorted(by_policy[paper000.STATIC].names))

    def point(by_policy):
        found = sweet(by_policy, of(by_policy))[0]
        return str(found), lib.true(found == SWEET)
    rows.add('T000-122', 'sweet point of bp+sv (blocks per SM)', str(SWEET), point)
    rows.number('T000-123', 'weighted speedup predicted by the curves for the sweet point', 1.94,
                lambda by_policy: sweet(by_policy, of(by_policy))[1])
    v.add('T000-119', 'ALU utilization against stalls of the load/store unit, 13 programs alone: '
          'correlation', 'below 0', *[(lib.show(x), lib.true(x < 0)) for x in use_against_stall()])
    second = {'with `only=2` for bp, its second kernel': of_pair(lib.runs('000-inputs'), PAIRS[1])}
    dynamic = causes.Rows(v, shipped[1], {**without[1], **second}, shipped[0], without[0])
    for target, key, what, paper, base, digits in (
            ('T000-145', 'l1.accesses_per_kcycle', 'L1 accesses of bp in 1000 cycles', 70, 130, 0),
            ('T000-146', 'normalized_ipc', 'normalized IPC of bp', 0.39, 1, 2)):
        def first(by_policy, key=key):
            r = by_policy[paper000.DYNAMIC]
            return next(x for n, x in zip(r.names, r.app(key)) if n in BP)
        dynamic.number(target, 'bp+sv under dynamic WS: ' + what, paper, first,
                       show=lambda x, digits=digits: lib.show(x, digits), base=base, one_way=True)


def section():
    runs = lib.runs('000-curves')
    curves = [{n: curve(runs, n) for n in PROGRAMS},
              {n: curve(runs, p) for n, p in PROGRAMS.items()}]
    rows = []
    for kind, of in zip(('stand-in', 'program'), curves):
        for n, points in of.items():
            rows.append([n, kind, ' '.join('%.0f' % (100 * p / max(points)) for p in points)])
    text = lib.table(['kernel', 'is a', 'IPC with 1, 2, ... blocks on every SM, in % of the best'],
                     rows)
    v = lib.Verdicts()
    curve_rows(v, curves)
    pair_rows(v)
    return text + '\n' + v.markdown(), v

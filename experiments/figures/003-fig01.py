"""Paper 003, figures 1 and 5: SPMV with a limited number of issuing warps, and crossbars of three
widths."""
import causes
import lib
import paper003

TITLE = 'Paper 003, figures 1 and 5: issuing warps, and the width of the crossbar'
SWEEPS = ['003-warps', '003-warps-removed']
WIDTHS = ['16', '32', '64']
WIDER = '136'
FAR = 'shuffle=8192', 'with labels shuffled over 8192 nodes instead of 2048'
FLAT = 0.02  # maximum loss of the best IPC called "no degradation"
SUSTAINED = 0.6
KEYS = [('l1.miss_rate', 'L1 hits %', lambda x: 100 * (1 - x)),
        ('l1.utilization', 'L1 %', lambda x: 100 * x),
        ('xbar.to_sm_utilization', 'crossbar %', lambda x: 100 * x),
        ('dram.bandwidth_fraction', 'DRAM %', lambda x: 100 * x)]

TEXT = '''SPMV (`spmv-jds`) over {:,} cycles with the given number of issuing warps per SM
(`sm.issue_warps`), with wires of 16, 32 and 64 bytes (`xbar.flit_bytes`). IPC in thread
instructions; the crossbar is the path to the SMs, in percent of the sustainable 60 %. The causes
below the verdicts are of {:,} cycles.

'''


def options(run):
    return dict(o.split('=') for o in run.row['options'].split())


def curves(runs):
    """Returns {width: {warps: run}}."""
    of = {}
    for r in runs:
        o = options(r)
        of.setdefault(o['xbar.flit_bytes'], {})[int(o['sm.issue_warps'])] = r
    return of


def machines():
    """Returns {removed limit in words: {width: {warps: run}}}."""
    runs = lib.runs(SWEEPS[1])
    near, far = ([r for r in runs if (FAR[0] in r.apps[0]) == is_far] for is_far in (False, True))
    limits = [row for row in paper003.WITHOUT if not row[0].startswith('xbar.flit_bytes')]
    of = {words: curves(some) for words, some in causes.by_limit(near, limits).items()}
    of[FAR[1]] = curves(causes.by_limit(far, limits)[''])
    of['with wires of %s bytes' % WIDER] = {**of[''], '64': of[''][WIDER]}
    return of


def table(of):
    warps = list(of['16'])
    rows = []
    for width in WIDTHS:
        rows.append(['%s bytes: IPC' % width] +
                    ['%.0f' % paper003.ipc(of[width][n]) for n in warps])
        rows += [[title] + ['%.0f' % show(of[width][n].app(key)[0]) for n in warps]
                 for key, title, show in KEYS]
    return lib.table(['warps that issue', *map(str, warps)], rows)


def fall(curve):
    """Returns the ratio of the IPC with all warps to the best IPC."""
    best = max(map(paper003.ipc, curve.values()))
    return paper003.ipc(curve[max(curve)]) / best


def best_at(curve):
    return max(curve, key=lambda n: paper003.ipc(curve[n]))


def hits(of):
    """Returns the row on L1's hit rate: measured value, verdict; of: {width: {warps: run}}."""
    few, many = (1 - of['16'][n].app('l1.miss_rate')[0] for n in (1, 24))
    return '%.2f to %.2f' % (few, many), lib.true(many < few / 2, many < few)


def falls(of):
    """Returns the row on IPC with 16 bytes: measured value, verdict."""
    to, wire = fall(of['16']), of['16'][64].app('xbar.to_sm_utilization')[0]
    both = to < 1 - FLAT, wire > 0.9
    return 'to %.2f, crossbar %.0f %%' % (to, 100 * wire), lib.true(all(both), any(both))


def flat(of):
    """Returns the row on IPC with 64 bytes: measured value, verdict."""
    to = fall(of['64'])
    return 'to %.2f' % to, lib.true(to >= 1 - FLAT, to > fall(of['16']))


def section():
    v, of = lib.Verdicts(), curves(lib.runs(SWEEPS[0]))
    rows, narrow = causes.Rows(v, of, machines()), of['16']
    rows.add('T003-048', 'L1 hit rate from 1 warp to 24 falls by more than half', 'yes', hits)
    rows.count('T003-049', '16 bytes: the best number of warps', 16, lambda of: best_at(of['16']))
    late = paper003.ipc(narrow[64]) / paper003.ipc(narrow[32])
    dram = narrow[64].app('dram.bandwidth_fraction')[0]
    v.add('T003-050', '16 bytes, 32 to 64 warps: IPC does not rise; DRAM used to less than half',
          'yes', programs=('%.2f times, DRAM %.0f %%' % (late, 100 * dram),
                           lib.true(late <= 1 and dram < 0.5, late <= 1 or dram < 0.5)))
    rows.add('T003-051', '16 bytes: IPC falls beyond the best; the crossbar is saturated '
             '(over 90 %)', 'yes', falls)
    less = fall(of['32'])
    v.add('T003-052', '32 bytes: falls less', 'yes', programs=(
        'to %.2f' % less, lib.true(less > fall(narrow))))
    rows.add('T003-053', '64 bytes: no fall (within 2 %)', 'yes', flat)
    wide = [paper003.ipc(of[w][64]) for w in WIDTHS]
    v.add('T003-303', 'IPC with all warps, 16, 32 and 64 bytes', 'rises', programs=(
        '%.0f, %.0f, %.0f' % tuple(wide), lib.true(wide[0] < wide[1] < wide[2])))
    most = max(r.app('xbar.to_sm_utilization')[0] for r in narrow.values()) * SUSTAINED
    v.add('T003-026', 'most traffic of the crossbar, of the peak, 16 bytes', '60 %', programs=(
        '%.0f %%' % (100 * most), lib.like(most, 0.6, 0, one_way=True)))
    return TEXT.format(narrow[64].cycles, paper003.SHORT) + table(of) + '\n' + v.markdown(), v

"""Paper 003, figures 1 and 5: SPMV with a limited number of issuing warps, and crossbars of three
widths."""
import lib
import paper003

TITLE = 'Paper 003, figures 1 and 5: issuing warps, and the width of the crossbar'
SWEEPS = ['003-warps']
WIDTHS = ['16', '32', '64']
FLAT = 0.02  # maximum loss of the best IPC called "no degradation"
SUSTAINED = 0.6
KEYS = [('l1.miss_rate', 'L1 hits %', lambda x: 100 * (1 - x)),
        ('l1.utilization', 'L1 %', lambda x: 100 * x),
        ('xbar.to_sm_utilization', 'crossbar %', lambda x: 100 * x),
        ('dram.bandwidth_fraction', 'DRAM %', lambda x: 100 * x)]

TEXT = '''SPMV (`spmv-jds`) over {:,} cycles with the given number of issuing warps per SM
(`sm.issue_warps`), with wires of 16, 32 and 64 bytes (`xbar.flit_bytes`). IPC in thread
instructions; the crossbar is the path to the SMs, in percent of the sustainable 60 %.

'''


def options(run):
    return dict(o.split('=') for o in run.row['options'].split())


def curves():
    """Returns {width: {warps: run}}."""
    of = {w: {} for w in WIDTHS}
    for r in lib.runs(SWEEPS[0]):
        o = options(r)
        of[o['xbar.flit_bytes']][int(o['sm.issue_warps'])] = r
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


def section():
    v, of = lib.Verdicts(), curves()
    narrow = of['16']
    hits = {n: 1 - r.app('l1.miss_rate')[0] for n, r in narrow.items()}
    v.add('T003-048', 'L1 hit rate from 1 warp to 24 falls by more than half', 'yes', programs=(
        '%.2f to %.2f' % (hits[1], hits[24]), lib.true(hits[24] < hits[1] / 2, hits[24] < hits[1])))
    v.add('T003-049', '16 bytes: the best number of warps', '16', programs=(
        str(best_at(narrow)), lib.like(best_at(narrow), 16, 0, one_way=True)))
    late = paper003.ipc(narrow[64]) / paper003.ipc(narrow[32])
    dram = narrow[64].app('dram.bandwidth_fraction')[0]
    v.add('T003-050', '16 bytes, 32 to 64 warps: IPC does not rise; DRAM used to less than half',
          'yes', programs=('%.2f times, DRAM %.0f %%' % (late, 100 * dram),
                           lib.true(late <= 1 and dram < 0.5, late <= 1 or dram < 0.5)))
    falls = {w: fall(of[w]) for w in WIDTHS}
    wire = narrow[64].app('xbar.to_sm_utilization')[0]
    v.add('T003-051', '16 bytes: IPC falls beyond the best; the crossbar is saturated (over 90 %)',
          'yes', programs=('to %.2f, crossbar %.0f %%' % (falls['16'], 100 * wire),
                           lib.true(falls['16'] < 1 - FLAT and wire > 0.9,
                                    falls['16'] < 1 - FLAT or wire > 0.9)))
    v.add('T003-052', '32 bytes: falls less', 'yes', programs=(
        'to %.2f' % falls['32'], lib.true(falls['32'] > falls['16'])))
    v.add('T003-053', '64 bytes: no fall (within 2 %)', 'yes', programs=(
        'to %.2f' % falls['64'], lib.true(falls['64'] >= 1 - FLAT, falls['64'] > falls['16'])))
    wide = [paper003.ipc(of[w][64]) for w in WIDTHS]
    v.add('T003-303', 'IPC with all warps, 16, 32 and 64 bytes', 'rises', programs=(
        '%.0f, %.0f, %.0f' % tuple(wide), lib.true(wide[0] < wide[1] < wide[2])))
    most = max(r.app('xbar.to_sm_utilization')[0] for r in narrow.values()) * SUSTAINED
    v.add('T003-026', 'most traffic of the crossbar, of the peak, 16 bytes', '60 %', programs=(
        '%.0f %%' % (100 * most), lib.like(most, 0.6, 0, one_way=True)))
    return TEXT.format(narrow[64].cycles) + table(of) + '\n' + v.markdown(), v

"""Paper 004, figures 3.4 and 4.1: programs alone, settling time of IPC, and causes of stalls."""
import lib
import paper004

TITLE = 'Paper 004, figures 3.4 and 4.1: seven programs alone'
SWEEPS = ['004-settling']
SERIES = {'004-settling': ('rtx2060', [
    'bfs:size=window,nodes=4194304', 'fwt:size=window,log2=25', 'blackscholes:size=window',
    'mm:size=window', 'nbody:size=window,n=256,repeat=8192',
    'binomial-options:size=window,steps=512', 'dxtc:size=window'], 120000, 5000)}
SETTLED = 0.05

TEXT = '''IPC since the beginning (thread instructions per cycle) after the given thousands of
cycles. The IPC has *settled* at the first multiple of 5000 cycles after which the IPC stays within
%d %% of the value after %d. Sizes as for the pairs below.

%s
Scheduler cycles lost over 500000 cycles, in percent (of
[programs.md](programs.md)):

%s
'''


def settles(series):
    """Returns the settling time in cycles; series: {cycles: IPC}."""
    end = series[max(series)]
    away = [c for c in series if abs(series[c] - end) > SETTLED * end]
    return min(c for c in series if c > max(away, default=0))


def series_table(of):
    cycles = [c for c in next(iter(of.values())) if c % 10000 == 0]
    rows = [[name] + ['%.0f' % ipc[c] for c in cycles] + ['%d' % (settles(ipc) // 1000)]
            for name, ipc in of.items()]
    return lib.table(['program'] + [str(c // 1000) for c in cycles] + ['settles at'], rows)


def stall_table(of):
    rows = []
    for name, values in of.items():
        s = paper004.stalls(values)
        rows.append([name] + ['%.0f' % (100 * s[n]) for _, n in paper004.STALLS] +
                    ['%.0f' % (100 * sum(s.values())), '%.0f' % float(values['inst.ipc_thread'])])
    return lib.table(['program'] + [n for _, n in paper004.STALLS] + ['all stalls', 'IPC'], rows)


def parts(of, name):
    """Returns the causes as fractions of all stalls."""
    s = paper004.stalls(of[name])
    whole = sum(s.values())
    return {k: x / whole for k, x in s.items()}


def stall_rows(v, of):
    def said(p, *causes):
        return ', '.join('%s %.0f %%' % (c, 100 * p[c]) for c in causes)

    waits = {n: float(v['stall.raw']) + float(v['stall.memory']) for n, v in of.items()}
    memory = [waits[n] for n in paper004.MEMORY]
    compute = [x for n, x in waits.items() if n not in paper004.MEMORY]
    ends = [100 * end(x) for x in (memory, compute) for end in (min, max)]
    v.add('T004-001 to -007', 'the three memory-bound programs lose more of the cycles to RAW and '
          'memory than the four others', 'yes', programs=(
              '%.0f to %.0f %%, %.0f to %.0f %%' % tuple(ends),
              lib.true(min(memory) > max(compute))))
    bfs, mm, nbdy, bopt = (parts(of, n) for n in ('bfs', 'mm', 'nbdy', 'bopt'))
    ipc = {n: float(values['inst.ipc_thread']) for n, values in of.items()}
    v.add('T004-008', 'bfs: most stalls are RAW', '> 50 %',
          programs=(said(bfs, 'RAW'), lib.true(bfs['RAW'] > 0.5)))
    v.add('T004-009', 'mm: many compute stalls (over a fourth), few memory stalls (below a tenth)',
          'yes', programs=(said(mm, 'compute', 'memory'),
                           lib.true(mm['compute'] > 0.25 and mm['memory'] < 0.1,
                                    mm['compute'] > mm['memory'])))
    bus = float(of['nbdy']['dram.bandwidth_fraction'])
    v.add('T004-010', 'nbdy: some RAW (over a fourth), from memory (uses 5 % of DRAM)', 'yes',
          programs=('%s, DRAM %.2f %%' % (said(nbdy, 'RAW'), 100 * bus),
                    lib.true(nbdy['RAW'] > 0.25 and bus > 0.05, nbdy['RAW'] > 0.25)))
    v.add('T004-011', 'bopt: much idle (over a fourth), little memory (below a tenth)', 'yes',
          programs=(said(bopt, 'idle', 'memory'),
                    lib.true(bopt['idle'] > 0.25 and bopt['memory'] < 0.1,
                             bopt['idle'] > bopt['memory'])))
    v.add('T004-012', 'dxtc: high IPC', 'above the mean',
          programs=('%.0f, mean %.0f' % (ipc['dxtc'], lib.mean(ipc.values())),
                    lib.true(ipc['dxtc'] > lib.mean(ipc.values()))))


def section():
    v = lib.Verdicts()
    stored = lib.series('004-settling')
    of = {paper004.SYMBOL[app.split(':')[0]]: ipc for app, ipc in stored.items()}
    at = {n: settles(ipc) for n, ipc in of.items()}
    soon = [n for n in at if at[n] <= 50000]
    v.add('T004-013', 'most kernels\' IPC has settled by 50000 cycles', '45000 to 50000',
          programs=('%d of %d; median %d' % (len(soon), len(at), sorted(at.values())[len(at) // 2]),
                    lib.true(2 * len(soon) > len(at))))
    values = paper004.measured()
    stall_rows(v, values)
    last = max(next(iter(of.values())))
    return TEXT % (100 * SETTLED, last, series_table(of), stall_table(values)) + v.markdown(), v

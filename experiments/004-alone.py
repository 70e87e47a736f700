"""Paper 004, figures 3.4 and 4.1: programs alone, how soon their IPC settles and why they stall."""
import lib
import paper004

TITLE = 'Paper 004, figures 3.4 and 4.1: seven programs alone'
SWEEPS = ['004-alone']
SETTLED = 0.05
LAST = 200000  # cycles, the longest run

TEXT = '''IPC since the beginning (thread instructions per cycle) after so many thousands of cycles.
It has *settled* at the first of them from which on it stays within %d %% of what it is at %d.

%s
What schedulers lost of their cycles over 500000 cycles, in percent (sizes as in
[programs.md](programs.md)):

%s
'''
WHY = {}


def settles(series):
    """Cycles; series: {cycles: IPC}."""
    end = series[LAST]
    at = [c for c in sorted(series)]
    for i, c in enumerate(at):
        if all(abs(series[d] - end) <= SETTLED * end for d in at[i:]):
            return c
    return LAST


def series_table(of):
    cycles = sorted(c for c in next(iter(of.values())))
    rows = []
    for name, runs in of.items():
        ipc = {c: runs[c].app('ipc_thread')[0] for c in cycles}
        rows.append([name] + ['%.0f' % ipc[c] for c in cycles] + ['%d' % (settles(ipc) // 1000)])
    return lib.table(['program'] + [str(c // 1000) for c in cycles] + ['settles at'], rows)


def stall_table(of):
    rows = []
    for name, values in of.items():
        s = paper004.stalls(values)
        rows.append([name] + ['%.0f' % (100 * s[n]) for _, n in paper004.STALLS] +
                    ['%.0f' % (100 * sum(s.values())), '%.0f' % float(values['inst.ipc_thread'])])
    return lib.table(['program'] + [n for _, n in paper004.STALLS] + ['all stalls', 'IPC'], rows)


def parts(of, name):
    """Causes as parts of all stalls."""
    s = paper004.stalls(of[name])
    whole = sum(s.values())
    return {k: x / whole for k, x in s.items()}


def stall_rows(v, of):
    def said(p, *causes):
        return ', '.join('%s %.0f %%' % (c, 100 * p[c]) for c in causes)

    bfs, mm, nbdy, bopt = (parts(of, n) for n in ('bfs', 'mm', 'nbdy', 'bopt'))
    ipc = {n: float(values['inst.ipc_thread']) for n, values in of.items()}
    v.add('T004-008', 'bfs: of its stalls, most RAW', '> 50 %',
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
    v = lib.Verdicts(WHY)
    of, values = paper004.alone(), paper004.measured()
    if not of:
        return '', v
    at = {n: settles({c: r.app('ipc_thread')[0] for c, r in runs.items()})
          for n, runs in of.items()}
    soon = [n for n in at if at[n] <= 50000]
    v.add('T004-013', 'most kernels\' IPC has settled by 50000 cycles', '45000 to 50000',
          programs=('%d of %d; median %d' % (len(soon), len(at), sorted(at.values())[len(at) // 2]),
                    lib.true(2 * len(soon) > len(at))))
    stall_rows(v, values)
    text = TEXT % (100 * SETTLED, LAST, series_table(of), stall_table(values))
    return text + v.markdown(), v

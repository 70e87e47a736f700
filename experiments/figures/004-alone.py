"""Paper 004, figures 3.4 and 4.1: programs alone, settling time of IPC, and causes of stalls."""
import causes
import lib
import paper004

TITLE = 'Paper 004, figures 3.4 and 4.1: seven programs alone'
SWEEPS = ['004-settling', '004-alone', '004-fetch']
SERIES = {'004-settling': ('rtx2060', [
    'bfs:size=window,nodes=4194304,threads=256', 'fwt:size=window,log2=25',
    'blackscholes:size=window', 'mm:size=window', 'nbody:size=window,n=256,repeat=8192',
    'binomial-options:size=window,steps=512', 'dxtc:size=window'], 120000, 5000)}
SETTLED = 0.05
MANY, FEW = 0.25, 0.1  # "many" and "few" stalls, of all stalls

TEXT = '''IPC since the beginning (thread instructions per cycle) after the given thousands of
cycles. The IPC has *settled* at the first multiple of 5000 cycles after which the IPC stays within
%d %% of the value after %d. Sizes as for the pairs below.

%s
Scheduler cycles lost over %s cycles, in percent:

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
    for name, run in of.items():
        s = paper004.stalls(run)
        rows.append([name] + ['%.0f' % (100 * s[n]) for _, n in paper004.STALLS] +
                    ['%.0f' % (100 * sum(s.values())), '%.0f' % ipc(run)])
    return lib.table(['program'] + [n for _, n in paper004.STALLS] + ['all stalls', 'IPC'], rows)


def ipc(run):
    return run.app('ipc_thread')[0]


def parts(of, name):
    """Returns the causes as fractions of all stalls."""
    s = paper004.stalls(of[name])
    whole = sum(s.values())
    return {k: x / whole for k, x in s.items()}


def said(p, *names):
    return ', '.join('%s %.0f %%' % (c, 100 * p[c]) for c in names)


def own_machines():
    """Returns {words: {name: run}} of machines on which only bopt ran, with the runs of the other
    programs on the unchanged machine."""
    return {'where fetch serves a single warp a cycle': {
        **paper004.alone()[''], **paper004.isolated(lib.runs('004-fetch'))}}


def stall_rows(rows):
    def kinds(of):
        lost = {n: paper004.stalls(run) for n, run in of.items()}
        waits = {n: 100 * (s['RAW'] + s['memory']) for n, s in lost.items()}
        memory = [waits[n] for n in paper004.MEMORY]
        compute = [x for n, x in waits.items() if n not in paper004.MEMORY]
        return '%.0f to %.0f %%, %.0f to %.0f %%' % (
            min(memory), max(memory), min(compute), max(compute)), \
            lib.true(min(memory) > max(compute))
    rows.add('T004-001 to -007', 'the three memory-bound programs lose more of the cycles to RAW '
             'and memory than the four others', 'yes', kinds)

    def bfs(of):
        p = parts(of, 'bfs')
        return said(p, 'RAW'), lib.true(p['RAW'] > 0.5)
    rows.add('T004-008', 'bfs: most stalls are RAW', '> 50 %', bfs)

    def mm(of):
        p = parts(of, 'mm')
        return said(p, 'compute', 'memory'), lib.true(p['compute'] > MANY and p['memory'] < FEW,
                                                      p['compute'] > p['memory'])
    rows.add('T004-009', 'mm: many compute stalls (over a fourth), few memory stalls (below a '
             'tenth)', 'yes', mm)

    def nbdy(of):
        p, bus = parts(of, 'nbdy'), of['nbdy'].app('dram.bandwidth_fraction')[0]
        return '%s, DRAM %.2f %%' % (said(p, 'RAW'), 100 * bus), \
            lib.true(p['RAW'] > MANY and bus > 0.05, p['RAW'] > MANY)
    rows.add('T004-010', 'nbdy: some RAW (over a fourth), from memory (uses 5 % of DRAM)', 'yes',
             nbdy)

    def bopt(of):
        p = parts(of, 'bopt')
        return said(p, 'idle', 'memory'), lib.true(p['idle'] > MANY and p['memory'] < FEW,
                                                   p['idle'] > p['memory'])
    alone, machines = rows.columns[1]
    causes.Rows(rows.v, alone, {**machines, **own_machines()}).add(
        'T004-011', 'bopt: much idle (over a fourth), little memory (below a tenth)', 'yes', bopt)

    def dxtc(of):
        rates = {n: ipc(run) for n, run in of.items()}
        return '%.0f, mean %.0f' % (rates['dxtc'], lib.mean(rates.values())), \
            lib.true(rates['dxtc'] > lib.mean(rates.values()))
    rows.add('T004-012', 'dxtc: high IPC', 'above the mean', dxtc)


def section():
    v = lib.Verdicts()
    stored = lib.series('004-settling')
    of = {paper004.SYMBOL[app.split(':')[0]]: ipc for app, ipc in stored.items()}
    at = {n: settles(ipc) for n, ipc in of.items()}
    soon = [n for n in at if at[n] <= 50000]
    v.add('T004-013', 'most kernels\' IPC has settled by 50000 cycles', '45000 to 50000',
          programs=('%d of %d; median %d' % (len(soon), len(at), sorted(at.values())[len(at) // 2]),
                    lib.true(2 * len(soon) > len(at))))
    machines = paper004.alone()
    alone = machines['']
    stall_rows(causes.Rows(v, alone, machines))
    last = max(next(iter(of.values())))
    return TEXT % (100 * SETTLED, last, series_table(of), format(alone['mm'].cycles, ','),
                   stall_table(alone)) + v.markdown(), v

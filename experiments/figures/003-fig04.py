"""Paper 003, figures 4 and 6: most used resources, and the speedup of doubled context."""
import causes
import lib
import paper003
from paper003 import LEADER, SYMBOL

TITLE = 'Paper 003, figures 4 and 6: resources used by each kernel, and twice the context of an SM'
SWEEPS = ['003-alone', '003-removed-alone', '003-counters', '003-removed-mms',
          '003-counters-inputs', '003-removed-st']
NARROW = 'with wires of 16 bytes and DRAM four times as fast'
NEAR = 'with DRAM 2.5 times as fast, a crossbar of 136 bytes, and ROP and DRAM delays of 20 cycles'
TWICE = 'sm.threads=4096 sm.blocks=64 sm.registers=131072 sm.shared_bytes=196608'
LOW_L1, LOW_L2, LITTLE = 0.05, 0.1, 0.05
STABLE = 0.02  # greatest change of a use, of the capacity
HALVES = 2000000, 4000000  # cycles: half of the window, the window
SMALLER = 'with smaller inputs of BFS (`nodes=65536`), GEMM and MM (512 rows and columns)'

TEXT = '''Each kernel alone over {:,} cycles, as in the paper; the causes below are of {:,} cycles,
on machines with a limit removed. Use in percent of each resource's capacity (crossbars: of the
sustainable 60 %); *leads*: the most used resource above 60 % (DRAM 50 %). Twice the context:
registers, shared memory, warp and block slots of an SM doubled, the rest unchanged; speedup over
the unchanged machine.

'''


def twice(of):
    """Returns {symbol: speedup with twice the context}."""
    return {n: paper003.ipc(r['leftover', TWICE]) / paper003.ipc(r['leftover', ''])
            for n, r in of.items() if ('leftover', TWICE) in r}


def leads(run):
    return (paper003.full(run) or ['none'])[0]


def table(of, gain):
    rows = []
    for name in sorted(of):
        run = of[name]['leftover', '']
        rows.append([name, run.apps[0]] +
                    ['%.0f' % (100 * x) for x in paper003.use(run).values()] +
                    [leads(run), ' and '.join(LEADER.get(name, ['-'])) or 'none',
                     paper003.class_of(run), gain[name]])
    return lib.table(['kernel', 'program', *paper003.USES, 'leads', 'paper', 'class',
                      'twice the context'], rows)


def leader_rows(rows):
    targets = ['SAD_1', 'BP_1', 'ST', 'KM', 'CFD', 'SPMV', 'FDTD_2', 'MMS', 'CONV', 'GEMM', 'MM',
               'SAD_2', 'LBM', 'FDTD_1', 'BP_2', 'DWT_1', None, 'BFS', 'BT', 'DWT_2', 'HG', 'HS']
    of, machines = rows.columns[1]
    near = {('leftover', ''): r for r in lib.runs('003-removed-st')}
    own = {'MMS': {NARROW: {'MMS': paper003.narrow_mms()}}, 'ST': {NEAR: {'ST': near}}}
    for n, name in enumerate(targets, 1):
        if not name:
            continue  # ST is in two lists of the paper
        target = 'T003-%03d' % n if name != 'ST' else 'T003-003, -017'
        causes.Rows(rows.v, of, {**machines, **own.get(name, {})}).add(
            target, '%s: used to the full' % name, ' and '.join(LEADER[name]) or 'none',
            lambda of, name=name: leader(of[name]['leftover', ''], LEADER[name]))


def leader(run, paper):
    """Returns the resources used to the full, and the verdict; paper: the paper's resources."""
    beyond, use = paper003.full(run), paper003.use(run)
    most = max(use, key=lambda r: use[r] / paper003.FULL[r])
    held, near = (beyond and beyond[0] in paper and set(paper) <= set(beyond), most in paper) \
        if paper else (not beyond, False)
    said = ', '.join('%s %.0f %%' % (r, 100 * use[r]) for r in beyond) or \
        'none; %s %.0f %%' % (most, 100 * use[most])
    return said, lib.true(held, near)


def count_rows(rows):
    for target, what, paper, test in (
            ('T003-023', 'kernels led by a crossbar', 8, lambda r: '-to-' in leads(r)),
            ('T003-024', 'kernels using more than 5 % of L1', 7,
             lambda r: r.app('l1.utilization')[0] > LOW_L1),
            ('T003-025', 'kernels using more than 10 % of L2', 13,
             lambda r: r.app('l2.utilization')[0] > LOW_L2)):
        rows.count(target, what + ', of 22', paper, lambda of, test=test: sum(
            test(r['leftover', '']) for r in of.values()))


def changes(early, late):
    """Returns {symbol: greatest change of a use}, for {symbol: {(policy, options): run}}."""
    of = {}
    for n in late:
        before, after = (paper003.use(by[n]['leftover', '']) for by in (early, late))
        of[n] = max(abs(after[resource] - before[resource]) for resource in after)
    return of


def stable_row(v, of):
    """Adds the row of section 4.1: the counters are stable after half of the window."""
    def stable(change):
        still, most = sum(x <= STABLE for x in change.values()), max(change, key=change.get)
        return '%d of %d; most in %s, by %.1f %%' % (
            still, len(change), most, 100 * change[most]), \
            lib.true(still == len(change), 2 * still > len(change))
    shipped = changes(paper003.runs(SWEEPS[2]), of)
    smaller = ({paper003.OTHER_INPUT[r.names[0]]: {('leftover', ''): r}
                for r in lib.runs(SWEEPS[4], cycles)} for cycles in HALVES)
    causes.Rows(v, shipped, {'': shipped, SMALLER: {**shipped, **changes(*smaller)}}).add(
        'T003-093', 'kernels in which the use of no resource changes by over 2 % of the capacity '
        'from 2 to 4 million cycles', 'all', stable)


def best_group(gain):
    """Returns the group that gains most, and the verdict; gain: {symbol: speedup}."""
    groups = {}
    for n in gain:
        for group in LEADER.get(n) or ['none']:
            groups.setdefault(group, []).append(gain[n])
    means = {g: lib.gmean(x) for g, x in groups.items()}
    best, none = max(means, key=means.get), means['none']
    return '%s %.2f; none %.2f' % (best, means[best], none), lib.true(best == 'none', none > 1)


def gain_rows(v, gain):
    grouped = {n: gain[n] for n in gain if n in LEADER}
    said, verdict = best_group(grouped)
    without = {out: best_group({n: x for n, x in grouped.items() if n != out}) for out in grouped}
    v.add('T003-054', 'the group of figure 4 that gains most from twice the context',
          'none used to the full', programs=(said, verdict),
          because=causes.one_app('most gains ' + said, without) or lib.UNKNOWN)
    v.add('T003-055', 'SAD_1: little (within 5 %)', '1.0',
          programs=(lib.show(gain['SAD_1']), lib.true(abs(gain['SAD_1'] - 1) < LITTLE)))
    v.add('T003-056', 'KM: below 1', 'yes',
          programs=(lib.show(gain['KM']), lib.true(gain['KM'] < 1)))
    v.add('T003-057', 'BP_1, FDTD_1: some', '> 1', programs=(
        '%.2f, %.2f' % (gain['BP_1'], gain['FDTD_1']),
        lib.true(min(gain['BP_1'], gain['FDTD_1']) > 1, max(gain['BP_1'], gain['FDTD_1']) > 1)))


def section():
    of = paper003.runs(SWEEPS[0])
    v = lib.Verdicts()
    assert set(of) == set(SYMBOL.values())
    gain = twice(of)
    rows = causes.Rows(v, of, {**paper003.machines(), **paper003.inputs('003-inputs')})
    leader_rows(rows)
    count_rows(rows)
    gain_rows(v, gain)
    stable_row(v, of)
    text = TEXT.format(lib.runs(SWEEPS[0])[0].cycles, paper003.SHORT) + table(of, gain) + '\n'
    return text + v.markdown(), v

"""Paper 003, figures 4 and 6: most used resources, and the speedup of doubled context."""
import lib
import paper003
from paper003 import LEADER, SYMBOL

TITLE = 'Paper 003, figures 4 and 6: resources used by each kernel, and twice the context of an SM'
SWEEPS = ['003-alone', '003-merges']
MERGES = 'l1.merges=64'
TWICE = 'sm.threads=4096 sm.blocks=64 sm.registers=131072 sm.shared_bytes=196608'
LOW_L1, LOW_L2, LITTLE = 0.05, 0.1, 0.05
WHY = {
    'T003-009': 'too few warps: with twice the context L2-to-SM is used to {use} %.',
    'T003-010': 'an MSHR of L1 merges {few} requests, and most refusals are for lack of room in '
                'an entry: with {many} merges SM-to-L2 is used to {use} %.',
    'T003-011': 'as T003-010: with {many} merges SM-to-L2 is used to {use} %.',
    'T003-023': 'with {many} merges, as in T003-010, {count} do.',
}

TEXT = '''Each kernel alone over {:,} cycles (paper: 4 million). Use in percent of each
resource's capacity (crossbars: of the sustainable 60 %); *leads*: the most used resource above 60 %
(DRAM 50 %). Twice the context: registers, shared memory, warp and block slots of an SM doubled, the
rest unchanged; speedup over the unchanged machine.

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


def leader_rows(v, of):
    targets = ['SAD_1', 'BP_1', 'ST', 'KM', 'CFD', 'SPMV', 'FDTD_2', 'MMS', 'CONV', 'GEMM', 'MM',
               'SAD_2', 'LBM', 'FDTD_1', 'BP_2', 'DWT_1', None, 'BFS', 'BT', 'DWT_2', 'HG', 'HS']
    for n, name in enumerate(targets, 1):
        if not name:
            continue  # ST is in two lists of the paper
        run = of[name]['leftover', '']
        beyond, paper, use = paper003.full(run), LEADER[name], paper003.use(run)
        if paper:
            held = beyond and beyond[0] in paper and set(paper) <= set(beyond)
            near = max(use, key=lambda r: use[r] / paper003.FULL[r]) in paper
        else:
            held, near = not beyond, False
        said = ', '.join('%s %.0f %%' % (r, 100 * use[r]) for r in beyond) or 'none; %s %.0f %%' % (
            max((use[r] / paper003.FULL[r], r) for r in use)[1],
            100 * max((use[r] / paper003.FULL[r], use[r]) for r in use)[1])
        v.add('T003-%03d' % n if name != 'ST' else 'T003-003, -017', '%s: used to the full' % name,
              ' and '.join(paper) or 'none', programs=(said, lib.true(held, near)))


def count_rows(v, of):
    runs = [r['leftover', ''] for r in of.values()]
    for target, what, paper, got in (
            ('T003-023', 'kernels led by a crossbar', 8,
             sum('-to-' in leads(r) for r in runs)),
            ('T003-024', 'kernels using more than 5 % of L1', 7,
             sum(r.app('l1.utilization')[0] > LOW_L1 for r in runs)),
            ('T003-025', 'kernels using more than 10 % of L2', 13,
             sum(r.app('l2.utilization')[0] > LOW_L2 for r in runs))):
        v.add(target, what + ', of 22', str(paper),
              programs=(str(got), lib.like(got, paper, 0, one_way=True)))


def gain_rows(v, gain):
    under = lib.gmean(gain[n] for n in paper003.UNDER)
    groups = {}
    for n, names in LEADER.items():
        for group in names or ['none']:
            groups.setdefault(group, []).append(gain[n])
    means = {g: lib.gmean(x) for g, x in groups.items()}
    best = max(means, key=means.get)
    v.add('T003-054', 'the group of figure 4 that gains most from twice the context',
          'none used to the full', programs=('%s %.2f; none %.2f' % (best, means[best], under),
                                             lib.true(best == 'none', under > 1)))
    v.add('T003-055', 'SAD_1: little (within 5 %)', '1.0',
          programs=(lib.show(gain['SAD_1']), lib.true(abs(gain['SAD_1'] - 1) < LITTLE)))
    v.add('T003-056', 'KM: below 1', 'yes',
          programs=(lib.show(gain['KM']), lib.true(gain['KM'] < 1)))
    v.add('T003-057', 'BP_1, FDTD_1: some', '> 1', programs=(
        '%.2f, %.2f' % (gain['BP_1'], gain['FDTD_1']),
        lib.true(min(gain['BP_1'], gain['FDTD_1']) > 1, max(gain['BP_1'], gain['FDTD_1']) > 1)))


def facts(of):
    """Returns {target: figures} of the runs with causes removed."""
    more = paper003.runs(SWEEPS[1])

    def use(run, resource):
        return '%.0f' % (100 * paper003.use(run)[resource])
    led = {n: leads(more.get(n, r).get(('leftover', MERGES), r['leftover', '']))
           for n, r in of.items()}
    many = MERGES.split('=')[1]
    return {'T003-009': {'use': use(of['CONV']['leftover', TWICE], 'L2-to-SM')},
            'T003-010': {'few': '8', 'many': many,
                         'use': use(more['GEMM']['leftover', MERGES], 'SM-to-L2')},
            'T003-011': {'many': many, 'use': use(more['MM']['leftover', MERGES], 'SM-to-L2')},
            'T003-023': {'many': many, 'count': str(sum('-to-' in x for x in led.values()))}}


def section():
    of = paper003.runs(SWEEPS[0])
    v = lib.Verdicts(WHY, facts(of))
    assert set(of) == set(SYMBOL.values())
    gain = twice(of)
    leader_rows(v, of)
    count_rows(v, of)
    gain_rows(v, gain)
    text = TEXT.format(lib.runs(SWEEPS[0])[0].cycles) + table(of, gain) + '\n'
    return text + v.markdown(), v

"""Paper 002, figures 7 and 12: order of issue among the kernels of an SM."""
import causes
import lib
import paper002
from paper002 import MAESTRO

TITLE = 'Paper 002, figures 7 and 12: order of kernels at issue'
SWEEPS = ['002-issue', '002-settle', '002-rr', '002-rr-l1', '002-starve', '002-starve-fine',
          *paper002.REMOVED, '002-oracle']
NONE = 'maestro[fill=tail]+chimera'
IPR, FAIR = ('maestro[fill=tail]+%s+chimera' % order for order in ('kernel-ipr', 'fair'))
POLICIES = [(NONE, 'none'), (MAESTRO, 'LRR'), (IPR, 'IPR'), (FAIR, 'Fair')]
PAPER = [(('T002-042', 'T002-043'), 'none', NONE, 1.734, 1.390),
         (('T002-044', 'T002-045'), 'LRR', MAESTRO, 1.576, 1.450),
         (('T002-046', 'T002-047'), 'IPR', IPR, 1.596, 1.444),
         (('T002-048', 'T002-049'), 'Fair', FAIR, 1.589, 1.408)]
PART, PARTS = 100000, 10  # length in cycles, and number, of the parts of the window
FINE, FINES = 10000, 30  # of short parts; the paper's have 50,000 instructions of an SM
ORDERS = [('smk-even', 'greedy-then-oldest'), ('smk-even+kernel-lrr', 'LRR')]
STARVING = 0.75  # fraction of the mean IPC: "lower IPC than its average"

TEXT = '''Increase of ANTT and gain of STP, in percent, under GPU Maestro with each order among the
kernels of an SM, greedy-then-oldest inside a kernel; %d pairs, from each class in proportion
(the paper: all pairs).

'''


def memory_kernels(of, policy):
    """Returns the geometric mean of the normalized IPC of MEM kernels in COM/MEM pairs."""
    classes = paper002.paper_class()
    return lib.gmean(x for names, by in of.items()
                     for n, x in zip(names, by[policy].app('normalized_ipc'))
                     if classes[n] == 'MEM')


def parts(order, sweep='002-starve', part=PART, count=PARTS):
    """Returns {removed limit in words: {policy: {program: [IPC in each part of the window]}}} of
    the runs with the apps in an order."""
    before, of = {}, {}
    for limit in range(part, count * part + 1, part):
        runs = [r for r in lib.runs(sweep, limit) if r.names == order]
        for words, some in causes.by_limit(runs, paper002.WITHOUT).items():
            for r in some:
                done = dict(zip(order, r.app('thread_instructions')))
                last = before.get((words, r.policy), dict.fromkeys(order, 0))
                ipc = of.setdefault(words, {}).setdefault(r.policy, {n: [] for n in order})
                for n in order:
                    ipc[n].append((done[n] - last[n]) / part)
                before[words, r.policy] = done
    return of


def starve(v):
    """Adds the row of figure 7 and returns the table."""
    of = parts(['leukocyte', 'blackscholes'])
    shipped = of['']

    def least(data):
        bs, lrr = (min(data[p]['blackscholes']) / lib.mean(data[p]['blackscholes'])
                   for p, _ in ORDERS)
        return '%.2f (with LRR %.2f)' % (bs, lrr), lib.true(bs < STARVING and bs < lrr,
                                                           bs < STARVING)
    causes.Rows(v, shipped, {
        **of, 'with BS launched first': parts(['blackscholes', 'leukocyte'])[''],
        'in parts of {:,} cycles'.format(FINE): parts(
            ['leukocyte', 'blackscholes'], '002-starve-fine', FINE, FINES)['']}).add(
        'T002-030', 'LC/BS, even SMK: least IPC of BS in a tenth of the window, over the mean',
        'starves for long', least)
    return '\nIPC of LC and BS under even SMK, LC launched first, in each tenth of 1,000,000 ' \
        'cycles:\n\n' + lib.table(
            ['order', 'program'] + [str(i + 1) for i in range(PARTS)],
            [[title, paper002.SYMBOL[n]] + [lib.show(x, 0) for x in ipc]
             for policy, title in ORDERS for n, ipc in shipped[policy].items()])


def fact_rows(rows):
    for policy, title in POLICIES[1:]:
        def better(of, policy=policy):
            (a, s), (na, ns) = (paper002.gains(of, p) for p in (policy, NONE))
            return 'ANTT %s and %s, STP %s and %s' % tuple(map(lib.percent, (a, na, s, ns))), \
                a < na and s > ns, a < na or s > ns
        paper002.fact(rows, 'T002-301', '%s better than none in both' % title, 'yes',
                      (policy, NONE), better)

    def least(of):
        fair, lrr, ipr = (memory_kernels(of, p) for p in (FAIR, MAESTRO, IPR))
        return '%.2f, %.2f, %.2f' % (fair, lrr, ipr), fair < min(lrr, ipr), fair < max(lrr, ipr)
    paper002.fact(rows, 'T002-050', 'COM/MEM: normalized IPC of MEM kernels under Fair, LRR, IPR',
                  'least under Fair', (FAIR, MAESTRO, IPR), least, 'COM/MEM')


def large_l1(option):
    """Returns {names: (STP with round-robin warps, with greedy-then-oldest)} of the pairs with KM;
    option: of the machine with a larger L1."""
    of = {}
    for r in lib.runs('002-rr-l1'):
        options = r.row['options'].split()
        if option in options:
            of.setdefault('sm.scheduler=lrr' in options, {})[tuple(r.names)] = r.weighted_speedup
    return {names: (x, of[False][names]) for names, x in of[True].items()}


def round_robin_row(v, of):
    """Adds the row on warps in turns; of: pairs."""
    rr = {names: by[NONE] for names, by in paper002.pairs('002-rr').items()}

    def oldest_alone(run, base):
        """Returns the STP of a run by programs alone as in the run `base`."""
        return sum(map(lambda x, y: x / y, run.app('ipc_thread'), base.app('alone_ipc_thread')))
    own = {names: (rr[names].weighted_speedup, by[NONE].weighted_speedup)
           for names, by in of.items()}
    oldest = {names: (oldest_alone(rr[names], by[NONE]), by[NONE].weighted_speedup)
              for names, by in of.items()}
    larger = {words: {**own, **large_l1(option)} for option, words in (
        ('l1.ways=12', 'with an L1 of twice the size in the pairs with KM'),
        ('l1.ways=48', 'with an L1 of eight times the size in the pairs with KM'))}
    causes.Rows(v, own, {
        '': own, 'by programs alone under greedy-then-oldest for both': oldest, **larger}).number(
        'T002-029', 'no order of kernels: STP with round-robin warps over greedy-then-oldest, each '
        'by programs alone under the same', 1.025, lambda of: lib.Mean({
            names: a / b for names, (a, b) in of.items()}), show=lib.change)


def section():
    v = lib.Verdicts()
    of = paper002.common(paper002.removed()[''], [p for p, _ in POLICIES])
    text = TEXT % len(of) + paper002.bars(of, 'class of the paper', POLICIES)
    rows = causes.Rows(v, of, paper002.machines())
    paper002.mean_rows(rows, PAPER)
    fact_rows(rows)
    round_robin_row(v, of)
    text += starve(v)
    return text + '\n' + v.markdown(), v

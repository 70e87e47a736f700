"""Paper 002, figures 7 and 12: order of issue among the kernels of an SM."""
import lib
import paper002
from paper002 import MAESTRO

TITLE = 'Paper 002, figures 7 and 12: order of kernels at issue'
SWEEPS = ['002-issue', '002-maestro', '002-rr', '002-starve']
NONE, IPR, FAIR = 'maestro+chimera', 'maestro+kernel-ipr+chimera', 'maestro+fair+chimera'
POLICIES = [(NONE, 'none'), (MAESTRO, 'LRR'), (IPR, 'IPR'), (FAIR, 'Fair')]
PAPER = [(('T002-042', 'T002-043'), 'none', NONE, 1.734, 1.390),
         (('T002-044', 'T002-045'), 'LRR', MAESTRO, 1.576, 1.450),
         (('T002-046', 'T002-047'), 'IPR', IPR, 1.596, 1.444),
         (('T002-048', 'T002-049'), 'Fair', FAIR, 1.589, 1.408)]
PART = 100000  # length of a part of the window, in cycles
STARVING = 0.75  # fraction of the mean IPC: "lower IPC than its average"

TEXT = '''Increase of ANTT and gain of STP, in percent, under GPU Maestro with each order among the
kernels of an SM, greedy-then-oldest inside a kernel; %d pairs, from each class in proportion
(the paper: all pairs).

'''


def memory_kernels(of, classes, policy):
    """Returns the geometric mean of the normalized IPC of MEM kernels in COM/MEM pairs."""
    return lib.gmean(by[policy].app('normalized_ipc')[i] for names, by in of.items()
                     for i, n in enumerate(names)
                     if {classes[m] for m in names} == {'COM', 'MEM'} and classes[n] == 'MEM')


def intervals(policy):
    """Returns the IPC of each program in each part of the window of 002-starve: [(IPC, IPC)]."""
    before, last, found = None, 0, []
    for limit in range(PART, 10 * PART + 1, PART):
        for r in lib.runs('002-starve', limit):
            if r.policy != policy:
                continue
            now = r.app('thread_instructions')
            found.append([(b - a) / (limit - last)
                          for a, b in zip(before or [0] * len(now), now)])
            before, last = now, limit
    return found


def starve(v):
    """Adds the row of figure 7 and returns the table; '' if the sweep was never made."""
    rows, least = [], {}
    for policy, title in (('smk-even', 'greedy-then-oldest'), ('smk-even+kernel-lrr', 'LRR')):
        found = intervals(policy)
        if not found:
            return ''
        for i, name in enumerate(('LC', 'BS')):
            ipc = [f[i] for f in found]
            rows.append([title, name] + [lib.show(x, 0) for x in ipc])
            least[title, name] = min(ipc) / lib.mean(ipc)
    bs, lrr = least['greedy-then-oldest', 'BS'], least['LRR', 'BS']
    v.add('T002-030', 'LC/BS, even SMK: least IPC of BS in a tenth of the window, over the mean',
          'starves for long', programs=('%.2f (with LRR %.2f)' % (bs, lrr),
                                        lib.true(bs < STARVING and bs < lrr, bs < STARVING)))
    return '\nIPC of LC and BS under even SMK, LC launched first, in each tenth of 1,000,000 ' \
        'cycles:\n\n' + lib.table(['order', 'program'] + [str(i + 1) for i in range(len(ipc))],
                                  rows)


def section():
    classes, v = paper002.paper_class(), lib.Verdicts()
    of = paper002.common(paper002.pairs('002-maestro', '002-issue'), POLICIES)
    groups = paper002.grouped(classes, of)
    text = TEXT % len(of) + paper002.bars(groups, 'class of the paper', POLICIES)
    paper002.mean_rows(v, groups['all'], PAPER)
    for policy, title in POLICIES[1:]:
        (a, s), (na, ns) = (paper002.gains(groups['all'], p) for p in (policy, NONE))
        v.add('T002-301', '%s better than none in both' % title, 'yes', programs=(
            'ANTT %s and %s, STP %s and %s' % tuple(map(lib.percent, (a, na, s, ns))),
            lib.true(a < na and s > ns, a < na or s > ns)))
    fair, lrr, ipr = (memory_kernels(of, classes, p) for p in (FAIR, MAESTRO, IPR))
    v.add('T002-050', 'COM/MEM: normalized IPC of MEM kernels under Fair, LRR, IPR',
          'least under Fair', programs=('%.2f, %.2f, %.2f' % (fair, lrr, ipr),
                                        lib.true(fair < min(lrr, ipr), fair < max(lrr, ipr))))
    rr = {names: by[NONE] for names, by in paper002.pairs('002-rr').items()}
    if rr:
        more = lib.Mean({names: r.weighted_speedup / of[names][NONE].weighted_speedup
                         for names, r in rr.items()})
        v.add('T002-029', 'no order of kernels: STP with round-robin warps over greedy-then-'
              'oldest, each by programs alone under the same', '+2.5 %',
              programs=(lib.percent(more) + ' %', lib.like(more, 1.025)))
    text += starve(v)
    return text + '\n' + v.markdown(), v

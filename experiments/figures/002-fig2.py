"""Paper 002, figure 2: all mixes of blocks of two kernels on each SM."""
import lib
import paper002

TITLE = 'Paper 002, figure 2: every split of an SM between two kernels'
SWEEPS = ['002-split-com', '002-split-mixed', '002-split-mem']
# Part of the figure, class of the pair, threads per block of each program.
PARTS = [('a', 'COM/COM', (256, 256)), ('b', 'COM/MEM', (256, 256)), ('c', 'MEM/MEM', (128, 512))]
NEAR, FAR = 0.05, 0.1  # deviations meant by "about as good" and "far above"

TEXT = '''STP of fixed tables of blocks, relative to spatial multitasking. The first kernel has
every number of blocks with room left for a block of the second kernel; the second kernel fills the
rest (share: the first kernel's share of the threads on an SM). A run lasts until each kernel
has run 100 million thread instructions, or has ended, once; in the paper 1000 million.

'''


def points(sweep, threads):
    """Returns [(share of threads of the first kernel, blocks, STP)] and the STP of even SMK, both
    relative to spatial, and the STP of spatial."""
    of = {r.policy: r for r in lib.runs(sweep)}
    if 'spatial' not in of:
        return [], lib.math.nan, lib.math.nan
    base = of['spatial'].weighted_speedup
    found = []
    for policy, r in of.items():
        if policy.startswith('fixed'):
            n = [int(x) for x in policy[len('fixed[blocks='):-1].split('/')]
            t = [a * b for a, b in zip(n, threads)]
            found.append((t[0] / sum(t), '%d/%d' % tuple(n), r.weighted_speedup / base))
    return sorted(found), of['smk-even'].weighted_speedup / base, base


def verdict_com(v, found, even, best):
    near = even >= best[2] * (1 - NEAR)
    v.add('T002-023', 'COM/COM: even SMK about the best SMK, not below spatial', 'yes',
          programs=('even %.2f, best %.2f' % (even, best[2]), lib.true(near and even >= 1,
                                                                       near or even >= 1)))


def verdict_mixed(v, found, even, best):
    far = best[2] >= max(even, 1) + FAR
    v.add('T002-024', 'COM/MEM: an uneven SMK far above even SMK and spatial, more blocks to COM',
          'yes', programs=('even %.2f, best %.2f with %s' % (even, best[2], best[1]),
                           lib.true(far and best[0] > 0.5, best[2] > max(even, 1) and
                                    best[0] > 0.5)))


def verdict_mem(v, found, even, best):
    v.add('T002-025', 'MEM/MEM: spatial above any SMK', 'yes',
          programs=('even %.2f, best %.2f with %s' % (even, best[2], best[1]),
                    lib.true(max(even, best[2]) < 1, even < 1)))


def section():
    verdicts = lib.Verdicts()
    text = ''
    for sweep, part, judge in zip(SWEEPS, PARTS, (verdict_com, verdict_mixed, verdict_mem)):
        found, even, base = points(sweep, part[2])
        if not found:
            continue
        programs = '/'.join(paper002.SYMBOL[n] for n in lib.runs(sweep)[0].names)
        rows = [['%s (%s), blocks' % (programs, part[1])] + [b for _, b, _ in found] + ['even'],
                ['share of threads'] + [lib.show(s) for s, _, _ in found] + [''],
                ['STP by spatial\'s (%.2f)' % base] + [s for _, _, s in found] + [even]]
        text += lib.table(rows[0], rows[1:]) + '\n'
        judge(verdicts, found, even, max(found, key=lambda p: p[2]))
    return TEXT + text + verdicts.markdown(), verdicts

"""Paper 002, figure 2: all mixes of blocks of two kernels on each SM."""
import causes
import lib
import paper002

TITLE = 'Paper 002, figure 2: every split of an SM between two kernels'
SWEEPS = ['002-split-com', '002-split-mixed', '002-split-mem', '002-split-other',
          '002-split-fetch']
# Part of the figure, class of the pair, threads per block of each program.
PARTS = [('a', 'COM/COM', (256, 256)), ('b', 'COM/MEM', (256, 256)), ('c', 'MEM/MEM', (128, 512))]
NEAR, FAR = 0.05, 0.1  # deviations meant by "about as good" and "far above"

TEXT = '''STP of fixed tables of blocks, relative to spatial multitasking. The first kernel has
every number of blocks with room left for a block of the second kernel; the second kernel fills the
rest (share: the first kernel's share of the threads on an SM). A run lasts until each kernel
has run 100 million thread instructions, or has ended, once; in the paper 1000 million.

'''


def points(runs, threads):
    """Returns [(share of threads of the first kernel, blocks, STP)] and the STP of even SMK, both
    relative to spatial, and the STP of spatial."""
    of = {r.policy: r for r in runs}
    base = of['spatial'].weighted_speedup
    found = []
    for policy, r in of.items():
        if policy.startswith('fixed'):
            n = [int(x) for x in policy[len('fixed[blocks='):-1].split('/')]
            t = [a * b for a, b in zip(n, threads)]
            found.append((t[0] / sum(t), '%d/%d' % tuple(n), r.weighted_speedup / base))
    return sorted(found), of['smk-even'].weighted_speedup / base, base


def judge_com(even, best):
    near = even >= best[2] * (1 - NEAR)
    return 'even %.2f, best %.2f' % (even, best[2]), lib.true(near and even >= 1,
                                                             near or even >= 1)


def judge_mixed(even, best):
    far = best[2] >= max(even, 1) + FAR
    return 'even %.2f, best %.2f with %s' % (even, best[2], best[1]), \
        lib.true(far and best[0] > 0.5, best[2] > max(even, 1) and best[0] > 0.5)


def judge_mem(even, best):
    return 'even %.2f, best %.2f with %s' % (even, best[2], best[1]), \
        lib.true(max(even, best[2]) < 1, even < 1)


ROWS = [('T002-023', 'COM/COM: even SMK about the best SMK, not below spatial', judge_com),
        ('T002-024', 'COM/MEM: an uneven SMK far above even SMK and spatial, more blocks to COM',
         judge_mixed),
        ('T002-025', 'MEM/MEM: spatial above any SMK', judge_mem)]


def others():
    """Returns {words: as points()} for the MEM/MEM pair: with MUM, which is MEM here, in the place
    of LMD, which is not; and where fetch does not limit issue."""
    times = paper002.scaling()['']
    words = 'with MUM in the place of LMD (%.1f and %.1f times as fast on 16 SMs as on one)'
    return {words % (times['mummer'], times['lavamd']): points(lib.runs(SWEEPS[3]), (256, 512)),
            'with fetch for four warps a cycle': points(lib.runs(SWEEPS[4]), PARTS[2][2])}


def section():
    v, text = lib.Verdicts(), ''
    for sweep, (part, which, threads), (target, what, judge) in zip(SWEEPS, PARTS, ROWS):
        of = {words: points(runs, threads) for words, runs in
              causes.by_limit(lib.runs(sweep), paper002.WITHOUT).items()}
        found, even, base = of['']
        programs = '/'.join(paper002.SYMBOL[n] for n in lib.runs(sweep)[0].names)
        rows = [['%s: %s (%s), blocks' % (part, programs, which)] + [b for _, b, _ in found] +
                ['even'], ['share of threads'] + [lib.show(s) for s, _, _ in found] + [''],
                ['STP by spatial\'s (%.2f)' % base] + [s for _, _, s in found] + [even]]
        text += lib.table(rows[0], rows[1:]) + '\n'
        causes.Rows(v, of[''], {**of, **(others() if part == 'c' else {})}).add(
            target, what, 'yes', lambda data, judge=judge: judge(
                data[1], max(data[0], key=lambda p: p[2])))
    return TEXT + text + v.markdown(), v

"""Paper 002, section 3.2.2 and figure 4: SRAD and BFS with the best partition of every window; and
pairs of programs with phases: the best partition varies with the kernel."""
import causes
import lib
import paper002

TITLE = 'Paper 002, figure 4: the best partition from window to window'
SWEEPS = ['002-window', '002-window-removed', '002-trace', '002-window-small']
EVEN, WINDOW = 'smk-even', 'oracle[mode=window]'
PAIR = ('srad', 'bfs')
PART, PARTS = 100000, 4  # length in cycles, and number, of the intervals of figure 3
SMALL = 'columns=512,rows=512'

TEXT = '''STP over {:,} cycles. A window is 50,000 warp instructions per SM on average, and changes
of the mix are free; a window of 1000000000 covers the whole run, so the last column of STP over the
column before shows the gain from changing the mix. The search is greedy, window by window, and a
constant mix may be better. If the mix never changes, the gain comes from a good constant mix, not
from a different best mix in each phase, as meant by the paper.

'''


def trace(small):
    """Returns [(IPC of SRAD beside BFS, and alone)] of each interval; small: on the small image."""
    done = {}
    for cycles in range(PART, PARTS * PART + 1, PART):
        for r in lib.runs('002-trace', cycles):
            if (SMALL in r.apps[0]) == small:
                done.setdefault(len(r.apps), [0]).append(r.app('thread_instructions')[0])
    beside, alone = ([(b - a) / PART for a, b in zip(n, n[1:])] for n in (done[2], done[1]))
    return list(zip(beside, alone))


def slow_row(v):
    """Adds the row of figure 3."""
    def slow(of):
        x = min(beside / alone for beside, alone in of)
        return lib.show(x), lib.true(x < 0.5)
    shipped = trace(False)
    causes.Rows(v, shipped, {'': shipped, 'with `%s` for SRAD' % SMALL: trace(True)}).add(
        'T002-303', 'SRAD/BFS, even SMK: IPC of SRAD over the IPC alone, the least of four '
        'intervals of {:,} cycles'.format(PART), 'below 0.5', slow)


def section():
    v = lib.Verdicts()
    pairs = lib.by_set(lib.runs(SWEEPS[0]))
    rows = []
    for names, of in pairs.items():
        values = of[WINDOW].policy_values
        rows.append([' + '.join(names)] + [lib.show(r.weighted_speedup, 3) for r in of.values()] +
                    [values.get('windows', '0'), values.get('changes', '0')])
    removed = causes.by_limit(lib.runs(SWEEPS[1]), paper002.WITHOUT)
    machines = {words: lib.by_set(runs)[PAIR] for words, runs in removed.items()}
    small = lib.by_set(lib.runs(SWEEPS[3]))[PAIR]
    judged = causes.Rows(v, pairs[PAIR], machines)
    causes.Rows(v, pairs[PAIR], {**machines, 'with `{}` for SRAD over {:,} cycles'.format(
        SMALL, small[EVEN].cycles): small}).number(
            'T002-026', 'SRAD/BFS: STP of the windowed oracle over even SMK, %', 30,
            lambda of: 100 * (of[WINDOW].weighted_speedup / of[EVEN].weighted_speedup - 1),
            lambda x: lib.show(x, 1), base=0)

    def changes(of):
        n = of[WINDOW].policy_values.get('changes', '0')
        return n, lib.true(int(n))
    judged.add('T002-026', 'because the best mix changes: number of changes', 'above 0', changes)

    slow_row(v)
    head = ['pair'] + ['`%s`' % p for p in pairs[PAIR]] + ['windows', 'changes of the mix']
    return TEXT.format(pairs[PAIR][EVEN].cycles) + lib.table(head, rows) + '\n' + v.markdown(), v

"""Paper 002, section 4.1: final mix of GPU Maestro, compared with every mix of blocks; no
figure."""
import lib
import paper002
from paper002 import MAESTRO, SPATIAL

TITLE = 'Paper 002: the final mix of Maestro, beside every mix'
SWEEPS = ['002-oracle', '002-oracle-dram', '002-oracle-choices', '002-oracle-blocks',
          '002-oracle-late']
FULL = 8  # blocks per SM of each program alone
WARY = 'maestro[gain=5,fill=tail]+kernel-lrr+chimera'
NEAR = 1.01  # maximum ratio to the best ANTT; Maestro moves only for a gain above 1 %
MADE = 'maestro[%s,fill=tail]+kernel-lrr+chimera'
CHOICES = {'with `%s`' % option: MADE % option for option in
           ('reference=isolated', 'reference=isolated,spatial=measured', 'epoch=200000')}

TEXT = '''Pairs of six programs; an SM holds eight blocks, of one program or of both: every
mix as a fixed table, with LRR among kernels as under Maestro, and spatial sharing, over
1,000,000 cycles. *Best*: the mix with the least ANTT. *Settles at*: the mix of most SMs
at the end of Maestro's run; if the last blocks of a program's launch run then, the mix before. The
search goes on to the end, and a run is one sample of the search.

'''


def partition(run):
    """Returns the blocks of each app; None: separate SMs. While the last blocks of one app's launch
    run, the other app may fill whole SMs: then the app that stopped launching has the blocks of the
    mix."""
    if paper002.mix(run):
        return paper002.mix(run)
    blocks = tuple(int(x) for x in run.app('blocks_per_sm'))
    if run.policy == SPATIAL or min(blocks) == FULL:
        return None
    return tuple(FULL - min(blocks) if b == FULL else b for b in blocks)


def shown(mix):
    return 'SMs of their own' if mix is None else '%d/%d' % mix


def near(mix, best):
    """Returns True if the mixes differ by at most one block, or both are separate SMs."""
    return mix is best if mix is None or best is None else abs(mix[0] - best[0]) <= 1


def stays(found, static):
    """Returns True if every partition compared by Maestro with `found` is worse. Maestro compares a
    mix with a block more, a block less, and separate SMs; separate SMs with the even mix, a block
    more and a block less."""
    at = FULL // 2 if found is None else found[0]
    compared = [(a, FULL - a) for a in (at - 1, at, at + 1)] + [None]
    return all(static[m].antt > static[found].antt for m in compared if m != found and m in static)


def pair_row(names, by, policy):
    static = {partition(r): r for p, r in by.items() if not p.startswith('maestro')}
    best = min(static, key=lambda m: static[m].antt)
    found = partition(by[policy])
    is_near = near(found, best)
    like = static[found].antt if found in static else lib.math.nan
    row = ['/'.join(paper002.SYMBOL[n] for n in names), shown(best), lib.show(static[best].antt),
           shown(found), lib.show(like), lib.show(by[policy].antt),
           '{:,}'.format(int(by[policy].policy_values.get('decided_at', '0'))),
           by[policy].policy_values.get('moves', '0')]
    return row, is_near, like <= NEAR * static[best].antt, not is_near and stays(found, static)


def study(sweep, title, policy=MAESTRO):
    rows = [pair_row(names, by, policy) for names, by in paper002.pairs(sweep).items()
            if policy in by]
    if not rows:
        return ''
    said = '%s: within one block of the best in %d of %d pairs; ANTT of the final ' \
        'mix within 1 %% of the best in %d. In %d of the other pairs all mixes a block away ' \
        'are worse: a search by single blocks stops at the final mix.\n\n' % (
            title, sum(n for _, n, _, _ in rows), len(rows), sum(x for _, _, x, _ in rows),
            sum(s for _, _, _, s in rows))
    return said + lib.table(['pair', 'best', 'ANTT', 'settles at', 'ANTT of the mix, fixed',
                             'ANTT of Maestro', 'last change, cycles', 'moves of SMs'],
                            [r for r, _, _, _ in rows])


def found(by, policy):
    """Returns (mix of a pair under the policy, in words; True if near the best)."""
    row, is_near, _, _ = pair_row((), by, policy)
    return row[3], is_near


def chosen():
    """Returns the pairs of 002-oracle, with Maestro's other choices."""
    return paper002.pairs('002-oracle', '002-oracle-choices')


def tried(names, by):
    """Returns [(what a run has instead, mix, True if near the best)] of a pair."""
    runs = [(words, by, policy) for words, policy in CHOICES.items()]
    for sweep, words in (('002-oracle-dram', 'if DRAM has eight times the bandwidth'),
                         ('002-oracle-blocks', 'if a block of SC has an eighth of the work')):
        other = paper002.pairs(sweep)
        if names in other:
            runs.append((words, other[names], MAESTRO))
    return [(words, *found(of, policy)) for words, of, policy in runs]


def late(names, by):
    """Returns (cycles, {mix: ANTT over the window's last so many cycles}) of a pair; (0, {}): no
    runs of a part of the window."""
    antt, rest = {}, 0
    for policy, first in paper002.pairs('002-oracle-late').get(names, {}).items():
        whole = by[policy]
        rest = whole.cycles - first.cycles
        done = zip(whole.app('thread_instructions'), first.app('thread_instructions'),
                   whole.app('alone_ipc_thread'), first.app('alone_ipc_thread'))
        antt[partition(whole)] = lib.mean((c * whole.cycles - d * first.cycles) / (a - b)
                                          for a, b, c, d in done)
    return rest, antt


def late_cause(names, by):
    """Returns a cause in words if the mix at the end is the best of the last part of the window;
    otherwise ''."""
    rest, antt = late(names, by)
    mix = partition(by[MAESTRO])
    if not antt or min(antt, key=antt.get) != mix:
        return ''
    return 'over the last {:,} cycles {} is best: {}'.format(rest, shown(mix), ', '.join(
        '%s %s' % (shown(m), lib.show(antt[m])) for m in sorted(antt, key=antt.get)))


def why():
    """Returns a text on each pair far from the best mix: the choices and inputs, by runs, under
    which Maestro ends near the best."""
    lines = []
    for names, by in chosen().items():
        row, is_near, _, stuck = pair_row(names, by, MAESTRO)
        if is_near:
            continue
        others = tried(names, by)
        causes = ['%s %s' % (words, mix) for words, mix, near_it in others if near_it]
        causes += filter(None, [late_cause(names, by)])
        if stuck:
            causes.insert(0, 'a search by single blocks stops there')
        tries = ', '.join('%s %s' % (words, mix) for words, mix, _ in others)
        lines.append('* %s%s: %s, best %s (ANTT %s and %s as fixed mixes); %s.\n' % (
            row[0], '' if causes else ', not isolated', row[3], row[1], row[4], row[2],
            ', '.join(causes) or tries))
    return 'Pairs that end farther from the best, and the mix at the end of runs without the ' \
        'suspected cause:\n\n' + ''.join(lines) + '\n'


def choice_table():
    """Returns a table of the mixes under other choices."""
    of = {names: by for names, by in chosen().items() if set(CHOICES.values()) <= set(by)}
    rows, count = [], dict.fromkeys(CHOICES, 0)
    for names, by in of.items():
        row = pair_row(names, by, MAESTRO)[0][:2]
        for words, policy in CHOICES.items():
            mix, is_near = found(by, policy)
            count[words] += is_near
            row += [mix, lib.show(by[policy].antt)]
        rows.append(row)
    said = ', '.join('%s in %d' % (words, n) for words, n in count.items())
    head = ['pair', 'best']
    for words in CHOICES:
        head += ['settles at, ' + words, 'ANTT']
    return 'Other choices of Maestro: within one block of the best %s of %d pairs.\n\n' % (
        said, len(of)) + lib.table(head, rows)


def section():
    parts = [study('002-oracle', 'As shipped'),
             study('002-oracle', 'Maestro moving for gains above 5 % only', WARY),
             choice_table(),
             study('002-oracle-dram', 'With eight times the bandwidth of DRAM')]
    return TEXT + why() + '\n'.join(filter(None, parts)), lib.Verdicts()

"""Influence on the averages of choices that the papers leave open; and runs with limits removed, to
show the stalls caused by the limits."""
import lib

TITLE = 'Choices not printed in the papers, and lifted limits'
SWEEPS = ['000-choices', '000-policies', '002-choices', '004-choices']
WORDS = {
    'l1.missq=1024 l1.mshrs=1024 l1.merges=32': 'L1 never lacks an MSHR or a place in the queue',
    'l1.ways=48': 'L1 of eight times the size',
    'clock.dram_mhz=3696': 'DRAM four times as fast',
    'clock.dram_mhz=7000': 'DRAM four times as fast',
    'clock.dram_mhz=14000': 'DRAM four times as fast',
}
MEANS = {'weighted_speedup': 'weighted speedup', 'antt': 'ANTT',
         'sequential_speedup': 'speedup over sequential execution'}

TEXT = '''Averages over a sample of pairs with each program in two pairs, with a single change:
choices left open by the papers (DRAM queue, stores missing L2, miss queue of L1, quotas, correction
of Warped-Slicer's samples), and lifted limits. The first row of each table is the shipped choice.
The effect of `fill` is among the pairs of paper 002.

'''


def means(runs, metric):
    """Returns {(options, policy): geometric mean}."""
    of = {}
    for r in runs:
        of.setdefault((r.row['options'], r.policy), []).append(getattr(r, metric))
    return {k: lib.gmean(v) for k, v in of.items()}


def table(sweep, metrics):
    runs = lib.runs(sweep)
    policies = list(dict.fromkeys(r.policy for r in runs))
    of = {m: means(runs, m) for m in metrics}
    rows = []
    for options in dict.fromkeys(r.row['options'] for r in runs):
        said = ' (%s)' % WORDS[options] if options in WORDS else ''
        rows.append(['`%s`%s' % (options, said) if options else 'as shipped'] +
                    [of[m][options, p] for m in metrics for p in policies])
    head = ['%s, `%s`' % (MEANS[m], p) for m in metrics for p in policies]
    pairs = len({r.row['apps'] for r in runs})
    return '`%s`, %d pairs on `%s`:\n\n' % (sweep, pairs, runs[0].row['gpu']) + \
        lib.table(['machine'] + head, rows) + '\n'


def policies():
    """Returns a table of the policies of 000-policies, each compared with the policy without the
    option."""
    base = means(lib.runs(SWEEPS[0]), 'weighted_speedup')
    rows = [['`%s`' % p, '`%s`' % short, x, base.get(('', short))]
            for (_, p), x in means(lib.runs(SWEEPS[1]), 'weighted_speedup').items()
            for short in [without_options(p)]]
    return 'The same pairs, options of policies:\n\n' + lib.table(
        ['policy', 'without', 'weighted speedup', 'without'], rows) + '\n'


def without_options(policy):
    """Returns the policy to compare with: smk-p+fair for smk-p+fair[epoch=512], and also for plain
    smk-p, to show the effect of fair."""
    bare = policy.split('[')[0]
    return 'smk-p+fair' if bare == 'smk-p' else bare


def section():
    text = TEXT + table(SWEEPS[0], ['weighted_speedup'])
    if lib.runs(SWEEPS[1]):
        text += policies()
    for sweep, metrics in ((SWEEPS[2], ['antt', 'weighted_speedup']),
                           (SWEEPS[3], ['sequential_speedup'])):
        if lib.runs(sweep):
            text += table(sweep, metrics)
    return text.rstrip('\n') + '\n', lib.Verdicts()

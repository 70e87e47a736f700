"""Functions shared by the experiments: runs of a sweep stored in experiments/results, means over
pairs, and verdicts on the figures reported by a paper.
"""
import collections
import csv
import math
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'tools'))
import model  # noqa: E402

MODELS = os.path.join(HERE, 'results', 'model.csv')
# Columns per run, and columns per app of a run ("a/b").
RUN_KEYS = ['weighted_speedup', 'antt', 'fairness', 'sequential_speedup', 'instruction_throughput',
            'stall.raw', 'stall.memory', 'stall.compute', 'stall.idle', 'stall.policy',
            'sm.fragmented_register_fraction', 'sm.fragmented_shared_fraction']
APP_KEYS = ['thread_instructions', 'ipc_thread', 'alone_ipc_thread', 'normalized_ipc',
            'completions', 'blocks_per_sm', 'blocks.mean_resident', 'stall.raw', 'stall.memory',
            'stall.compute', 'stall.idle', 'stall.policy', 'l1.miss_rate', 'l1.rsfail_rate',
            'ldst.stall_fraction', 'l1.accesses_per_kcycle', 'dram.bandwidth_fraction',
            'alu.utilization', 'inst.sfu', 'l2.mpki', 'dram.row_locality', 'blocks.preempted',
            'preempt.switched', 'preempt.flushed', 'preempt.drained', 'preempt.bytes',
            'preempt.lost_thread_instructions', 'sched.utilization', 'xbar.to_l2_utilization',
            'xbar.to_sm_utilization', 'l1.utilization', 'l2.utilization', 'blocks.max_resident',
            'residency.extra_blocks', 'residency.switches', 'l1.fail_mshr', 'l1.fail_missq',
            'l1.fail_merge', 'l1.fail_line']
POINT = ['apps', 'policy', 'gpu', 'options', 'until', 'cycle_limit', 'instruction_goal', 'seed',
         'alone']
HEAD = POINT + ['cycles'] + RUN_KEYS + ['app.' + k for k in APP_KEYS] + ['policy_values']
HOLDS, DIRECTION, FAILS = 'holds', 'direction holds', 'fails'
CLOSE = 0.25  # maximum deviation of a value that holds, as a fraction of the paper's change
LEAST = 0.1  # minimum change in the paper's direction, as a fraction of the paper's change


def number(text):
    return float(text) if text not in ('', '-') else math.nan


class Run:
    """A stored run: `run.weighted_speedup`; values per app as a list:
    `run.app('normalized_ipc')`."""

    def __init__(self, row):
        self.row = row
        self.apps = row['apps'].split(' + ')
        self.names = [a.split(':')[0].split('-', 1)[-1] if a.startswith('clone')
                      else a.split(':')[0] for a in self.apps]
        self.policy = row['policy']
        self.cycles = int(row['cycles'])
        self.policy_values = dict(p.rsplit('=', 1) for p in row['policy_values'].split())

    def __getattr__(self, key):
        if key not in RUN_KEYS:
            raise AttributeError(key)
        return number(self.row[key])

    def app(self, key):
        return [number(v) for v in self.row['app.' + key].split('/')]


def results(name):
    """Returns the lines of results/NAME.csv. A missing file is an error: otherwise a table would be
    missing unnoticed."""
    path = os.path.join(HERE, 'results', name + '.csv')
    if not os.path.exists(path):
        sys.exit('no experiments/results/%s.csv; `make experiments ONLY=%s` measures it' %
                 (name, name))
    with open(path, encoding='utf-8') as f:
        return f.read().splitlines()


def runs(sweep, cycles=None):
    """Returns the stored runs of sweeps/SWEEP.yaml with windows of `cycles`; default: the longest
    window of the sweep."""
    stored = [Run(r) for r in csv.DictReader(results(sweep))]
    limits = {r.row['cycle_limit'] for r in stored}
    limit = str(cycles) if cycles else max(limits, key=lambda c: int(c or 0), default='')
    return [r for r in stored if r.row['cycle_limit'] == limit]


def series(name):
    """Returns a stored series, {app: {cycles: IPC since cycle 0}}."""
    head, *rows = csv.reader(results(name))
    return {app: {int(r[0]): float(r[i + 1]) for r in rows} for i, app in enumerate(head[1:])}


def measured(gpu, rule):
    """Returns {app: {key: value}} of isolated runs, with the values shown in
    docs/reference/programs.md."""
    of = {}
    with open(os.path.join(HERE, '..', 'workloads', 'measured.csv'), encoding='utf-8') as f:
        for app, machine, window, kernel, key, value in csv.reader(f):
            if (machine, window, kernel) == (gpu, rule, ''):
                of.setdefault(app, {})[key] = value
    return of


def correlation(a, b):
    """Returns Pearson's correlation coefficient of two lists."""
    x, y = ([v - mean(of) for v in of] for of in (a, b))
    return sum(p * q for p, q in zip(x, y)) / math.sqrt(
        sum(p * p for p in x) * sum(q * q for q in y))


def made():
    """Returns {sweep or series: (number of the timing model, minutes taken or '')}."""
    with open(MODELS, encoding='utf-8') as f:
        return {r['name']: (int(r['model']), r['minutes']) for r in csv.DictReader(f)}


def models():
    """Returns {sweep or series: number of the timing model}."""
    return {name: number for name, (number, _) in made().items()}


def by_set(all_runs):
    """Returns {apps: {policy: run}}, in the order of the sweep."""
    table = {}
    for r in all_runs:
        table.setdefault(tuple(r.names), {})[r.policy] = r
    return table


def gmean(values):
    values = list(values)
    if not values or any(not v > 0 for v in values):
        return math.nan
    return math.exp(sum(map(math.log, values)) / len(values))


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else math.nan


def ratio_of_means(pairs):
    """Returns the mean of all a over the mean of all b, for [(a, b)]."""
    return mean(a for a, _ in pairs) / mean(b for _, b in pairs) if pairs else math.nan


def like(measured, paper, base=1.0, one_way=False):
    """Returns the verdict on a measured number, followed by the ratio of the measured change from
    `base` to the paper's change. HOLDS: the ratio is within CLOSE of 1. DIRECTION: the ratio is at
    least LEAST, and a Mean's range does not contain `base`. one_way: the number can lie on one side
    only, and the direction is no evidence."""
    if math.isnan(measured):
        return '-'
    part = (measured - base) / (paper - base)
    low, high = getattr(measured, 'range', (measured, measured))
    moved = part >= LEAST and not low <= base <= high and not one_way
    word = HOLDS if abs(part - 1) <= CLOSE + 1e-9 else DIRECTION if moved else FAILS
    return '%s (%.2f)' % (word, part)


def word(verdict):
    """Returns the word of a verdict: HOLDS, DIRECTION or FAILS."""
    return verdict.split(' (')[0]


def rank(verdict):
    """Returns 0 for the best word of a verdict, 2 for the worst."""
    return (HOLDS, DIRECTION, FAILS).index(word(verdict))


def part(verdict):
    """Returns the ratio of the measured change to the paper's change; None if the verdict has no
    ratio."""
    return float(verdict.split('(')[1].rstrip(')')) if '(' in verdict else None


BARS = ' ▁▂▃▄▅▆▇█'
BINS = 16


def strip(values, low, high):
    """Returns a histogram of the values, with BINS equal bins from low to high, as a row of
    bars."""
    counts = [0] * BINS
    for x in values:
        counts[min(int((x - low) / (high - low or 1) * BINS), BINS - 1)] += 1
    most = max(counts)
    return ''.join(BARS[-(-c * (len(BARS) - 1) // most)] for c in counts)


class Mean(float):
    """The mean of {apps: value}, by default geometric. `without`: {app: mean without the sets with
    this app}; `range`: their minimum and maximum, a measure of the dependence on the choice of
    apps. `of` and `average` are as given."""

    def __new__(cls, of, average=gmean):
        self = super().__new__(cls, average(list(of.values())))
        self.of, self.average = of, average
        means = {app: average([v for names, v in of.items() if app not in names])
                 for app in sorted({n for names in of for n in names})}
        self.without = {app: m for app, m in means.items() if m == m}
        self.range = tuple(end(self.without.values(), default=math.nan) for end in (min, max))
        return self


def spread_table(what, columns):
    """Returns a table of the distributions behind geometric means over pairs, for {title: {apps:
    value}}."""
    every = [v for of in columns.values() for v in of.values()]
    if not every:
        return ''
    low, high = min(every), max(every)
    rows = []
    for title, of in columns.items():
        whole, values = Mean(of), sorted(of.values())
        rows.append([title, show(whole), show(statistics.median(values)),
                     '%s to %s' % tuple(map(show, whole.range)),
                     '%s to %s' % (show(values[0]), show(values[-1])),
                     '`%s`' % strip(values, low, high)])
    return table([what, 'geometric mean', 'median', 'without any one program', 'all pairs',
                  'pairs from %s to %s' % (show(low), show(high))], rows)


def true(fact, partly=False):
    return HOLDS if fact else DIRECTION if partly else FAILS


def show(value, digits=2):
    if value is None or isinstance(value, float) and math.isnan(value):
        return '-'
    return value if isinstance(value, str) else '%.*f' % (digits, value)


def percent(ratio, digits=1):
    """Formats a ratio as a change in percent: 1.05 gives +5.0."""
    return '%+.*f' % (digits, 100 * (ratio - 1)) if ratio == ratio else '-'


def change(ratio):
    """Formats a ratio as a change in percent, with the unit."""
    return percent(ratio) + ' %'


def listed(words):
    """Joins words to a text: a, b and c."""
    return ', '.join(words[:-1]) + ' and ' + words[-1] if len(words) > 1 else ''.join(words)


def table(head, rows):
    line = '| %s |'
    return '\n'.join([line % ' | '.join(head), line % ' | '.join(['---'] * len(head))] +
                     [line % ' | '.join(show(c) for c in r) for r in rows]) + '\n'


# Why a verdict does not hold: one of the kinds below, and a text.
Cause = collections.namedtuple('Cause', 'kind text')
ISOLATED = 'isolated'    # shown by runs without the cause
BOUNDED = 'bounded'      # the best of all choices, by runs, does not reach the result either
BEYOND = 'not reachable'  # the paper's own figures exclude the paper's result
TRIED = 'not isolated'   # not isolated; the text names what was tried
UNKNOWN = Cause(TRIED, '')
SAID = {ISOLATED: '%s: %s', BOUNDED: '%s, bounded: %s', TRIED: '%s, not isolated: %s',
        BEYOND: "%s is not reachable by the paper's own figures: %s"}


class Verdicts:
    """The rows of an experiment that compare the paper's statements with the measurements."""

    def __init__(self):
        self.rows = []
        # {(target, what): (Cause of stand-ins, of programs)}; None: the verdict holds.
        self.causes = {}

    def add(self, target, what, paper, stand_ins=None, programs=None, because=UNKNOWN):
        """Adds a row. `stand_ins`, `programs`: (measured value, verdict), or None. because: the
        Cause of a verdict that does not hold, or a cause for either column."""
        both = [p or ('-', '-') for p in (stand_ins, programs)]
        self.rows.append([target, what, paper] + [c for p in both for c in p])
        of = [because] * 2 if isinstance(because, Cause) else because
        self.causes[target, what] = [c if word(v) in (DIRECTION, FAILS) else None
                                     for c, (_, v) in zip(of, both)]

    def reasons(self):
        """Returns the causes as a list, with the column where both columns do not hold."""
        said, unknown = [], []
        for (target, _), both in self.causes.items():
            for column, cause in zip(('stand-ins', 'programs'), both):
                if cause is None:
                    continue
                name = target if None in both or both[0] == both[1] else \
                    '%s, %s' % (target, column)
                if cause == UNKNOWN:
                    unknown.append(name)
                else:
                    said.append(('* ' + SAID[cause.kind]) % (name, cause.text))
        if unknown:
            said.append('* Not isolated: %s.' % '; '.join(dict.fromkeys(unknown)))
        return '\n' + '\n'.join(dict.fromkeys(said)) + '\n' if said else ''

    def markdown(self):
        head = ['target', 'what', 'paper', 'stand-ins', 'verdict', 'programs', 'verdict']
        empty = [i for i in (3, 5) if all(r[i] == '-' for r in self.rows)]
        keep = [i for i in range(7) if i not in empty and i - 1 not in empty]
        return table([head[i] for i in keep], [[r[i] for i in keep] for r in self.rows]) + \
            self.reasons()

    def count(self):
        return [word(v) for r in self.rows for v in (r[4], r[6]) if v != '-']

    def of_cause(self, kind):
        """Returns the number of verdicts that do not hold and have a cause of the kind."""
        return sum(c is not None and c.kind == kind for both in self.causes.values() for c in both)

    def unknown(self):
        """Returns the number of verdicts that do not hold without an isolated cause."""
        return self.of_cause(TRIED)

    def unreachable(self):
        """Returns the number of verdicts that do not hold and cannot, by the paper's figures."""
        return self.of_cause(BEYOND)

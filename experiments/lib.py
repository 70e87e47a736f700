"""What the experiments share: the runs of a sweep as experiments/results keeps them, means over
pairs, and verdicts on what a paper reports.
"""
import csv
import math
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'tools'))
import model  # noqa: E402

MODELS = os.path.join(HERE, 'results', 'model.csv')
# Of a whole run, and of each app in it ("a/b").
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
            'residency.extra_blocks', 'residency.switches']
POINT = ['apps', 'policy', 'gpu', 'options', 'until', 'cycle_limit', 'instruction_goal', 'seed',
         'alone']
HEAD = POINT + ['cycles'] + RUN_KEYS + ['app.' + k for k in APP_KEYS] + ['policy_values']
HOLDS, DIRECTION, FAILS = 'holds', 'direction holds', 'fails'
CLOSE = 0.25  # of the change that the paper reports: that near, it holds


def number(text):
    return float(text) if text not in ('', '-') else math.nan


class Run:
    """One run: `run.weighted_speedup`, and per app `run.app('normalized_ipc')` as a list."""

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


def runs(sweep, cycles=None):
    """The runs of sweeps/SWEEP.yaml, as stored; empty where it was never made. Those over so
    many cycles, where it has several windows: over the longest."""
    path = os.path.join(HERE, 'results', sweep + '.csv')
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as f:
        stored = [Run(r) for r in csv.DictReader(f)]
    limits = {r.row['cycle_limit'] for r in stored}
    limit = str(cycles) if cycles else max(limits, key=lambda c: int(c or 0), default='')
    return [r for r in stored if r.row['cycle_limit'] == limit]


def series(name):
    """{app: {cycles: IPC since the beginning}}, as stored; empty where it was never made."""
    path = os.path.join(HERE, 'results', name + '.csv')
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as f:
        head, *rows = csv.reader(f)
    return {app: {int(r[0]): float(r[i + 1]) for r in rows} for i, app in enumerate(head[1:])}


def measured(gpu, rule):
    """{app: {key: value}} of isolated runs, as docs/programs.md has them."""
    of = {}
    with open(os.path.join(HERE, '..', 'workloads', 'measured.csv'), encoding='utf-8') as f:
        for app, machine, window, kernel, key, value in csv.reader(f):
            if (machine, window, kernel) == (gpu, rule, ''):
                of.setdefault(app, {})[key] = value
    return of


def correlation(a, b):
    """Pearson's."""
    x, y = ([v - mean(of) for v in of] for of in (a, b))
    return sum(p * q for p, q in zip(x, y)) / math.sqrt(
        sum(p * p for p in x) * sum(q * q for q in y))


def made():
    """{sweep or series: (number of the model that made it, minutes that it took or '')}"""
    with open(MODELS, encoding='utf-8') as f:
        return {r['name']: (int(r['model']), r['minutes']) for r in csv.DictReader(f)}


def models():
    """{sweep or series: number of the model that made it}"""
    return {name: number for name, (number, _) in made().items()}


def by_set(all_runs):
    """{apps: {policy: run}}, in the order of the sweep."""
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


def like(measured, paper, base=1.0, one_way=False):
    """A number beside the paper's, with the measured change from `base` over the paper's: it holds
    within a quarter of that, its direction where it is on the same side of `base`. one_way: it can
    be on no other side, so that its direction says nothing."""
    if math.isnan(measured):
        return '-'
    part = (measured - base) / (paper - base)
    word = HOLDS if abs(part - 1) <= CLOSE + 1e-9 else DIRECTION if part > 0 and not one_way else \
        FAILS
    return '%s (%.2f)' % (word, part)


def word(verdict):
    """HOLDS, DIRECTION or FAILS."""
    return verdict.split(' (')[0]


def part(verdict):
    """The measured change over the paper's, None where there is none."""
    return float(verdict.split('(')[1].rstrip(')')) if '(' in verdict else None


BARS = ' ▁▂▃▄▅▆▇█'
BINS = 16


def strip(values, low, high):
    """How many values there are in each of equal parts from low to high, as a row of bars."""
    counts = [0] * BINS
    for x in values:
        counts[min(int((x - low) / (high - low or 1) * BINS), BINS - 1)] += 1
    most = max(counts)
    return ''.join(BARS[-(-c * (len(BARS) - 1) // most)] for c in counts)


def without_one(of):
    """The least and the greatest geometric mean of {apps: value} without the pairs of one app."""
    means = [gmean(v for names, v in of.items() if app not in names)
             for app in sorted({n for names in of for n in names})]
    means = [m for m in means if m == m]
    return (min(means), max(means)) if means else (math.nan, math.nan)


def spread_table(what, columns):
    """Of {title: {apps: value}}: what a geometric mean over pairs hides."""
    every = [v for of in columns.values() for v in of.values()]
    if not every:
        return ''
    low, high = min(every), max(every)
    rows = []
    for title, of in columns.items():
        least, most = without_one(of)
        values = sorted(of.values())
        rows.append([title, show(gmean(values)), show(statistics.median(values)),
                     '%s to %s' % (show(least), show(most)),
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
    """A ratio as a change: 1.05 is +5.0."""
    return '%+.*f' % (digits, 100 * (ratio - 1)) if ratio == ratio else '-'


def listed(words):
    """a, b and c"""
    return ', '.join(words[:-1]) + ' and ' + words[-1] if len(words) > 1 else ''.join(words)


def table(head, rows):
    line = '| %s |'
    return '\n'.join([line % ' | '.join(head), line % ' | '.join(['---'] * len(head))] +
                     [line % ' | '.join(show(c) for c in r) for r in rows]) + '\n'


class Verdicts:
    """The rows of one experiment that say whether what the paper reports is found here."""

    def __init__(self, why=None, facts=None):
        self.why = why or {}  # {target: sentence} on causes that runs without them have shown
        self.facts = facts or {}  # {target: {name: value}}, what such runs gave for its {name}
        self.rows = []
        self.said, self.open = [], []  # causes; targets whose cause was not isolated

    def add(self, target, what, paper, stand_ins=None, programs=None):
        """`stand_ins`, `programs`: (what was measured, verdict), or None where there is none."""
        both = [p or ('-', '-') for p in (stand_ins, programs)]
        self.rows.append([target, what, paper] + [c for p in both for c in p])
        if not any(word(v) in (DIRECTION, FAILS) for _, v in both):
            return
        sentence = '* %s: %s' % (target, self.why[target].format(**self.facts[target])) \
            if target in self.facts else ''
        for of, item in ((self.said, sentence), (self.open, '' if sentence else target)):
            if item and item not in of:
                of.append(item)

    def reasons(self):
        said = self.said + ['* Not isolated: %s.' % ', '.join(self.open)] * bool(self.open)
        return '\n' + '\n'.join(said) + '\n' if said else ''

    def markdown(self):
        head = ['target', 'what', 'paper', 'stand-ins', 'verdict', 'programs', 'verdict']
        empty = [i for i in (3, 5) if all(r[i] == '-' for r in self.rows)]
        keep = [i for i in range(7) if i not in empty and i - 1 not in empty]
        return table([head[i] for i in keep], [[r[i] for i in keep] for r in self.rows]) + \
            self.reasons()

    def count(self):
        return [word(v) for r in self.rows for v in (r[4], r[6]) if v != '-']

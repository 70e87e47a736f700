#!/usr/bin/env python3
"""Fits the stand-ins to the papers' figures of single programs, by isolated runs on the paper's
own machine only: no run here shares a GPU, so no policy can take part in the fit.

    workloads/clones/fit.py [--corun build/corun] [--cycles N] [--passes N] [CLONE...]
    workloads/clones/fit.py --check ... [CLONE...]      measures only

A line of CLONE.yaml `KEY: VALUE  # fit METRIC LOW HIGH` holds a fitted value: a search between LOW
and HIGH brought METRIC to the figure in workloads/papers.csv. A minus before METRIC: the higher the
value, the lower the metric. Fitting goes through such lines from top to bottom, in the order of
machine description section 7: instructions, lines, misses, failures; MPKI, then bandwidth. A line
whose metric is near enough stays unchanged, else the value goes in proportion, or the interval is
halved. The other lines are the kernel's structure: resources as printed, the rest chosen to make
the goal reachable for the search. `# fits of model N` names the timing model used for the fit.
"""
import argparse
import csv
import math
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, 'tools'))
import model  # noqa: E402

GPUS = {'clone000': 'maxwell16', 'clone001': 'fermi30'}
LINE = re.compile(r'^(\w+): *(\[[^\]]*\]|[-+.\w]+)( *)(#.*)?$')
FIT = re.compile(r'# fit (-?)([\w.]+) ([-.\w]+) ([-.\w]+)')
WHOLE = re.compile(r'^WHOLE\((\w+),', re.M)
METRICS = ('inst.cinst_per_minst', 'ldst.req_per_minst', 'l1.miss_rate', 'l1.rsfail_rate',
           'l2.mpki', 'dram.bandwidth_fraction')
EVALS = 8


def near(metric, value, goal):
    """Returns the distance of a value from the goal; at most 1 is near enough to stop the
    search."""
    if metric in ('inst.cinst_per_minst', 'ldst.req_per_minst'):  # printed as whole numbers
        return abs(value - goal) / 0.46
    if metric == 'l1.miss_rate':
        return abs(value - goal) / 0.03
    if metric == 'l1.rsfail_rate':
        if goal < 0.5:
            return value / 0.45
        return abs(math.log(max(value, 1e-9) / goal)) / math.log(1.4)
    return abs(value - goal) / (0.08 * goal)


class Clone:
    def __init__(self, name):
        self.name, self.path = name, os.path.join(HERE, name + '.yaml')
        self.gpu = GPUS[name.split('-')[0]]
        self.goals = {}
        paper, program = name[len('clone'):].split('-')
        with open(os.path.join(ROOT, 'workloads/papers.csv')) as f:
            for row in csv.DictReader(f):
                if (row['paper'], row['name'].lower()) != (paper, program):
                    continue
                if row['metric'] in METRICS:
                    self.goals[row['metric']] = number(row['value']) / (
                        100 if row['unit'] == '%' else 1)
        with open(self.path) as f:
            self.lines = f.read().split('\n')

    def rows(self):
        for i, line in enumerate(self.lines):
            m = LINE.match(line)
            if m and m.group(4) and FIT.match(m.group(4)):
                minus, metric, low, high = FIT.match(m.group(4)).groups()
                yield i, m.group(1), metric, -1 if minus else 1, float(low), float(high)

    def value(self, i):
        return float(LINE.match(self.lines[i]).group(2))

    def store(self, i, value):
        key, _, blank, rest = LINE.match(self.lines[i]).groups()
        self.lines[i] = '%s: %.5g%s%s' % (key, value, blank or '', rest or '')

    def save(self):
        self.lines = ['# fits of model %d' % model.present() if line.startswith('# fits of model')
                      else line for line in self.lines]
        with open(self.path, 'w') as f:
            f.write('\n'.join(self.lines))

    def spec(self):
        """Returns the stand-in as the file defines now, whatever the binary holds."""
        values = []
        for line in self.lines:
            m = LINE.match(line)
            if m:
                value = m.group(2).strip('[]').split(',')[0].strip()
                values.append('%s=%s' % (m.group(1), value))
        return 'synth:' + ','.join(values)


class Bench:
    def __init__(self, corun, cycles):
        self.corun, self.cycles, self.runs = corun, cycles, 0

    def profile(self, spec, gpu, cycles=None):
        cycles = str(cycles or self.cycles)
        command = [self.corun, 'profile', spec, '--gpu', gpu, '--cycles', cycles, '--threads', '1',
                   '--progress', 'none', '--quiet', '--csv', '-']
        out = subprocess.run(command, capture_output=True, text=True)
        if out.returncode:
            raise ValueError(out.stderr)
        self.runs += 1
        return {row[2]: number(row[3]) for row in csv.reader(out.stdout.split('\n')[1:]) if row}

    def measure(self, clone, metric=None):
        got = self.profile(clone.spec(), clone.gpu)
        return got[metric] if metric else got


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def wholes():
    with open(os.path.join(ROOT, 'workloads/synth/knobs.def')) as f:
        return set(WHOLE.findall(f.read()))


def try_value(bench, clone, row, value):
    """Returns the metric with this value; None if the parameters contradict each other."""
    i, key, metric = row[:3]
    clone.store(i, value)
    try:
        got = bench.measure(clone, metric)
    except ValueError as e:
        print('   %s=%g: %s' % (key, value, str(e).split('\n')[0][:150]), flush=True)
        return None
    goal = clone.goals[metric]
    print('   %s=%g: %s %.4g (goal %g)' % (key, value, metric, got, goal), flush=True)
    return got


def search(bench, clone, row, whole):
    i, _, metric, sign, low, high = row
    goal, tried = clone.goals[metric], set()
    value = clone.value(i)
    best = (math.inf, value)
    while len(tried) < EVALS:
        value = min(max(value, low), high)
        value = round(value) if whole else round(value, 4)
        if value in tried:
            break
        tried.add(value)
        got = try_value(bench, clone, row, value)
        if got is None:  # away from here, towards working values
            low, high = (low, value) if best[1] <= value else (value, high)
        else:
            error = near(metric, got, goal)
            best = min(best, (error, value))
            if error <= 1:
                break
            low, high = (value, high) if (got < goal) == (sign > 0) else (low, value)
        if got and goal and len(tried) < EVALS / 2:
            value *= (goal / got) ** sign
            if low < value < high:
                continue
        value = (low + high) / 2
    clone.store(i, best[1])


def fit(bench, clone, passes, whole):
    for turn in range(passes):
        print('%s, pass %d' % (clone.name, turn + 1))
        for row in clone.rows():
            search(bench, clone, row, row[1] in whole)
        clone.save()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--corun', default=os.path.join(ROOT, 'build/corun'))
    parser.add_argument('--cycles', type=int, default=300000)
    parser.add_argument('--passes', type=int, default=2)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('clones', nargs='*')
    o = parser.parse_args()
    names = sorted(f[:-5] for f in os.listdir(HERE) if f.endswith('.yaml'))
    for unknown in set(o.clones) - set(names):
        sys.exit('fit.py: there is no %s.yaml' % unknown)
    bench, whole = Bench(o.corun, o.cycles), wholes()
    for name in o.clones or names:
        clone = Clone(name)
        if not o.check:
            fit(bench, clone, o.passes, whole)
        got = bench.measure(clone)
        print('%-14s %s stall %.3f ipc %.1f retired %d' % (
            name, ' '.join('%s %.3g/%g' % (m, got[m], clone.goals[m]) for m in clone.goals
                           if m in got), got['ldst.stall_fraction'], got['inst.ipc_thread'],
            got['blocks.retired']), flush=True)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Compares results of many runs with the stored results: same.py BUILD [--all | --part K/N].

Each row of results.csv names a machine, a rule, a policy and apps, and has the hash of the result:
status, cycles, and for every app counters, statistics, totals, `checked` and the bytes of dumped
buffers. A change meant to keep results keeps every row. names.csv maps words changed since the rows
were stored (kind, old, new): policies and statistics; a divided statistic is now the sum of
several, joined by +.

Without --all or --part, some rows of every kind. --record writes the rows anew, as BUILD has them;
with --only WORD only rows whose policy contains the word, as stored.
--against OLD runs every drawn group of apps on every machine under every rule and policy (hours),
or a part of the groups, with two builds: BUILD, and OLD, a build with the stored names.
"""
import argparse
import concurrent.futures
import csv
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RESULTS, NAMES, KEYS = (os.path.join(HERE, f)
                        for f in ('results.csv', 'names.csv', 'statistics.txt'))
COLUMNS = ['gpu', 'rule', 'policy', 'apps', 'hash']
FEW = 60 if 'CORUN_TEST' in os.environ else 20  # rows of a test run
CYCLES = 40000          # of a window, and at most under the other rules
ORACLE_CYCLES = 4000

MACHINES = ['maxwell16', 'fermi30', 'gtx980', 'maxwell16-duet', 'rtx2060']
SHARED_MACHINES = ['maxwell16', 'gtx980', 'rtx2060']
RULES = ['window', 'all-complete', 'end']
FILES = ['examples/saxpy/saxpy.yaml', 'examples/histogram/histogram.yaml', 'bench/gather.yaml']
PAIRS, TRIPLES = 60, 15
POLICIES = [            # under the names of the stored rows; N/N/N stands for a number for each app
    'leftover', 'sequential',
    'spatial', 'spatial[split=smart]', 'spatial[split=3/4/5]', 'spatial[fill=off]',
    'spatial[preempt=none]', 'spatial[preempt=ideal]', 'spatial+fair',
    'fixed[blocks=2/3/1]', 'smk-even', 'smk-even[preempt=ideal]',
    'smk-p', 'smk-p[fill=off]', 'smk-p[preempt=ideal]', 'smk-p+fair', 'smk-p[preempt=ideal]+fair',
    'fair[epoch=64]',
    'warped-slicer[mode=static]', 'warped-slicer[warm=700,sample=300]',
    'warped-slicer[warm=700,sample=300,scale=none]',
    'warped-slicer[warm=100,sample=99,phase=on]',
    'warped-slicer[warm=700,sample=300,loss_limit=0.2]',
    'warped-slicer[warm=100,sample=99,delay=500]',
    'warped-slicer[warm=700,sample=300,preempt=ideal]',
    'mias[profile_cycles=700]', 'mias[profile_cycles=700,metric=ipc]',
    'mias[profile_cycles=700,metric=factor]', 'mias[profile_cycles=700,metric=linear]',
    'mias[profile_cycles=700,metric=linear,coef_scale=sm]',
    'mias[profile_cycles=700,preempt=ideal]', 'mias[profile_cycles=700]+fair',
    'leftover[shared=off]',
]
ORACLES = ['oracle', 'oracle[metric=antt]', 'oracle[mode=window,window=500]',
           'oracle[mode=window,window=500,mixes=all]']
JOINED = [              # every group of hooks among them; always run
    'smk-p+kernel-lrr+qbmi[interval=64]+dmil[interval=64]+l2-ways+its[window=100]',
    'smk-even+kernel-ipr+rbmi+smil[limits=3/5/2]+l1-ucp[period=300]+weis[window=100]',
    'spatial+l1-mshr-split+l2-ways[ways=10/4/2]+rr-frfcfs',
    'smk-even+ideal+fair[epoch=64]+l1-ucp[period=500,sample=4]+l1-mshr-split'
    '+dmil[interval=99,scope=global,growth=double]+prior-app[order=1]',
]
JOINED_PAIRS, JOINED_TRIPLES = 3, 2


def workloads(build):
    out = subprocess.check_output([os.path.join(build, 'corun'), 'list', 'workloads', '--markdown'],
                                  text=True)
    return re.findall(r'^\| ([\w.-]+) \|', out, re.M)[1:]


def fitting(policy, group):
    """With a number for each app."""
    return re.sub(r'\d+/\d+/\d+', lambda m: '/'.join(m.group().split('/')[:len(group)]), policy)


def drawn(build, full=False):
    """(gpu, rule, policy, apps) of all rows; full: every group with every machine and rule."""
    names, draw = workloads(build), random.Random(14)
    for gpu in MACHINES:
        for i, name in enumerate(names):
            yield gpu, RULES[i % 3], 'leftover', name
        for name in FILES:
            yield gpu, 'all-complete', 'leftover', name
    groups = [draw.sample(names, 2) for _ in range(PAIRS)]
    groups += [draw.sample(names, 3) for _ in range(TRIPLES)]
    groups[-1][0], groups[0][1] = FILES[1], FILES[0]
    for i, group in enumerate(groups):
        for j, policy in enumerate(POLICIES):
            policy = fitting(policy, group)
            places = [(gpu, rule) for gpu in SHARED_MACHINES for rule in RULES]
            for gpu, rule in places if full else [places[(i + 4 * j) % 9]]:
                yield gpu, rule, policy, ' '.join(group)
    for i, group in enumerate(groups[:JOINED_PAIRS] + groups[PAIRS:PAIRS + JOINED_TRIPLES]):
        for j, policy in enumerate(JOINED):
            gpu, rule = places[(i + 2 * j) % 9]
            yield gpu, rule, fitting(policy, group), ' '.join(group)
    for i, policy in enumerate(ORACLES * 2):
        yield SHARED_MACHINES[i % 3], 'window', policy, ' '.join(groups[3 + i])


class Names:
    """The hashed parts of a result, and the words for the parts in a build."""

    def __init__(self):
        self.keys = []                          # of statistics, as stored
        self.now = {'policy': {}, 'statistic': {}}

    def read(self):
        with open(KEYS) as f:
            self.keys = f.read().split()
        with open(NAMES) as f:
            for r in csv.DictReader(f):
                self.now[r['what']][r['old']] = r['new']

    def policy(self, spec):
        for old, new in self.now['policy'].items():
            spec = spec.replace(old, new)
        return spec

    def values(self, stats):
        return [sum(stats[part] for part in now.split('+')) if '+' in now else stats[now]
                for now in (self.now['statistic'].get(key, key) for key in self.keys)]


def statistics(build):
    out = subprocess.check_output(
        [os.path.join(build, 'corun'), 'run', 'vecadd:size=test', '--alone', 'skip', '--quiet',
         '--json', '-'])
    return sorted(json.loads(out)['stats'])


def dumps(app, folder):
    """Copies the app's file to the folder, for the app to dump there."""
    with open(os.path.join(ROOT, app)) as f:
        text = f.read()
    module = re.search(r'^module: (\S+)', text, re.M).group(1)
    text = text.replace('module: ' + module,
                        'module: ' + os.path.join(ROOT, os.path.dirname(app), module))
    path = os.path.join(folder, os.path.basename(app))
    with open(path, 'w') as f:
        f.write(text)
    return path


def said(result, names, files):
    """Returns the hashed parts of a result as text."""
    of = [result['status'], result['cycles'], names.values(result['stats'])]
    for app in result['apps']:
        of += [app[k] for k in ('cycles', 'completions', 'launches', 'warp_instructions',
                                'thread_instructions', 'checked')]
        of += [names.values(app['stats']), names.values(app['totals'])]
    return json.dumps(of + files)


def outcome(build, row, names, cache, *more):
    """Returns the hash of the result of a row; more: further arguments."""
    gpu, rule, policy, apps = row
    with tempfile.TemporaryDirectory() as folder:
        apps = [dumps(a, folder) if '/' in a else a + ':size=test' for a in apps.split()]
        cycles = ORACLE_CYCLES if policy.startswith('oracle') else CYCLES
        p = subprocess.run(
            [os.path.join(build, 'corun'), 'run', *apps, '--gpu', gpu, '--until', rule, '--policy',
             names.policy(policy), '--cycles', str(cycles), '--alone', 'skip', '--quiet',
             '--json', '-', *more],
            capture_output=True, text=True,
            env=dict(os.environ, CORUN_CACHE=cache))
        if p.returncode not in (0, 1) or not p.stdout:
            return 'exit status %d: %s' % (p.returncode, p.stderr[:300])
        files = []
        for name in sorted(os.listdir(folder)):
            if name.endswith('.bin'):
                with open(os.path.join(folder, name), 'rb') as f:
                    files.append(hashlib.sha256(f.read()).hexdigest())
    result = json.loads(p.stdout, parse_float='number {}'.format)
    return hashlib.sha256(said(result, names, files).encode()).hexdigest()[:16]


def stored():
    with open(RESULTS) as f:
        return [tuple(r[c] for c in COLUMNS) for r in csv.DictReader(f)]


def chosen(rows, args):
    rows = [row for row in rows if not args.only or args.only in row[2]]
    if args.part:
        k, n = (int(x) for x in args.part.split('/'))
        return rows[k::n]
    if args.all or args.record:
        return rows
    joined = [fitting(policy, apps) for policy in JOINED for apps in ((), (1, 2), (1, 2, 3))]
    few = random.Random(1).sample(rows, min(FEW, len(rows)))
    return few + [row for row in rows if row[2] in joined and row not in few]


def record(rows, keys):
    with open(RESULTS, 'w') as f:
        w = csv.writer(f, lineterminator='\n')
        w.writerow(COLUMNS)
        w.writerows(rows)
    with open(KEYS, 'w') as f:
        f.write('\n'.join(keys) + '\n')


def compare(rows, found):
    different = 0
    for k, (row, now) in enumerate(zip(rows, found), 1):
        differs = row[4] != now or len(now) != 16  # longer: an error message
        different += differs
        print('%sok %d - %s' % ('not ' if differs else '', k, ', '.join(row[:4])))
        if differs:
            print('# stored %s, now %s' % (row[4], now))
    print('1..%d' % len(rows))
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--part')
    parser.add_argument('--record', action='store_true')
    parser.add_argument('--only', help='rows whose policy has this in its name')
    parser.add_argument('--against')
    args = parser.parse_args()
    new, old = Names(), Names()
    new.read()
    with tempfile.TemporaryDirectory() as cache, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def run(build, names, rows):
            return list(pool.map(lambda row: outcome(build, row[:4], names, cache), rows))
        if args.record and args.only:
            rows = stored()
            some = [i for i, row in enumerate(rows) if args.only in row[2]]
            for i, h in zip(some, run(args.build, new, [rows[i] for i in some])):
                rows[i] = rows[i][:4] + (h,)
            return record(rows, new.keys)
        if args.record:
            rows = list(drawn(args.build))
            old.keys = statistics(args.build)
            return record([r + (h,) for r, h in zip(rows, run(args.build, old, rows))], old.keys)
        old.keys = new.keys
        rows = chosen(list(drawn(args.against, True)) if args.against else stored(), args)
        if args.against:
            rows = [r + (h,) for r, h in zip(rows, run(args.against, old, rows))]
        return compare(rows, run(args.build, new, rows))


if __name__ == '__main__':
    sys.exit(main())

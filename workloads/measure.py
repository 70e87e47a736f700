#!/usr/bin/env python3
"""Measures the shipped programs, each alone on the machines of the papers in stands.csv, into
workloads/measured.csv: `make programs`, or `make programs ONLY=NAME`.

    measure.py [--only NAME]... [--all] [--list] [--check N] BUILD

Measures the rows of workloads/stands.csv, over 500,000 cycles; programs of no paper, and
programs of other machines, also on maxwell16. Stand-ins of paper 000 run over the paper's 2,000,000
cycles and over 300,000, with every number of blocks per SM, with few memory instructions in flight,
and on machines with longer queues; stand-ins of paper 001 also on 15 SMs. A
measurement is kept while the inputs are the same: the files of the program and of the machine, and
the model's number; --all measures again. --check N measures N of the short rows of the present
model again, chosen by name, and fails on any difference: then the model moved; raise the
model's number (src/base/version.h).
"""
import argparse
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'tools'))
import model  # noqa: E402
from figures import DEEP, LIMITS  # noqa: E402  (memory instructions in flight, longer queues)

FOLDER = os.path.join(ROOT, 'workloads')
HEAD = ['app', 'gpu', 'rule', 'kernel', 'metric', 'value']
WINDOW = 500000          # cycles
SHORT = 300000
LONG = 2000000           # paper 000 section 2.3
CLASS_GPU = 'maxwell16'  # machine that gives the class and the limiter of every program
RATIOS = ['inst.ipc_thread', 'inst.cinst_per_minst', 'ldst.req_per_minst', 'l1.miss_rate',
          'l1.rsfail_rate', 'ldst.stall_fraction', 'l1.accesses_per_kcycle', 'l2.mpki',
          'dram.bandwidth_fraction', 'dram.row_locality', 'sched.utilization', 'alu.utilization',
          'stall.raw', 'stall.idle', 'stall.memory', 'stall.compute']
FAILS = ('line', 'missq', 'mshr', 'merge')  # causes of L1 refusals, as shares of all refusals
LIMIT = os.path.join(ROOT, 'test/policy/plug/limit.c')
CURVE = ['inst.ipc_thread', 'l1.miss_rate', 'l1.rsfail_rate', 'ldst.stall_fraction']
KERNEL = ['block_threads', 'registers_per_thread', 'shared_bytes', 'blocks_per_sm', 'limiter',
          'register_occupancy', 'shared_occupancy', 'thread_occupancy', 'block_occupancy']
SCALING_LIMIT = 12      # paper 002, Table 3: COM above the limit from 1 to 16 SMs
ONE_SM, SMS = '[sm.count=1]', 16  # longer for several kernels, to get as far


def table(name):
    with open(os.path.join(FOLDER, name), encoding='utf-8') as f:
        return list(csv.DictReader(f))


def shown(value):
    """Six digits are more than any comparison needs."""
    try:
        return '%.6g' % float(value)
    except ValueError:
        return value


def bare(path, text):
    """Returns the text without comments, blanks and, in a host program, quoted strings."""
    if path.endswith('.yaml'):
        text = re.sub(r'#.*', '', text)
    else:
        quoted = r'"(?:\\.|[^"\\\n])*"|' if path.endswith('host.c') else ''
        text = re.sub(quoted + r'/\*.*?\*/|//[^\n]*', '', text, flags=re.S)
    return ''.join(text.split()).encode()


class Job:
    """An isolated run. `gpu` may end in [key=value]: a machine with this setting."""

    def __init__(self, app, gpu, cycles, keep=None):
        self.app, self.gpu, self.cycles, self.keep = app, gpu, cycles, keep
        self.machine, _, setting = gpu.partition('[')
        self.settings = setting.rstrip(']').split()
        self.rule = 'window %d' % cycles
        self.program = app.split(':')[0]

    def key(self):
        return self.app, self.gpu, self.rule

    def inputs(self):
        """Returns a hash of all files and words of the program and the machine that influence the
        run; comments and sentences do not count."""
        h = hashlib.sha256(repr((self.key(), self.keep)).encode())
        for path in self.paths():
            with open(path, encoding='utf-8') as f:
                h.update(os.path.relpath(path, ROOT).encode() + b'\0' + bare(path, f.read()))
        return h.hexdigest()[:16]

    def paths(self):
        own = os.path.join(FOLDER, self.program.replace('-', '_'))
        clone = self.program.startswith('clone')
        folder = os.path.join(FOLDER, 'synth') if clone else own
        paths = [os.path.join(folder, n) for n in sorted(os.listdir(folder))
                 if n.endswith(('.c', '.h', '.def', '.ptx'))]
        if clone:
            paths.append(os.path.join(FOLDER, 'clones', self.program + '.yaml'))
        return paths + [os.path.join(ROOT, 'gpus', n + '.yaml') for n in
                        (self.machine, 'gpgpusim3')]

    def run(self, build):
        cmd = [os.path.join(build, 'corun'), 'profile', self.app, '--gpu', self.machine,
               '--until', 'window', '--cycles', str(self.cycles), '--alone', 'fresh',
               '--threads', '1', '--csv', '-', '--progress', 'none']
        for setting in self.settings:
            if setting.startswith('limit='):
                return self.run_limited(build, setting[len('limit='):])
            cmd += ['--set', setting]
        env = dict(os.environ, CORUN_CACHE=os.path.join(build, 'measure-cache'))
        out = subprocess.run(cmd, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
        values = {r[2]: r[3] for r in csv.reader(out.splitlines()) if r}
        assert values['status'] == 'completed', '%s: %s' % (self.app, values['status'])
        return self.rows(values)

    def run_limited(self, build, n):
        """Runs with n memory instructions in flight on an SM, by a policy."""
        cmd = [os.path.join(build, 'corun'), 'run', self.app, '--gpu', self.machine, '--until',
               'window', '--cycles', str(self.cycles), '--alone', 'skip', '--threads', '1',
               '--policy', '%s[n=%s]' % (LIMIT, n), '--json', '-', '--quiet']
        out = subprocess.run(cmd, stdout=subprocess.PIPE, text=True, check=True).stdout
        return self.rows(json.loads(out)['apps'][0]['stats'])

    def rows(self, values):
        if self.keep == FAILS:
            return fails(values)
        if self.keep:
            return [('', m, shown(values[m])) for m in self.keep if values.get(m)]
        kernels = [m.group(1) for m in
                   (re.match(r'kernel\.(.*)\.block_threads$', key) for key in values) if m]
        rows = character('', values, '') + fails(values)
        for k in kernels:
            rows += [(k, m, shown(values['kernel.%s.%s' % (k, m)])) for m in KERNEL
                     if values.get('kernel.%s.%s' % (k, m))]
            if len(kernels) > 1:
                rows += character(k, values, 'kernel.%s.' % k)
        return rows


def fails(values):
    counts = [float(values['l1.fail_' + why]) for why in FAILS]
    return [('', 'fail.' + why, '%.4g' % (n / sum(counts)))
            for why, n in zip(FAILS, counts) if sum(counts)]


def character(kernel, values, head):
    """Rows of an app, or of a kernel of several."""
    def has(m):
        return values.get(head + m)
    rows = [(kernel, m, shown(has(m))) for m in RATIOS if has(m)]
    rows += [(kernel, m, has(m)) for m in ('type', 'use') if has(m)]
    if has('leading_resource'):  # paper 003's fifth category: none is used to the full
        rows.append((kernel, 'leading_resource',
                     'none' if has('use') == 'underutilized' else has('leading_resource')))
    if has('stall.raw'):
        rows.append((kernel, 'stalls', ', '.join(
            '%s %.0f %%' % (w, 100 * float(has('stall.' + k))) for w, k in
            (('RAW', 'raw'), ('idle', 'idle'), ('memory', 'memory'), ('compute', 'compute')))))
    return rows


class Plan:
    """All jobs, by program in the order of `corun list workloads`."""

    def __init__(self, build):
        out = subprocess.run([os.path.join(build, 'corun'), 'list', 'workloads', '--markdown'],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
        self.programs = [m.group(1) for m in re.finditer(r'^\| ([\w.-]+) \|', out, re.M)][1:]
        papers = table('papers.csv')
        self.about = {(r['paper'], r['metric']): r['value'] for r in papers if r['name'] == '*'}
        self.blocks = {(r['paper'], r['name']): int(r['value']) for r in papers
                       if r['metric'] == 'blocks_per_sm'}
        self.jobs = {}
        stands, self.kernels = table('stands.csv'), table('registers.csv')
        for program in self.programs:
            mine = [r for r in stands if r['program'] == program]
            for r in mine:
                self.of_stand(r)
            if not any(j.machine == CLASS_GPU for j in self.of(program)):
                app = mine[0]['app'] if mine else program
                self.add(Job(app, CLASS_GPU, SHORT))

    def add(self, job):
        self.jobs.setdefault(job.key(), job)

    def of(self, program):
        return [j for j in self.jobs.values() if j.program == program]

    def of_stand(self, r):
        paper, app = r['paper'], r['app']
        gpu = self.about[paper, 'machine']
        clone = r['program'].startswith('clone')
        self.add(Job(app, gpu, LONG if clone and paper == '000' else WINDOW))
        if paper == '002':
            several = sum(k['name'] == r['program'].replace('-', '_') for k in self.kernels) > 1
            self.add(Job(app, gpu + ONE_SM, (SMS if several else 1) * WINDOW, CURVE[:1]))
        if clone and paper == '000':
            self.add(Job(app, gpu, SHORT))
            for n in range(1, self.blocks[paper, r['name']] + 1):
                self.add(Job(app, '%s[sm.blocks=%d]' % (gpu, n), SHORT, CURVE))
            for n in LIMITS:
                self.add(Job(app, '%s[limit=%d]' % (gpu, n), SHORT, CURVE))
            for more in (DEEP, DEEP + ' l1.ways=16'):
                self.add(Job(app, '%s[%s]' % (gpu, more), SHORT, FAILS))
        if clone and paper == '001':
            self.add(Job(app, gpu + '[sm.count=15]', WINDOW))


class Measured:
    """measured.csv: groups of rows by (app, gpu, rule)."""

    def __init__(self):
        self.groups = {}
        self.path = os.path.join(FOLDER, 'measured.csv')
        for r in table('measured.csv') if os.path.exists(self.path) else []:
            group = self.groups.setdefault((r['app'], r['gpu'], r['rule']), [])
            group.append((r['kernel'], r['metric'], r['value']))

    def value(self, key, metric):
        for kernel, name, value in self.groups.get(key, []):
            if name == metric and not kernel:
                return value
        return None

    def model(self, key):
        return int(self.value(key, 'model') or 1)

    def scaling(self, plan):
        """Adds the speedup on all SMs over a single SM, where both were measured."""
        for key, rows in self.groups.items():
            one = self.value((key[0], key[1] + ONE_SM, key[2]), CURVE[0]) or self.value(
                (key[0], key[1] + ONE_SM, 'window %d' % (SMS * WINDOW)), CURVE[0])
            rows[:] = [r for r in rows if not r[1].startswith('scaling')]
            if one is None or key[2] != 'window %d' % WINDOW:
                continue
            times = float(self.value(key, 'inst.ipc_thread')) / float(one)
            rows.append(('', 'scaling_speedup', '%.3g' % times))
            rows.append(('', 'scaling', 'COM' if times > SCALING_LIMIT else 'MEM'))

    def write(self, plan):
        """Writes only the rows of the plan, in the plan's order."""
        self.scaling(plan)
        with open(self.path + '.new', 'w', encoding='utf-8', newline='') as f:
            out = csv.writer(f, lineterminator='\n')
            out.writerow(HEAD)
            for key in plan.jobs:
                for row in self.groups.get(key, []):
                    out.writerow([*key, *row])
        os.replace(self.path + '.new', self.path)


def check(plan, measured, build, n):
    """Measures N rows again: the cheapest in cycles times SMs, chosen by name."""
    known = [j for j in plan.jobs.values() if measured.groups.get(j.key()) and
             j.cycles == SHORT and measured.model(j.key()) == model.present()]
    known.sort(key=lambda job: zlib.crc32(' '.join(job.key()).encode()))
    bad = 0
    for i, job in enumerate(known[:n]):
        stored = [r for r in measured.groups[job.key()]
                  if r[1] not in ('inputs', 'model') and not r[1].startswith('scaling')]
        same = stored == job.run(build)
        bad += not same
        print('%sok %d - %s on %s, %s: as stored' % ('' if same else 'not ', i + 1, *job.key()),
              flush=True)
    if not known:
        print('ok 1 - measured.csv # SKIP holds nothing of model %d' % model.present())
    print('1..%d' % max(min(n, len(known)), 1))
    return 1 if bad else 0


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--only', action='append', default=[], metavar='NAME')
    p.add_argument('--all', action='store_true')
    p.add_argument('--list', action='store_true')
    p.add_argument('--check', type=int, metavar='N')
    p.add_argument('build')
    args = p.parse_args()
    build = os.path.abspath(args.build)
    plan, measured = Plan(build), Measured()
    for name in args.only:
        if name not in plan.programs:
            sys.exit('measure.py: there is no workload %s' % name)
    if args.check:
        return check(plan, measured, build, args.check)
    todo = [j for j in plan.jobs.values() if (j.program in args.only or not args.only) and
            (args.all or measured.value(j.key(), 'inputs') != j.inputs() or
             measured.model(j.key()) != model.present())]
    if args.list:
        for job in todo:
            print('%s on %s, %s' % job.key())
        return 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(job.run, build) for job in todo]
        for i, (job, run) in enumerate(zip(todo, runs)):
            print('%d of %d: %s on %s, %s' % (i + 1, len(todo), *job.key()), flush=True)
            try:
                rows = run.result()
            except (subprocess.CalledProcessError, AssertionError) as e:
                print('   not measured: %s' % e, flush=True)
                continue
            measured.groups[job.key()] = [('', 'inputs', job.inputs()),
                                          ('', 'model', str(model.present())), *rows]
            measured.write(plan)
    measured.write(plan)
    return 0


if __name__ == '__main__':
    sys.exit(main())

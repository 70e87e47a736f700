#!/usr/bin/env python3
"""Public CUDA suites under `corun cuda`: compiles their programs with nvcc, runs them, and stores
the outcomes in results.csv beside this file; table.py makes the table of docs/reference/cuda.md.

    run.py --corun build/corun --suites DIR [--only TEXT] [--seconds N] [--compile]

DIR holds the suites as published, in the folders gpu-rodinia, polybenchGpu and
cuda-samples; programs are built in place. The tree contains no part of the suites: programs.py has
a row per program with the build command, the arguments and the way to judge the output.
"""
import argparse
import csv
import os
import re
import signal
import subprocess
import sys
import time

import programs

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ['suite', 'program', 'arguments', 'result', 'why', 'seconds']


def shell(command, folder, seconds, env=None):
    """Returns (exit status or None after a time-out, the output)."""
    p = subprocess.Popen(['bash', '-c', command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        said = p.communicate(timeout=seconds)[0]
        status = p.returncode
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGTERM)
        try:
            said = p.communicate(timeout=20)[0]
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            said = p.communicate()[0]
        status = None
    return status, said.decode(errors='replace')


def first_line(said, *words):
    for word in words:
        for line in said.splitlines():
            if re.search(word, line):
                return re.sub(r'\s+', ' ', line.strip())[:150]
    return ''


def compile_one(p, o):
    env = dict(os.environ)
    libraries = subprocess.check_output([o.corun, 'cuda', '--libdir', '13'], text=True).strip()
    env['NVCC_PREPEND_FLAGS'] = '-L' + libraries
    env['NVCC_APPEND_FLAGS'] = p.flags
    env['PATH'] += ':/usr/local/cuda/bin'
    status, said = shell('nice -n 5 ' + p.build if p.build[0] != '(' else p.build,
                         os.path.join(o.suites, p.folder), 900, env)
    if status == 0:
        return None
    return first_line(said, r'error|Error|cannot find|undefined') or f'exit status {status}'


def run_one(p, o):
    folder = os.path.join(o.suites, p.folder)
    if p.prepare:
        status, said = shell(p.prepare, folder, 600)
        if status:
            return 'no input', first_line(said, '.'), 0
    command = (f'{p.environment} nice -n 5 {o.corun} cuda --gpu rtx2060 --alone skip --until end '
               f'--quiet {o.options} {p.options} -- {p.command}')
    start = time.time()
    status, said = shell(command, folder, o.seconds)
    took = round(time.time() - start)
    with open(os.path.join(o.suites, 'said.' + p.name.replace('/', '.')), 'w') as f:
        f.write(said)
    why = first_line(said, r'^corun: .*not supported', r'^corun:', r'^\S+:\d+:\d+: ',
                     r': (fault|deadlock): ', r'^error', r'FAIL|[Ee]rror|signal', r'exit status')
    if status is None:
        return 'too long', why or f'more than {o.seconds} s', took
    if p.suite == 'cuda-samples' and 'exit status 2' in said: # reported by the samples' helpers
        return 'waived', first_line(said, '[Ww]aiv', 'require', 'support'), took
    ok, seen = p.right(said, folder)
    if status == 0 and ok:
        return 'right', seen, took
    if status == 0 and ok is None:
        return 'ran', seen, took
    return ('wrong' if status == 0 else 'failed'), why or seen or f'exit status {status}', took


def read_results(o):
    if not os.path.exists(o.results):
        return {}
    with open(o.results, newline='') as f:
        return {(r['suite'], r['program']): r for r in csv.DictReader(f)}


def write_results(o, rows):
    order = {(p.suite, p.name): i for i, p in enumerate(programs.every(o.suites))}
    new = f'{o.results}.{os.getpid()}'
    with open(new, 'w', newline='') as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator='\n')
        w.writeheader()
        w.writerows(sorted(rows.values(), key=lambda r: (r['suite'], order.get(
            (r['suite'], r['program']), 0), r['program'])))
    os.replace(new, o.results)


def main():
    a = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    a.add_argument('--corun', default='build/corun', type=os.path.abspath)
    a.add_argument('--suites', required=True, type=os.path.abspath)
    a.add_argument('--results', default=os.path.join(HERE, 'results.csv'))
    a.add_argument('--only', default='')
    a.add_argument('--not-yet', action='store_true', help='those without a right result')
    a.add_argument('--seconds', type=int, default=600)
    a.add_argument('--options', default='', help='more options for corun cuda')
    a.add_argument('--again', action='store_true', help='compile them again')
    a.add_argument('--compile', action='store_true', help='compile only')
    o = a.parse_args()
    for p in programs.every(o.suites):
        if not re.search(o.only, f'{p.suite}/{p.name}'):
            continue
        before = read_results(o).get((p.suite, p.name), {})
        if o.not_yet and before.get('result') in ('right', 'ran', 'out'):
            continue
        result, why, took = 'out', p.out, 0
        if not p.out:
            built = os.path.exists(os.path.join(o.suites, p.folder, p.command.split()[0]))
            why = None if built and not o.again else compile_one(p, o)
            result = 'does not compile' if why else 'compiles'
            if not why and not o.compile:
                result, why, took = run_one(p, o)
        rows = read_results(o)
        rows[p.suite, p.name] = dict(suite=p.suite, program=p.name, result=result, seconds=took,
                                     arguments=' '.join(p.command.split()[1:]), why=why or '')
        write_results(o, rows)
        print(f'{p.suite}/{p.name}: {result}: {why or ""} ({took} s)', flush=True)


if __name__ == '__main__':
    sys.exit(main())

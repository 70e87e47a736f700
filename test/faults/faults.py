#!/usr/bin/env python3
"""Every call that can fail, failing once: sweep, run, compare and report with the k-th open, read,
write, fsync, rename, mmap, fork, close or linkat refused (fault.c, preloaded). A command never
reports work as done that was not done: with exit status 0 the results equal the results without the
fault; any other status is 1 or 2, never a signal; a sweep continued after the fault ends with the
same database.

    faults.py BUILD       some k of each; with CORUN_FAULTS=all every k
"""
import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = {'open': errno.EMFILE, 'read': errno.EIO, 'write': errno.ENOSPC, 'fsync': errno.EIO,
         'rename': errno.EIO, 'mmap': errno.ENOMEM, 'fork': errno.EAGAIN, 'close': errno.EIO,
         'linkat': errno.EPERM}
KINDS = {'yaml', 'ptx', 'json', 'csv', 'html', 'bin', 'cache'}  # of files that may exist
SOME = 5 if 'CORUN_TEST' in os.environ else 2  # of each, when not all
STATUSES = {0, 1, 2, 130, 143}
SWEEP = 'sweep: faults\napps: [["vecadd:size=test"], ["mm:size=test"]]\n' \
        'policies: [leftover]\nrules: end\nalone: skip\n'
PAIR = ['vecadd:size=test', 'mm:size=test', '--alone', 'skip', '--threads', '1']
COMMANDS = {
    'sweep': ['sweep', 's.yaml', '-o', 's.db', '--threads', '1'],
    'run': ['run', './scale.yaml', 'vecadd:size=test', '--json', 'r.json', '--csv', 'r.csv',
            '--timeline', 't.json'],
    'rows': ['run', 'vecadd:size=test', '--alone', 'skip', '--interval', '100', '--csv', 'r.csv',
             '--timeline', 't.json', '--json', 'r.json'],
    'compare': ['compare', *PAIR, '--policies', 'leftover,spatial', '--json', 'c.json', '--html',
                'c.html'],
    'report': ['report', 'sound.db', '-o', 'report.html'],
}


def table(path, sql):
    with sqlite3.connect(path) as db:
        rows = sorted(map(repr, db.execute(sql)))
    db.close()
    return rows


def database(path):
    return [table(path, 'select * from ' + t) for t in ('run', 'app', 'stat')]


def without_host(value):
    if isinstance(value, dict):
        return {k: without_host(v) for k, v in value.items() if k != 'host'}
    return [without_host(v) for v in value] if isinstance(value, list) else value


def result(folder, command):
    """Returns the command's results, without parts that differ from run to run."""
    if command == 'sweep':
        return database(os.path.join(folder, 's.db'))
    made = {}
    if command == 'run':
        with open(os.path.join(folder, 'y.bin'), 'rb') as f:
            made['dump'] = f.read()
    for arg in COMMANDS[command]:
        path = os.path.join(folder, arg)
        if not arg.endswith(('.json', '.csv', '.html')):
            continue
        with open(path) as f:
            text = f.read()
        made[arg] = without_host(json.loads(text)) if arg.endswith('.json') else len(text) > 1000
        if arg.endswith('.csv'):
            made[arg] = text
    return made


class Faults:
    def __init__(self, corun, work):
        self.corun, self.work, self.n = corun, work, 0
        self.library = os.path.join(work, 'fault.so')
        subprocess.run([os.environ.get('CC', 'cc').split()[-1], '-shared', '-fPIC', '-O1', '-o',
                        self.library, os.path.join(HERE, 'fault.c'), '-ldl'], check=True)
        self.counter = os.path.join(work, 'count')
        self.sound = os.path.join(work, 'sound.db')

    def folder(self):
        path = os.path.join(self.work, 'in')
        shutil.rmtree(path, ignore_errors=True)
        os.mkdir(path)
        with open(os.path.join(path, 's.yaml'), 'w') as f:
            f.write(SWEEP)
        for name in ('scale.yaml', 'scale.ptx'):
            shutil.copy(os.path.join(HERE, '../cli', name), path)
        if os.path.exists(self.sound):
            shutil.copy(self.sound, os.path.join(path, 'sound.db'))
        return path

    def run(self, folder, command, call=None, at=0, more=()):
        env = dict(os.environ, CORUN_CACHE=os.path.join(folder, 'cache'))
        if call:
            with open(self.counter, 'wb') as f:
                f.write(bytes(8))
            env.update(LD_PRELOAD=self.library, FAULT_CALL=call, FAULT_AT=str(at),
                       FAULT_ERRNO=str(CALLS[call]), FAULT_COUNT=self.counter)
        p = subprocess.run([self.corun, *COMMANDS[command], *more], cwd=folder, env=env,
                           capture_output=True, text=True, errors='replace')
        with open(self.counter, 'rb') if call else open(os.devnull, 'rb') as f:
            calls = int.from_bytes(f.read(), 'little')
        return p, calls

    def one(self, command, call, at, want):
        """Returns None, or a description of the failure."""
        folder = self.folder()
        p, _ = self.run(folder, command, call, at)
        said = (p.stderr + p.stdout).strip()
        if p.returncode not in STATUSES:
            return 'exit status %d: %s' % (p.returncode, said[-300:])
        if p.returncode and not said:
            return 'exit status %d without a word' % p.returncode
        if 'internal check' in said:
            return said[-300:]
        try:
            if p.returncode == 0 and result(folder, command) != want:
                return 'exit status 0 with another result'
            if command == 'sweep':
                p, _ = self.run(folder, command, more=['--retry'])
                if p.returncode or result(folder, command) != want:
                    return 'going on: exit status %d: %s' % (p.returncode, p.stderr[-300:])
        except (OSError, ValueError, sqlite3.Error) as e:
            return 'exit status %d: %s; %s' % (p.returncode, e, said[-300:])
        left = [f for f in os.listdir(folder) if '.db' not in f and f.split('.')[-1] not in KINDS]
        if left:
            return 'it left %s' % ' '.join(left)
        return None

    def case(self, command, call, want):
        self.n += 1
        _, calls = self.run(self.folder(), command, call)
        every = os.environ.get('CORUN_FAULTS') == 'all' or calls <= SOME
        ks = range(1, calls + 1) if every else sorted(
            {1 + i * (calls - 1) // (SOME - 1) for i in range(SOME)})
        bad = [(k, why) for k in ks for why in [self.one(command, call, k, want)] if why]
        print('%s %d - %s: %d of %d %s calls failed in turn' %
              ('not ok' if bad else 'ok', self.n, command, len(ks), calls, call), flush=True)
        for k, why in bad[:5]:
            print('#   %s %d: %s' % (call, k, why.replace('\n', ' ')), flush=True)
        return not bad


def main():
    corun = os.path.join(os.path.abspath(sys.argv[1]), 'corun')
    with tempfile.TemporaryDirectory() as work:
        faults = Faults(corun, work)
        p, _ = faults.run(faults.folder(), 'sweep')
        assert p.returncode == 0, p.stderr
        if faults.run(faults.folder(), 'sweep', 'open')[0].returncode:
            print('1..0 # SKIP nothing can be preloaded into this build')
            return
        shutil.copy(os.path.join(work, 'in', 's.db'), faults.sound)
        print('1..%d' % (len(COMMANDS) * len(CALLS)), flush=True)
        ok = True
        for command in COMMANDS:
            folder = faults.folder()
            p, _ = faults.run(folder, command)
            assert p.returncode == 0, p.stderr
            want = result(folder, command)
            for call in CALLS:
                ok &= faults.case(command, call, want)
    sys.exit(not ok)


if __name__ == '__main__':
    main()

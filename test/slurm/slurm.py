#!/usr/bin/env python3
"""Runs a sweep on a real Slurm of one machine, started here and stopped at the end; needs root.

    test/slurm/slurm.py BUILD [kills|overhead]...

kills: 200 points; the test kills chunks, the daemon of the node and both at once, and requeues
chunks as for a job of higher priority; the same command continues until all points are there. The
merged database equals the database of a sweep without Slurm.
overhead: 200 points of about a second each, isolated runs cached, from submission to the merged
database, against `--threads 2` locally: at most a tenth more. Load of other processes does not slow
both alike (the kernel shares processors out by session, and every job is a session); therefore the
test also compares the time without any run under way, and the greater overhead counts; measured in
turn, up to three times.
"""
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
APPS = ['bfs', 'gups', 'mm', 'spmv', 'vecadd']
POINTS, KILLS, SUBMISSIONS, ROUNDS, MOST = 200, 12, 30, 3, 0.10
KINDS = ['chunk', 'slurmd', 'node', 'requeue']
WAIT_SECONDS = 60


def cluster(*arguments):
    subprocess.run([os.path.join(HERE, 'cluster.sh'), *arguments], check=True,
                   stdout=subprocess.DEVNULL)


def write_sweep(path, cycles):
    """Every pair of five apps under twenty policies."""
    policies = ['spatial[split=%d/%d]' % (n, 16 - n) for n in range(1, 16)]
    policies += ['leftover', 'sequential', 'smk-even', 'smk-p', 'smk-p+fair']
    assert len(APPS) * (len(APPS) - 1) // 2 * len(policies) == POINTS
    with open(path, 'w') as f:
        json.dump({'pairs': APPS, 'policies': policies,
                   'rules': {'until': 'window', 'cycles': cycles}}, f)


def cycles_for(corun, seconds):
    """Returns a window of `seconds`, estimated from the processor time of a short window."""
    tried, before = 100000, resource.getrusage(resource.RUSAGE_CHILDREN)
    pairs = [(a, b) for a in APPS for b in APPS if a < b]
    for pair in pairs:
        subprocess.run([corun, 'run', *pair, '--until', 'window', '--cycles', str(tried),
                        '--alone', 'skip', '--quiet'], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return max(1000, int(tried * seconds * len(pairs) / (after.ru_utime - before.ru_utime)))


def tables(path):
    """Returns the machine-independent contents of the database."""
    db = sqlite3.connect(path)
    return {t: sorted(map(repr, db.execute('select * from ' + t))) for t in ('run', 'app', 'stat')}


def differences(a, b):
    a, b = tables(a), tables(b)
    return ['%s: %d rows and %d' % (t, len(a[t]), len(b[t])) for t in a if a[t] != b[t]]


# ---- processes to kill ----

def processes():
    """Returns process id -> (parent's process id, command line) of every process of the machine."""
    found = {}
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/cmdline' % pid, 'rb') as f:
                line = f.read().decode(errors='replace').split('\0')
            with open('/proc/%s/stat' % pid) as f:
                parent = int(f.read().rsplit(')', 1)[1].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        found[int(pid)] = (parent, line)
    return found


def chunks(results):
    """Returns the corun process of every running chunk, without worker processes."""
    found = processes()
    ours = {p for p, (_, line) in found.items() if results in line and '--known' in line}
    return found, [p for p in ours if found[p][0] not in ours]


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_slurmd(folder):
    with open(os.path.join(folder, 'slurmd.pid')) as f:
        kill(int(f.read()))


def kill_job(found, pid):
    """Kills all of a job's processes up to Slurm's own, as a power failure of the node does."""
    while pid in found and pid > 1:
        kill(pid)
        if found[pid][1][0].startswith('slurmstepd'):
            return
        pid = found[pid][0]


class Killer:
    """Kills each time a given number of further points has arrived."""

    def __init__(self, folder, results):
        self.folder, self.results, self.done = folder, results, []
        self.kinds = (KINDS * KILLS)[:KILLS]
        random.shuffle(self.kinds)
        self.step = POINTS // (KILLS + 3)

    def look(self, points):
        if len(self.done) == KILLS or points < self.step * (len(self.done) + 1):
            return
        found, running = chunks(self.results)
        if running:
            kind = self.kinds[len(self.done)]
            self.strike(kind, found, random.choice(running))
            self.done.append('%s at %d' % (kind, points))

    def strike(self, kind, found, pid):
        if kind == 'chunk':
            kill(pid)
        elif kind == 'requeue':
            with open('/proc/%d/environ' % pid, 'rb') as f:
                names = dict(v.split(b'=', 1) for v in f.read().split(b'\0') if b'=' in v)
            subprocess.run(['scontrol', 'requeue', names[b'SLURM_JOB_ID'].decode()], check=False,
                           stderr=subprocess.DEVNULL)
        else:
            kill_slurmd(self.folder)
            for p in chunks(self.results)[1] if kind == 'node' else []:
                kill_job(found, p)
            cluster('slurmd', self.folder)


# ---- the tests ----

def submit(corun, sweep, results, look, *more):
    """Runs the command with --wait; `look` gets the number of finished points. Returns exit status
    and messages."""
    p = subprocess.Popen([corun, 'sweep', sweep, '-o', results, '--slurm', '--wait', '--progress',
                          'json', *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = []
    reader = threading.Thread(target=lambda: said.append(p.stdout.read()))
    reader.start()
    for line in p.stderr:
        if line.startswith('{'):
            look(json.loads(line)['done'])
        else:
            said.append(line)
    status = p.wait()
    reader.join()
    return status, ''.join(said)


def test_kills(corun, folder):
    sweep, results = os.path.join(folder, 'kills.yaml'), os.path.join(folder, 'kills.db')
    local = os.path.join(folder, 'kills-local.db')
    write_sweep(sweep, cycles_for(corun, 0.3))
    killer = Killer(folder, results)
    for submissions in range(1, SUBMISSIONS + 1):
        status, said = submit(corun, sweep, results, killer.look, '--chunks', '20')
        if status != 1:
            break
    print('# %d submissions; kills: %s' % (submissions, ', '.join(killer.done)))
    if status:
        return 'exit status %d: %s' % (status, said)
    if len(killer.done) < 10:
        return 'only %d kills' % len(killer.done)
    subprocess.run([corun, 'sweep', sweep, '-o', local, '--quiet'], check=True)
    return '; '.join(differences(results, local))


def busy_seconds(path):
    """How long the runs took, two at a time."""
    return sqlite3.connect(path).execute('select sum(seconds) / 2 from host').fetchone()[0]


def test_overhead(corun, folder):
    sweep, found = os.path.join(folder, 'overhead.yaml'), []
    write_sweep(sweep, cycles_for(corun, 1))
    subprocess.run([corun, 'sweep', sweep, '--isolated-only', '--quiet'], check=True)
    for n in range(ROUNDS):
        local, results = (os.path.join(folder, '%s-%d.db' % (w, n)) for w in ('local', 'slurm'))
        start = time.monotonic()
        subprocess.run([corun, 'sweep', sweep, '-o', local, '--quiet', '--threads', '2'],
                       check=True)
        middle = time.monotonic()
        status, said = submit(corun, sweep, results, lambda points: None)
        end = time.monotonic()
        if status:
            return 'exit status %d: %s' % (status, said)
        wrong = differences(results, local)
        if wrong:
            return '; '.join(wrong)
        wall = (end - middle) / (middle - start)
        idle = (end - middle) / busy_seconds(results) * busy_seconds(local) / (middle - start)
        found.append(max(wall, idle) - 1)
        print('# local %.1f s, Slurm %.1f s: %+.1f %%; per second of runs %+.1f %%; load %.1f' % (
            middle - start, end - middle, 100 * wall - 100, 100 * idle - 100,
            os.getloadavg()[0]), flush=True)
        if found[-1] < MOST:
            return ''
    return 'the least of %d is %.1f %% more' % (len(found), 100 * min(found))


def nothing_left(folder):
    """No process naming the test's folder is left after the stop."""
    for _ in range(WAIT_SECONDS * 5):
        left = [' '.join(line) for pid, (_, line) in processes().items()
                if pid != os.getpid() and any(folder in word for word in line)]
        if not left:
            return ''
        time.sleep(0.2)
    return 'left: ' + '; '.join(left)


def main():
    tests = {'kills': test_kills, 'overhead': test_overhead}
    wanted = sys.argv[2:] or list(tests)
    print('1..%d' % (len(wanted) + 1))
    if os.geteuid() or not shutil.which('slurmctld'):
        why = 'needs root' if os.geteuid() else 'needs Slurm: tools/deps.sh slurm'
        for n in range(len(wanted) + 1):
            print('ok %d # skip %s' % (n + 1, why))
        return 0
    corun = os.path.join(os.path.abspath(sys.argv[1]), 'corun')
    seed = int(os.environ.get('SEED', 1))
    random.seed(seed)
    print('# SEED=%d' % seed)
    folder = tempfile.mkdtemp(prefix='corun-slurm-')
    os.environ.update(SLURM_CONF=os.path.join(folder, 'slurm.conf'),
                      CORUN_CACHE=os.path.join(folder, 'cache'))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    outcome = []
    try:
        cluster('start', folder)
        for name in wanted:
            outcome.append((name, tests[name](corun, folder)))
    finally:
        cluster('stop', folder)
        outcome.append(('what was started has been stopped', nothing_left(folder)))
    for n, (name, wrong) in enumerate(outcome, 1):
        print('%s %d %s%s' % ('not ok' if wrong else 'ok', n, name, ': ' + wrong if wrong else ''))
    bad = any(wrong for _, wrong in outcome)
    if bad:
        print('# logs are in %s' % folder)
    else:
        shutil.rmtree(folder)
    return bad


if __name__ == '__main__':
    sys.exit(main())

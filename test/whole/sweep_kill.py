#!/usr/bin/env python3
"""A sweep killed with kill -9 at random twenty times ends with the database of a sweep without
kills: the same rows, host times excepted. No kill loses more than the runs in flight."""
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from common import Tap

KILLS, PROCESSES, SEED = 20, 2, 7
SWEEP = '''sweep: to be killed
pairs: [vecadd:size=test, mm:size=test, bfs:size=test, gups:size=test, spmv:size=test]
policies: [leftover, sequential, spatial]
seeds: [1, 2, 3, 4]
rules: [{until: window, cycles: 4000}]
'''
TABLES = ('meta', 'run', 'app', 'stat')


def command(build, folder, name):
    return ([os.path.join(build, 'corun'), 'sweep', os.path.join(folder, 'sweep.yaml'), '-o',
             os.path.join(folder, name + '.db'), '--threads', str(PROCESSES), '--quiet'],
            dict(os.environ, CORUN_CACHE=os.path.join(folder, 'cache-' + name)))


def through(build, folder, name):
    args, env = command(build, folder, name)
    p = subprocess.run(args, env=env, capture_output=True, text=True)
    assert p.returncode == 0, 'exit status %d: %s' % (p.returncode, p.stderr)


def content(folder, name):
    db = sqlite3.connect(os.path.join(folder, name + '.db'))
    rows = {t: sorted(db.execute('select * from ' + t), key=repr) for t in TABLES}
    db.close()
    return rows


def keys(folder, name):
    """Keys of the runs in the database; none while there is no table."""
    db = sqlite3.connect(os.path.join(folder, name + '.db'))
    try:
        return {k for k, in db.execute('select key from run')}
    except sqlite3.OperationalError:
        return set()
    finally:
        db.close()


def workers(folder):
    """Processes of a sweep in the folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/cmdline' % pid, 'rb') as f:
                found += [pid] * (folder.encode() in f.read())
        except OSError:
            pass
    return found


def killed(build, folder, dice, counts):
    args, env = command(build, folder, 'killed')
    before = keys(folder, 'killed')
    p = subprocess.Popen(args, env=env, stderr=subprocess.PIPE, text=True)
    time.sleep(dice.uniform(0.02, counts['seconds'] / 8))
    counts['alive'] += p.poll() is None
    p.send_signal(signal.SIGKILL)
    said = p.communicate()[1]
    assert p.returncode in (0, -signal.SIGKILL), 'exit status %d: %s' % (p.returncode, said)
    after = keys(folder, 'killed')
    until = time.monotonic() + 10
    while workers(folder):
        assert time.monotonic() < until, 'its workers live on'
        time.sleep(0.005)
    assert before <= after, '%d runs are lost' % len(before - after)
    counts['moved'] += len(after) > len(before)


def same(folder):
    a, b = content(folder, 'through'), content(folder, 'killed')
    assert len(a['run']) == 10 * 3 * 4, len(a['run'])
    for table in TABLES:
        assert a[table] == b[table], '%s: %s' % (table, next(
            (x, y) for x, y in zip(a[table], b[table]) if x != y))


def enough(counts):
    assert counts['alive'] >= KILLS // 2 and counts['moved'] >= 3, counts


def made(folder):
    db = sqlite3.connect(os.path.join(folder, 'killed.db'))
    rows = db.execute('select run, ended_at, seconds from host order by run').fetchall()
    db.close()
    return rows


def again(build, folder):
    """Nothing is left to be done, and nothing is made again."""
    before = made(folder)
    through(build, folder, 'killed')
    assert made(folder) == before


def main(build):
    tap, dice, counts = Tap(), random.Random(SEED), {'alive': 0, 'moved': 0, 'seconds': 2}
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'sweep.yaml'), 'w') as f:
            f.write(SWEEP)
        start = time.monotonic()
        tap.case('undisturbed', through, build, folder, 'through')
        counts['seconds'] = time.monotonic() - start
        for i in range(KILLS):
            tap.case('kill %d loses nothing that was there' % (i + 1), killed, build, folder, dice,
                     counts)
        tap.case('the kills met a sweep at work', enough, counts)
        tap.case('carried on to its end', through, build, folder, 'killed')
        tap.case('the same content', same, folder)
        tap.case('run once more', again, build, folder)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

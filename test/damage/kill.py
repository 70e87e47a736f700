#!/usr/bin/env python3
"""A sweep killed again and again, at any moment, loses no written run: the same command continues,
and the final database equals the database of a sweep without kills.

    kill.py BUILD      KILLS=N in the environment: number of kills, default 20
"""
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../cli'))
from tables import tables

SWEEP = '''pairs: [vecadd:size=test, mm:size=test, bfs:size=test]
policies: [leftover, spatial, "spatial[split=12/4]"]
rules: [{until: window, cycles: 4000}]
seeds: [1, 2]
'''
KILLS = int(os.environ.get('KILLS', '20'))


def sweep(corun, database, **more):
    return subprocess.Popen([corun, 'sweep', 's.yaml', '-o', database, '--threads', '2', '--quiet'],
                            **more)


def runs(database):
    """Number of runs in a database: 0 as long as the database has no tables."""
    if not os.path.exists(database):
        return 0
    db = sqlite3.connect(database)
    try:
        return db.execute('select count(*) from run').fetchone()[0]
    except sqlite3.OperationalError as e:
        assert 'no such table' in str(e), e
        return 0
    finally:
        db.close()


class Sweep:
    """A sweep started afresh together with the isolated runs, and killed until the sweep is
    complete."""

    def __init__(self, corun, rng, seconds):
        self.corun, self.rng, self.seconds = corun, rng, seconds
        self.killed = self.there = 0
        shutil.rmtree(os.environ['CORUN_CACHE'], ignore_errors=True)
        if os.path.exists('r.db'):
            os.unlink('r.db')

    def go(self):
        """Runs the sweep; True: the sweep completed before the kill."""
        process = sweep(self.corun, 'r.db')
        try:
            ended = process.wait(self.rng.uniform(0, self.seconds))
            assert ended == 0, 'ended with %d' % ended
            return True
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.killed += 1
            return False

    def check(self):
        there = runs('r.db')
        assert there >= self.there, '%d runs were there, now %d' % (self.there, there)
        self.there = there
        if there:
            subprocess.run([self.corun, 'sweep', 's.yaml', '-o', 'r.db', '--verify'], check=True,
                           stdout=subprocess.DEVNULL)


def main():
    corun = os.path.join(os.path.abspath(sys.argv[1]), 'corun')
    rng, killed, sweeps = random.Random(1), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ['CORUN_CACHE'] = os.path.join(folder, 'cache')
        with open('s.yaml', 'w') as f:
            f.write(SWEEP)
        start = time.monotonic()
        assert sweep(corun, 'whole.db').wait() == 0
        seconds, whole = time.monotonic() - start, tables('whole.db')
        while killed < KILLS:
            one = Sweep(corun, rng, seconds * rng.choice((0.2, 0.5, 1)))
            while one.killed < min(8, KILLS - killed) and not one.go():
                one.check()
            assert sweep(corun, 'r.db').wait() == 0
            killed += one.killed
            sweeps += 1
            assert tables('r.db') == whole, 'another database than without kills'
            left = set(os.listdir('.')) - {'s.yaml', 'cache', 'whole.db', 'r.db'}
            assert not left, 'files are left: %s' % left
    print('1..1\nok 1 %d kills of %d sweeps' % (killed, sweeps))


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Compares results of runs on several threads with the stored results of same.py, which are of one
thread: threads.py BUILD [--all | --part K/N].

In `make test` 60 drawn runs with 3 threads, in `make test-all` 300 in equal parts with 2, 3, 4, 7,
16 and `auto` threads, a third without skipping; --all: every row with each number of threads.
"""
import argparse
import concurrent.futures
import os
import random
import sys
import tempfile

import same

THREADS = ['2', '3', '4', '7', '16', 'auto']


def drawn(args):
    """(row, number of threads, skip) of all runs."""
    rows = same.stored()
    if args.all or args.part:
        runs = [(row, n, skip) for row in rows for n in THREADS for skip in ('on', 'off')]
        k, every = (int(x) for x in (args.part or '0/1').split('/'))
        return runs[k::every]
    many = 'CORUN_TEST' in os.environ
    threads = THREADS if many else ['3']
    rows = random.Random(2).sample(rows, 300 if many else 60)
    return [(row, threads[k % len(threads)], 'off' if many and k % 3 == 0 else 'on')
            for k, row in enumerate(rows)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--part')
    args = parser.parse_args()
    names, runs, different = same.Names(), drawn(args), 0
    names.read()
    with tempfile.TemporaryDirectory() as cache, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        hashes = pool.map(lambda r: same.outcome(args.build, r[0][:4], names, cache,
                                                 '--sim-threads', r[1], '--skip', r[2]), runs)
        for k, ((row, n, skip), now) in enumerate(zip(runs, hashes), 1):
            differs = now != row[4]
            different += differs
            print('%sok %d - %s threads, skip %s: %s' % ('not ' if differs else '', k, n, skip,
                                                         ', '.join(row[:4])), flush=True)
            if differs:
                print('# one thread %s, now %s' % (row[4], now))
    print('1..%d' % len(runs))
    return 1 if different else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""Measures corun advise on pairs drawn by a seed, beside a sweep over all splits.

    advise.py CORUN GPU PAIRS SEED CYCLES

Prints a line per pair: the advised split, the best split, the ratio of their weighted speedups, and
the warp instructions of advise, isolated runs included, over those of the sweep.
"""
import itertools
import json
import os
import random
import subprocess
import sys

APPS = ['bandwidth', 'bfs', 'chase', 'gups', 'histo', 'hotspot', 'kmeans', 'lbm', 'mm', 'mri-q',
        'nbody', 'scan', 'sgemm', 'spmv', 'stencil', 'vecadd']
# pairs of the tests, on which the search was adjusted
TUNED = [('vecadd', 'mm'), ('hotspot', 'kmeans'), ('nbody', 'gups'), ('bfs', 'mm')]


def corun(*command):
    p = subprocess.run(command, capture_output=True, text=True)
    return json.loads(p.stdout) if p.returncode in (0, 1) and p.stdout else None


def known(program):
    listed = subprocess.run([program, 'list', 'workloads'], capture_output=True, text=True).stdout
    return {line.split()[0] for line in listed.splitlines() if line.strip()}


def main(program, gpu, pairs, seed, cycles):
    os.environ.setdefault('CORUN_CACHE', '/tmp/corun-advise')
    names = [a for a in APPS if a in known(program)]
    tuned = {frozenset(pair) for pair in TUNED}
    every = [p for p in itertools.combinations(names, 2) if frozenset(p) not in tuned]
    drawn = random.Random(int(seed)).sample(every, int(pairs))
    rule = ['--gpu', gpu, '--until', 'window', '--cycles', cycles, '--quiet', '--json', '-']
    within = 0
    for pair in drawn:
        advice = corun(program, 'advise', *pair, '--goal', 'max ws', *rule)
        sms = sum(advice['splits'][0]['sms'])
        splits = [f'spatial[split={k}/{sms - k}]' for k in range(1, sms)]
        sweep = corun(program, 'compare', *pair, '--policies', ','.join(splits), *rule)
        values = {run['policy']: sum(a['normalized_ipc'] for a in run['apps'])
                  for run in sweep['runs']}
        best = max(values, key=values.get)
        whole = sum(a['points'][-1]['warp_instructions'] for a in advice['apps'])
        own = advice['isolated_warp_instructions'] + advice['shared_warp_instructions']
        part = own / (whole + sum(run['stats']['inst.warp'] for run in sweep['runs']))
        ratio = values[advice['policy']] / values[best]
        within += ratio >= 0.99
        print(f"{' + '.join(pair):20} advised {advice['policy']:20} best {best:20} "
              f'{100 * ratio:6.1f} % of the best, {100 * part:4.1f} % of the instructions',
              flush=True)
    print(f'{within} of {pairs} within 1 % on {gpu}')


if __name__ == '__main__':
    main(*sys.argv[1:])

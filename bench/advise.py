#!/usr/bin/env python3
"""Measures corun advise on pairs drawn by a seed, beside a sweep over all splits.

    advise.py CORUN GPU PAIRS SEED CYCLES BUDGETS [KNOWN...] [-- OPTION...]

Draws from all pairs without those drawn by the seeds KNOWN, on which the search was developed.
BUDGETS: separated by commas; '': none. OPTION: further options of corun. Prints a line per pair and
budget: the advised split, the best split, the ratio of their weighted speedups, and the warp
instructions of advise, isolated runs included, over those of the sweep. Prints for each pair the
least cost of a right answer: the isolated runs on all SMs and one shared run, of a split within 1 %
of the best. At the end: the distribution of the losses for each budget, and of the least costs.
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


def draw(names, pairs, seed, known):
    tuned = {frozenset(pair) for pair in TUNED}
    left = [p for p in itertools.combinations(names, 2) if frozenset(p) not in tuned]
    for earlier in known:
        drawn = set(random.Random(int(earlier)).sample(left, pairs))
        left = [p for p in left if p not in drawn]
    return random.Random(int(seed)).sample(left, pairs)


def warp(advice):
    return advice['isolated_warp_instructions'] + advice['shared_warp_instructions']


def measure(program, pair, rule, sweep, budgets):
    """Yields for each budget the advised and the best split, the loss, and the part of the cost."""
    values = {tuple(s['sms']): s['value'] for s in sweep['splits']}
    best = max(values, key=values.get)
    for budget in budgets:
        advice = corun(program, 'advise', *pair, '--budget', budget, *rule)
        got = tuple(int(n) for n in advice['policy'].split('=')[1].rstrip(']').split('/'))
        part = warp(advice) / all_warp(sweep)
        yield budget, got, best, 1 - values[got] / values[best], part


def isolated(sweep):
    return sum(a['points'][-1]['warp_instructions'] for a in sweep['apps'])


def all_warp(sweep):
    return isolated(sweep) + sweep['shared_warp_instructions']


def least(sweep):
    """The least cost of a right answer, as a part of the sweep's."""
    best = max(s['value'] for s in sweep['splits'])
    right = [s['warp_instructions'] for s in sweep['splits'] if s['value'] >= 0.99 * best]
    return (isolated(sweep) + min(right)) / all_warp(sweep)


def main(program, gpu, pairs, seed, cycles, budgets, *more):
    split = more.index('--') if '--' in more else len(more)
    known_seeds, options = more[:split], more[split + 1:]
    os.environ.setdefault('CORUN_CACHE', '/tmp/corun-advise')
    names = [a for a in APPS if a in known(program)]
    rule = ['--gpu', gpu, '--until', 'window', '--cycles', cycles, '--goal', 'max ws', '--quiet',
            '--json', '-', *options]
    losses, parts, leasts = {}, {}, []
    for pair in draw(names, int(pairs), seed, known_seeds):
        sweep = corun(program, 'advise', *pair, '--budget', '100', *rule)
        leasts.append(least(sweep))
        print(f"{' + '.join(pair):20} least cost of a right answer {100 * leasts[-1]:.1f} %",
              flush=True)
        for budget, got, best, loss, part in measure(program, pair, rule, sweep,
                                                     filter(None, budgets.split(','))):
            losses.setdefault(budget, []).append(loss)
            parts.setdefault(budget, []).append(part)
            print(f"{' + '.join(pair):20} budget {budget:3} advised {got} best {best} loss "
                  f'{100 * loss:4.1f} %, {100 * part:4.1f} % of the instructions', flush=True)
    for budget, found in losses.items():
        found.sort()
        within = [sum(loss <= most for loss in found) for most in (0.01, 0.03, 0.05)]
        print(f'{gpu} budget {budget}: of {len(found)} within 1 %, 3 %, 5 %: {within}; median '
              f'{100 * found[len(found) // 2]:.1f} %, worst {100 * found[-1]:.1f} %; instructions '
              f'{100 * min(parts[budget]):.0f} to {100 * max(parts[budget]):.0f} %')
    above = sum(part > 0.2 for part in leasts)
    print(f'{gpu}: least cost of a right answer {100 * min(leasts):.1f} to '
          f'{100 * max(leasts):.1f} %, above 20 % for {above} of {len(leasts)}')


if __name__ == '__main__':
    main(*sys.argv[1:])

#!/usr/bin/env python3
"""Repeats stored runs and compares the outcome with experiments/results.

    check.py BUILD           repeats a few runs: of mechanisms with source changed since the last
                             successful check, then of other mechanisms selected by name
    check.py BUILD --all     repeats a run of every mechanism
    check.py BUILD --store   as --all, and stores the sources' hashes in results/checked.csv

For each mechanism, repeats the shortest run made by the current timing model. A difference means
that the machine's model or a policy has changed: increment the model number (src/base/version.h)
and repeat the sweeps.
"""
import csv
import glob
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import zlib

import lib

ROOT = os.path.dirname(lib.HERE)
sys.path.insert(0, os.path.join(ROOT, 'tools'))
from comments import strip  # noqa: E402

CHECKED = os.path.join(lib.HERE, 'results', 'checked.csv')
FEW = 3  # number of runs without --all or --store
LONG = 1000000  # cycles above which only --all and --store repeat a run: minutes
SHARE = 6  # one mechanism in SHARE is selected even with unchanged source
# Files in src/chip that implement a mechanism, in addition to the mechanism's file in src/policy.
PARTS = {'gpuduet': 'sm/residency/*', 'virtual-thread': 'sm/residency/*',
         'switch': 'sm/blocks/transfer.c', 'flush': 'sm/blocks/life.c',
         'chimera': 'sm/blocks/transfer.c', 'dmil': 'sm/policy/gate.c',
         'smil': 'sm/policy/gate.c', 'rbmi': 'sm/policy/gate.c', 'qbmi': 'sm/policy/quota.c',
         'its': 'dram/rank.c', 'weis': 'dram/rank.c', 'l1-ucp': 'l1/*', 'l1-mshr-split': 'l1/*',
         'l2-ways': 'l2/*'}


def mechanisms(policy):
    """Returns the names of a policy's mechanisms, without options."""
    return re.sub(r'\[[^]]*\]', '', policy).split('+')


def shortest(most=math.inf):
    """Returns {mechanism: shortest run with the mechanism, of at most so many cycles}."""
    found = {}
    for name, number in sorted(lib.models().items()):
        if number != lib.model.present() or \
                not os.path.exists(os.path.join(lib.HERE, 'sweeps', name + '.yaml')):
            continue
        for run in lib.runs(name):
            cost = sum(run.app('thread_instructions'))
            fits = run.row['options'] == '' and run.cycles <= most
            for m in mechanisms(run.policy) if fits else ():
                if m not in found or cost < found[m][0]:
                    found[m] = cost, run
    return {m: run for m, (_, run) in found.items()}


def source_hash(mechanism):
    """Returns a hash of the mechanism's file, of the machine's files in PARTS and of the headers
    shared by policies, all without comments."""
    patterns = ['policy/**/*.h', 'policy/**/%s.c' % mechanism.replace('-', '_'),
                *('chip/' + part for part in [PARTS.get(mechanism)] if part)]
    text = hashlib.sha256()
    for pattern in patterns:
        paths = sorted(glob.glob(os.path.join(ROOT, 'src', pattern), recursive=True))
        assert paths or pattern.startswith('policy/'), '%s: no file' % pattern
        for path in paths:
            with open(path, encoding='utf-8') as f:
                text.update(' '.join(strip(f.read(), literals=False).split()).encode())
    return text.hexdigest()[:16]


def checked():
    if not os.path.exists(CHECKED):
        return {}
    with open(CHECKED, encoding='utf-8') as f:
        return {r['mechanism']: r['source'] for r in csv.DictReader(f)}


def simulate(build, run):
    cmd = [os.path.join(build, 'corun'), 'run', *run.apps, '--policy', run.policy, '--gpu',
           run.row['gpu'], '--until', run.row['until'], '--seed', run.row['seed'], '--alone',
           'skip', '--json', '-', '--quiet']
    for option, column in (('--cycles', 'cycle_limit'), ('--instructions', 'instruction_goal')):
        if run.row[column]:
            cmd += [option, run.row[column]]
    out = json.loads(subprocess.run(cmd, stdout=subprocess.PIPE, check=True).stdout)
    return [a['thread_instructions'] for a in out['apps']], out['cycles']


def main(build, how=''):
    known, found = checked(), shortest(math.inf if how else LONG)
    by_name = sorted(found, key=lambda m: zlib.crc32(m.encode()))
    changed = [m for m in by_name if known.get(m) != source_hash(m)]
    others = [m for m in by_name if m not in changed and zlib.crc32(m.encode()) % SHARE == 0]
    drawn = by_name if how else (changed + others)[:FEW]
    results, different = {}, 0
    for n, m in enumerate(drawn, 1):
        run = found[m]
        key = run.policy, *run.apps, *run.row.values()
        if key not in results:  # a run may be the shortest of several mechanisms
            results[key] = simulate(build, run)
        same = results[key] == (run.app('thread_instructions'), run.cycles)
        different += not same
        print('%sok %d - %s: %s under %s on %s as stored' % (
            '' if same else 'not ', n, m, ' + '.join(run.apps), run.policy, run.row['gpu']),
            flush=True)
    if not drawn:
        print('ok 1 - stored runs # SKIP none of model %d' % lib.model.present())
    print('1..%d' % max(len(drawn), 1))
    if how == '--store' and not different:
        with open(CHECKED, 'w', encoding='utf-8', newline='') as f:
            csv.writer(f, lineterminator='\n').writerows(
                [('mechanism', 'source'), *((m, source_hash(m)) for m in sorted(found))])
    return 1 if different else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

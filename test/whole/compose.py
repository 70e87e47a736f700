#!/usr/bin/env python3
"""Policies joined: `corun check` of a policy of each two groups of `corun list policies`, a
pair chosen by name, or with --every all pairs; a policy of every group at once, every policy with a
policy of each other group: the answers are right, the laws hold, skipping changes nothing; policies
that decide the same are refused by name. The test covers new policies automatically."""
import itertools
import json
import os
import re
import subprocess
import sys
import zlib

from common import Tap, bare, checked, differ, run
from laws import laws

WITH = {'fixed': 'fixed[blocks=2/2]'}   # policies in need of options for two apps
APART = ['oracle',     # simulates hundreds of runs: test/cli/check.bats
         'mig',        # of machines with instances only: test/whole/mig.py
         'timeslice']  # not to be joined with extra blocks: test/cli/timeslice.bats
HELD = {'gate.limit': 'limits', 'l1.lines': 'ways', 'l1.entries': 'entries', 'l2.ways': 'ways',
        'dram.rank': 'ranks'}           # the property reported for a group


def groups(build):
    """Returns {group: policies}."""
    out = subprocess.check_output([os.path.join(build, 'corun'), 'list', 'policies'], text=True)
    found = {}
    for line in out.splitlines():
        head, row = re.match(r'([a-z0-9.]+): ', line), re.match(r'([a-z0-9-]+) ', line)
        if head:
            found[head.group(1)] = policies = []
        elif row:
            policies.append(row.group(1))
    assert len(found) >= 10 and sum(map(len, found.values())) >= 26, found
    return found


def corun(build, *args):
    env = dict(os.environ, CORUN_CACHE=os.path.join(build, 'test-cache'))
    return subprocess.run([os.path.join(build, 'corun'), *args], capture_output=True, text=True,
                          env=env)


def keeps(build, policies):
    """policies: {group: policy}"""
    p = corun(build, 'check', '+'.join(WITH.get(n, n) for n in policies.values()), '--json', '-',
              '--quiet', '--set', 'sm.count=4')
    assert p.returncode in (0, 1), p.stderr
    verdict = {r['name']: r for r in json.loads(p.stdout)['properties']}
    broken = [r for r in verdict.values() if r['verdict'] == 'broken']
    assert not broken, broken
    for group in policies:
        if group in HELD:
            assert verdict[HELD[group]]['verdict'] == 'holds', (group, verdict)


def together(build, policies):
    on, off = (run(build, ['vecadd', 'kmeans'], '--skip', skip, '--policy',
                   '+'.join(WITH.get(n, n) for n in policies)) for skip in ('on', 'off'))
    checked(on)
    laws(on)
    what = differ(bare(on), bare(off))
    assert what is None, 'on | off: ' + what


def refused(build, group, names):
    """Each policy with itself and with all others of the group."""
    for a, b in itertools.combinations_with_replacement(names, 2):
        p = corun(build, 'run', 'vecadd:size=test', 'mm:size=test', '--alone', 'skip', '--policy',
                  '+'.join(WITH.get(n, n) for n in (a, b)))
        says = "'%s' and '%s' both decide %s" % (a, b, group)
        assert p.returncode == 2 and says in p.stderr, (a, b, p.stderr)


def main(build, every=''):
    tap, found = Tap(one_in=16), groups(build)
    names = {g: [n for n in of if n not in APART] for g, of in found.items()}
    names = {g: of for g, of in names.items() if of}
    for (a, of_a), (b, of_b) in itertools.combinations(names.items(), 2):
        pairs = list(itertools.product(of_a, of_b))
        chosen = zlib.crc32(('%s %s' % (a, b)).encode()) % len(pairs)
        for two in pairs if every == '--every' else [pairs[chosen]]:
            tap.case(' + '.join(two), keeps, build, dict(zip((a, b), two)))
    for i in range(max(map(len, names.values()))):
        of_all = [of[i % len(of)] for of in names.values()]
        tap.case(' + '.join(of_all), together, build, of_all)
    for group, of in found.items():
        tap.case('two that decide %s are refused' % group, refused, build, group, of)
    tap.end()


if __name__ == '__main__':
    main(*sys.argv[1:])

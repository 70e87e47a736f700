#!/usr/bin/env python3
"""How many instructions of this machine one simulated warp instruction costs: counted by callgrind,
so the same on a busy machine, against the figures beside this file; and what the policy interface
adds, by a policy that has every hook and decides nothing (hooks.c), against left-over; and what
gates, parts and ranks cost that are never felt, so that the same is simulated with and without.

    instructions.py BUILD            test: at most TOLERANCE above the figure
    instructions.py BUILD --write    store new figures
"""
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FIGURES = os.path.join(HERE, 'figures.json')
PROGRAMS = ['mm', 'gups']
TOLERANCE = 0.10
HOOKS_TOLERANCE = 0.003  # 0.0018 of it the interface, 0.0006 the looks after hooks of a file
PAIR = ['clone000-bp', 'clone000-sv']
UNFELT = ['smil[limits=500/500]', 'l1-mshr-split[mshrs=128/128,missq=8/8]', 'l2-ways[ways=16/16]',
          'its[window=1000000000]']
UNFELT_TOLERANCE = 0.15


def instructions(corun, *args):
    p = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', corun,
                        *args], capture_output=True, text=True)
    assert p.returncode in (0, 1), p.stderr[-2000:]
    # of the process that simulates, of those that the command consists of
    return max(int(n) for n in re.findall(r'Collected : (\d+)', p.stderr)), p.stdout


def cost(corun, name, policy='leftover'):
    """Without what the command costs before its first cycles: the same run, stopped there."""
    app = ['run', name + ':size=test', '--alone', 'skip', '--quiet', '--json', '-', '--policy',
           policy]
    whole, out = instructions(corun, *app)
    start, _ = instructions(corun, *app, '--cycles', '1')
    result = json.loads(out)
    assert result['status'] == 'completed', result['status']
    return (whole - start) / result['apps'][0]['warp_instructions']


def kind(build):
    """Compiler and vector width: figures hold for one kind of build."""
    with open(os.path.join(build, 'compile_commands.json')) as f:
        command = json.load(f)[0]['command']
    words = command.split()
    compiler = words[words[0] == 'ccache']  # meson puts it there where it is installed
    about = subprocess.check_output([compiler, '--version'], text=True)
    name = 'clang' if 'clang' in about else 'gcc'
    version = subprocess.check_output([compiler, '-dumpversion'], text=True).split('.')[0].strip()
    wide = 'v3' if '-march=x86-64-v3' in command else 'baseline'
    return '%s-%s-%s' % (name, version, wide)


def hooks(corun, n):
    """Holds for any compiler: both are of the same build. True: it does."""
    with_all, without = (cost(corun, 'mm', policy)
                         for policy in (os.path.join(HERE, 'hooks.c'), 'leftover'))
    ok = with_all <= without * (1 + HOOKS_TOLERANCE)
    print('%s %d - mm under a policy with every hook: %.2f instructions per warp instruction, '
          'left-over %.2f' % ('ok' if ok else 'not ok', n, with_all, without), flush=True)
    return ok


def unfelt(corun, n):
    """True: all of them together cost no more than is allowed."""
    def cost_of(policy):
        pair = ['run', *PAIR, '--policy', policy, '--alone', 'skip', '--quiet', '--json', '-',
                '--until', 'window', '--cycles']
        whole, out = instructions(corun, *pair, '4000')
        return whole - instructions(corun, *pair, '1')[0], json.loads(out)['stats']

    (with_all, felt), (without, bare) = map(cost_of, ('+'.join(['smk-p', *UNFELT]), 'smk-p'))
    assert felt == bare, 'they were felt'
    part = with_all / without - 1
    ok = part <= UNFELT_TOLERANCE
    print('%s %d - %s under smk-p with limits, parts and ranks that are not felt: %.1f %% more '
          'instructions' % ('ok' if ok else 'not ok', n, ' + '.join(PAIR), 100 * part), flush=True)
    return ok


def main(build, write):
    corun = os.path.join(build, 'corun')
    figures = {}
    if os.path.exists(FIGURES):
        with open(FIGURES) as f:
            figures = json.load(f)
    have = kind(build)
    if not shutil.which('valgrind'):
        print('ok 1 - instructions per warp instruction # SKIP no valgrind\n1..1')
        return
    failed = not hooks(corun, 1)
    failed += not unfelt(corun, 2)
    if have not in figures and not write:
        print('ok 3 - instructions per warp instruction # SKIP no figures for %s\n1..3' % have)
        sys.exit(1 if failed else 0)
    for n, name in enumerate(PROGRAMS, 3):
        now = cost(corun, name)
        if write:
            figures.setdefault(have, {})[name] = round(now, 1)
        figure = figures[have][name]
        ok = now <= figure * (1 + TOLERANCE)
        failed += not ok
        print('%s %d - %s: %.1f instructions per warp instruction, stored %.1f' % (
            'ok' if ok else 'not ok', n, name, now, figure), flush=True)
    print('1..%d' % (2 + len(PROGRAMS)))
    if write:
        with open(FIGURES, 'w') as f:
            json.dump(figures, f, indent=1)
            f.write('\n')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main(sys.argv[1], '--write' in sys.argv)

#!/usr/bin/env python3
"""Compiler and compiler options do not change results: gcc and clang, -O0 to -O3, with and without
the wider vectors give the same bytes as BUILD.

    equal.py BUILD              names the other builds of CI
    equal.py BUILD OTHER        makes build OTHER and compares; TAP
"""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../whole'))
from common import NAMES, Tap, bare, differ, run  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILDS = { # compiler, level of optimization, instructions; target to make
    'clang-0-baseline': ('clang', '0', 'baseline', 'corun')} # tools/hard.sh has clang make all
HARD = { # tools/hard.sh makes these, too
    'gcc-2-auto': ('gcc', '2', 'auto', 'corun'),
    'gcc-3-baseline': ('gcc', '3', 'baseline', 'corun'),
    'clang-1-baseline': ('clang', '1', 'baseline', 'corun'),
    'clang-2-auto': ('clang', '2', 'auto', 'corun'),
    'clang-3-baseline': ('clang', '3', 'baseline', 'corun')}
SETS = [[n] for n in NAMES] + [['mm', 'bfs'], ['kmeans', 'gups'], ['hotspot', 'spmv']]


def made(build, compiler, level, cpu, what):
    if not os.path.exists(os.path.join(build, 'build.ninja')):
        shutil.rmtree(build, ignore_errors=True)
        subprocess.run(['meson', 'setup', build, '--buildtype=release', '-Doptimization=' + level,
                        '-Dcpu=' + cpu, '-Dtests=disabled'], check=True, cwd=ROOT,
                       env=dict(os.environ, CC=compiler), stdout=subprocess.DEVNULL)
    p = subprocess.run(['ninja', '-C', build, what], capture_output=True, text=True)
    assert p.returncode == 0, p.stdout[-3000:]


def equal(builds, apps):
    policy = 'spatial' if len(apps) > 1 else 'leftover'
    results = [bare(run(b, apps, '--policy', policy, '--alone', 'skip')) for b in builds]
    what = differ(*results)
    assert what is None, what


def main(build, name):
    tap = Tap(one_in=3)
    variant = {**BUILDS, **HARD}[name]
    if not shutil.which(variant[0]):
        tap.skip(name, 'no ' + variant[0])
        tap.end()
    other = os.path.join(ROOT, 'build-test-' + name)
    made(other, *variant)
    for apps in SETS:
        tap.case('%s: %s' % (name, ' + '.join(apps)), equal, [build, other], apps)
    tap.end()


if __name__ == '__main__':
    if len(sys.argv) == 2:
        print(*BUILDS)
    else:
        main(*sys.argv[1:])

#!/usr/bin/env python3
"""The compiler and its options change nothing: gcc and clang, -O2 and -O3, with and without the
wider vectors give the same bytes."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../whole'))
from common import NAMES, Tap, bare, differ, run  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILDS = [('gcc', '2', 'auto'), ('clang', '3', 'auto'), ('clang', '2', 'baseline'),
          ('gcc', '3', 'baseline')]
SETS = [[n] for n in NAMES] + [['mm', 'bfs'], ['kmeans', 'gups'], ['hotspot', 'spmv']]


def made(compiler, level, cpu):
    build = os.path.join(ROOT, 'build-test-%s-%s-%s' % (compiler, level, cpu))
    if not os.path.exists(os.path.join(build, 'build.ninja')):
        shutil.rmtree(build, ignore_errors=True)
        subprocess.run(['meson', 'setup', build, '--buildtype=release', '-Doptimization=' + level,
                        '-Dcpu=' + cpu, '-Dtests=disabled'], check=True, cwd=ROOT,
                       env=dict(os.environ, CC=compiler), stdout=subprocess.DEVNULL)
    p = subprocess.run(['ninja', '-C', build], capture_output=True, text=True)
    assert p.returncode == 0, p.stdout[-3000:]
    return build


def equal(build, first, apps):
    result = bare(run(build, apps, '--policy', 'spatial' if len(apps) > 1 else 'leftover',
                      '--alone', 'skip'))
    key = '+'.join(apps)
    what = differ(first.setdefault(key, result), result)
    assert what is None, what


def main(build):
    tap = Tap()
    first = {}
    for apps in SETS:
        tap.case('build: %s' % ' + '.join(apps), equal, build, first, apps)
    for variant in BUILDS:
        name = '%s -O%s %s' % variant
        if not shutil.which(variant[0]):
            tap.skip(name, 'no ' + variant[0])
            continue
        tap.case(name + ' builds', made, *variant)
        other = os.path.join(ROOT, 'build-test-%s-%s-%s' % variant)
        for apps in SETS:
            tap.case('%s: %s' % (name, ' + '.join(apps)), equal, other, first, apps)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])

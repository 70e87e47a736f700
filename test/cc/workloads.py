#!/usr/bin/env python3
"""Compiles every .cu file of workloads/, examples/ and bench/ with `corun cc`: the PTX must be
supported as a whole, and mm must compute the right answer.

    test/cc/workloads.py BUILD     skipped without clang
"""
import glob
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import clang

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'test/whole'))
from common import drawn  # noqa: E402

OF_CLANG = 'warning: clang '  # printed by an old clang
N = 48
APP = '''app: mm
module: mm.ptx
buffers:
  a: {type: f32, count: %d, init: file a}
  b: {type: f32, count: %d, init: file b}
  c: {type: f32, count: %d, init: zero}
launches:
  - {kernel: mm, grid: [%d, %d, 1], block: [16, 16, 1], args: [$a, $b, $c, %d]}
dump: {c: c}
'''


def compiled(corun, source, ptx):
    """Returns an error message, '' if all went well."""
    for command in ([corun, 'cc', '-ptx', source, '-o', ptx], [corun, 'ptx', ptx]):
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           check=False)
        said = ''.join(l for l in p.stderr.splitlines(True) if not l.startswith(OF_CLANG))
        if p.returncode or said:
            return said or 'exit status %d' % p.returncode
    return '' if len(p.stdout.splitlines()) > 1 else 'no kernel'


def product(corun, folder):
    """Multiplies whole numbers: the order of additions does not matter."""
    a = [(i * 7 + 3) % 11 - 5 for i in range(N * N)]
    b = [(i * 5 + 1) % 13 - 6 for i in range(N * N)]
    for name, values in (('a', a), ('b', b)):
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(struct.pack('%df' % len(values), *values))
    with open(os.path.join(folder, 'mm.yaml'), 'w') as f:
        f.write(APP % (N * N, N * N, N * N, N // 16, N // 16, N))
    subprocess.run([corun, 'run', os.path.join(folder, 'mm.yaml'), '--alone', 'skip', '--quiet'],
                   check=True)
    with open(os.path.join(folder, 'c'), 'rb') as f:
        c = struct.unpack('%df' % (N * N), f.read())
    want = [sum(a[i * N + k] * b[k * N + j] for k in range(N)) for i in range(N) for j in range(N)]
    return list(c) == want


def main(build):
    corun = os.path.join(os.path.abspath(build), 'corun')
    if not clang.here():
        print('1..1\nok 1 # skip clang is not here')
        return 0
    sources = sorted(sum((glob.glob(os.path.join(ROOT, p)) for p in (
        'workloads/*/*.cu', 'examples/*/*.cu', 'bench/*.cu')), []))
    sources = [s for s in sources if s.endswith('workloads/mm/kernel.cu') or
               drawn(os.path.relpath(s, ROOT), 4)]
    bad = 0
    print('1..%d' % (len(sources) + 1))
    with tempfile.TemporaryDirectory() as folder:
        for i, source in enumerate(sources, 1):
            name = os.path.relpath(source, ROOT)
            ptx = os.path.join(folder, 'mm.ptx' if name == 'workloads/mm/kernel.cu' else 'ptx')
            wrong = compiled(corun, source, ptx)
            bad += bool(wrong)
            for line in wrong.splitlines():
                print('# ' + line)
            print('%s %d - %s' % ('not ok' if wrong else 'ok', i, name))
        right = product(corun, folder)
    bad += not right
    print('%s %d - the product by mm' % ('ok' if right else 'not ok', len(sources) + 1))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))

#!/usr/bin/env python3
"""Runs kernels written in less usual PTX, and compares results with the manual.

    test/ptx/values.py BUILD
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def bits(x):
    return struct.unpack('<I', struct.pack('<f', x))[0]


def spaces():
    out = [(t & 0xffff) + ((t >> 8 & 255) << 16) for t in range(64)]
    out += [(t & 0xffff) | 7 << 16 for t in range(64)]
    return out + [9] * 64


def moved():
    for t in range(32):
        x, y, z, w = range(4 * t, 4 * t + 4)
        yield from (w, z + 1000, y, x, y, z, w, x, 13, x, 15, 0, x, z, 64, 2 ** 32 - 32)


def floats():
    for t in range(32):
        x, y, z, w = (bits(float(4 * t + i)) for i in range(4))
        values = [struct.unpack('<f', struct.pack('<I', v))[0] for v in (x, y, z, w)]
        x, y, z, w = values
        yield from (x * 4 + 1, y * 3 + 2, z * 2 + 3, w + 4 + t * 65536)


def passed():
    for t in range(32):
        below, odd = t < 10, t % 2 == 1
        if t < 16:
            number, both, differ = t, odd, not odd
            number += 0 if differ else 100
        else:
            number, both, differ = 555, False, False
        yield from (t + 1 if below else 0, number, int(both), int(differ), int(not odd), 0,
                    int(odd), 0)


def others():
    for t in range(32):
        k = t % 4
        yield from ((k + 2) ** 2, t, 100 + k, t)


def words():
    for t in range(32):
        more = t > 7
        both = t & 15
        kept, guard = (t & 16, bool(t & 16)) if more else (77, False)
        yield from (both, int(bool(both) or more), int(bool(t & 1) and not more), kept,
                    int(guard), 601, 8, t)


# name, module, kernel, threads, type and number of inputs (a ramp) and results, further arguments
CASES = [
    ('one operand in braces, guarded', 'braces', 'guarded', 64, ('u32', 60), ('u32', 64), '60',
     [t + 1 if t < 60 else 0 for t in range(64)]),
    ('one operand in braces, every space', 'braces', 'spaces', 64, ('u32', 64), ('u32', 192), '',
     spaces()),
    ('vector registers and their elements', 'vectors', 'moved', 32, ('u32', 128), ('u32', 512), '',
     list(moved())),
    ('a predicate and a vector through a pointer', 'pointer', 'indirect', 32, None, ('u32', 32), '',
     [int(4 < t < 20) for t in range(32)]),
    ('vector registers of floats and halves', 'vectors', 'floats', 32, ('f32', 128), ('f32', 128),
     '', list(floats())),
    ('variables without a state space', 'unnamed', 'unnamed', 32, None, ('u32', 128), '',
     [x for t in range(32) for x in (96, 31, t, 700 + t)]),
    ('predicates as results and parameters', 'predicates', 'passed', 32, None, ('u32', 256), '',
     list(passed())),
    ('cache policies, lop3 with a predicate, constants', 'words', 'words', 32, ('u32', 32),
     ('u32', 256), '', list(words())),
    ('arrays of an open dimension', 'arrays', 'k', 1, None, ('s32', 6), '', [0, -1, 32, 6, 1, 4]),
    ('a wide address in shared memory', 'truncated', 'shared', 64, None, ('u32', 64), '',
     list(range(64))),
    ('wrapped and atomic in shared memory', 'truncated', 'reversed', 64, None, ('u32', 128), '',
     [x for t in range(64) for x in (63 - t, t + 2000 if t % 2 else 5)]),
    ('wide addresses in constant, local and parameter memory', 'truncated', 'others', 32, None,
     ('u32', 128), '[u32 100, u32 101, u32 102, u32 103]', list(others())),
    ('wide addresses of matrix rows', 'truncated', 'rows', 32, None, ('u32', 32), '',
     list(range(32))),
]
APP = '''app: case
module: %s
buffers:
%s  out: {type: %s, count: %d}
steps:
  - {kernel: %s, grid: [1], block: [%d], shared_bytes: 16, args: [%s]}
expect: {out: %s}
'''


def run(corun, case, folder):
    _, module, kernel, threads, source, result, more, want = case
    args = ['$in'] * bool(source) + ['$out'] + [more] * bool(more)
    put = '  in: {type: %s, count: %d, init: ramp}\n' % source if source else ''
    path = os.path.join(folder, 'case.yaml')
    with open(path, 'w') as f:
        f.write(APP % (os.path.join(HERE, module + '.ptx'), put, *result, kernel, threads,
                       ', '.join(args), want))
    p = subprocess.run([corun, 'run', path, '--alone', 'skip', '--json', '-'], capture_output=True,
                       text=True, check=False)
    if p.returncode:
        return p.stderr
    return '' if json.loads(p.stdout)['apps'][0]['checked'] is True else p.stderr + 'not checked'


def main(build):
    print('1..%d' % len(CASES))
    with tempfile.TemporaryDirectory() as folder:
        for n, case in enumerate(CASES, 1):
            why = run(os.path.join(build, 'corun'), case, folder)
            print('%sok %d %s' % ('not ' if why else '', n, case[0]))
            for line in why.splitlines():
                print('# ' + line)


if __name__ == '__main__':
    main(os.path.abspath(sys.argv[1]))

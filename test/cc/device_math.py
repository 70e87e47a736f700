#!/usr/bin/env python3
"""The device math of `corun cc`: a kernel on corun computes every row of math.def, and the results
are compared with the host's long double functions: at most N ulp, and special values as in C.

    test/cc/device_math.py BUILD           test; skipped without clang
    test/cc/device_math.py --page          docs/reference/device-math.md, on standard output
    test/cc/device_math.py --show BUILD    the errors, a line each
"""
import os
import re
import subprocess
import sys
import tempfile
import clang

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = '''# Device math

What `corun cc` makes of the CUDA math functions: corun's own code, and the error of each in units
of the last place, which a test holds against the host's long double functions over the range given
and over zeros, infinities, NaN and subnormals. `x` and `y` are the arguments.

| function | type | range of x | range of y | error at most, ulp |
|---|---|---|---|---|
'''


def rows():
    """(T, expression, [low, high, ...], bound)"""
    with open(os.path.join(HERE, 'math.def')) as f:
        for line in f:
            m = re.match(r'MATH[12]\((.*)\)$', line.strip())
            if not m:
                continue
            cut, depth = [''], 0
            for c in m.group(1):
                depth += (c == '(') - (c == ')')
                if c == ',' and not depth:
                    cut.append('')
                else:
                    cut[-1] += c
            cut = [c.strip() for c in cut]
            yield cut[0], cut[1], cut[3:-1], float(cut[-1])


def page():
    print(PAGE, end='')
    for kind, expression, ends, bound in rows():
        ranges = ['%s to %s' % tuple(ends[i:i + 2]) for i in range(0, len(ends), 2)] + ['']
        print('| `%s` | %s | %s | %s | %g |' % (expression, kind, *ranges[:2], bound))


def app(all_rows, n):
    buffers, launches, dump = '', '', ''
    for i, (kind, *_) in enumerate(all_rows):
        f = 'f32' if kind == 'float' else 'f64'
        for end, init in (('x', 'file %d.x' % i), ('y', 'file %d.y' % i), ('out', 'zero')):
            buffers += '  %s%d: {type: %s, count: %d, init: %s}\n' % (end, i, f, n, init)
        launches += ('  - {kernel: _Z1kILi%dE%sEvPKT0_S2_PS0_, grid: [%d, 1, 1],'
                     ' block: [128, 1, 1], args: [$x%d, $y%d, $out%d]}\n'
                     % (i, kind[0], n // 128, i, i, i))
        dump += '  out%d: %d.out\n' % (i, i)
    return 'app: math\nmodule: math.ptx\nbuffers:\n%slaunches:\n%sdump:\n%s' % (buffers, launches,
                                                                            dump)


def measure(build, folder):
    """A line of check.c for each row."""
    check = os.path.join(folder, 'check')
    with open(os.path.join(HERE, 'check.c')) as f:
        n = int(re.search(r'N = (\d+)', f.read()).group(1))
    subprocess.run([os.environ.get('CC', 'cc'), '-O1', '-std=gnu11', '-D_GNU_SOURCE',
                    os.path.join(HERE, 'check.c'), '-o', check, '-lm'], check=True)
    subprocess.run([check, 'inputs', folder], check=True)
    corun = os.path.join(build, 'corun')
    subprocess.run([corun, 'cc', '-ptx', os.path.join(HERE, 'math.cu'), '-o',
                    os.path.join(folder, 'math.ptx')], check=True)
    with open(os.path.join(folder, 'math.yaml'), 'w') as f:
        f.write(app(list(rows()), n))
    subprocess.run([corun, 'run', os.path.join(folder, 'math.yaml'), '--alone', 'skip', '--quiet'],
                   check=True)
    return subprocess.check_output([check, 'outputs', folder], text=True).splitlines()


def main(args):
    if args == ['--page']:
        page()
        return 0
    if not clang.here():
        print('1..1\nok 1 # skip clang is not here')
        return 0
    all_rows = list(rows())
    with tempfile.TemporaryDirectory() as folder:
        lines = measure(os.path.abspath(args[-1]), folder)
    print('1..%d' % len(all_rows))
    bad = len(lines) != len(all_rows)
    for i, ((kind, expression, _, bound), line) in enumerate(zip(all_rows, lines), 1):
        word, error, *_ = line.split()
        ok = word == 'ulp' and float(error) <= bound
        bad |= not ok
        if not ok or args[0] == '--show':
            print('# %s: %s' % (kind, line))
        print('%s %d - %s %s: %s of %g ulp' % ('ok' if ok else 'not ok', i, kind, expression,
                                               error, bound))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Compares exec.contract=ptxas with the machine code of ptxas.

    test/ptx/contract.py BUILD          test: results equal the stored expressions, bit for bit
    test/ptx/contract.py --ask PTXAS    write contract.txt: what ptxas computes

A line of contract.txt: type, PTX with sources %x0 to %x7 and results %y0 to %y3, and the expression
of each result in the machine code for sm_75. The PTX is random (functions of products and sums)
or from CASES.
"""
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'op'))
import exact  # noqa: E402, pylint: disable=wrong-import-position

DATA = os.path.join(HERE, 'contract.txt')
RANDOM = {'f32': 300, 'f64': 60}
X, Y = 8, 4
AT_X, AT_Y = 0, 512  # bytes
ROOM = AT_Y + 8 * Y   # of a thread
THREADS = 8           # with sources of their own
CASES = [
    'mul %t0,%x0,%x1; mul %t1,%x2,%x3; sub %y0,%t0,%t1; mul %t2,%x0,%x3; fma.rn %y1,%x1,%x2,%t2;',
    'mul %t0,%x0,%x1; add %y0,%t0,%x2; mov %y1,%t0;',
    'mul %t0,%x0,%x1; add %y0,%t0,%x2; add %y1,%t0,%x3; add %y2,%t0,%x4; sub %y3,%x5,%t0;',
    'mul %t0,%x0,%x1; add %y0,%t0,%x2; fma.rn %y1,%x3,%x4,%t0;',
    'mul %t0,%x0,%x1; mul %t1,%t0,%x2; add %y0,%t1,%x3;',
    'mul.rn %t0,%x0,%x1; add %y0,%t0,%x2;',
    'mul %t0,%x0,%x1; add.rn %y0,%t0,%x2;',
    'mul %t0,%x0,%x1; add %y0,%t0,%t0; add %y1,%t0,%x2;',
    'mul %t0,%x0,%x1; neg %t1,%t0; add %y0,%t1,%x2; add %y1,%t0,%x3;',
    'mul %t0,%x0,%x1; neg %t1,%t0; sub %y0,%t1,%x2;',
    'mul %t0,%x0,%x1; mul %t1,%x4,%x5; neg %t2,%t0; add %y0,%t2,%t1;',
    'mul %t0,%x0,%x1; mul %t1,%x4,%x5; neg %t2,%t0; add %y0,%t1,%t2;',
    'mul %t0,%x0,%x1; mov %t1,%t0; sub %y0,%x2,%t1;',
    'mul %t0,%x0,%x1; bar.sync 0; add %y0,%t0,%x2;',
    'mul %t0,%x0,%x1; bra L; L: add %y0,%t0,%x2;',
    # x2 > x3 in the inputs below
    'mov %y0,%x7; mul %t0,%x0,%x1; setp.gt %p1,%x2,%x3; @%p1 add %y0,%t0,%x4;',
]
# Factors are overwritten before the sum; if the product must stay, it is not fused, other than by
# ptxas.
OVERWRITTEN = [
    ('mul %x3,%x3,%x0; mul %t0,%x5,%x6; sub %t1,%x4,%x3; add %y0,%t1,%t0; sub %y1,%t0,%x3;',
     'fma(x5,x6,(x4+-(x3*x0))); fma(x5,x6,-(x3*x0))'),
    ('mul %t0,%x0,%x1; mov %x0,%x5; add %y0,%t0,%x2; mov %y1,%x0;', '((x0*x1)+x2); x5'),
    ('mul %x0,%x0,%x1; add %y0,%x0,%x2;', 'fma(x0,x1,x2)'),
]
# Cases that the decoder does not follow: branches, guards, half precision (by the opcodes).
HALF = [
    ('mul %t0,%x0,%x1; add %y0,%t0,%x2;', 'fma(x0,x1,x2)'),
    ('mul %t0,%x0,%x1; sub %y0,%t0,%x2;', 'fma(x0,x1,-x2)'),
    ('mul %t0,%x0,%x1; sub %y0,%x2,%t0;', 'fma(-x0,x1,x2)'),
    ('mul %t0,%x0,%x1; neg %t1,%t0; sub %y0,%t1,%x2;', 'fma(-x0,x1,-x2)'),
    ('mul.rn %t0,%x0,%x1; add %y0,%t0,%x2;', '((x0*x1)+x2)'),
    ('mul %t0,%x0,%x1; add %y0,%t0,%x2; mov.b16 %y1,%t0;', '((x0*x1)+x2); (x0*x1)'),
]
SEEN = [
    ('mul %t0,%x0,%x1; setp.lt %p1,%x2,%x3; @%p1 bra L; add %y0,%t0,%x4; L: st %y0;',
     '((x0*x1)+x4)'),
    ('mul %t0,%x0,%x1; add %y1,%t0,%x5; setp.lt %p1,%x2,%x3; @%p1 bra L; add %y0,%t0,%x4; '
     'L: st %y0; st %y1;', '((x0*x1)+x4); ((x0*x1)+x5)'),
    ('mov %t0,%x6; setp.gt %p1,%x2,%x3; @%p1 mul %t0,%x0,%x1; add %y0,%t0,%x4;', '((x0*x1)+x4)'),
    ('mul %t0,%x0,%x1; setp.gt %p1,%x2,%x3; selp %t1,%t0,%x5,%p1; add %y0,%t1,%x4;',
     '((x0*x1)+x4)'),
    ('mul %t0,%x0,%x1; abs %t1,%t0; add %y0,%t1,%x2;', '(abs(x0*x1)+x2)'),
    ('mul.rz %t0,%x0,%x1; add %y0,%t0,%x2;', '(rz(x0*x1)+x2)'),
    ('mul %t0,%x0,%x1; add.rz %y0,%t0,%x2;', 'rz((x0*x1)+x2)'),
    ('mul.sat %t0,%x0,%x1; add %y0,%t0,%x2;', '(sat(x0*x1)+x2)'),
    ('mul %t0,%x0,%x1; add.sat %y0,%t0,%x2;', 'sat(fma(x0,x1,x2))'),
    ('mul.ftz %t0,%x0,%x1; add %y0,%t0,%x2;', '((x0*x1)+x2)'),
    ('mul %t0,%x0,%x1; add.ftz %y0,%t0,%x2;', '((x0*x1)+x2)'),
    ('mul.ftz %t0,%x0,%x1; add.ftz %y0,%t0,%x2;', 'fma(x0,x1,x2)'),
]


def typed(body, kind):
    """Adds the type to the opcodes of a body and writes stores."""
    def store(m):
        at = AT_Y + int(m[2]) * size(kind)
        return 'st.global.b%d [%%rd1+%d],%s;' % (8 * size(kind), at, m[1])
    body = re.sub(r'st (%y(\d));', store, body)
    return re.sub(r'\b(mul|add|sub|fma|neg|abs|mov|setp|selp)((?:\.(?!b16)\w+)*) ',
                  lambda m: '%s%s.%s ' % (m[1], m[2], kind), body)


def size(kind):
    return int(kind.strip('bf')) // 8


def kernel(name, kind, body):
    """Returns a kernel with a pointer to its sources and results."""
    stored = 'b16' if size(kind) == 2 else kind
    used = sorted(set(re.findall(r'%x\d', body)))
    loads = ['ld.global.%s %s,[%%rd1+%d];' % (stored, x, AT_X + int(x[2]) * size(kind))
             for x in used]
    stores = '' if 'st %' in body else ' '.join(
        'st %s;' % y for y in sorted(set(re.findall(r'%y\d', body))))
    code = typed('%s %s' % (body, stores), kind)
    return '''.visible .entry %s(.param .u64 p) {
.reg .%s %%x<8>, %%y<4>, %%t<32>; .reg .pred %%p<4>; .reg .u64 %%rd<3>; .reg .u32 %%r<1>;
ld.param.u64 %%rd0,[p]; cvta.to.global.u64 %%rd2,%%rd0; mov.u32 %%r0,%%tid.x;
mad.wide.u32 %%rd1,%%r0,ROOM,%%rd2;
%s
%s
ret; }
'''.replace('ROOM', str(ROOM)) % (name, stored, ' '.join(loads), code)


MODULE = '.version 7.8\n.target sm_75\n.address_size 64\n'


# ---- random functions ----

def random_body(rng):
    """Returns products, sums, copies and negations without dead code, and at most Y results."""
    made, steps = [], []
    for n in range(rng.randint(3, 12)):
        a, b = (rng.choice(made) if made and rng.random() < 0.65 else '%%x%d' % rng.randrange(X)
                for _ in range(2))
        op = rng.choice(['mul', 'mul', 'add', 'sub', 'add', 'neg', 'mov'])
        if a == b and op in ('add', 'sub') or op in ('neg', 'mov') and a not in made:
            continue
        steps.append((op, '%%t%d' % n, [a] if op in ('neg', 'mov') else [a, b]))
        made.append('%%t%d' % n)
    read = {s for _, _, sources in steps for s in sources}
    results = [t for t in made if t not in read][:Y]
    results += [t for t in made if t in read and rng.random() < 0.12][:Y - len(results)]
    needed, kept = set(results), []
    for op, to, sources in reversed(steps):
        if to in needed:
            kept.insert(0, '%s %s;' % (op, ','.join([to] + sources)))
            needed |= set(sources)
    return ' '.join(kept + ['mov %%y%d,%s;' % (n, t) for n, t in enumerate(results)])


# ---- machine code ----

OPCODES = {0x023: 'fma', 0x020: '*', 0x021: '+', 0x02b: 'fma', 0x028: '*', 0x029: '+'}
DOUBLES = (0x02b, 0x028, 0x029)
LOAD, STORE, MOVE = 0x181, 0x186, 0x002
WIDTHS = {4: 1, 5: 2, 6: 4}  # registers moved, by the width field


def text_section(path):
    """Returns the instructions of a cubin as integers of 128 bits."""
    with open(path, 'rb') as f:
        d = f.read()
    start, = struct.unpack_from('<Q', d, 40)
    entry, n, names = struct.unpack_from('<HHH', d, 58)
    rows = [struct.unpack_from('<IIQQQQ', d, start + i * entry) for i in range(n)]
    for row in rows:
        if d[rows[names][4] + row[0]:].startswith(b'.text.'):
            code = d[row[4]:row[4] + row[5]]
            return [int.from_bytes(code[i:i + 16], 'little') for i in range(0, len(code), 16)]
    return []


def expressions(code, kind):
    """Returns the expression of each result, by executing code without branches on names."""
    registers, results, step = {255: '0'}, {}, size(kind) // 4
    for word in code:
        def bits(at, n, word=word):
            return word >> at & (1 << n) - 1
        op, to, a, b, c = bits(0, 9), bits(16, 8), bits(24, 8), bits(32, 8), bits(64, 8)
        offset = bits(40, 24) - (bits(63, 1) << 24)
        sign = ['-' if bits(at, 1) else '' for at in (72, 63, 75)]
        if op == LOAD:
            for k in range(0, WIDTHS[bits(73, 3)], step):
                registers[to + k] = 'x%d' % ((offset - AT_X + 4 * k) // size(kind))
        elif op == STORE:
            for k in range(0, WIDTHS[bits(73, 3)], step):
                results[(offset - AT_Y + 4 * k) // size(kind)] = registers[b + k]
        elif op == MOVE:
            registers[to] = registers.get(b)
        elif op in OPCODES:
            if OPCODES[op] == '+' and op in DOUBLES:
                b, sign[1] = c, sign[2]
            named = [s + str(registers.get(r)) for s, r in zip(sign, (a, b, c))]
            registers[to] = 'fma(%s)' % ','.join(named) if OPCODES[op] == 'fma' else \
                '(%s%s%s)' % (named[0], OPCODES[op], named[1])
    return [results[n] for n in sorted(results)]


def ask(ptxas):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, n in RANDOM.items():
            some = CASES + [random_body(random.Random('%s %d' % (kind, i))) for i in range(n)]
            for body in some:
                if 'mul' not in body:
                    continue
                path = os.path.join(folder, 'k.ptx')
                with open(path, 'w', encoding='ascii') as f:
                    f.write(MODULE + kernel('k', kind, body))
                subprocess.run([ptxas, '-arch=sm_75', path, '-o', path + '.cubin'], check=True)
                code = text_section(path + '.cubin')
                rows.append((kind, body, '; '.join(expressions(code, kind))))
    with open(DATA, 'w', encoding='ascii') as f:
        f.writelines('%s | %s | %s\n' % row for row in rows)


# ---- test ----

def value(text, sources, form):
    """Evaluates an expression exactly, with one rounding per operation; returns (bits)."""
    at = 0

    def rounded(x, mode='rn'):
        return exact.decode(form, exact.encode_value(form, x, mode))

    def parse():
        nonlocal at
        if text[at] == '-':
            at += 1
            return exact.negate(parse())
        word = re.compile(r'fma\(|sat\(|abs\(|rz\(|\(|x\d|0').match(text, at)[0]
        at += len(word)
        if word[0] == 'x':
            return sources[int(word[1])]
        if word == '0':
            return (1, exact.Fraction(0))
        values, signs = [parse()], ''
        while text[at] != ')':
            signs += text[at]
            at += 1
            values.append(parse())
        at += 1
        if word in ('sat(', 'abs('):
            x = rounded(exact.mul(*values)) if signs else values[0]
            return (1, x[1]) if word == 'abs(' else decode(exact.saturate(form, encode(x)))
        if word == 'fma(':
            return rounded(exact.fma(*values, 'rn'))
        return rounded(exact.mul(*values) if signs == '*' else exact.add(*values, 'rn'),
                       'rz' if word == 'rz(' else 'rn')

    def encode(x):
        return exact.encode_value(form, x, 'rn')

    def decode(bits):
        return exact.decode(form, bits)
    return encode(parse())


def inputs(form, seed):
    """Returns the bits of X numbers from 0.5 to 2, or their negations, x2 above x3."""
    rng = random.Random(str(seed))
    half = form.one - form.least_normal
    bits = [half + rng.randrange(2 * form.least_normal) | rng.getrandbits(1) << (form.bits - 1)
            for _ in range(X)]
    return bits[:2] + [form.one + form.least_normal + 1, form.one + 1] + bits[4:]


APP = '''app: contract
module: k.ptx
buffers:
  m: {type: u8, count: %d, init: file m.bin}
launches:
%s
dump: {m: out.bin}
'''


def run(build, rows, contract):
    """Returns, for each row, the bits of the results of each thread; and the number of warp
    instructions."""
    image, launches, module = bytearray(), [], [MODULE]
    for n, (kind, body, _) in enumerate(rows):
        module.append(kernel('k%d' % n, kind, body))
        launches.append('  - {kernel: k%d, grid: [1, 1, 1], block: [%d, 1, 1], args: [$m+%d]}' %
                        (n, THREADS, len(image)))
        for thread in range(THREADS):
            given = inputs(exact.FORMATS[kind], (n, thread))
            image += b''.join(bits.to_bytes(size(kind), 'little') for bits in given).ljust(
                ROOM, b'\0')
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (('k.ptx', ''.join(module).encode()), ('m.bin', image),
                           ('a.yaml', (APP % (len(image), '\n'.join(launches))).encode())):
            with open(os.path.join(folder, name), 'wb') as f:
                f.write(data)
        p = subprocess.run([os.path.abspath(os.path.join(build, 'corun')), 'run', './a.yaml',
                            '--alone', 'skip', '--json', '-', '--set', 'sm.count=1', '--set',
                            'exec.contract=' + contract],
                           cwd=folder, check=True, stdout=subprocess.PIPE)
        with open(os.path.join(folder, 'out.bin'), 'rb') as f:
            out = f.read()
    return [[[int.from_bytes(out[at:at + size(kind)], 'little') for at in
              ((n * THREADS + thread) * ROOM + AT_Y + i * size(kind)
               for i in range(len(said.split('; '))))]
             for thread in range(THREADS)] for n, (kind, _, said) in enumerate(rows)], \
        json.loads(p.stdout)['apps'][0]['stats']['inst.warp']


def computed(kind, said, n):
    """Returns the bits of the results of each thread of row n, by the expressions."""
    form, results = exact.FORMATS[kind], []
    for thread in range(THREADS):
        sources = [exact.decode(form, bits) for bits in inputs(form, (n, thread))]
        results.append([value(text, sources, form) for text in said.split('; ')])
    return results


def test(build):
    with open(DATA, encoding='ascii') as f:
        rows = [tuple(line.rstrip('\n').split(' | ')) for line in f]
    rows += [('f32', body, said) for body, said in SEEN + OVERWRITTEN]
    rows += [(kind, body, said) for kind in ('f16', 'bf16') for body, said in HALF]
    (fused, fewer), (plain, more) = (run(build, rows, how) for how in ('ptxas', 'off'))
    wrong = [n for n, (kind, _, said) in enumerate(rows) if computed(kind, said, n) != fused[n]]
    differ = [n for n in range(len(rows)) if fused[n] != plain[n]]
    without = [n for n in differ if 'fma' not in rows[n][2]]
    for n in wrong + without:
        print('# %s: %s' % (' | '.join(rows[n]), fused[n]))
    cases = [(not wrong, '%d functions as in the machine code of ptxas' % len(rows)),
             (not without and len(differ) >= 100,
              '%d functions, all with fma, have other results than the text' % len(differ)),
             (more - fewer >= 100, '%d instructions fewer' % (more - fewer))]
    print('1..%d' % len(cases))
    for n, (right, said) in enumerate(cases, 1):
        print('%sok %d %s' % ('not ' * (not right), n, said))
    sys.exit(not all(right for right, _ in cases))


if __name__ == '__main__':
    if sys.argv[1] == '--ask':
        ask(sys.argv[2])
    else:
        test(sys.argv[1])

#!/usr/bin/env python3
"""Writes extra.txt and extra.case, beside this file: vectors and matrix cases without an expected
result, to be measured on silicon. Formats as in test/op; a result is `?`. Called by make.py.
"""
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../../op'))
import make_matrix as mm          # noqa: E402
from case import Case             # noqa: E402

F = {'f64': (52, 64), 'f32': (23, 32), 'f16': (10, 16), 'bf16': (7, 16)}
EDGES = [0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 7]


def line(out, form, operands, results=1):
    """Adds a vector; operands are numbers or text."""
    text = ' '.join(x if isinstance(x, str) else f'{x:x}' for x in operands)
    out.append(f'{form} {text} = {" ".join("?" * results)}')


# ---- integers ----

def edges(bits):
    top = 1 << bits - 1
    return [0, 1, 2, 7, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2, 0x68216f2b % (2 * top)]


def integers(out):
    for op in ('div', 'rem'):
        for t in ('s16', 'u16', 's32', 'u32', 's64', 'u64'):
            for a in edges(int(t[1:])):
                for b in (0, 1, 2, edges(int(t[1:]))[7]):
                    line(out, f'{op}.{t}', (a, b))
    places = [0, 1, 31, 32, 33, 63, 64, 65, 255, 256, 257, 0x11f, 0x1ff, 0x200, 0x10020, 0x80000000,
              0xffffffff]
    for t in ('u32', 's32', 'u64', 's64'):
        for a in (0x89abcdef76543210, 0x123456789abcdef0):
            for p in places:
                for n in places:
                    line(out, f'bfe.{t}', (a & (1 << int(t[1:])) - 1, p, n))
    for t in ('b32', 'b64'):
        mask = (1 << int(t[1:])) - 1
        for p in places:
            for n in places:
                line(out, f'bfi.{t}', (0x89abcdef76543210 & mask, 0x0f1e2d3c4b5a6978 & mask, p, n))
    for mask in (0, 1, 0x80000000, 0xffffffff, 0x311d1ee2, 0x7ffffffe):
        for base in (0, 1, 5, 31, 32, 33, 0xffffffff, 0x80000000):
            for offset in (0, 1, 0xffffffff, 2, 0xfffffffe, 31, 32, 33, 0xffffffe0, 0xffffffdf,
                           0x7fffffff, 0x80000000, 0x80000001):
                line(out, 'fns.b32', (mask, base, offset))
    amounts = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 0xffff, 0x10000, 0x80000000,
               0xffffffff]
    for op, kinds in (('shl', 'b'), ('shr', 'bus')):
        for kind in kinds:
            for bits in (16, 32, 64):
                for a in (0x8000000180018001, 0x7ffffffe7ffe7ffe):
                    for n in amounts:
                        line(out, f'{op}.{kind}{bits}', (a & (1 << bits) - 1, n))
    for form in ('shf.l.clamp', 'shf.l.wrap', 'shf.r.clamp', 'shf.r.wrap'):
        for n in amounts:
            line(out, form + '.b32', (0x89abcdef, 0x12345678, n))
    for op in ('szext.clamp.u32', 'szext.clamp.s32', 'szext.wrap.u32', 'szext.wrap.s32'):
        for n in amounts:
            line(out, op, (0x89abcdef, n))
    for op in ('bmsk.clamp.b32', 'bmsk.wrap.b32'):
        for a in amounts:
            for n in amounts:
                line(out, op, (a, n))
    for table in range(0, 256, 5):
        line(out, 'lop3.b32', (0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, table))
    for mode in ('', '.f4e', '.b4e', '.rc8', '.ecl', '.ecr', '.rc16'):
        for c in (0, 1, 2, 3, 4, 7, 0x3210, 0x7654, 0xfedc, 0x8888, 0xffffffff, 0x12340008):
            line(out, 'prmt.b32' + mode, (0x80fe7f01, 0x92a44c3d, c))
    for t in ('u16', 's16', 'u32', 's32', 'u64', 's64'):
        e = edges(int(t[1:]))
        for a in e[:8]:
            for b in e[3:8]:
                line(out, f'sad.{t}', (a, b, e[9]))
    for t in ('u32', 's32'):
        for part in ('lo', 'hi'):
            for a in (0, 0x7fffff, 0x800000, 0xffffff, 0x1000000, 0xff800000, 0xffffffff):
                for b in (1, 0x7fffff, 0x800000, 0xffffff, 0x81000001):
                    line(out, f'mul24.{part}.{t}', (a, b))
                    line(out, f'mad24.{part}.{t}', (a, b, 0x7fffffff))
                    if t == 's32' and part == 'hi':
                        line(out, 'mad24.hi.sat.s32', (a, b, 0x7fffffff))
                        line(out, 'mad24.hi.sat.s32', (a, b, 0x80000000))
    for t in ('s32.s32', 's32.u32', 'u32.s32', 'u32.u32'):
        for a in (0x80808080, 0x7f7f7f7f, 0xffffffff, 0x80ff7f01):
            for b in (0x80808080, 0x7f7f7f7f, 0xffffffff):
                for c in (0, 0x7fffffff, 0x80000000):
                    for op in ('dp4a', 'dp2a.lo', 'dp2a.hi'):
                        line(out, f'{op}.{t}', (a, b, c))


# ---- NaNs ----

def specials(t, place):
    """Returns bits of special values; NaN payloads identify the operand."""
    fraction, size = F[t]
    inf = (1 << size - 1 - fraction) - 1 << fraction
    quiet, sign = 1 << fraction - 1, 1 << size - 1
    own = (0x15, 0x2a, 0x33)[place] & quiet - 1
    one = (1 << size - 2 - fraction) - 1 << fraction
    return [inf | quiet | own, sign | inf | quiet | own + 1, inf | own + 2, sign | inf | own + 3,
            inf, sign | inf, 0, sign, one, sign | one]


def join(a, b):
    return a << 16 | b


def floats(out):
    for t in F:
        rn = '.rn' if t in ('f64', 'f32') else ''
        a, b, c = (specials(t, k) for k in range(3))
        c = c[:6] + c[6:9:2]
        pairs = [(x, y) for x in a for y in b]
        binary = [f'{op}{rn}.{t}' for op in ('add', 'sub', 'mul')] + [f'min.{t}', f'max.{t}']
        if t == 'f64':
            binary += ['div.rn.f64', 'add.rz.f64', 'mul.rp.f64']
        elif t == 'f32':
            binary += ['div.rn.f32', 'div.approx.f32', 'div.full.f32', 'add.rz.f32', 'mul.rp.f32',
                       'add.rn.ftz.f32', 'min.NaN.f32', 'max.NaN.f32', 'copysign.f32']
        else:
            binary += [f'min.NaN.{t}', f'max.NaN.{t}']
        if t == 'f16':
            binary += ['add.sat.f16', 'add.ftz.f16', 'min.ftz.f16']
        for form in binary:
            for x, y in pairs:
                line(out, form, (x, y))
        unary = [f'abs.{t}', f'neg.{t}']
        if t in ('f64', 'f32'):
            unary += [f'{op}{r}.{t}' for op in ('sqrt', 'rcp') for r in ('.rn', '.rz', '.rp')]
        if t == 'f64':
            unary += ['rsqrt.approx.f64', 'rcp.approx.ftz.f64']
        if t == 'f32':
            unary += [f'{op}.approx.f32' for op in
                      ('sqrt', 'rcp', 'rsqrt', 'sin', 'cos', 'lg2', 'ex2', 'tanh')]
            unary += ['abs.ftz.f32', 'neg.ftz.f32']
        if t == 'f16':
            unary += ['abs.ftz.f16', 'neg.ftz.f16', 'ex2.approx.f16', 'tanh.approx.f16']
        if t == 'bf16':
            unary += ['ex2.approx.ftz.bf16', 'tanh.approx.bf16']
        least = 1 << (F[t][0])
        for form in unary:
            for x in a + b + [1, least - 1, least, (1 << F[t][1] - 1) | 1]:
                line(out, form, (x,))
        for x in a[:6] + a[6:10:2]:
            for y in b[:6] + b[6:10:2]:
                for z in c:
                    line(out, f'fma.rn.{t}', (x, y, z))
        if t in ('f16', 'bf16'):
            for op in ('add', 'sub', 'mul', 'min', 'max', 'min.NaN', 'max.NaN'):
                for k, (x, y) in enumerate(pairs):
                    p, q = pairs[(7 * k + 13) % len(pairs)]
                    line(out, f'{op}.{t}x2', (join(x, p), join(y, q)))
            for op in ('abs', 'neg'):
                for k, x in enumerate(a):
                    line(out, f'{op}.{t}x2', (join(x, b[(3 * k + 1) % 10]),))
            for k in range(300):
                x, y, z = (s[(k * m + n) % len(s)] for s, m, n in ((a, 7, 1), (b, 3, 2), (c, 5, 3)))
                p, q, r = (s[(k * m + n) % len(s)] for s, m, n in ((a, 9, 4), (b, 1, 5), (c, 3, 6)))
                line(out, f'fma.rn.{t}x2', (join(x, p), join(y, q), join(z, r)))
        zeros = [0, 1 << F[t][1] - 1, 1, 1 << F[t][1] - 1 | 1]
        for op in ('min', 'max', 'add' + rn, 'mul' + rn):
            for x in zeros:
                for y in zeros:
                    line(out, f'{op}.{t}', (x, y))


def conversions(out):
    some = {t: specials(t, 0) + specials(t, 1)[:4] + specials(t, 2)[:4] for t in F}
    for t in F:
        fraction, size = F[t]
        inf = some[t][4]
        for k in range(fraction):  # every bit of a payload
            some[t] += [inf | 1 << k, 1 << size - 1 | inf | 1 << k]
        some[t] += [inf | (1 << fraction) - 1, 1 << size - 1 | inf | (1 << fraction) - 1]
    forms = [('f64', '', 'f32'), ('f64', '', 'f16'), ('f64', '', 'bf16'), ('f32', '', 'f16'),
             ('f32', '', 'bf16'), ('f32', '.ftz', 'f32'), ('f32', '.rn', 'f64'),
             ('f32', '.rp', 'f64'),
             ('f16', '.rn', 'f64'), ('bf16', '.rn', 'f64'), ('f16', '.rn', 'f32'),
             ('bf16', '.rn', 'f32'), ('bf16', '.rz', 'f32'), ('f16', '.rz', 'f32'),
             ('f16', '.rn', 'bf16'), ('bf16', '.rn', 'f16'), ('tf32', '.rn', 'f32'),
             ('tf32', '.rz', 'f32'), ('tf32', '.rna', 'f32'), ('f64', '.rni', 'f64'),
             ('f32', '.rni', 'f32'), ('f16', '.rni', 'f16'), ('bf16', '.rni', 'bf16'),
             ('f16', '.rn.relu', 'f32'), ('bf16', '.rn.relu', 'f32'), ('tf32', '.rn.relu', 'f32')]
    for d, words, a in forms:
        for x in some[a]:
            line(out, f'cvt{words}.{d}.{a}', (x,))
    for d in ('f16x2', 'bf16x2', 'e4m3x2', 'e5m2x2'):
        for mode in (('.rn', '.rz', '.rn.relu') if d[0] != 'e' else
                     ('.rn.satfinite', '.rn.satfinite.relu')):
            for k, x in enumerate(some['f32']):
                line(out, f'cvt{mode}.{d}.f32', (x, some['f32'][(k * 5 + 3) % len(some['f32'])]))
    rng = random.Random(5)
    for d in ('e4m3x2', 'e5m2x2'):
        for k, x in enumerate(some['f16']):
            y = some['f16'][(k * 5 + 3) % len(some['f16'])]
            line(out, f'cvt.rn.satfinite.{d}.f16x2', (x << 16 | y,))
        for _ in range(200):
            line(out, f'cvt.rn.satfinite.{d}.f16x2', (rng.getrandbits(32),))
            pair = [rng.getrandbits(24) | rng.randrange(0x34, 0x48) << 24 | rng.getrandbits(1) << 31
                    for _ in '12']
            line(out, f'cvt.rn.satfinite.{d}.f32', pair)
        for x in range(0, 256, 2):
            line(out, f'cvt.rn.f16x2.{d}', (x | (x + 1) << 8,))
    small = [0, 1, 2, 0x53f6a9, 0x7fffff, 0x800000, 0x800001, 0x33000000, 0x33000001, 0x337fffff,
             0x387fffff, 0x38800000]
    for mode in ('rn', 'rz', 'rm', 'rp'):
        for ftz in ('', '.ftz'):
            for d in ('f16', 'bf16'):
                for x in small:
                    line(out, f'cvt.{mode}{ftz}.{d}.f32', (x,))
                    line(out, f'cvt.{mode}{ftz}.{d}.f32', (x | 1 << 31,))
            for x in (1, 1 << 62 - 10, 0x3800000000000000, 0x3690000000000000, 0x380fffffffffffff,
                      0x8000000000000001, 0xb7f0000000000001):
                line(out, f'cvt.{mode}{ftz}.f32.f64', (x,))


# ---- tensor cores ----

EIGHTS = {'e4m3': (3, 4), 'e5m2': (2, 5)}
SHAPES = [(16, 8, k, (d, 'f16', 'f16', d)) for k in (8, 16) for d in ('f32', 'f16')]
SHAPES += [(16, 8, 8, ('f32', 'bf16', 'bf16', 'f32')), (16, 8, 16, ('f32', 'bf16', 'bf16', 'f32')),
           (16, 8, 4, ('f32', 'tf32', 'tf32', 'f32')), (16, 8, 8, ('f32', 'tf32', 'tf32', 'f32')),
           (16, 8, 32, ('f32', 'e4m3', 'e4m3', 'f32')), (16, 8, 32, ('f32', 'e5m2', 'e5m2', 'f32'))]
PARTS = {'f16': (10, 5), 'bf16': (7, 8), 'tf32': (23, 8), 'f32': (23, 8), 'f64': (52, 11)} | EIGHTS
WIDTH = {'f16': 16, 'bf16': 16, 'tf32': 32, 'f32': 32, 'f64': 64, 'e4m3': 8, 'e5m2': 8}
mm.BITS.update({t: 8 for t in EIGHTS})


def power(t, e, sign=1, fraction=0):
    """The bits of sign * 2^e * (1 + fraction of all ones' part), or the nearest that t has."""
    f, exponent_bits = PARTS[t]
    bias = (1 << exponent_bits - 1) - 1
    top = (1 << exponent_bits) - (1 if t == 'e4m3' else 2)
    bits = (1 if sign < 0 else 0) << f + exponent_bits
    e = min(e, top - bias)
    if e + bias >= 1:
        return bits | e + bias << f | fraction & (1 << f) - 1
    shift = f + e + bias - 1
    return bits | (1 << shift if shift >= 0 else 0)


def mma(out, name, shape, a, b, c):
    m, n, k, types = shape
    d, ta, tb, tc = types
    counts = [mm.registers(d, m, n), mm.registers(ta, m, k), mm.registers(tb, k, n),
              mm.registers(tc, m, n)]
    frags = [mm.Fragment(t, r, first) for t, r, first in zip(types, counts, (4, 12, 18, 22))]

    def of(places, rows):
        return lambda lane, i: rows[places(lane, i)[0]][places(lane, i)[1]]
    data = [mm.words_of(ta, counts[1], of(lambda l, i: mm.a_place(m, k, WIDTH[ta], l, i), a)),
            mm.words_of(tb, counts[2], of(lambda l, i: mm.b_place(k, WIDTH[tb], l, i), b)),
            mm.words_of(tc, counts[3], of(lambda l, i: mm.c_place(m, l, i), c))]
    case = Case(out, f'mma_{m}_{n}_{k}_{"_".join(types)}_{name}')
    at = 0
    for f, w in zip(frags[1:], data):
        case.code(*f.load(at))
        at += len(w)
    case.code(f'mma.sync.aligned.m{m}n{n}k{k}.row.col.{".".join(types)} '
              f'{frags[0]}, {frags[1]}, {frags[2]}, {frags[3]};', *frags[0].store())
    case.data(sum(data, []))
    words = m * n * WIDTH[d] // 32
    out.append(f'out 0: ?*{words}')
    case.end()


def reach(t):
    """Returns (large, scale): products of 2^large and 2^large-40 exist with factors of 2^scale."""
    return {'f16': (10, 10), 'bf16': (20, 10), 'tf32': (20, 10), 'e4m3': (6, 6),
            'e5m2': (12, 12)}[t]


SIGNS = [(1, 1, 0, 0), (1, 1, -1, 0), (1, -1, -1, 0), (-1, 1, 1, 0), (-1, -1, 1, 0), (1, -1, 0, 0),
         (1, 1, 1, 0), (1, 1, -1, 1)]  # of the large product, the small ones, C; C's exponent more


def widths(out, shape):
    """Rows: how small the small product is. Columns: signs and C."""
    m, n, k, (_, ta, tb, tc) = shape
    large, scale = reach(ta)
    places = [(0, (1,)), (0, (2, 3)), (1, (0,)), (0, (k - 1,)), (k - 1, (0,))]
    if k >= 8:
        places += [(0, (4,)), (2, (5, 6, 7)), (0, (1, 2, 3)), (0, tuple(range(1, k)))]
    if k >= 16:
        places += [(0, (8,)), (8, (0,)), (3, (9, 10, 11)), (0, (8, 9, 10, 11, 12))]
    for at, smalls in places:
        for ones in (0, 1):
            a, b = [[0] * k for _ in range(m)], [[0] * n for _ in range(k)]
            c = [[0] * n for _ in range(m)]
            for i in range(m):
                a[i][at] = power(ta, large)
                for s in smalls:
                    a[i][s] = power(ta, large + 2 * scale - 18 - i, 1, -ones)
            for j, (big, small, sign, more) in enumerate(SIGNS):
                b[at][j] = power(tb, scale, big)
                for s in smalls:
                    b[s][j] = power(tb, -scale, small)
                for i in range(m):
                    c[i][j] = power(tc, large + scale + more, sign) if sign else 0
            mma(out, f'width_{at}_{"_".join(map(str, smalls[:4]))}_{ones}', shape, a, b, c)


def groups(out, shape):
    """Rows: positions of the large products and of the small product. Columns: C."""
    m, n, k, (_, ta, tb, tc) = shape
    large, _ = reach(ta)
    spots = sorted({p for p in (0, 1, 2, 3, 4, 7, 8, 9, 12, 15, 16, 24, k - 1) if p < k})
    triples = [(p, q, r) for p in spots for q in spots for r in spots if len({p, q, r}) == 3]
    random.Random(k).shuffle(triples)
    for part, distance in enumerate((20, 23, 24, 25, 26, 28)):
        a, b = [[0] * k for _ in range(m)], [[power(tb, 0)] * n for _ in range(k)]
        for i in range(m):
            p, q, r = triples[(part * m + i) % len(triples)]
            a[i][p] = power(ta, large)
            a[i][q] = power(ta, large, -1)
            a[i][r] = power(ta, large - distance, 1, -1)
        c = [[0, power(tc, large - distance), power(tc, large - distance - 1, -1, 5),
              power(tc, large - 1), power(tc, large, -1), power(tc, large + 1),
              power(tc, large + 3, -1, 1), power(tc, large - 10, 1, 77)] for _ in range(m)]
        mma(out, f'groups_{distance}', shape, a, b, c)


def ends(out, shape):
    """Denormals, infinities, NaN, sums beyond the largest."""
    m, n, k, (_, ta, tb, tc) = shape
    f, e = PARTS[ta]
    cf, ce = PARTS[tc]
    inf, cinf = ((1 << e) - 1) << f, ((1 << ce) - 1) << cf
    sign, csign = 1 << f + e, 1 << cf + ce
    most = inf - 1 if ta != 'e4m3' else inf | 6
    one = power(ta, 0)
    nan = inf | (7 if ta == 'e4m3' else 1)
    odd = [inf, inf | sign, nan, nan | sign, inf | 1 << f - 1, 0, sign, 1, sign | 1, (1 << f) - 1,
           most, most | sign, one, one | sign, 1 << f, sign | 1 << f]
    if ta == 'tf32':
        odd = [x if x in (0, sign) else x & ~0x1fff | 0x2000 for x in odd]
    codd = [0, csign, 1, cinf, cinf | csign, cinf - 1, cinf | 3, cinf - 1 | csign, csign | 1,
            (1 << cf) - 1, power(tc, 0), 1 << cf, cinf | 1 << cf - 1 | 9, csign | cinf | 5]
    for part, with_c in ((0, 0), (1, 1), (2, 1)):
        rng = random.Random(part)
        a, b = [[0] * k for _ in range(m)], [[0] * n for _ in range(k)]
        for j in range(n):
            for q in range(k):
                b[q][j] = one if part == 0 else rng.choice(odd) if rng.random() < .15 else one
        for i in range(m):
            a[i][rng.randrange(k)] = odd[i % len(odd)]
            a[i][rng.randrange(k)] = rng.choice(odd)
        c = [[rng.choice(codd) if with_c else 0 for _ in range(n)] for _ in range(m)]
        mma(out, f'ends_{part}', shape, a, b, c)
    # denormal products and sums, one by one: powers of two around the least
    bias = (1 << e - 1) - 1
    low = 1 - bias - (f if ta != 'tf32' else 10)
    a = [[power(ta, low + (i + q) % 14) if q < 2 else 0 for q in range(k)] for i in range(m)]
    b = [[power(tb, (0, -1, -2, -bias // 2, 1, -3, -10, -bias)[j], 1 - 2 * (q & j & 1))
          for j in range(n)] for q in range(k)]
    c = [[codd[(i + j) % 3] if j % 2 else 0 for j in range(n)] for i in range(m)]
    mma(out, 'least', shape, a, b, c)
    # large ones: partial sums beyond the largest
    a = [[power(ta, bias - i % 4, 1 if (q * 5 + i) % 7 < 4 else -1, -1 if q % 2 else 0)
          for q in range(k)] for i in range(m)]
    b = [[power(tb, bias - j if ta == 'f16' or j < 2 else j - 4, 1 - 2 * ((q >> j % 3) & 1))
          for j in range(n)] for q in range(k)]
    c = [[codd[(i * 5 + j) % len(codd)] if i % 2 else 0 for j in range(n)] for i in range(m)]
    mma(out, 'large', shape, a, b, c)


def draws(out, shape):
    m, n, k, types = shape
    for style, spread in enumerate((2, 5, 9, 14, 30, 60)):
        rng = random.Random(style)

        def number(t, spread):
            f, e = PARTS[t]
            bias = (1 << e - 1) - 1
            low, high = max(1, bias - spread), min((1 << e) - 2, bias + spread)
            bits = rng.randrange(low, high + 1) << f | rng.getrandbits(f)
            return 0 if rng.random() < .05 else bits | rng.getrandbits(1) << f + e
        a = [[number(types[1], spread) for _ in range(k)] for _ in range(m)]
        b = [[number(types[2], spread) for _ in range(n)] for _ in range(k)]
        c = [[number(types[3], 2 * spread) for _ in range(n)] for _ in range(m)]
        mma(out, f'draw_{spread}', shape, a, b, c)


def doubles(out):
    shape = (8, 8, 4, ('f64',) * 4)
    for spread in (3, 30, 60, 900):
        rng = random.Random(spread)

        def number():
            return rng.randrange(1023 - spread, 1023 + spread) << 52 | rng.getrandbits(52) | \
                rng.getrandbits(1) << 63
        mma(out, f'draw_{spread}', shape, *([[number() for _ in range(q)] for _ in range(p)]
                                           for p, q in ((8, 4), (4, 8), (8, 8))))
    odd = [0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000015, 0x7ff0000000000016, 0,
           1 << 63, 1, 0x7fefffffffffffff, 0x3ff0000000000000, 0xfff0000000000017]
    rng = random.Random(1)
    for part in range(2):
        mma(out, f'ends_{part}', shape, *(
            [[rng.choice(odd) if rng.random() < .4 else 0x3ff0000000000000 for _ in range(q)]
             for _ in range(p)] for p, q in ((8, 4), (4, 8), (8, 8))))


def main(folder=HERE):
    out = ['# made by make_extra.py']
    for make in (integers, floats, conversions):
        make(out)
    with open(os.path.join(folder, 'extra.txt'), 'w', encoding='ascii') as f:
        f.write('\n'.join(out) + '\n')
    out = ['# made by make_extra.py']
    for shape in SHAPES:
        for make in (widths, groups, ends, draws):
            make(out, shape)
    doubles(out)
    with open(os.path.join(folder, 'extra.case'), 'w', encoding='ascii') as f:
        f.write('\n'.join(out) + '\n')


if __name__ == '__main__':
    main()

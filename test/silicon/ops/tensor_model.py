#!/usr/bin/env python3
"""Models the sums of a GPU's tensor cores and counts the matrix cases reproduced bit for bit:
tensor_model.py RAW [FOLDER [CASE...]], RAW and FOLDER as for compare.py; given names of cases,
shows the differences. MODEL states the rule."""
import os
import re
import sys

import ops
import raw

sys.path.insert(0, ops.OP)
import make_matrix as mm  # noqa: E402

# fraction bits, exponent bits
PARTS = {'f16': (10, 5), 'bf16': (7, 8), 'tf32': (23, 8), 'f32': (23, 8), 'e4m3': (3, 4),
         'e5m2': (2, 5)}
WIDTH = {'f16': 16, 'bf16': 16, 'tf32': 32, 'f32': 32, 'e4m3': 8, 'e5m2': 8}
mm.BITS.update({'e4m3': 8, 'e5m2': 8})
EIGHTS = ('e4m3', 'e5m2')
NAN, INF = 'nan', 'inf'


class Model:
    """The mma of f16, bf16 and tf32 on sm_90. The products and C are exact terms. Every term is cut
    towards zero, `places` binary places below the largest exponent. (The exponent of a product is
    the sum of the factors' exponents; of a subnormal number, the least normal exponent.) The sum of
    the cut terms is exact, then cut to f32 or rounded to nearest f16. Subnormal numbers count. A
    zero result is +0, and NaN is 7fffffff or 7fff."""

    def __init__(self, places=25, tf32_bits=10, least=None):
        self.places = places
        self.tf32_bits = tf32_bits    # of the fraction that are read
        self.least = least            # the largest exponent is taken to be at least this


def split(t, bits, model):
    """(sign, integer, exponent of its last place, exponent) or NAN, or (sign, INF)"""
    f, e = PARTS[t]
    if t == 'tf32':
        bits &= ~((1 << 23 - model.tf32_bits) - 1)
    sign = -1 if bits >> f + e & 1 else 1
    exponent, fraction = bits >> f & (1 << e) - 1, bits & (1 << f) - 1
    bias = (1 << e - 1) - 1
    if t == 'e4m3':
        if exponent == 15 and fraction == 7:
            return NAN
    elif exponent == (1 << e) - 1:
        return NAN if fraction else (sign, INF)
    if exponent:
        fraction |= 1 << f
    exponent = max(exponent, 1) - bias
    low = exponent - f
    return sign, fraction, low, exponent


def multiply(a, b, model):
    if NAN in (a, b):
        return NAN
    if INF in (a[1], b[1]):
        return NAN if 0 in (a[1], b[1]) else (a[0] * b[0], INF)
    number = a[1] * b[1]
    low = a[2] + b[2]
    exponent = a[3] + b[3]
    return a[0] * b[0], number, low, exponent


def shifted(number, by):
    """number * 2^by, towards zero"""
    return number << by if by >= 0 else number >> -by


def encode(t, sign, number, low, way):
    """The bits of sign * number * 2^low, cut or rounded to t."""
    f, e = PARTS[t]
    bias = (1 << e - 1) - 1
    top = 1 << f + e if sign < 0 else 0
    if number == 0:
        return top
    last = max(low + number.bit_length() - 1, 1 - bias) - f
    by = low - last
    whole = shifted(number, by)
    if way == 'rn' and by < 0:
        rest, half = number & (1 << -by) - 1, 1 << -by - 1
        if rest > half or rest == half and whole & 1:
            whole += 1
    # an exponent field that fits the leading one
    exponent = max(last + f, 1 - bias)
    bits = whole + (exponent + bias - 1 << f)
    inf = (1 << e) - 1 << f
    return top | min(bits, inf)


def add(terms, model):
    """Terms' sum: a term whose integer is at 2^-places of the largest exponent."""
    if NAN in terms:
        return NAN
    infs = {t[0] for t in terms if t[1] == INF}
    if infs:
        return NAN if len(infs) == 2 else (infs.pop(), INF)
    live = [t for t in terms if t[1]]
    if not live:
        return 1, 0, 0, 0
    largest = max(t[3] for t in live)
    low = (largest if model.least is None else max(largest, model.least)) - model.places
    total = sum(t[0] * shifted(t[1], t[2] - low) for t in live)
    return (-1 if total < 0 else 1), abs(total), low, 0


def bits_of(t, value, way):
    f, e = PARTS[t]
    if value == NAN:
        return (1 << f + e) - 1
    if value[1] == INF:
        return (1 << f + e if value[0] < 0 else 0) | (1 << e) - 1 << f
    return encode(t, value[0], value[1], value[2], way)


def exact_sum(terms):
    """The exact sum of finite terms, with +0 as the sum of zeros of both signs."""
    if NAN in terms or any(t[1] == INF for t in terms):
        return add(terms, Model())
    low = min(t[2] for t in terms)
    total = sum(t[0] * t[1] << t[2] - low for t in terms)
    if total:
        return (-1 if total < 0 else 1), abs(total), low, 0
    return (-1 if all(t[0] < 0 for t in terms) else 1), 0, 0, 0


def fused(products, c, types, model):
    """As an instruction of f32 for each product and at last one for C, which ptxas makes of m8n8k4:
    each rounds to nearest."""
    bits = 0
    for p in products:
        bits = bits_of('f32', exact_sum([split('f32', bits, model), p]), 'rn')
    d, _, _, tc = types
    return bits_of(d, exact_sum([split(tc, c, model), split('f32', bits, model)]), 'rn')


def dot(types, row, col, c, model, at_once=0):
    """The bits of d. at_once: products, for shapes that ptxas makes of several instructions."""
    d, ta, tb, tc = types
    products = [multiply(split(ta, a, model), split(tb, b, model), model) for a, b in zip(row, col)]
    if ta in EIGHTS:  # ptxas widens them to f16: bytes 0 and 1 of each word, then 2 and 3
        parts = [[p for k, p in enumerate(products) if k % 4 // 2 == half] for half in (0, 1)]
        total = 0
        for part in parts:
            total = bits_of('f32', add([split('f32', total, model)] + part, model), 'rz')
        return bits_of(d, exact_sum([split(tc, c, model), split('f32', total, model)]), 'rn')
    if len(products) == 4 and ta == 'f16' and d == 'f32':
        return fused(products, c, types, model)
    at_once = at_once or len(products)
    for k in range(0, len(products), at_once):
        part = products[k:k + at_once]
        total = add([split(tc, c, model)] + part, model)
        c, tc = bits_of('f32', total, 'rz'), 'f32'
    bits = bits_of(d, total, 'rn' if d == 'f16' else 'rz')
    return bits if bits << 1 & (1 << WIDTH[d]) - 1 else 0


def unpack(t, words, n, places, rows, cols):
    """A matrix of a fragment's words."""
    out = [[0] * cols for _ in range(rows)]
    each = max(1, 32 // WIDTH[t])
    for r in range(n):
        for lane in range(32):
            for e in range(each):
                i, j = places(lane, r * each + e)
                out[i][j] = words[32 * r + lane] >> e * WIDTH[t] & (1 << WIDTH[t]) - 1
    return out


NAME = re.compile(r'mma_(\d+)_(\d+)_(\d+)_(f16|f32)_(f16|bf16|tf32|e4m3|e5m2)_\5_(\4)_')
WMMA = re.compile(r'wmma_m(\d+)n(\d+)k(\d+)_(f16|f32)_(f16|bf16|tf32)_\5_(f16|f32)_([rc]{4})([01])')
QUADS = re.compile(r'mma_8_8_4_(f16|f32)_(f16|f32)_(row|col)_(row|col)$')


class Run:
    """A case with what silicon gave."""

    def __init__(self, case, words):
        self.name = case.name
        self.products = []  # (types, row, col, c, d)
        self.at_once = 4 if case.name.startswith('wmma_m16n16k8_f32_tf32') else 0
        quads = QUADS.match(case.name)
        m, whole = NAME.match(case.name), WMMA.match(case.name)
        if quads:
            self.read_quads(case, words, quads)
        elif m and m[1] != '8':
            self.read_mma(case, words, m)
        elif whole:
            self.read_wmma(case, words, whole)

    def read_mma(self, case, words, match):
        m, n, k = (int(match[q]) for q in (1, 2, 3))
        types = (match[4], match[5], match[5], match[4])
        d, ta, tb, tc = types
        na, nb, nc = mm.registers(ta, m, k), mm.registers(tb, k, n), mm.registers(tc, m, n)
        ins = case.inputs
        self.matrices(
            types,
            unpack(ta, ins, na, lambda l, i: mm.a_place(m, k, WIDTH[ta], l, i), m, k),
            unpack(tb, ins[32 * na:], nb, lambda l, i: mm.b_place(k, WIDTH[tb], l, i), k, n),
            unpack(tc, ins[32 * (na + nb):], nc, lambda l, i: mm.c_place(m, l, i), m, n),
            unpack(d, words, nc, lambda l, i: mm.c_place(m, l, i), m, n))

    def matrices(self, types, a, b, c, d):
        for i, row in enumerate(a):
            for j in range(len(b[0])):
                self.products.append((types, row, [line[j] for line in b], c[i][j], d[i][j]))

    def read_wmma(self, case, words, match):
        """As make_matrix.py's wmma_case lays matrices out."""
        m, n, k, extra = (int(match[q]) for q in (1, 2, 3, 8))
        types = dict(zip('dabc', (match[4], match[5], match[5], match[6])))
        matrices, at = {}, 0
        ins = b''.join(w.to_bytes(4, 'little') for w in case.inputs)
        out = b''.join(w.to_bytes(4, 'little') for w in words)
        for w, (rows, cols), layout in zip('abcd', ((m, k), (k, n), (m, n), (m, n)), match[7]):
            size = WIDTH[types[w]] // 8
            stride = (cols if layout == 'r' else rows) + extra * max(1, 16 // size)
            data, first = (ins, at) if w != 'd' else (out, 0)

            def bits(i, j):
                place = first + size * (i * stride + j if layout == 'r' else j * stride + i)
                return int.from_bytes(data[place:place + size], 'little')
            matrices[w] = [[bits(i, j) for j in range(cols)] for i in range(rows)]
            at += (rows if layout == 'r' else cols) * stride * size
        self.matrices(tuple(types[w] for w in 'dabc'), *(matrices[w] for w in 'abcd'))

    def read_quads(self, case, words, match):
        d, tc, la, lb = (match[q] for q in (1, 2, 3, 4))
        nd, nc = (8 if t == 'f32' else 4 for t in (d, tc))
        for q in range(4):
            def mine(t, at, n, place, rows, cols):
                out = [[0] * cols for _ in range(rows)]
                each = 32 // WIDTH[t]
                for r in range(n):
                    for lane in range(32):
                        if lane % 16 // 4 == q:
                            for e in range(each):
                                i, j = place(lane, r * each + e)
                                out[i][j] = at[32 * r + lane] >> e * WIDTH[t] & (1 << WIDTH[t]) - 1
                return out
            ins = case.inputs
            self.matrices((d, 'f16', 'f16', tc),
                          mine('f16', ins, 2, lambda l, i: mm.quad_a(la, l, i), 8, 4),
                          mine('f16', ins[64:], 2, lambda l, i: mm.quad_b(lb, l, i), 4, 8),
                          mine(tc, ins[128:], nc, lambda l, i: mm.quad_c(tc, l, i), 8, 8),
                          mine(d, words, nd, lambda l, i: mm.quad_c(d, l, i), 8, 8))


def read_runs(path, folder):
    index = raw.read_index(folder)
    _, _, states, _, data = raw.read_raw(path, index)
    cases = {}
    for name in index['files']:
        if name in ('matrix.case', 'extra.case'):
            cases[name] = {c.line: c for c in ops.read_cases(name)}
    runs = []
    for job, state in zip(index['jobs'], states):
        if raw.STATES[state] == 'good' and job['file'] in cases:
            part = data[job['out']:job['out'] + job['bytes']]
            words = [int.from_bytes(part[k:k + 4], 'little') for k in range(0, len(part), 4)]
            run = Run(cases[job['file']][job['lines'][0]], words)
            if run.products:
                runs.append(run)
    return runs


MODEL = Model()


def main():
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ops.TOP, 'build-silicon/ops')
    runs = read_runs(sys.argv[1], folder)
    kinds = {}
    for run in runs:
        wrong = [(p, bits) for p in run.products
                 for bits in [dot(*p[:4], MODEL, run.at_once)] if bits != p[4]]
        kind = '_'.join(run.name.split('_')[:6])
        good, n = kinds.get(kind, (0, 0))
        kinds[kind] = good + (not wrong), n + 1
        if run.name in sys.argv[3:]:
            for p, bits in wrong[:10]:
                print(run.name, [hex(x) for x in p[1]], [hex(x) for x in p[2]], hex(p[3]), 'gave',
                      hex(p[4]), 'model', hex(bits))
        if wrong:
            print(f'{run.name}: {len(wrong)} of {len(run.products)} differ')
    for kind, (good, n) in kinds.items():
        print(f'{kind}: {good} of {n} cases')
    good = sum(g for g, _ in kinds.values())
    print(f'{good} of {len(runs)} cases as the model has them')


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Checks the H100's conversions of 8-bit floating point in h100-forms.txt against the PTX manual's
rule: to the nearest value, ties to even, saturating; NaN is 7f; `.relu` makes negative numbers 0,
and NaN stays NaN."""
import math
import os
import struct

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'h100-forms.txt')
NAN = 0x7f


def value(code, exponent_bits):
    """Returns the value of a code without sign."""
    mantissa_bits = 7 - exponent_bits
    bias = (1 << exponent_bits - 1) - 1
    e, m = code >> mantissa_bits, code & (1 << mantissa_bits) - 1
    fraction = m / (1 << mantissa_bits)
    return math.ldexp(fraction + (e > 0), max(e, 1) - bias)


CODES = {'e4m3x2': [value(c, 4) for c in range(0x7f)],  # 7f is NaN
         'e5m2x2': [value(c, 5) for c in range(0x7c)]}  # 7c is infinity


def number(bits, size):
    return struct.unpack('<f' if size == 4 else '<e', bits.to_bytes(size, 'little'))[0]


def encode(x, kind, relu):
    if math.isnan(x):
        return NAN
    negative = math.copysign(1, x) < 0
    if relu and negative:
        return 0
    of, size = CODES[kind], abs(x)
    code = min(range(len(of)), key=lambda c: (abs(of[c] - size), c & 1)) if size <= of[-1] else \
        len(of) - 1
    return code | 0x80 * negative


def decode(code, kind, relu):
    """Returns the bits of f16."""
    size, negative = code & 0x7f, code >> 7
    if kind == 'e5m2x2':  # the upper half of an f16
        bits = code << 8
        bits = 0x7fff if size > 0x7c else bits
    else:
        bits = 0x7fff if size == 0x7f else \
            int.from_bytes(struct.pack('<e', CODES[kind][size]), 'little') | negative << 15
    return 0 if relu and negative and bits != 0x7fff else bits


def expected(form, operands):
    relu = '.relu' in form
    to, source = form.split('.')[-2:]
    if source == 'f32':
        high, low = (encode(number(o, 4), to, relu) for o in operands)
        return high << 8 | low
    if source == 'f16x2':
        high, low = (encode(number(operands[0] >> s & 0xffff, 2), to, relu) for s in (16, 0))
        return high << 8 | low
    high, low = (decode(operands[0] >> s & 0xff, source, relu) for s in (8, 0))
    return high << 16 | low


def main():
    checked, wrong = {}, {}
    with open(FILE, encoding='utf-8') as f:
        for line in f:
            form, *words = line.split()
            if 'e4m3x2' not in form and 'e5m2x2' not in form:
                continue
            operands = [int(w, 16) for w in words[:words.index('=')]]
            checked[form] = checked.get(form, 0) + 1
            if expected(form, operands) != int(words[-1], 16):
                wrong.setdefault(form, line.strip())
    for k, form in enumerate(sorted(checked), 1):
        print('%sok %d - %s, %d answers' % ('not ' if form in wrong else '', k, form,
                                             checked[form]))
        if form in wrong:
            print('# %s' % wrong[form])
    print('1..%d' % len(checked))
    return 1 if wrong or len(checked) != 12 else 0


if __name__ == '__main__':
    raise SystemExit(main())

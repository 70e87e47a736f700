#!/usr/bin/env python3
"""Generates include/device/coefficients.h: the polynomials of the device math, each fitted to its
function at Chebyshev nodes. Needs python3-mpmath; the generated file is part of the repository.

    cuda/coefficients.py > cuda/include/device/coefficients.h
"""
import struct

import mpmath as mp

mp.mp.dps = 60

HEAD = '''/* Polynomials of math_float.h and math_double.h, made by cuda/coefficients.py: near
 * minimax. Each comment gives the interval and the polynomial's largest error. */
#ifndef CORUN_DEVICE_COEFFICIENTS_H
#define CORUN_DEVICE_COEFFICIENTS_H

#include "define.h"
'''


def series(f, at, terms, order):
    """Returns f as a function that uses Taylor terms around `at`, where f suffers cancellation."""
    def g(z):
        return mp.polyval(terms[::-1], z - at) if abs(z - at) < order else f(z)
    return g


def root(f):
    return lambda z: f(mp.sqrt(z)) if z > mp.mpf('1e-20') else f(mp.mpf('1e-10'))


def sin_part(r): return (mp.sin(r) / r - 1) / r**2
def cos_part(r): return (mp.cos(r) - 1) / r**2
def atan_part(x): return (mp.atan(x) / x - 1) / x**2
def asin_part(x): return (mp.asin(x) / x - 1) / x**2
def erf_part(x): return mp.erf(x) / x - 1
def atanh_part(s): return (mp.atanh(s) / s - 1) / s**2
def atanh_tail(s): return (mp.atanh(s) / s - 1 - s**2 / 3) / s**4


def near_zero(f):
    return lambda x: f(x) if abs(x) > mp.mpf('1e-15') else f(mp.mpf('1e-15'))


def exp_part(r): return (mp.expm1(r) - r) / r**2
def log_part(f): return (mp.log1p(f) - f) / f**2
def log_erfc(x): return mp.log(mp.erfc(x))


def erfcx_part(t):
    """erfcx(x) (1 + 2x) as a function of t = (x - 4) / (x + 4)"""
    if t > 1 - mp.mpf('1e-6'):
        return 2 / mp.sqrt(mp.pi)
    x = 4 * (1 + t) / (1 - t)
    if x > 40:  # asymptotic
        s = sum((-1)**n * mp.fac2(2 * n - 1) / (2 * x * x)**n for n in range(12))
        return s / (x * mp.sqrt(mp.pi)) * (1 + 2 * x)
    return mp.exp(x * x) * mp.erfc(x) * (1 + 2 * x)


def lgamma_one(x):
    """lgamma(1 + x) / (x (x - 1)); lgamma(1 + x) has zeros at x = 0 and 1"""
    x = mp.mpf(x)
    for zero in (0, 1):
        if abs(x - zero) < mp.mpf('1e-20'):
            x = zero + mp.mpf('1e-20')
    return mp.loggamma(1 + x) / (x * (x - 1))


def rgamma_one(x): return mp.rgamma(1 + x)


def stirling(z):
    """x (lgamma(x) - ((x - 1/2) log x - x + log(2 pi)/2)) as a function of z = 1/x^2"""
    if z < mp.mpf('1e-12'):
        return mp.mpf(1) / 12
    x = 1 / mp.sqrt(z)
    with mp.workdps(100):
        return (mp.loggamma(x) - (x - 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2) * x


QUARTER, LN2_HALF = mp.pi / 4, mp.log(2) / 2 * mp.mpf('1.0001')
S_MAX = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mp.mpf('1.0001')
ROWS = [
    # name, 1: double, 0: float, function, interval, number of coefficients
    ('corun_sin_f', 0, root(sin_part), (0, QUARTER**2), 4),
    ('corun_cos_f', 0, root(cos_part), (0, QUARTER**2), 4),
    ('corun_expm1_f', 0, near_zero(exp_part), (-LN2_HALF, LN2_HALF), 6),
    ('corun_log_f', 0, near_zero(log_part), (-mp.mpf(1) / 3, mp.mpf(1) / 3), 10),
    ('corun_atan_f', 0, root(atan_part), (0, 1), 9),
    ('corun_asin_f', 0, root(asin_part), (0, mp.mpf('0.25')), 6),
    ('corun_erf_f', 0, root(erf_part), (0, mp.mpf('0.86')), 7),
    ('corun_log_erfc_f', 0, log_erfc, (mp.mpf('0.92'), mp.mpf('4.0')), 9),
    ('corun_atanh_tail_f', 0, root(atanh_tail), (0, S_MAX**2), 3),
    ('corun_sin_d', 1, root(sin_part), (0, QUARTER**2), 7),
    ('corun_cos_d', 1, root(cos_part), (0, QUARTER**2), 7),
    ('corun_exp_d', 1, near_zero(exp_part), (-LN2_HALF, LN2_HALF), 12),
    ('corun_atanh_d', 1, root(atanh_part), (0, S_MAX**2), 8),
    ('corun_atanh_tail_d', 1, root(atanh_tail), (0, S_MAX**2), 8),
    ('corun_atan_d', 1, root(atan_part), (0, 1), 21),
    ('corun_asin_d', 1, root(asin_part), (0, mp.mpf('0.25')), 14),
    ('corun_erf_d', 1, root(erf_part), (0, 1), 13),
    ('corun_erfcx_d', 1, erfcx_part, (-1, 1), 24),
    ('corun_lgamma_d', 1, lgamma_one, (0, 1), 20),
    ('corun_lgamma_2_d', 1, lambda x: lgamma_one(1 + x), (0, 1), 18),
    ('corun_rgamma_d', 1, rgamma_one, (0, 1), 19),
    ('corun_stirling_d', 1, stirling, (0, mp.mpf(1) / 64), 8),
]


def rounded(c, double):
    if double:
        return float(c).hex()
    return struct.unpack('f', struct.pack('f', float(c)))[0].hex() + 'f'


def shorter(text):
    """Shortens 0x1.8000000000000p+1 to 0x1.8p+1."""
    digits, power = text.split('p')
    return (digits.rstrip('0').rstrip('.') if '.' in digits else digits) + 'p' + power


def main():
    print(HEAD)
    for name, double, f, (low, high), n in ROWS:
        c, error = mp.chebyfit(f, [low, high], n, error=True)
        kind, fma = ('double', '__builtin_fma') if double else ('float', '__builtin_fmaf')
        print('/* [%s, %s]: %s */' % (mp.nstr(low, 4), mp.nstr(high, 4), mp.nstr(error, 2)))
        print('CORUN_FN %s %s(%s z)\n{' % (kind, name, kind))
        c = [shorter(rounded(x, double)) for x in c]
        print('    %s p = %s;' % (kind, c[0]))
        for x in c[1:]:
            print('    p = %s(p, z, %s);' % (fma, x))
        print('    return p;\n}')
    print('\n#endif')


if __name__ == '__main__':
    main()

/* Math functions of double: corun's own algorithms from textbook identities, with the polynomials
 * of coefficients.h. */
#ifndef CORUN_DEVICE_MATH_DOUBLE_H
#define CORUN_DEVICE_MATH_DOUBLE_H

#include "coefficients.h"
#include "power.h"

/* ---- exponential and logarithm ---- */

/* e^(r + low) 2^n, |r| at most ln(2) / 2 */
CORUN_FN double corun_exp_reduced(double r, double low, int n)
{
    double p = __builtin_fma(r * r, corun_exp_d(r), r) + low;
    return corun_scale(1 + p, n);
}
/* x - n ln 2, exact except for the last bits of `low` */
CORUN_FN corun_two<double> corun_minus_ln2(double x, double n)
{
    double r = __builtin_fma(n, -0x1.62e42fefa39efp-1, x);
    double l = __nv_dmul_rn(n, -0x1.abc9e3b39803fp-56);
    return corun_sum(r, l, 0.0);
}
CORUN_FN double corun_exp(double x, int k)
{
    x = x > 712 ? 712 : x;
    x = x < -750 ? -750 : x;
    double n = __builtin_rint(x * 0x1.71547652b82fep+0);
    corun_two<double> r = corun_minus_ln2(x, n);
    return corun_exp_reduced(r.high, r.low, (int)n + k);
}
CORUN_FN double __nv_exp(double x) { return corun_exp(x, 0); }
/* 2^x and 10^x: multiplies r by the logarithm of the base, given as high and low */
CORUN_FN double corun_exp_times(double r, double high, double low, int n)
{
    double h = __nv_dmul_rn(r, high);
    return corun_exp_reduced(h, __builtin_fma(r, high, -h) + r * low, n);
}
CORUN_FN double __nv_exp2(double x)
{
    x = x > 1030 ? 1030 : x;
    x = x < -1080 ? -1080 : x;
    double n = __builtin_rint(x);
    return corun_exp_times(x - n, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, (int)n);
}
CORUN_FN double __nv_exp10(double x)
{
    x = x > 310 ? 310 : x;
    x = x < -326 ? -326 : x;
    double n = __builtin_rint(x * 0x1.a934f0979a371p+1);
    double r = __builtin_fma(n, -0x1.34413509f79ffp-2, x);
    r = __builtin_fma(n, 0x1.9dc1da994fd21p-59, r);
    return corun_exp_times(r, 0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53, (int)n);
}
CORUN_FN double corun_exp2_part(double x)
{
    return corun_exp_times(x, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0);
}
CORUN_FN double corun_expm1(double x)
{
    double y = x > 709.9 ? 709.9 : x;
    y = y < -40 ? -40 : y;
    double n = __builtin_rint(y * 0x1.71547652b82fep+0);
    corun_two<double> r = corun_minus_ln2(y, n);
    double q = __builtin_fma(r.high * r.high, corun_exp_d(r.high), r.low) + r.high;
    double s = corun_power_of_two<double>((int)n - 1);
    double e = 2 * __builtin_fma(q, s, s - 0.5);
    return __builtin_fabs(x) < 0x1p-54 ? x : e;
}
CORUN_FN double __nv_expm1(double x) { return corun_expm1(x); }

/* x = 2^e (1 + f), 1 + f in [sqrt(1/2), sqrt(2)]; x must be positive and finite */
CORUN_FN double corun_log_split(double x, double *f)
{
    int e = corun_exponent(x);
    double m = corun_scale(x, -e);
    bool high = m > 1.4142135623730951;
    *f = (high ? 0.5 * m : m) - 1;
    return (double)(e + high);
}
CORUN_FN double corun_log_special(double x) /* for zero, negative and non-finite x */
{
    return x == 0 ? -__builtin_inf() : x > 0 ? x : __builtin_nan("");
}
/* log(1 + f) = f - s (f - 2 s^2 A(s^2)), s = f / (2 + f); returns the high and the low part */
CORUN_FN corun_two<double> corun_log_part(double f)
{
    double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    /* s f = f^2/2 - s f^2/2 */
    double low = s * (half + 2 * z * corun_atanh_d(z));
    corun_two<double> r;
    r.high = __nv_dsub_rn(f, half);
    r.low = __nv_dsub_rn(__nv_dsub_rn(f, r.high), half) - __builtin_fma(0.5 * f, f, -half) + low;
    return r;
}
CORUN_FN double corun_log(double x)
{
    if (!(x > 0 && x < __builtin_inf())) return corun_log_special(x);
    double f, e = corun_log_split(x, &f);
    corun_two<double> l = corun_log_part(f);
    corun_two<double> r = corun_sum(e * 0x1.62e42fefa38p-1, l.high,
                                    __builtin_fma(e, 0x1.ef35793c76730p-45, l.low));
    return e == 0 ? l.high + l.low : r.high + r.low;
}
CORUN_FN double __nv_log(double x) { return corun_log(x); }
CORUN_FN double __nv_log2(double x)
{
    if (!(x > 0 && x < __builtin_inf())) return corun_log_special(x);
    corun_two<double> r = corun_log2_two(x);
    return r.high + r.low;
}
CORUN_FN double __nv_log10(double x)
{
    if (!(x > 0 && x < __builtin_inf())) return corun_log_special(x);
    corun_two<double> c = {0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59};
    corun_two<double> r = corun_product(corun_log2_two(x), c);
    return r.high + r.low;
}
CORUN_FN double corun_log1p(double x)
{
    if (x > 0x1p60) return corun_log(x);
    double u = x + 1, f;
    if (!(u > 0)) return corun_log_special(u);
    int e = (int)corun_log_split(u, &f);
    double s = corun_power_of_two<double>(-e), rest;
    corun_two<double> sum = corun_sum(s - 1, s * x, 0.0);
    if (e == 0) { /* uses x itself, because u = x + 1 is rounded */
        sum.high = x;
        sum.low = 0;
    } else if (__builtin_fabs(s * x) > __builtin_fabs(s - 1)) {
        sum = corun_sum(s * x, s - 1, 0.0);
    }
    corun_two<double> l = corun_log_part(sum.high);
    rest = sum.low / (1 + sum.high) + l.low;
    corun_two<double> r = corun_sum(e * 0x1.62e42fefa38p-1, l.high,
                                    __builtin_fma((double)e, 0x1.ef35793c76730p-45, rest));
    return __builtin_fabs(x) < 0x1p-54 ? x : e == 0 ? l.high + rest : r.high + r.low;
}
CORUN_FN double __nv_log1p(double x) { return corun_log1p(x); }

CORUN_FN double corun_atanh_tail(double z) { return corun_atanh_tail_d(z); }
CORUN_FN corun_two<double> corun_third(double)
{
    corun_two<double> c = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    return c;
}
CORUN_FN corun_two<double> corun_log2e_twice(double)
{
    corun_two<double> c = {0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55};
    return c;
}
CORUN_FN double __nv_pow(double x, double y) { return corun_pow(x, y); }
CORUN_FN double __nv_sinh(double x) { return corun_sinh(x); }
CORUN_FN double __nv_cosh(double x) { return corun_cosh(x); }
CORUN_FN double __nv_tanh(double x) { return corun_tanh(x); }
CORUN_FN double __nv_asinh(double x) { return corun_asinh(x); }
CORUN_FN double __nv_acosh(double x) { return corun_acosh(x); }
CORUN_FN double __nv_atanh(double x) { return corun_atanh(x); }

/* ---- roots ---- */
CORUN_FN double __nv_rsqrt(double x)
{
    /* 1 / s, corrected by the remainder x - s^2 */
    double s = __nv_dsqrt_rn(x), r = 1 / s;
    double e = __builtin_fma(-s, s, x);
    double q = __builtin_fma(-r, s, 1.0) - 0.5 * r * r * e;
    return x > 0x1p-1022 && x < __builtin_inf() ? __builtin_fma(q, r, r) : r;
}
/* x = m 8^k with m in [1, 8): computes the cube root of m in float, then applies two Newton
 * steps */
CORUN_FN double corun_cube_root(double m)
{
    double t = (double)corun_ex2f(__nv_fast_log2f((float)m) * 0x1.555556p-2f);
    for (int i = 0; i < 2; i++) {
        double s = __nv_dmul_rn(t, t), low = __builtin_fma(t, t, -s);
        double e = __builtin_fma(-s, t, m) - low * t;
        t = __builtin_fma(e / s, 0x1.5555555555555p-2, t);
    }
    return t;
}
CORUN_FN double __nv_cbrt(double x)
{
    double a = __builtin_fabs(x);
    if (!(a > 0 && a < __builtin_inf())) return x + x;
    int e = corun_exponent(a), k = (e + 1200) / 3 - 400;
    return __builtin_copysign(corun_scale(corun_cube_root(corun_scale(a, -3 * k)), k), x);
}
CORUN_FN double __nv_rcbrt(double x)
{
    double a = __builtin_fabs(x);
    if (!(a > 0 && a < __builtin_inf())) return 1 / x;
    int e = corun_exponent(a), k = (e + 1200) / 3 - 400;
    return __builtin_copysign(corun_scale(1 / corun_cube_root(corun_scale(a, -3 * k)), -k), x);
}

/* ---- trigonometric ---- */

/* Computes the fraction of x 2/pi from its bits; uses 192 bits of 2/pi, from the first significant
 * bit on (M. Payne, R. Hanek, Radian reduction for trigonometric functions, 1983). */
CORUN_FAR corun_two<double> corun_quarter_far(double x, int *quarter)
{
    const corun_u64 two_over_pi[20] = {
        0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
        0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
        0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
        0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
        0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};
    corun_two<double> r = {x - x, 0};
    *quarter = 0;
    if (!(__builtin_fabs(x) < __builtin_inf())) return r;
    corun_u64 bits = corun_number<double>::of(x), m = (bits & 0xfffffffffffffull) | 1ull << 52;
    int e = (int)(bits >> 52 & 2047) - 1075; /* |x| = m 2^e */
    int first = e < 2 ? 0 : e - 2; /* earlier bits of 2/pi contribute multiples of four */
    const corun_u64 *w = two_over_pi + first / 64;
    int shift = first % 64;
    corun_u64 a[3];
    for (int i = 0; i < 3; i++) a[i] = shift ? w[i] << shift | w[i + 1] >> (64 - shift) : w[i];
    /* product of m and the 192 bits; the binary point lies `above` bits below the top of p0 */
    corun_u64 p2 = a[2] * m, h2 = __nv_umul64hi(a[2], m), p1 = a[1] * m + h2;
    corun_u64 h1 = __nv_umul64hi(a[1], m) + (p1 < h2), p0 = a[0] * m + h1;
    corun_u64 top = __nv_umul64hi(a[0], m) + (p0 < h1);
    int above = e - first;
    if (above > 0) {
        top = top << above | p0 >> (64 - above);
        p0 = p0 << above | p1 >> (64 - above);
        p1 = p1 << above | p2 >> (64 - above);
    } else if (above < 0) {
        p1 = p1 >> -above | p0 << (64 + above);
        p0 = p0 >> -above | top << (64 + above);
        top >>= -above;
    }
    int q = (int)top;
    bool up = p0 >> 63; /* rounds to nearest: fraction in [-1/2, 1/2] */
    q += up;
    if (up) {
        p1 = ~p1;
        p0 = ~p0;
    }
    int zeros = p0 ? __nv_clzll((long long)p0) : 64;
    if (zeros) {
        p0 = zeros < 64 ? p0 << zeros | p1 >> (64 - zeros) : p1;
        p1 = zeros < 64 ? p1 << zeros : 0;
    }
    corun_two<double> f, c = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
    f.high = (double)(p0 >> 11) * 0x1p-53;
    f.low = (double)(p0 << 53 | p1 >> 11) * 0x1p-117;
    r = corun_product(f, c);
    double sign = (up ? -1.0 : 1.0) * (x < 0 ? -1.0 : 1.0);
    r.high = sign * corun_scale(r.high, -zeros);
    r.low = sign * corun_scale(r.low, -zeros);
    *quarter = x < 0 ? -q : q;
    return r;
}

CORUN_FN corun_two<double> corun_quarter(double x, int *quarter)
{
    if (__builtin_fabs(x) > 0x1p20) return corun_quarter_far(x, quarter);
    double n = __builtin_rint(x * 0x1.45f306dc9c883p-1);
    double r = __builtin_fma(n, -0x1.921fb54442d18p+0, x); /* exact */
    double p = __nv_dmul_rn(n, 0x1.1a62633145c07p-54);
    double rest = __builtin_fma(n, 0x1.1a62633145c07p-54, -p) - n * 0x1.f1976b7ed8fbcp-110;
    *quarter = (int)n;
    return corun_sum(r, -p, -rest);
}
CORUN_FN double corun_sin_part(corun_two<double> r)
{
    double z = r.high * r.high, s = z * r.high * corun_sin_d(z);
    return r.high + (s + r.low * __builtin_fma(z, -0.5, 1));
}
CORUN_FN double corun_cos_part(corun_two<double> r)
{
    double z = __nv_dmul_rn(r.high, r.high), half = 0.5 * z, w = __nv_dsub_rn(1, half);
    double low = __nv_dsub_rn(__nv_dsub_rn(1, w), half);
    double c = z * (corun_cos_d(z) + 0.5) - 0.5 * __builtin_fma(r.high, r.high, -z);
    return w + (low + (c - r.high * r.low));
}
CORUN_FN double corun_wave(corun_two<double> r, int quarter)
{
    double w = quarter & 1 ? corun_cos_part(r) : corun_sin_part(r);
    return quarter & 2 ? -w : w;
}
CORUN_FN double __nv_sin(double x)
{
    int quarter;
    corun_two<double> r = corun_quarter(x, &quarter);
    return x == 0 ? x : corun_wave(r, quarter);
}
CORUN_FN double __nv_cos(double x)
{
    int quarter;
    corun_two<double> r = corun_quarter(x, &quarter);
    return corun_wave(r, quarter + 1);
}
CORUN_FN void __nv_sincos(double x, double *s, double *c)
{
    int quarter;
    corun_two<double> r = corun_quarter(x, &quarter);
    double a = corun_sin_part(r), b = corun_cos_part(r);
    double sine = quarter & 1 ? b : a, cosine = quarter & 1 ? a : b;
    *s = x == 0 ? x : quarter & 2 ? -sine : sine;
    *c = (quarter + 1) & 2 ? -cosine : cosine;
}
CORUN_FN double __nv_tan(double x)
{
    int quarter;
    corun_two<double> r = corun_quarter(x, &quarter);
    double a = corun_sin_part(r), b = corun_cos_part(r);
    return x == 0 ? x : quarter & 1 ? -b / a : a / b;
}
CORUN_FN void __nv_sincospi(double x, double *s, double *c)
{
    bool far = !(__builtin_fabs(x) < 0x1p53); /* an even integer, infinite or NaN */
    double n = __builtin_rint(x + x), d = far ? x - x : __builtin_fma(n, -0.5, x);
    int quarter = far ? 0 : (int)(long long)n;
    corun_two<double> r = {d, 0}, pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
    r = corun_product(r, pi);
    *s = __builtin_trunc(x) == x ? x * 0.0 : corun_wave(r, quarter);
    *c = corun_wave(r, quarter + 1) + 0.0;
}
CORUN_FN double __nv_sinpi(double x)
{
    double s, c;
    __nv_sincospi(x, &s, &c);
    return s;
}
CORUN_FN double __nv_cospi(double x)
{
    double s, c;
    __nv_sincospi(x, &s, &c);
    return c;
}

CORUN_FN double corun_atan_part(double x) /* |x| <= 1 */
{
    double z = x * x;
    return __builtin_fma(z * x, corun_atan_d(z), x);
}
CORUN_FN double __nv_atan(double x)
{
    double a = __builtin_fabs(x), r = corun_atan_part(a > 1 ? 1 / a : a);
    r = a > 1 ? 0x1.921fb54442d18p+0 - (r - 0x1.1a62633145c07p-54) : r;
    return __builtin_copysign(r, x);
}
CORUN_FN double __nv_atan2(double y, double x)
{
    double a = __builtin_fabs(x), b = __builtin_fabs(y);
    double high = a > b ? a : b, low = a > b ? b : a;
    double q = low / high;
    q = low == high && high != 0 ? 1 : high == 0 ? 0 : q;
    double r = corun_atan_part(q);
    r = b > a ? 0x1.921fb54442d18p+0 - (r - 0x1.1a62633145c07p-54) : r;
    r = __builtin_signbit(x) ? 0x1.921fb54442d18p+1 - (r - 0x1.1a62633145c07p-53) : r;
    return x != x || y != y ? x + y : __builtin_copysign(r, y);
}
CORUN_FN double corun_asin_part(double x) /* |x| <= 1/2 */
{
    double z = x * x;
    return __builtin_fma(z * x, corun_asin_d(z), x);
}
/* asin(sqrt((1 - a) / 2)), corrected for the rounding error of the root */
CORUN_FN corun_two<double> corun_asin_root(double a)
{
    double z = __builtin_fma(a, -0.5, 0.5), s = __nv_dsqrt_rn(z);
    corun_two<double> r;
    r.high = s;
    r.low = s > 0 ? __builtin_fma(-s, s, z) / (s + s) : 0;
    r.low += z * s * corun_asin_d(z);
    return r;
}
CORUN_FN double __nv_asin(double x)
{
    double a = __builtin_fabs(x), r;
    if (a > 0.5) {
        corun_two<double> h = corun_asin_root(a);
        r = 0x1.921fb54442d18p+0 - 2 * h.high;
        double low = __nv_dsub_rn(__nv_dsub_rn(0x1.921fb54442d18p+0, r), 2 * h.high);
        r += low + (0x1.1a62633145c07p-54 - 2 * h.low);
        r = a <= 1 ? r : __builtin_nan("");
    } else {
        r = corun_asin_part(a);
    }
    return __builtin_copysign(r, x);
}
CORUN_FN double __nv_acos(double x)
{
    double a = __builtin_fabs(x);
    if (a <= 0.5) return 0x1.921fb54442d18p+0 - (corun_asin_part(x) - 0x1.1a62633145c07p-54);
    corun_two<double> h = corun_asin_root(a);
    double r = 2 * (h.high + h.low);
    r = x < 0 ? 0x1.921fb54442d18p+1 - (r - 0x1.1a62633145c07p-53) : r;
    return a <= 1 ? r : __builtin_nan("");
}

#include "math_special.h"

#endif

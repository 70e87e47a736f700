/* Functions that float and double derive in the same way from their own exp, expm1, log and log1p:
 * hyperbolic functions, their inverses, and pow, which represents its logarithm by two numbers,
 * high and low. */
#ifndef CORUN_DEVICE_POWER_H
#define CORUN_DEVICE_POWER_H

#include "parts.h"

template <class _Tp> struct corun_two {
    _Tp high, low;
};

/* defined in math_float.h and math_double.h */
#define CORUN_OWN(T)                                                                               \
    CORUN_FN T corun_exp(T x, int k); /* e^x 2^k, k small */                                       \
    CORUN_FN T corun_exp2_part(T x);  /* 2^x, |x| up to slightly above 1/2 */                      \
    CORUN_FN T corun_expm1(T x);                                                                   \
    CORUN_FN T corun_log(T x);                                                                     \
    CORUN_FN T corun_log1p(T x);                                                                   \
    CORUN_FN T corun_atanh_tail(T z); /* (atanh(s) / s - 1 - z / 3) / z^2, z = s^2 */              \
    CORUN_FN corun_two<T> corun_third(T);                                                          \
    CORUN_FN corun_two<T> corun_log2e_twice(T);
CORUN_OWN(float)
CORUN_OWN(double)
#undef CORUN_OWN

template <class _Tp> CORUN_FN _Tp corun_sinh(_Tp x)
{
    _Tp a = corun_abs(x), r;
    if (a < 1) {
        _Tp t = corun_expm1(a);
        r = (_Tp)0.5 * (t + t / (t + 1));
    } else {
        _Tp h = corun_exp(a, -1);
        r = h - (_Tp)0.25 / h;
    }
    return corun_copysign(r, x);
}

template <class _Tp> CORUN_FN _Tp corun_cosh(_Tp x)
{
    _Tp h = corun_exp(corun_abs(x), -1);
    return h + (_Tp)0.25 / h;
}

template <class _Tp> CORUN_FN _Tp corun_tanh(_Tp x)
{
    _Tp a = corun_abs(x);
    if (a > 22) return corun_copysign((_Tp)1, x);
    _Tp t = corun_expm1(2 * a);
    return corun_copysign(t / (t + 2), x);
}

template <class _Tp> CORUN_FN _Tp corun_asinh(_Tp x)
{
    _Tp a = corun_abs(x), r;
    if (a > (_Tp)0x1p28) r = corun_log(a) + (_Tp)0x1.62e42fefa39efp-1;
    else r = corun_log1p(a + a * a / (1 + corun_sqrt(corun_fma(a, a, (_Tp)1))));
    return corun_copysign(r, x);
}

template <class _Tp> CORUN_FN _Tp corun_acosh(_Tp x)
{
    if (x > (_Tp)0x1p28) return corun_log(x) + (_Tp)0x1.62e42fefa39efp-1;
    _Tp t = x - 1;
    return x < 1 ? corun_nan<_Tp>() : corun_log1p(t + corun_sqrt(corun_fma(t, t, t + t)));
}

template <class _Tp> CORUN_FN _Tp corun_atanh(_Tp x)
{
    _Tp a = corun_abs(x);
    return corun_copysign((_Tp)0.5 * corun_log1p(2 * a / (1 - a)), x);
}

/* Returns a + b + low as a pair, for |a| >= |b|. corun_product returns the product of two pairs. */
template <class _Tp> CORUN_FN corun_two<_Tp> corun_sum(_Tp a, _Tp b, _Tp low)
{
    corun_two<_Tp> r;
    r.high = corun_add(a, b);
    r.low = corun_add(corun_add(a, -r.high), b) + low;
    return r;
}
template <class _Tp> CORUN_FN corun_two<_Tp> corun_product(corun_two<_Tp> a, corun_two<_Tp> b)
{
    corun_two<_Tp> r;
    r.high = corun_mul(a.high, b.high);
    r.low = corun_fma(a.high, b.high, -r.high) + (a.high * b.low + a.low * b.high);
    return r;
}

/* log2 of a positive finite number: e + 2 atanh(s) / ln 2, s = (m - 1) / (m + 1) */
template <class _Tp> CORUN_FN corun_two<_Tp> corun_log2_two(_Tp a)
{
    int e = corun_exponent(a);
    _Tp m = corun_scale(a, -e);
    if (m > (_Tp)1.41421356) {
        m *= (_Tp)0.5;
        e++;
    }
    _Tp f = m - 1, q = 1 / (m + 1);
    corun_two<_Tp> s;
    s.high = corun_mul(f, q);
    s.low = corun_fma(-s.high, f, corun_fma((_Tp)-2, s.high, f)) * q;
    corun_two<_Tp> z = corun_product(s, s);
    corun_two<_Tp> third = corun_third((_Tp)0), c = corun_sum(third.high,
        corun_mul(z.high, corun_atanh_tail(z.high)), third.low);
    corun_two<_Tp> cube = corun_product(corun_product(z, s), c);
    corun_two<_Tp> t = corun_sum(s.high, cube.high, s.low + cube.low);
    corun_two<_Tp> p = corun_product(t, corun_log2e_twice((_Tp)0));
    return corun_sum((_Tp)e, p.high, p.low);
}

/* x^y of positive finite x and finite y */
template <class _Tp> CORUN_FN _Tp corun_power(_Tp x, _Tp y)
{
    corun_two<_Tp> g = corun_log2_two(x);
    _Tp h = corun_mul(y, g.high), limit = 2 * corun_number<_Tp>::bias + 200;
    if (!(corun_abs(h) < limit)) return h > 0 ? corun_inf<_Tp>() : 0;
    _Tp l = corun_fma(y, g.high, -h) + y * g.low, n = corun_rint(h);
    return corun_scale(corun_exp2_part(corun_add(h, -n) + l), (int)n);
}

template <class _Tp> CORUN_FAR _Tp corun_pow(_Tp x, _Tp y)
{
    _Tp a = corun_abs(x), r;
    if (x == 1 || y == 0) return 1;
    if (x != x || y != y) return x + y;
    bool whole = corun_trunc(y) == y, odd = whole && corun_trunc(y / 2) * 2 != y;
    if (a == 0 || a == corun_inf<_Tp>()) r = (a == 0) == (y < 0) ? corun_inf<_Tp>() : 0;
    else if (corun_abs(y) == corun_inf<_Tp>())
        return a == 1 ? 1 : (a > 1) == (y > 0) ? corun_inf<_Tp>() : 0;
    else if (x < 0 && !whole) return corun_nan<_Tp>();
    else r = corun_power(a, y);
    return odd ? corun_copysign(r, x) : r;
}

#endif

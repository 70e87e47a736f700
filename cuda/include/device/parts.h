/* Functions common to float and double with exact or nearly exact results: rounding to integers,
 * parts of a number, remainders, norms. Names and results as in C's <math.h> and the CUDA math
 * API. */
#ifndef CORUN_DEVICE_PARTS_H
#define CORUN_DEVICE_PARTS_H

#include "arithmetic.h"

template <class _Tp> struct corun_number;
template <> struct corun_number<float> {
    typedef corun_u32 bits;
    enum { fraction = 23, bias = 127, top = 255 };
    static __device__ __forceinline__ bits of(float x) { return __nv_float_as_uint(x); }
    static __device__ __forceinline__ float from(bits b) { return __nv_uint_as_float(b); }
};
template <> struct corun_number<double> {
    typedef corun_u64 bits;
    enum { fraction = 52, bias = 1023, top = 2047 };
    static __device__ __forceinline__ bits of(double x)
    {
        return (bits)__nv_double_as_longlong(x);
    }
    static __device__ __forceinline__ double from(bits b)
    {
        return __nv_longlong_as_double((long long)b);
    }
};

CORUN_FN float corun_abs(float x) { return __builtin_fabsf(x); }
CORUN_FN double corun_abs(double x) { return __builtin_fabs(x); }
CORUN_FN float corun_copysign(float x, float s) { return __builtin_copysignf(x, s); }
CORUN_FN double corun_copysign(double x, double s) { return __builtin_copysign(x, s); }
CORUN_FN float corun_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
CORUN_FN double corun_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
CORUN_FN float corun_add(float a, float b) { return __nv_fadd_rn(a, b); }
CORUN_FN double corun_add(double a, double b) { return __nv_dadd_rn(a, b); }
CORUN_FN float corun_mul(float a, float b) { return __nv_fmul_rn(a, b); }
CORUN_FN double corun_mul(double a, double b) { return __nv_dmul_rn(a, b); }
CORUN_FN float corun_sqrt(float a) { return __nv_fsqrt_rn(a); }
CORUN_FN double corun_sqrt(double a) { return __nv_dsqrt_rn(a); }
CORUN_FN float corun_rint(float x) { return __builtin_rintf(x); }
CORUN_FN double corun_rint(double x) { return __builtin_rint(x); }
CORUN_FN float corun_trunc(float x) { return __builtin_truncf(x); }
CORUN_FN double corun_trunc(double x) { return __builtin_trunc(x); }
template <class _Tp> CORUN_FN _Tp corun_inf() { return (_Tp)__builtin_inff(); }
template <class _Tp> CORUN_FN _Tp corun_nan() { return (_Tp)__builtin_nanf(""); }

/* 2^n for the exponent n of a normal number */
template <class _Tp> CORUN_FN _Tp corun_power_of_two(int n)
{
    typedef corun_number<_Tp> _Num;
    return _Num::from((typename _Num::bits)(n + _Num::bias) << _Num::fraction);
}

/* Returns the exponent e of x = m 2^e with m in [1, 2); x must be finite and not 0. */
template <class _Tp> CORUN_FN int corun_exponent(_Tp x)
{
    typedef corun_number<_Tp> _Num;
    int e = (int)(_Num::of(x) >> _Num::fraction) & _Num::top, shift = 0;
    if (e == 0) {
        shift = _Num::fraction + 2;
        e = (int)(_Num::of(x * corun_power_of_two<_Tp>(shift)) >> _Num::fraction) & _Num::top;
    }
    return e - _Num::bias - shift;
}

/* x 2^n with a single rounding */
template <class _Tp> CORUN_FN _Tp corun_scale(_Tp x, int n)
{
    const int most = corun_number<_Tp>::bias, room = corun_number<_Tp>::fraction + 1;
    if (n > most) {
        x *= corun_power_of_two<_Tp>(most);
        n = n - most > most ? (x *= corun_power_of_two<_Tp>(most), n - 2 * most) : n - most;
        n = n > most ? most : n;
    } else if (n < 1 - most) { /* only the last step rounds: the steps before keep more bits */
        x *= corun_power_of_two<_Tp>(1 - most + room);
        n -= 1 - most + room;
        if (n < 1 - most) {
            x *= corun_power_of_two<_Tp>(1 - most + room);
            n -= 1 - most + room;
        }
        n = n < 1 - most ? 1 - most : n;
    }
    return x * corun_power_of_two<_Tp>(n);
}

/* Rounds to the nearest integer, halves away from zero. */
template <class _Tp> CORUN_FN _Tp corun_round(_Tp x)
{
    _Tp t = corun_trunc(x);
    return corun_abs(x - t) >= (_Tp)0.5 ? t + corun_copysign((_Tp)1, x) : corun_copysign(t, x);
}

template <class _Tp> CORUN_FN _Tp corun_frexp(_Tp x, int *exponent)
{
    *exponent = 0;
    if (x == 0 || !(corun_abs(x) < corun_inf<_Tp>())) return x + x;
    *exponent = corun_exponent(x) + 1;
    return corun_scale(x, -*exponent);
}

template <class _Tp> CORUN_FN _Tp corun_modf(_Tp x, _Tp *whole)
{
    *whole = corun_trunc(x);
    return corun_copysign(corun_abs(x) == corun_inf<_Tp>() ? 0 : x - *whole, x);
}

template <class _Tp> CORUN_FN int corun_ilogb(_Tp x)
{
    if (x == 0 || x != x) return -0x7fffffff - 1;
    return corun_abs(x) == corun_inf<_Tp>() ? 0x7fffffff : corun_exponent(x);
}

template <class _Tp> CORUN_FN _Tp corun_logb(_Tp x)
{
    if (x == 0) return -corun_inf<_Tp>();
    return corun_abs(x) < corun_inf<_Tp>() ? (_Tp)corun_exponent(x) : x * x;
}

template <class _Tp> CORUN_FN _Tp corun_nextafter(_Tp x, _Tp to)
{
    typedef corun_number<_Tp> _Num;
    if (x != x || to != to) return x + to;
    if (x == to) return to;
    if (x == 0) return corun_copysign(_Num::from(1), to);
    return _Num::from(_Num::of(x) + ((x < to) == (x > 0) ? 1 : -1));
}

template <class _Tp> CORUN_FN _Tp corun_fdim(_Tp x, _Tp y) { return x <= y ? 0 : x - y; }

/* Computes |x| mod |y| of finite x >= y > 0 by long division; *quotient: low bits of the
 * quotient. */
template <class _Tp> CORUN_FN _Tp corun_divide(_Tp x, _Tp y, corun_u32 *quotient)
{
    int d = corun_exponent(x), e = corun_exponent(y);
    corun_u64 unit = 1ull << corun_number<_Tp>::fraction;
    corun_u64 a = (corun_u64)(corun_scale(x, -d) * (_Tp)unit);
    corun_u64 b = (corun_u64)(corun_scale(y, -e) * (_Tp)unit);
    const int step = 63 - corun_number<_Tp>::fraction - 1;
    *quotient = (corun_u32)(a / b);
    a %= b;
    for (d -= e; d > 0 && a; d -= step) {
        int n = d < step ? d : step;
        a <<= n;
        *quotient = *quotient << n | (corun_u32)(a / b);
        a %= b;
    }
    if (d > 0 && !a) *quotient = d < 32 ? *quotient << d : 0;
    return corun_scale((_Tp)a, e - corun_number<_Tp>::fraction);
}

template <class _Tp> CORUN_FAR _Tp corun_fmod(_Tp x, _Tp y)
{
    _Tp a = corun_abs(x), b = corun_abs(y);
    corun_u32 quotient;
    if (!(a < corun_inf<_Tp>()) || b != b || b == 0) return corun_nan<_Tp>();
    return a < b ? x : corun_copysign(corun_divide(a, b, &quotient), x);
}

template <class _Tp> CORUN_FAR _Tp corun_remquo(_Tp x, _Tp y, int *quotient)
{
    _Tp a = corun_abs(x), b = corun_abs(y), r = a;
    corun_u32 q = 0;
    *quotient = 0;
    if (!(a < corun_inf<_Tp>()) || b != b || b == 0) return corun_nan<_Tp>();
    if (a >= b) r = corun_divide(a, b, &q);
    /* r - b is exact when evaluated; a tie selects the even quotient */
    if (b < corun_inf<_Tp>() && (r > b - r || (r == b - r && (q & 1)))) {
        r -= b;
        q++;
    }
    q &= 7;
    *quotient = (x < 0) != (y < 0) ? -(int)q : (int)q;
    return __builtin_signbit(x) ? -r : r;
}

/* square root of a sum of squares, scaled by the largest exponent */
template <class _Tp> CORUN_FN _Tp corun_norm(int n, const _Tp *v, bool reciprocal)
{
    _Tp most = 0, sum = 0, low = 0;
    bool nan = false;
    for (int i = 0; i < n; i++) {
        _Tp a = corun_abs(v[i]);
        nan |= a != a;
        most = a > most ? a : most;
    }
    if (most == corun_inf<_Tp>()) return reciprocal ? 0 : most;
    if (nan) return corun_nan<_Tp>();
    if (most == 0) return reciprocal ? corun_inf<_Tp>() : 0;
    int e = corun_exponent(most);
    for (int i = 0; i < n; i++) { /* in double the working precision */
        _Tp a = corun_scale(v[i], -e), s = corun_mul(a, a), t = corun_add(sum, s);
        _Tp b = corun_add(t, -sum);
        low += corun_fma(a, a, -s) + corun_add(corun_add(sum, -corun_add(t, -b)),
                                               corun_add(s, -b));
        sum = t;
    }
    _Tp root = corun_sqrt(sum + low);
    return reciprocal ? corun_scale(1 / root, -e) : corun_scale(root, e);
}

/* by repeated squaring */
template <class _Tp> CORUN_FN _Tp corun_powi(_Tp x, int n)
{
    corun_u32 k = n < 0 ? 0u - (corun_u32)n : (corun_u32)n;
    _Tp r = 1;
    for (; k; k >>= 1, x *= x) r *= k & 1 ? x : 1;
    return n < 0 ? 1 / r : r;
}

/* Defines all functions for a type; T: the type, f: the suffix of the names. */
#define CORUN_PARTS(T, f)                                                                          \
    CORUN_FN T __nv_fabs##f(T x) { return corun_abs(x); }                                          \
    CORUN_FN T __nv_copysign##f(T x, T y) { return corun_copysign(x, y); }                         \
    CORUN_FN T __nv_sqrt##f(T x) { return __builtin_sqrt##f(x); }                                  \
    CORUN_FN T __nv_fma##f(T x, T y, T z) { return __builtin_fma##f(x, y, z); }                    \
    CORUN_FN T __nv_fmin##f(T x, T y) { return __builtin_fmin##f(x, y); }                          \
    CORUN_FN T __nv_fmax##f(T x, T y) { return __builtin_fmax##f(x, y); }                          \
    CORUN_FN T __nv_floor##f(T x) { return __builtin_floor##f(x); }                                \
    CORUN_FN T __nv_ceil##f(T x) { return __builtin_ceil##f(x); }                                  \
    CORUN_FN T __nv_trunc##f(T x) { return corun_trunc(x); }                                       \
    CORUN_FN T __nv_rint##f(T x) { return corun_rint(x); }                                         \
    CORUN_FN T __nv_round##f(T x) { return corun_round(x); }                                       \
    CORUN_FN long long __nv_llround##f(T x) { return (long long)corun_round(x); }                  \
    CORUN_FN T __nv_fdim##f(T x, T y) { return corun_fdim(x, y); }                                 \
    CORUN_FN T __nv_fmod##f(T x, T y) { return corun_fmod(x, y); }                                 \
    CORUN_FN T __nv_remquo##f(T x, T y, int *q) { return corun_remquo(x, y, q); }                  \
    CORUN_FN T __nv_remainder##f(T x, T y)                                                         \
    {                                                                                              \
        int q;                                                                                     \
        return corun_remquo(x, y, &q);                                                             \
    }                                                                                              \
    CORUN_FN T __nv_frexp##f(T x, int *e) { return corun_frexp(x, e); }                            \
    CORUN_FN T __nv_ldexp##f(T x, int n) { return corun_scale(x, n); }                             \
    CORUN_FN T __nv_scalbn##f(T x, int n) { return corun_scale(x, n); }                            \
    CORUN_FN T __nv_modf##f(T x, T *whole) { return corun_modf(x, whole); }                        \
    CORUN_FN int __nv_ilogb##f(T x) { return corun_ilogb(x); }                                     \
    CORUN_FN T __nv_logb##f(T x) { return corun_logb(x); }                                         \
    CORUN_FN T __nv_nextafter##f(T x, T y) { return corun_nextafter(x, y); }                       \
    CORUN_FN T __nv_powi##f(T x, int n) { return corun_powi(x, n); }                               \
    CORUN_FN T __nv_norm##f(int n, const T *v) { return corun_norm(n, v, false); }                 \
    CORUN_FN T __nv_rnorm##f(int n, const T *v) { return corun_norm(n, v, true); }                 \
    CORUN_FN T __nv_hypot##f(T x, T y)                                                             \
    {                                                                                              \
        T v[] = {x, y};                                                                            \
        return corun_norm(2, v, false);                                                            \
    }                                                                                              \
    CORUN_FN T __nv_rhypot##f(T x, T y)                                                            \
    {                                                                                              \
        T v[] = {x, y};                                                                            \
        return corun_norm(2, v, true);                                                             \
    }                                                                                              \
    CORUN_FN T __nv_norm3d##f(T x, T y, T z)                                                       \
    {                                                                                              \
        T v[] = {x, y, z};                                                                         \
        return corun_norm(3, v, false);                                                            \
    }                                                                                              \
    CORUN_FN T __nv_rnorm3d##f(T x, T y, T z)                                                      \
    {                                                                                              \
        T v[] = {x, y, z};                                                                         \
        return corun_norm(3, v, true);                                                             \
    }                                                                                              \
    CORUN_FN T __nv_norm4d##f(T x, T y, T z, T w)                                                  \
    {                                                                                              \
        T v[] = {x, y, z, w};                                                                      \
        return corun_norm(4, v, false);                                                            \
    }                                                                                              \
    CORUN_FN T __nv_rnorm4d##f(T x, T y, T z, T w)                                                 \
    {                                                                                              \
        T v[] = {x, y, z, w};                                                                      \
        return corun_norm(4, v, true);                                                             \
    }
CORUN_PARTS(float, f)
CORUN_PARTS(double, )
#undef CORUN_PARTS
CORUN_FN long long __nv_llrintf(float x) { return __nv_float2ll_rn(x); }
CORUN_FN long long __nv_llrint(double x) { return __nv_double2ll_rn(x); }

#endif

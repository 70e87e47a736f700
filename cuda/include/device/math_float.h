/* Math functions of float, computed in float; rarely used functions are computed in double
 * (math_double.h). The algorithms are corun's own, from textbook identities, with the polynomials
 * of coefficients.h. */
#ifndef CORUN_DEVICE_MATH_FLOAT_H
#define CORUN_DEVICE_MATH_FLOAT_H

#include "coefficients.h"
#include "math_double.h"
#include "power.h"

/* Selects `exact`, or `fast` with --use_fast_math. */
#ifdef __USE_FAST_MATH__
#define CORUN_FAST(fast, exact) fast
#else
#define CORUN_FAST(fast, exact) exact
#endif

/* ---- exponential and logarithm ---- */

/* e^x 2^k, k small */
CORUN_FN float corun_exp(float x, int k)
{
    x = x > 90 ? 90 : x;
    x = x < -106 ? -106 : x;
    float n = __builtin_rintf(x * 0x1.715476p+0f);
    float r = __builtin_fmaf(n, -0x1.62e43p-1f, x);
    r = __builtin_fmaf(n, 0x1.05c61p-29f, r);
    return corun_scale(corun_ex2f(__nv_fmul_rn(r, 0x1.715476p+0f)), (int)n + k);
}
CORUN_FN float __nv_expf(float x) { return CORUN_FAST(__nv_fast_expf(x), corun_exp(x, 0)); }
CORUN_FN float __nv_exp2f(float x) { return corun_ex2f(x); }
CORUN_FN float corun_exp10(float x)
{
    x = x > 39 ? 39 : x;
    x = x < -46 ? -46 : x;
    float n = __builtin_rintf(x * 0x1.a934fp+1f);
    float r = __builtin_fmaf(n, -0x1.344136p-2f, x);
    r = __builtin_fmaf(n, 0x1.ec10cp-27f, r);
    return corun_scale(corun_ex2f(__nv_fmul_rn(r, 0x1.a934fp+1f)), (int)n);
}
CORUN_FN float __nv_exp10f(float x) { return CORUN_FAST(__nv_fast_exp10f(x), corun_exp10(x)); }
CORUN_FN float corun_exp2_part(float x) { return corun_ex2f(x); }

/* q = e^r - 1 = r + r^2 P(r); the result 2^n q + 2^n - 1 is computed at half its size, because
 * 2^128 is out of range */
CORUN_FN float corun_expm1(float x)
{
    float y = x > 89 ? 89 : x;
    y = y < -20 ? -20 : y;
    float n = __builtin_rintf(y * 0x1.715476p+0f);
    float r = __builtin_fmaf(n, -0x1.62e43p-1f, y);
    r = __builtin_fmaf(n, 0x1.05c61p-29f, r);
    float q = __builtin_fmaf(r * r, corun_expm1_f(r), r);
    float s = corun_power_of_two<float>((int)n - 1);
    float e = 2 * __builtin_fmaf(q, s, s - 0.5f);
    return __builtin_fabsf(x) < 0x1p-25f ? x : e;
}
CORUN_FN float __nv_expm1f(float x) { return corun_expm1(x); }

/* x = 2^e (1 + f), f in [-1/3, 1/3]; x must be positive and finite */
CORUN_FN float corun_log_split(float x, float *f)
{
    float e = 0;
    if (x < 0x1p-126f) {
        x *= 0x1p24f;
        e = -24;
    }
    int i = (__nv_float_as_int(x) - 0x3f2aaaab) & (int)0xff800000;
    *f = __nv_int_as_float(__nv_float_as_int(x) - i) - 1;
    return e + (float)(i >> 23);
}
CORUN_FN float corun_log_special(float x) /* for zero, negative and non-finite x */
{
    return x == 0 ? -__builtin_inff() : x > 0 ? x : __builtin_nanf("");
}
/* log(1 + f) as high and low part */
CORUN_FN corun_two<float> corun_log_part(float f)
{
    corun_two<float> r;
    float s = __nv_fmul_rn(f, f), l = __nv_fmul_rn(s, corun_log_f(f));
    r.high = __nv_fadd_rn(f, l);
    r.low = __nv_fadd_rn(__nv_fsub_rn(f, r.high), l);
    return r;
}
CORUN_FN float corun_log(float x)
{
    if (!(x > 0 && x < __builtin_inff())) return corun_log_special(x);
    float f, e = corun_log_split(x, &f);
    corun_two<float> l = corun_log_part(f);
    float t = __builtin_fmaf(e, -0x1.05c61p-29f, l.low);
    return __builtin_fmaf(e, 0x1.62e43p-1f, l.high) + t;
}
CORUN_FN float __nv_logf(float x) { return CORUN_FAST(__nv_fast_logf(x), corun_log(x)); }
CORUN_FN float corun_log2(float x)
{
    if (!(x > 0 && x < __builtin_inff())) return corun_log_special(x);
    float f, e = corun_log_split(x, &f);
    corun_two<float> l = corun_log_part(f);
    float t = __builtin_fmaf(l.low, 0x1.715476p+0f, l.high * 0x1.4ae0cp-26f);
    return e == 0 ? __builtin_fmaf(l.high, 0x1.715476p+0f, t)
                  : __builtin_fmaf(l.high, 0x1.715476p+0f, e) + t;
}
CORUN_FN float corun_log10(float x)
{
    if (!(x > 0 && x < __builtin_inff())) return corun_log_special(x);
    float f, e = corun_log_split(x, &f);
    corun_two<float> l = corun_log_part(f);
    float t = __builtin_fmaf(l.low, 0x1.bcb7b2p-2f, l.high * -0x1.5b235ep-27f);
    t = __builtin_fmaf(e, -0x1.ec10cp-27f, t);
    float h = __nv_fmul_rn(l.high, 0x1.bcb7b2p-2f);
    t += __builtin_fmaf(l.high, 0x1.bcb7b2p-2f, -h);
    return __builtin_fmaf(e, 0x1.344136p-2f, h) + t;
}
CORUN_FN float __nv_log2f(float x) { return CORUN_FAST(__nv_fast_log2f(x), corun_log2(x)); }
CORUN_FN float __nv_log10f(float x) { return CORUN_FAST(__nv_fast_log10f(x), corun_log10(x)); }
CORUN_FN float corun_log1p(float x)
{
    if (x > 0x1p30f) return corun_log(x);
    float u = x + 1;
    if (!(u > 0)) return corun_log_special(u);
    int i = (__nv_float_as_int(u) - 0x3f2aaaab) & (int)0xff800000;
    float s = __nv_int_as_float(0x3f800000 - i), e = (float)(i >> 23);
    float f = __builtin_fmaf(s, x, s - 1);
    corun_two<float> l = corun_log_part(f);
    float t = __builtin_fmaf(e, -0x1.05c61p-29f, l.low);
    float r = __builtin_fmaf(e, 0x1.62e43p-1f, l.high) + t;
    return __builtin_fabsf(x) < 0x1p-25f ? x : r;
}
CORUN_FN float __nv_log1pf(float x) { return corun_log1p(x); }

CORUN_FN float corun_atanh_tail(float z) { return corun_atanh_tail_f(z); }
CORUN_FN corun_two<float> corun_third(float)
{
    corun_two<float> c = {0x1.555556p-2f, -0x1.555556p-27f};
    return c;
}
CORUN_FN corun_two<float> corun_log2e_twice(float)
{
    corun_two<float> c = {0x1.715476p+1f, 0x1.4ae0cp-25f};
    return c;
}
CORUN_FN float __nv_powf(float x, float y)
{
    return CORUN_FAST(__nv_fast_powf(x, y), corun_pow(x, y));
}

CORUN_FN float __nv_sinhf(float x) { return corun_sinh(x); }
CORUN_FN float __nv_coshf(float x) { return corun_cosh(x); }
CORUN_FN float __nv_tanhf(float x) { return corun_tanh(x); }
CORUN_FN float __nv_asinhf(float x) { return corun_asinh(x); }
CORUN_FN float __nv_acoshf(float x) { return corun_acosh(x); }
CORUN_FN float __nv_atanhf(float x) { return corun_atanh(x); }

/* ---- roots ---- */
CORUN_FN float __nv_rsqrtf(float x) { return corun_rsqrtf(x); }
CORUN_FN float __nv_frsqrt_rn(float x) { return (float)(1 / __nv_dsqrt_rn((double)x)); }
CORUN_FN float __nv_cbrtf(float x)
{
    float a = __builtin_fabsf(x), b = a < 0x1p-90f ? a * 0x1p60f : a;
    float t = corun_ex2f(__nv_fast_log2f(b) * 0x1.555556p-2f), s = __nv_fmul_rn(t, t);
    t = __builtin_fmaf(-__builtin_fmaf(s, t, -b), __nv_fast_fdividef(0x1.555556p-2f, s), t);
    t = a < 0x1p-90f ? t * 0x1p-20f : t;
    return a > 0 && a < __builtin_inff() ? __builtin_copysignf(t, x) : x + x;
}
CORUN_FN float __nv_rcbrtf(float x)
{
    float a = __builtin_fabsf(x), t = corun_ex2f(__nv_fast_log2f(a) * -0x1.555556p-2f);
    float s = __nv_fmul_rn(t, a), e = __builtin_fmaf(t * t, -s, 1);
    t = __builtin_fmaf(e * 0x1.555556p-2f, t, t);
    return a > 0 && a < __builtin_inff() ? __builtin_copysignf(t, x) : 1 / x;
}

/* ---- trigonometric ---- */

/* x minus the nearest multiple of pi/2; *quarter: the multiple */
CORUN_FN float corun_quarter(float x, int *quarter)
{
    float n = __builtin_rintf(x * 0x1.45f306p-1f);
    float r = __builtin_fmaf(n, -0x1.921fb6p+0f, x);
    r = __builtin_fmaf(n, 0x1.777a5cp-25f, r);
    r = __builtin_fmaf(n, 0x1.ee59dap-50f, r);
    *quarter = (int)n;
    if (__builtin_fabsf(x) > 48000) {
        corun_two<double> far = corun_quarter_far((double)x, quarter);
        r = (float)far.high;
    }
    return r;
}
CORUN_FN float corun_sin_part(float r)
{
    float z = r * r;
    return __builtin_fmaf(z * r, corun_sin_f(z), r);
}
CORUN_FN float corun_cos_part(float r)
{
    float z = r * r;
    return __builtin_fmaf(z, corun_cos_f(z), 1);
}
CORUN_FN float corun_wave(float r, int quarter)
{
    float w = quarter & 1 ? corun_cos_part(r) : corun_sin_part(r);
    return quarter & 2 ? -w : w;
}
CORUN_FN float corun_sin(float x)
{
    int quarter;
    float r = corun_quarter(x, &quarter);
    return x == 0 ? x : corun_wave(r, quarter);
}
CORUN_FN float corun_cos(float x)
{
    int quarter;
    float r = corun_quarter(x, &quarter);
    return corun_wave(r, quarter + 1);
}
CORUN_FN void corun_sincos(float x, float *s, float *c)
{
    int quarter;
    float r = corun_quarter(x, &quarter), a = corun_sin_part(r), b = corun_cos_part(r);
    float sine = quarter & 1 ? b : a, cosine = quarter & 1 ? a : b;
    *s = x == 0 ? x : quarter & 2 ? -sine : sine;
    *c = (quarter + 1) & 2 ? -cosine : cosine;
}
CORUN_FN float corun_tan(float x)
{
    int quarter;
    float r = corun_quarter(x, &quarter), a = corun_sin_part(r), b = corun_cos_part(r);
    return x == 0 ? x : quarter & 1 ? -b / a : a / b;
}
CORUN_FN float __nv_sinf(float x) { return CORUN_FAST(__nv_fast_sinf(x), corun_sin(x)); }
CORUN_FN float __nv_cosf(float x) { return CORUN_FAST(__nv_fast_cosf(x), corun_cos(x)); }
CORUN_FN float __nv_tanf(float x) { return CORUN_FAST(__nv_fast_tanf(x), corun_tan(x)); }
CORUN_FN void __nv_sincosf(float x, float *s, float *c)
{
    CORUN_FAST(__nv_fast_sincosf(x, s, c), corun_sincos(x, s, c));
}
/* for sin and cos of pi x: subtracts the nearest half integer exactly */
CORUN_FN float corun_halves(float x, int *quarter)
{
    float n = __builtin_rintf(x + x), r = __builtin_fmaf(n, -0.5f, x);
    if (!(__builtin_fabsf(x) < 0x1p24f)) { /* an even integer, infinite or NaN */
        *quarter = 0;
        return x - x;
    }
    *quarter = (int)n;
    return __builtin_fmaf(r, 0x1.921fb6p+1f, r * -0x1.777a5cp-24f);
}
CORUN_FN void __nv_sincospif(float x, float *s, float *c)
{
    int quarter;
    float r = corun_halves(x, &quarter), sine = corun_wave(r, quarter);
    *s = __builtin_truncf(x) == x ? x * 0.0f : sine;
    *c = corun_wave(r, quarter + 1) + 0.0f;
}
CORUN_FN float __nv_sinpif(float x)
{
    float s, c;
    __nv_sincospif(x, &s, &c);
    return s;
}
CORUN_FN float __nv_cospif(float x)
{
    float s, c;
    __nv_sincospif(x, &s, &c);
    return c;
}

CORUN_FN float corun_atan_part(float x) /* |x| <= 1 */
{
    float z = x * x;
    return __builtin_fmaf(z * x, corun_atan_f(z), x);
}
CORUN_FN float __nv_atanf(float x)
{
    float a = __builtin_fabsf(x), r = corun_atan_part(a > 1 ? 1 / a : a);
    r = a > 1 ? 0x1.921fb6p+0f - (r + 0x1.777a5cp-25f) : r;
    return __builtin_copysignf(r, x);
}
CORUN_FN float __nv_atan2f(float y, float x)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    float high = a > b ? a : b, low = a > b ? b : a;
    float q = low / high;
    q = low == high && high != 0 ? 1 : high == 0 ? 0 : q;
    float r = corun_atan_part(q);
    r = b > a ? 0x1.921fb6p+0f - (r + 0x1.777a5cp-25f) : r;
    r = __builtin_signbit(x) ? 0x1.921fb6p+1f - (r + 0x1.777a5cp-24f) : r;
    return x != x || y != y ? x + y : __builtin_copysignf(r, y);
}
CORUN_FN float corun_asin_part(float x) /* |x| <= 1/2 */
{
    float z = x * x;
    return __builtin_fmaf(z * x, corun_asin_f(z), x);
}
CORUN_FN float __nv_asinf(float x)
{
    float a = __builtin_fabsf(x), r;
    if (a > 0.5f) {
        r = corun_asin_part(__nv_fsqrt_rn(__builtin_fmaf(a, -0.5f, 0.5f)));
        r = __builtin_fmaf(r, -2, 0x1.921fb6p+0f) - 0x1.777a5cp-25f;
    } else {
        r = corun_asin_part(a);
    }
    return __builtin_copysignf(r, x);
}
CORUN_FN float __nv_acosf(float x)
{
    float a = __builtin_fabsf(x);
    if (a <= 0.5f) return 0x1.921fb6p+0f - (corun_asin_part(x) + 0x1.777a5cp-25f);
    float r = 2 * corun_asin_part(__nv_fsqrt_rn(__builtin_fmaf(a, -0.5f, 0.5f)));
    return x < 0 ? 0x1.921fb6p+1f - (r + 0x1.777a5cp-24f) : r;
}

/* ---- error function, and functions computed in double ---- */
CORUN_FN float __nv_erff(float x)
{
    float a = __builtin_fabsf(x), r;
    if (a < 0.92f) {
        r = __builtin_fmaf(a, corun_erf_f(a * a), a);
    } else {
        float p = corun_log_erfc_f(a < 4 ? a : 4);
        r = 1 - corun_ex2f(p * 0x1.715476p+0f);
    }
    return x != x ? x : __builtin_copysignf(r, x);
}
#define CORUN_BY_DOUBLE(name)                                                                      \
    CORUN_FN float name##f(float x) { return (float)name((double)x); }
CORUN_BY_DOUBLE(__nv_erfc)
CORUN_BY_DOUBLE(__nv_erfcx)
CORUN_BY_DOUBLE(__nv_erfinv)
CORUN_BY_DOUBLE(__nv_erfcinv)
CORUN_BY_DOUBLE(__nv_normcdf)
CORUN_BY_DOUBLE(__nv_normcdfinv)
CORUN_BY_DOUBLE(__nv_lgamma)
CORUN_BY_DOUBLE(__nv_tgamma)
#undef CORUN_BY_DOUBLE

#endif

/* Arithmetic with explicit rounding, conversions, bit and integer functions, and the fast
 * functions, which map to instructions of the SFU. */
#ifndef CORUN_DEVICE_ARITHMETIC_H
#define CORUN_DEVICE_ARITHMETIC_H

#include "define.h"

/* ---- rounded arithmetic ---- */
CORUN_ROUNDED(CORUN_OP2, __nv_fadd, float, "f", float, "f", "add", ".f32")
CORUN_ROUNDED(CORUN_OP2, __nv_fsub, float, "f", float, "f", "sub", ".f32")
CORUN_ROUNDED(CORUN_OP2, __nv_fmul, float, "f", float, "f", "mul", ".f32")
CORUN_ROUNDED(CORUN_OP2, __nv_fdiv, float, "f", float, "f", "div", ".f32")
CORUN_ROUNDED(CORUN_OP1, __nv_frcp, float, "f", float, "f", "rcp", ".f32")
CORUN_ROUNDED(CORUN_OP1, __nv_fsqrt, float, "f", float, "f", "sqrt", ".f32")
CORUN_ROUNDED(CORUN_OP3, __nv_fmaf, float, "f", float, "f", "fma", ".f32")
CORUN_ROUNDED(CORUN_OP3, __nv_fmaf_ieee, float, "f", float, "f", "fma", ".f32")
CORUN_ROUNDED(CORUN_OP2, __nv_dadd, double, "d", double, "d", "add", ".f64")
CORUN_ROUNDED(CORUN_OP2, __nv_dsub, double, "d", double, "d", "sub", ".f64")
CORUN_ROUNDED(CORUN_OP2, __nv_dmul, double, "d", double, "d", "mul", ".f64")
CORUN_ROUNDED(CORUN_OP2, __nv_ddiv, double, "d", double, "d", "div", ".f64")
CORUN_ROUNDED(CORUN_OP1, __nv_drcp, double, "d", double, "d", "rcp", ".f64")
CORUN_ROUNDED(CORUN_OP1, __nv_dsqrt, double, "d", double, "d", "sqrt", ".f64")
CORUN_ROUNDED(CORUN_OP3, __nv_fma, double, "d", double, "d", "fma", ".f64")
CORUN_FN float __nv_saturatef(float a)
{
    float r;
    asm("cvt.sat.f32.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}

/* ---- conversions ---- */
CORUN_TO_INTEGER(__nv_float2int, int, "r", float, "f", ".s32.f32")
CORUN_TO_INTEGER(__nv_float2uint, corun_u32, "r", float, "f", ".u32.f32")
CORUN_TO_INTEGER(__nv_float2ll, long long, "l", float, "f", ".s64.f32")
CORUN_TO_INTEGER(__nv_float2ull, corun_u64, "l", float, "f", ".u64.f32")
CORUN_TO_INTEGER(__nv_double2int, int, "r", double, "d", ".s32.f64")
CORUN_TO_INTEGER(__nv_double2uint, corun_u32, "r", double, "d", ".u32.f64")
CORUN_TO_INTEGER(__nv_double2ll, long long, "l", double, "d", ".s64.f64")
CORUN_TO_INTEGER(__nv_double2ull, corun_u64, "l", double, "d", ".u64.f64")
CORUN_ROUNDED(CORUN_OP1, __nv_double2float, float, "f", double, "d", "cvt", ".f32.f64")
CORUN_ROUNDED(CORUN_OP1, __nv_int2float, float, "f", int, "r", "cvt", ".f32.s32")
CORUN_ROUNDED(CORUN_OP1, __nv_uint2float, float, "f", corun_u32, "r", "cvt", ".f32.u32")
CORUN_ROUNDED(CORUN_OP1, __nv_ll2float, float, "f", long long, "l", "cvt", ".f32.s64")
CORUN_ROUNDED(CORUN_OP1, __nv_ull2float, float, "f", corun_u64, "l", "cvt", ".f32.u64")
CORUN_ROUNDED(CORUN_OP1, __nv_ll2double, double, "d", long long, "l", "cvt", ".f64.s64")
CORUN_ROUNDED(CORUN_OP1, __nv_ull2double, double, "d", corun_u64, "l", "cvt", ".f64.u64")
CORUN_FN double __nv_int2double_rn(int a) { return (double)a; }
CORUN_FN double __nv_uint2double_rn(corun_u32 a) { return (double)a; }

#define CORUN_CAST(name, to, from)                                                                 \
    CORUN_FN to name(from a)                                                                       \
    {                                                                                              \
        to r;                                                                                      \
        static_assert(sizeof r == sizeof a, "");                                                   \
        __builtin_memcpy(&r, &a, sizeof r);                                                        \
        return r;                                                                                  \
    }
CORUN_CAST(__nv_float_as_int, int, float)
CORUN_CAST(__nv_float_as_uint, corun_u32, float)
CORUN_CAST(__nv_int_as_float, float, int)
CORUN_CAST(__nv_uint_as_float, float, corun_u32)
CORUN_CAST(__nv_double_as_longlong, long long, double)
CORUN_CAST(__nv_longlong_as_double, double, long long)
#undef CORUN_CAST
CORUN_FN int __nv_double2hiint(double a) { return (int)(__nv_double_as_longlong(a) >> 32); }
CORUN_FN int __nv_double2loint(double a) { return (int)__nv_double_as_longlong(a); }
CORUN_FN double __nv_hiloint2double(int high, int low)
{
    return __nv_longlong_as_double((long long)high << 32 | (corun_u32)low);
}

/* ---- classes ---- */
CORUN_FN int __nv_signbitf(float a) { return __nv_float_as_int(a) < 0; }
CORUN_FN int __nv_signbitd(double a) { return __nv_double_as_longlong(a) < 0; }
CORUN_FN int __nv_finitef(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
CORUN_FN int __nv_isfinited(double a) { return __builtin_fabs(a) < __builtin_inf(); }
CORUN_FN int __nv_isinff(float a) { return __builtin_fabsf(a) == __builtin_inff(); }
CORUN_FN int __nv_isinfd(double a) { return __builtin_fabs(a) == __builtin_inf(); }
CORUN_FN int __nv_isnanf(float a) { return a != a; }
CORUN_FN int __nv_isnand(double a) { return a != a; }

/* ---- integers and bits ---- */
CORUN_FN int __nv_abs(int a) { return a < 0 ? -a : a; }
CORUN_FN long long __nv_llabs(long long a) { return a < 0 ? -a : a; }
CORUN_FN int __nv_min(int a, int b) { return a < b ? a : b; }
CORUN_FN int __nv_max(int a, int b) { return a > b ? a : b; }
CORUN_FN corun_u32 __nv_umin(corun_u32 a, corun_u32 b) { return a < b ? a : b; }
CORUN_FN corun_u32 __nv_umax(corun_u32 a, corun_u32 b) { return a > b ? a : b; }
CORUN_FN long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
CORUN_FN long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
CORUN_FN corun_u64 __nv_ullmin(corun_u64 a, corun_u64 b) { return a < b ? a : b; }
CORUN_FN corun_u64 __nv_ullmax(corun_u64 a, corun_u64 b) { return a > b ? a : b; }
CORUN_OP1(__nv_brev, corun_u32, "r", corun_u32, "r", "brev.b32")
CORUN_OP1(__nv_brevll, corun_u64, "l", corun_u64, "l", "brev.b64")
CORUN_OP1(__nv_clz, int, "r", int, "r", "clz.b32")
CORUN_OP1(__nv_clzll, int, "r", long long, "l", "clz.b64")
CORUN_OP1(__nv_popc, int, "r", corun_u32, "r", "popc.b32")
CORUN_OP1(__nv_popcll, int, "r", corun_u64, "l", "popc.b64")
CORUN_FN int __nv_ffs(int a) { return __builtin_ffs(a); }
CORUN_FN int __nv_ffsll(long long a) { return __builtin_ffsll(a); }
CORUN_OP3(corun_prmt, corun_u32, "r", corun_u32, "r", "prmt.b32")
/* Selectors have three bits; a fourth would make prmt copy a sign. */
CORUN_FN corun_u32 __nv_byte_perm(corun_u32 a, corun_u32 b, corun_u32 selector)
{
    return corun_prmt(a, b, selector & 0x7777);
}
CORUN_OP2(__nv_mul24, int, "r", int, "r", "mul24.lo.s32")
CORUN_OP2(__nv_umul24, corun_u32, "r", corun_u32, "r", "mul24.lo.u32")
CORUN_OP2(__nv_mulhi, int, "r", int, "r", "mul.hi.s32")
CORUN_OP2(__nv_umulhi, corun_u32, "r", corun_u32, "r", "mul.hi.u32")
CORUN_OP2(__nv_mul64hi, long long, "l", long long, "l", "mul.hi.s64")
CORUN_OP2(__nv_umul64hi, corun_u64, "l", corun_u64, "l", "mul.hi.u64")
CORUN_FN int __nv_hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
CORUN_FN int __nv_rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
CORUN_FN corun_u32 __nv_uhadd(corun_u32 a, corun_u32 b) { return (a & b) + ((a ^ b) >> 1); }
CORUN_FN corun_u32 __nv_urhadd(corun_u32 a, corun_u32 b) { return (a | b) - ((a ^ b) >> 1); }
CORUN_FN corun_u32 __nv_sad(int a, int b, corun_u32 c)
{
    asm("sad.s32 %0, %1, %2, %0;" : "+r"(c) : "r"(a), "r"(b));
    return c;
}
CORUN_FN corun_u32 __nv_usad(corun_u32 a, corun_u32 b, corun_u32 c)
{
    asm("sad.u32 %0, %1, %2, %0;" : "+r"(c) : "r"(a), "r"(b));
    return c;
}

/* ---- fast functions ---- */
CORUN_OP1(__nv_fast_sinf, float, "f", float, "f", "sin.approx.f32")
CORUN_OP1(__nv_fast_cosf, float, "f", float, "f", "cos.approx.f32")
CORUN_OP1(__nv_fast_log2f, float, "f", float, "f", "lg2.approx.f32")
CORUN_OP1(corun_ex2f, float, "f", float, "f", "ex2.approx.f32")
CORUN_OP1(corun_rsqrtf, float, "f", float, "f", "rsqrt.approx.f32")
CORUN_OP2(__nv_fast_fdividef, float, "f", float, "f", "div.approx.f32")
CORUN_FN float __nv_fast_tanf(float a)
{
    return __nv_fast_fdividef(__nv_fast_sinf(a), __nv_fast_cosf(a));
}
CORUN_FN void __nv_fast_sincosf(float a, float *s, float *c)
{
    *s = __nv_fast_sinf(a);
    *c = __nv_fast_cosf(a);
}
CORUN_FN float __nv_fast_expf(float a) { return corun_ex2f(__nv_fmul_rn(a, 0x1.715476p0f)); }
CORUN_FN float __nv_fast_exp10f(float a) { return corun_ex2f(__nv_fmul_rn(a, 0x1.a934fp1f)); }
CORUN_FN float __nv_fast_logf(float a) { return __nv_fast_log2f(a) * 0x1.62e43p-1f; }
CORUN_FN float __nv_fast_log10f(float a) { return __nv_fast_log2f(a) * 0x1.344136p-2f; }
CORUN_FN float __nv_fast_powf(float a, float b)
{
    return corun_ex2f(__nv_fmul_rn(b, __nv_fast_log2f(a)));
}

#endif

/* The .approx and .full functions: the APPROX rows of typed.def. Each function is a short series in
 * double precision, computed with IEEE add, multiply, divide and square root only: the results are
 * bit-identical on every host. Errors stay below one unit in the last place of f32, well inside the
 * manual's bounds. No fma, no libm.
 * Source: PTX ISA manual (special values, bounds); Taylor series. */
#include "exec/float/round.h"

#define TWO_PI 0x1.921fb54442d18p+2
#define TURNS 0x1.45f306dc9c883p-3   /* 1 / 2 pi */
#define LN2 0x1.62e42fefa39efp-1
#define LOG2_E 0x1.71547652b82fep+0

/* Rounds to the nearest integer; |x| < 2^51. */
static inline double nearest_integer(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

/* Returns 2^x with relative error 2^-32; |x| <= 1000. */
static inline double approx_exp2(double x)
{
    double shifted = x + 0x1.8p52; /* its lowest bits are the nearest integer */
    double t = (x - (shifted - 0x1.8p52)) * LN2;
    double p = 1.0 / 40320;
    p = p * t + 1.0 / 5040;
    p = p * t + 1.0 / 720;
    p = p * t + 1.0 / 120;
    p = p * t + 1.0 / 24;
    p = p * t + 1.0 / 6;
    p = p * t + 0.5;
    p = p * t + 1;
    p = p * t + 1;
    return p * double_of((bits_of_double(shifted) << 52) + (1023ull << 52));
}

/* Returns 2^x, x clamped to [-1000, 1000]. */
static inline double clamped_exp2(float x)
{
    x = 1000 < x ? 1000 : x;
    x = -1000 > x ? -1000 : x;
    return approx_exp2((double)x);
}

/* Returns log2 of a positive finite float; a subnormal float is a normal double. */
static inline double approx_log2(double x)
{
    u64 bits = bits_of_double(x), above = bits - 0x3fe6a09e667f3bcdull; /* relative to sqrt(1/2) */
    s32 n = (s32)(u32)(above >> 32) >> 20;
    double m = double_of(bits - ((u64)(s64)n << 52));
    double s = (m - 1) / (m + 1), q = s * s;
    double p = 1.0 / 11;
    p = p * q + 1.0 / 9;
    p = p * q + 1.0 / 7;
    p = p * q + 1.0 / 5;
    p = p * q + 1.0 / 3;
    p = p * q + 1;
    return (double)n + s * p * (2 * LOG2_E);
}

/* Returns the sine of quarter / 4 + g turns; |g| <= 1/8. */
static inline double approx_wave(double g, s32 quarter)
{
    double t = g * TWO_PI, q = t * t;
    double s = -1.0 / 39916800;
    s = s * q + 1.0 / 362880;
    s = s * q - 1.0 / 5040;
    s = s * q + 1.0 / 120;
    s = s * q - 1.0 / 6;
    s = (s * q + 1) * t;
    double c = -1.0 / 3628800;
    c = c * q + 1.0 / 40320;
    c = c * q - 1.0 / 720;
    c = c * q + 1.0 / 24;
    c = c * q - 0.5;
    c = c * q + 1;
    double r = quarter & 1 ? c : s;
    return quarter & 2 ? -r : r;
}

/* Model: an argument of 2^51 turns or more, for which the manual gives no bound, counts as a whole
 * number of turns - guess */
static inline double approx_turn(double x, s32 ahead)
{
    double t = x * TURNS;
    t = t > -0x1p51 && t < 0x1p51 ? t : 0;
    double f = t - nearest_integer(t), quarters = nearest_integer(f * 4);
    return approx_wave(f - quarters * 0.25, (s32)quarters + ahead);
}

#define INF __builtin_inff()

static inline double f32_SIN(float x)
{
    double r = approx_turn((double)x, 0);
    r = x == 0 ? (double)x : r; /* zero keeps its sign */
    return x - x != 0 ? (double)(x - x) : r;
}
static inline double f32_COS(float x)
{
    double r = approx_turn((double)x, 1);
    return x - x != 0 ? (double)(x - x) : r;
}
static inline float f32_EX2(float x)
{
    return (float)clamped_exp2(x);
}
static inline double f32_LG2(float x)
{
    double r = approx_log2((double)x);
    float special = x == 0 ? -INF : x > 0 ? x : float_of(F32_NAN);
    return x > 0 && x < INF ? r : (double)special;
}
static inline double f32_TANH(float x)
{
    double a = (double)float_of(bits_of(x) & 0x7fffffff);
    double e = approx_exp2((a < 20 ? a : 20) * (2 * LOG2_E));
    double r = a < 0x1p-12 ? a : (e - 1) / (e + 1);
    r = x < 0 ? -r : r;
    return x != x || x == 0 ? (double)x : r;
}
static inline double f32_RCP(float x) { return (double)(1 / x); }
static inline double f32_SQRT(float x) { return (double)__builtin_sqrtf(x); }
static inline double f32_RSQRT(float x) { return 1 / __builtin_sqrt((double)x); }

/* Above 2^126 the reciprocal of b is flushed to zero: the quotient is 0, or NaN for an infinite
 * a. */
static inline float f32_div_approx(float a, float b)
{
    float size = float_of(bits_of(b) & 0x7fffffff);
    float zero = float_of(bits_of(b) & 0x80000000);
    return size > 0x1p126f && size < INF ? a * zero : a / b;
}
static inline float f32_div_full(float a, float b) { return a / b; }

/* The .ftz.f64 forms read the upper 32 bits of the operand and produce the upper 32 bits of the
 * result. Model: their NaN is 0x7fffffff00000000 (rcp and rsqrt .approx.ftz.f64, measured on an
 * H100: test/silicon). */
static inline double f64_upper(double x)
{
    u64 bits = bits_of_double(x) & ~(u64)UINT32_MAX;
    return double_of(bits & 0x7ffull << 52 ? bits : bits & 1ull << 63);
}
static inline double f64_to_upper(double x)
{
    u64 bits = bits_of_double(x) + (x - x == 0 ? 0x80000000ull : 0);
    double r = f64_upper(double_of(bits));
    return r == r ? r : double_of((u64)F32_NAN << 32);
}

static void rcp_f64(struct warp *w, const struct ptx_inst *i)
{
    ROW_IN(double, a, 0);
    LANES_WRITE(double, double r = f64_to_upper(1 / f64_upper(a_row[l])));
}
static void rsqrt_f64_ftz(struct warp *w, const struct ptx_inst *i)
{
    ROW_IN(double, a, 0);
    LANES_WRITE(double,
                double r = f64_to_upper(1 / __builtin_sqrt(f64_upper(a_row[l]))));
}
static void rsqrt_f64(struct warp *w, const struct ptx_inst *i)
{
    ROW_IN(double, a, 0);
    LANES_WRITE(double, double r = f64_nan1(1 / __builtin_sqrt(a_row[l]), a_row[l]));
}

#define READ(name, flags) \
    float name = (flags) & FLAG_FTZ ? f32_flush(name##_row[l]) : name##_row[l]
#define FINISH(value, flags) \
    float r = f32_canonical((float)(value)); \
    r = (flags) & FLAG_FTZ ? f32_flush(r) : r

/* X(op, flags) */
#define UNARY(X) \
    X(RCP, F_PLAIN) X(RCP, F_FTZ) X(SQRT, F_PLAIN) X(SQRT, F_FTZ) \
    X(RSQRT, F_PLAIN) X(RSQRT, F_FTZ) \
    X(SIN, F_PLAIN) X(SIN, F_FTZ) X(COS, F_PLAIN) X(COS, F_FTZ) X(LG2, F_PLAIN) X(LG2, F_FTZ) \
    X(EX2, F_PLAIN) X(EX2, F_FTZ) X(TANH, F_PLAIN)
#define DEFINE_UNARY(op, flags) \
    static void op##_##flags(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(float, a, 0); \
        LANES_WRITE(float, READ(a, flags); FINISH(f32_##op(a), flags)); \
    }
UNARY(DEFINE_UNARY)

/* X(how, need, flags) */
#define DIVISIONS(X) \
    X(approx, FLAG_APPROX, F_PLAIN) X(approx, FLAG_APPROX, F_FTZ) \
    X(full, FLAG_FULL, F_PLAIN) X(full, FLAG_FULL, F_FTZ)
#define DEFINE_DIVISION(how, need, flags) \
    static void div_##how##_##flags(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(float, a, 0); \
        ROW_IN(float, b, 1); \
        LANES_WRITE(float, \
                    READ(a, flags); READ(b, flags); FINISH(f32_div_##how(a, b), flags)); \
    }
DIVISIONS(DEFINE_DIVISION)

/* 16-bit forms. ex2 of bf16 flushes subnormals; 2^x is 1 for a subnormal x, flushed or not. */
static inline u32 bf16_flush(u32 h) { return h & 0x7f80 ? h & 0xffff : h & 0x8000; }
static inline u32 half_EX2_F16(u32 h)
{
    return exact_f16(exact_one(clamped_exp2(f16_widen(h))), ROUND_RN);
}
static inline u32 half_TANH_F16(u32 h)
{
    return exact_f16(exact_one(f32_TANH(f16_widen(h))), ROUND_RN);
}
static inline u32 half_EX2_BF16(u32 h)
{
    return bf16_flush(exact_bf16(exact_one(clamped_exp2(bf16_widen(h))), ROUND_RN));
}
static inline u32 half_TANH_BF16(u32 h)
{
    return exact_bf16(exact_one(f32_TANH(bf16_widen(h))), ROUND_RN);
}
#define HALVES(X) X(EX2, F16) X(TANH, F16) X(EX2, BF16) X(TANH, BF16)
#define DEFINE_HALF(op, format) \
    static void op##_##format(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(u32, a, 0); \
        LANES_WRITE(u32, u32 r = half_##op##_##format(a_row[l] & 0xffff)); \
    } \
    static void op##_##format##X2(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(u32, a, 0); \
        LANES_WRITE(u32, u32 a = a_row[l]; \
                    u32 r = half_##op##_##format(a & 0xffff) | \
                            half_##op##_##format(a >> 16) << 16); \
    }
HALVES(DEFINE_HALF)

#define ANY EXEC_ANY
enum { CARE = FLAG_FTZ | FLAG_APPROX | FLAG_FULL };
#define ROW_UNARY(op, flags) \
    {OP_##op, T_F32, ANY, ANY, ANY, ANY, ANY, ANY, (flags) | FLAG_APPROX, CARE, op##_##flags},
#define ROW_DIVISION(how, need, flags) \
    {OP_DIV, T_F32, ANY, ANY, ANY, ANY, ANY, ANY, (flags) | (need), CARE, div_##how##_##flags},
#define ROW_HALF(op, format) \
    {OP_##op, T_##format, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, op##_##format}, \
    {OP_##op, T_##format##X2, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, op##_##format##X2},
const struct exec_row exec_approx_rows[] = {
    UNARY(ROW_UNARY)
    DIVISIONS(ROW_DIVISION)
    HALVES(ROW_HALF)
    {OP_RCP, T_F64, ANY, ANY, ANY, ANY, ANY, ANY, FLAG_FTZ | FLAG_APPROX, CARE, rcp_f64},
    {OP_RSQRT, T_F64, ANY, ANY, ANY, ANY, ANY, ANY, FLAG_FTZ | FLAG_APPROX, CARE, rsqrt_f64_ftz},
    {OP_RSQRT, T_F64, ANY, ANY, ANY, ANY, ANY, ANY, FLAG_APPROX, CARE, rsqrt_f64},
};
const u32 exec_approx_row_n = COUNT_OF(exec_approx_rows);

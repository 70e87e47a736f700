/* Exact values and their rounding, for one lane, in plain IEEE double arithmetic. The host's
 * rounding mode never changes, and results are bit-identical on every host. An exact number is the
 * unevaluated sum of two doubles (`high` is the sum rounded to nearest, `low` the rounding error);
 * each conversion to a format rounds the exact number once, in any direction.
 * Source: error-free transforms (Knuth, Dekker); round to odd (Boldo, Melquiond). */
#ifndef CORUN_ROUND_H
#define CORUN_ROUND_H

#include "exec/lanes.h"
#include "isa/isa.h"

/* NaN results of operations on 16 and 32 bits: payloads are not kept. */
#define F32_NAN 0x7fffffffu
#define F16_NAN 0x7fffu
#define BF16_NAN 0x7fffu
/* NaN result of an f64 operation on numbers, such as 0 * infinity. f64_nan1 to f64_nan3 have the
 * results for NaN operands. */
#define F64_NAN 0xfff8000000000000ull

struct exact {
    double high, low;
};

static inline struct exact exact_one(double x) { return (struct exact){x, 0}; }

static inline struct exact exact_sum(double a, double b)
{
    double s = a + b, t = s - a;
    double low = (a - (s - t)) + (b - t);
    return (struct exact){s, s - s == 0 ? low : 0}; /* infinities and NaN have no error term */
}

static inline struct exact exact_u64(u64 x)
{
    return exact_sum((double)(u32)(x >> 32) * 0x1p32, (double)(u32)x);
}
static inline struct exact exact_s64(s64 x)
{
    return exact_sum((double)(s32)(x >> 32) * 0x1p32, (double)(u32)x);
}

/* Rounds to odd: sets the last bit if the result is inexact. Rounding the returned double to a
 * format of at most 51 bits equals rounding the exact number. */
static inline double exact_odd(struct exact x)
{
    u64 bits = bits_of_double(x.high), inwards = (bits ^ bits_of_double(x.low)) >> 63;
    u64 odd = bits & 1 ? bits : bits + 1 - 2 * inwards;
    return x.low != 0 ? double_of(odd) : x.high;
}

/* Moves the bits of a result rounded to nearest by one step, if `mode` requires rounding to the
 * other side. `rest`: sign of (exact - result). `bits`: magnitude, with the sign in `sign_bit`. */
static inline u64 round_step(u64 bits, u64 sign_bit, double rest, enum round mode)
{
    bool negative = bits & sign_bit, zero = !(bits & ~sign_bit);
    if (mode == ROUND_RP && rest > 0) return zero ? 1 : negative ? bits - 1 : bits + 1;
    if (mode == ROUND_RM && rest < 0) return zero ? sign_bit | 1 : negative ? bits + 1 : bits - 1;
    if (mode == ROUND_RZ && !zero && (negative ? rest > 0 : rest < 0)) return bits - 1;
    return bits;
}

static inline float exact_f32(struct exact x, enum round mode)
{
    if (mode == ROUND_RN) return (float)exact_odd(x);
    float near = (float)x.high;
    double rest = x.high - (double)near;
    rest = rest == 0 ? x.low : rest;
    return float_of((u32)round_step(bits_of(near), 0x80000000u, rest, mode));
}

static inline double exact_f64(struct exact x, enum round mode)
{
    if (mode == ROUND_RN) return x.high;
    return double_of(round_step(bits_of_double(x.high), 1ull << 63, x.low, mode));
}

/* Rounds to a 16-bit format with `precision` significant bits (hidden bit included) and smallest
 * normal exponent `low`. NaN returns 0x7fff. Branch-free and in 64-bit lanes, to be vectorised. */
static inline u32 exact_small(struct exact exact, enum round mode, s64 precision, s64 low)
{
    u64 bits = bits_of_double(exact_odd(exact));
    s64 sign = (s64)(bits >> 63), inf = (3 - 2 * low) << (precision - 1);
    s64 exponent = (s64)(bits >> 52 & 0x7ff) - 1023;
    s64 fraction = (s64)(bits & ((1ull << 52) - 1));
    s64 whole = exponent == -1023 ? fraction : fraction | 1ll << 52;
    s64 lost = 53 - precision + (exponent < low ? low - exponent : 0);
    lost = lost > 60 ? 60 : lost;
    s64 kept = (s64)((u64)whole >> lost), half = (s64)(1ull << (lost - 1));
    s64 rest = whole & (half + half - 1);
    s64 away = mode == ROUND_RP ? !sign : mode == ROUND_RM ? sign : 0;
    s64 up = mode == ROUND_RN ? (rest > half) | ((rest == half) & kept) : (rest != 0) & away;
    s64 magnitude = kept + up + ((exponent < low ? 0 : exponent - low) << (precision - 1));
    s64 limit = mode == ROUND_RN || away ? inf : inf - 1;
    magnitude = magnitude >= inf ? limit : magnitude;
    magnitude = exponent == 1024 ? inf : magnitude;
    magnitude |= sign << 15;
    return (u32)(exponent == 1024 && fraction ? F16_NAN : magnitude);
}
/* exact_small for rounding to nearest. */
static inline u32 nearest_small(struct exact exact, s64 precision, s64 low)
{
    u64 bits = bits_of_double(exact_odd(exact));
    s64 size = (s64)(bits & INT64_MAX), shift = 53 - precision;
    s64 inf = (3 - 2 * low) << (precision - 1);
    /* the last place of unit is that of subnormal numbers */
    double unit = double_of((u64)(1023 + low - precision + 1 + 52) << 52);
    s64 subnormal = (s64)(bits_of_double(double_of((u64)size) + unit) - bits_of_double(unit));
    s64 up = ((s64)1 << (shift - 1)) - 1 + (size >> shift & 1);
    s64 normal = (s64)((u64)(size - ((1022 + low) << 52) + up) >> shift);
    s64 r = size < (1023 + low) << 52 ? subnormal : normal;
    r = size >= (1025 - low) << 52 ? inf : r;
    r |= (s64)(bits >> 48 & 0x8000);
    return (u32)(size > 0x7ffll << 52 ? F16_NAN : r);
}
static inline u32 exact_f16(struct exact x, enum round mode)
{
    return mode == ROUND_RN ? nearest_small(x, 11, -14) : exact_small(x, mode, 11, -14);
}
static inline u32 exact_bf16(struct exact x, enum round mode)
{
    return mode == ROUND_RN ? nearest_small(x, 8, -126) : exact_small(x, mode, 8, -126);
}

/* Rounds an f32 to nearest. */
static inline u32 nearest_f16(float x)
{
    u32 bits = bits_of(x);
    s32 size = (s32)(bits & INT32_MAX);
    s32 normal = (size - (112 << 23) + 0xfff + (size >> 13 & 1)) >> 13;
    s32 subnormal = (s32)(bits_of(float_of((u32)size) + 0.5f) - bits_of(0.5f));
    s32 r = size < 113 << 23 ? subnormal : normal;
    r = size >= 143 << 23 ? 0x7c00 : r;
    r |= (s32)(bits >> 16 & 0x8000);
    return (u32)(size > 0x7f800000 ? (s32)F16_NAN : r);
}

/* Returns the sum, rounded to odd, of two numbers whose rounding error is an f32. */
static inline float odd_sum_f32(float a, float b)
{
    float s = a + b, t = s - a, low = (a - (s - t)) + (b - t);
    u32 bits = bits_of(s), inwards = (bits ^ bits_of(low)) >> 31;
    u32 odd = bits & 1 ? bits : bits + 1 - 2 * inwards;
    bool inexact = (s - s == 0) & (low != 0);
    return inexact ? float_of(odd) : s;
}

/* Widening is exact. */
static inline float f16_widen(u32 h)
{
    u32 magnitude = h & 0x7fff, sign = (h & 0x8000) << 16;
    float small = (float)(s32)magnitude * 0x1p-24f;
    u32 normal = (magnitude << 13) + (112u << 23);
    normal += magnitude >= 0x7c00 ? 112u << 23 : 0;
    return float_of(sign | (magnitude < 0x400 ? bits_of(small) : normal));
}
static inline float bf16_widen(u32 h) { return float_of(h << 16); }

/* Rounds f32 by dropping the lower 13 bits; .rna rounds ties away from zero. Model: a
 * conversion to tf32 turns NaN into 0x7fffe000; .rna clears the lower 13 bits, which turns some NaN
 * into infinity (measured on an H100: test/silicon). */
static inline u32 tf32_narrow(u32 bits, enum round mode)
{
    u32 half = mode == ROUND_RZ ? 0 : mode == ROUND_RNA ? 0x1000 : 0xfff + (bits >> 13 & 1);
    u32 magnitude = bits & 0x7fffffff;
    u32 cut = (magnitude < 0x7f800000 ? bits + half : bits) & ~0x1fffu;
    return magnitude > 0x7f800000 && mode != ROUND_RNA ? 0x7fffe000 : cut;
}

/* .ftz: a subnormal becomes zero of the same sign. */
static inline float f32_flush(float x)
{
    u32 bits = bits_of(x), small = 0 - (u32)!(bits & 0x7f800000);
    return float_of(bits & ~(small & 0x7fffffff));
}
static inline u32 f16_flush(u32 h) { return h & 0x7c00 ? h & 0xffff : h & 0x8000; }

/* Returns the lesser or greater of two values in the order of floats: -0 is less than +0; FLAG_NAN
 * determines the result for NaN. */
static inline u32 half_extreme(u32 a, u32 b, bool less, u32 inf, u32 flags)
{
    bool a_nan = (a & 0x7fff) > inf, b_nan = (b & 0x7fff) > inf;
    s32 a_rank = a & 0x8000 ? -(s32)(a & 0x7fff) - 1 : (s32)a;
    s32 b_rank = b & 0x8000 ? -(s32)(b & 0x7fff) - 1 : (s32)b;
    u32 r = (a_rank < b_rank) == less ? a : b;
    bool nan = a_nan | b_nan;
    if (flags & FLAG_NAN) return nan ? F16_NAN : r;
    b = b_nan ? F16_NAN : b;
    r = b_nan ? a : r;
    return a_nan ? b : r;
}

static inline float f32_canonical(float x) { return x == x ? x : float_of(F32_NAN); }

/* Returns a NaN as a quiet NaN of the same payload and sign. */
static inline double f64_quiet(double x)
{
    return double_of(bits_of_double(x) | 1ull << 51);
}
/* Return the result r of an f64 operation, or the NaN of the operation if r is NaN. a, b, c:
 * the operands, the first NaN decides. Model: an f64 operation keeps the payload and sign of a NaN
 * operand and makes the NaN quiet; without a NaN operand NaN is 0xfff8000000000000 (measured on an
 * H100: test/silicon). */
static inline double f64_nan1(double r, double a)
{
    double nan = a != a ? f64_quiet(a) : double_of(F64_NAN);
    return r == r ? r : nan;
}
static inline double f64_nan2(double r, double a, double b)
{
    double nan = b != b ? f64_quiet(b) : double_of(F64_NAN);
    nan = a != a ? f64_quiet(a) : nan;
    return r == r ? r : nan;
}
static inline double f64_nan3(double r, double a, double b, double c)
{
    double nan = c != c ? f64_quiet(c) : double_of(F64_NAN);
    nan = b != b ? f64_quiet(b) : nan;
    nan = a != a ? f64_quiet(a) : nan;
    return r == r ? r : nan;
}

/* Names of flag combinations, for the names of functions. */
enum {
    F_PLAIN = 0, F_FTZ = FLAG_FTZ, F_SAT = FLAG_SAT, F_FTZ_SAT = FLAG_FTZ | FLAG_SAT,
    F_NAN = FLAG_NAN, F_FTZ_NAN = FLAG_FTZ | FLAG_NAN,
    F_A = FLAG_NEGATE_A, F_C = FLAG_NEGATE_C, F_A_C = F_A | F_C,
    F_A_FTZ = F_A | F_FTZ, F_C_FTZ = F_C | F_FTZ, F_A_C_FTZ = F_A_C | F_FTZ,
    F_A_SAT = F_A | F_SAT, F_C_SAT = F_C | F_SAT, F_A_C_SAT = F_A_C | F_SAT,
    F_A_FTZ_SAT = F_A_FTZ | F_SAT, F_C_FTZ_SAT = F_C_FTZ | F_SAT, F_A_C_FTZ_SAT = F_A_C_FTZ | F_SAT
};

/* .sat: clamps to [0, 1]; NaN and -0 become +0. */
static inline float f32_saturate(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
static inline double f64_saturate(double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

#endif

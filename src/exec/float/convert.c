/* cvt: the CVT rows of typed.def, by kind of source and destination. Floats pass through an exact
 * value (round.h) and are rounded once. The most common rounding mode has its own function, the
 * other modes share a function. Results of .s8 and .s16 are sign-extended over the 32-bit lane,
 * since the destination register may be wider than the type. Source: PTX ISA manual, cvt. */
#include "exec/float/round.h"

#define LANE_U8 u8
#define LANE_U16 u16
#define LANE_U32 u32
#define LANE_U64 u64
#define LANE_S8 s8
#define LANE_S16 s16
#define LANE_S32 s32
#define LANE_S64 s64
#define LANE_F16 u16
#define LANE_BF16 u16
#define LANE_F32 float
#define LANE_F64 double

/* C type of a lane in a row; narrow integers in extended form. */
#define HOLD_U8 u32
#define HOLD_U16 u32
#define HOLD_U32 u32
#define HOLD_U64 u64
#define HOLD_S8 s32
#define HOLD_S16 s32
#define HOLD_S32 s32
#define HOLD_S64 s64
#define HOLD_F16 u32
#define HOLD_BF16 u32
#define HOLD_F32 float
#define HOLD_F64 double

#define BITS(type) (8 * sizeof(LANE_##type))
#define MAX_U(type) (UINT64_MAX >> (64 - BITS(type)))
#define MAX_S(type) (UINT64_MAX >> (65 - BITS(type)))
#define LIMITS_U8 0, MAX_U(U8)
#define LIMITS_U16 0, MAX_U(U16)
#define LIMITS_U32 0, MAX_U(U32)
#define LIMITS_U64 0, MAX_U(U64)
#define LIMITS_S8 INT8_MIN, MAX_S(S8)
#define LIMITS_S16 INT16_MIN, MAX_S(S16)
#define LIMITS_S32 INT32_MIN, MAX_S(S32)
#define LIMITS_S64 INT64_MIN, MAX_S(S64)

/* Clamp to [low, high]; the caller truncates the 64 bits to the type. */
static inline u64 clamp_unsigned(u64 x, s64 low, u64 high)
{
    (void)low; /* never above 0 */
    return min_u64(x, high);
}
static inline u64 clamp_signed(s64 x, s64 low, u64 high)
{
    return x < low ? (u64)low : x > 0 && (u64)x > high ? high : (u64)x;
}
#define CLAMP_U8 clamp_unsigned
#define CLAMP_U16 clamp_unsigned
#define CLAMP_U32 clamp_unsigned
#define CLAMP_U64 clamp_unsigned
#define CLAMP_S8 clamp_signed
#define CLAMP_S16 clamp_signed
#define CLAMP_S32 clamp_signed
#define CLAMP_S64 clamp_signed

/* Integers of up to 32 bits are exact as doubles. */
#define EXACT_U8(x) exact_one((double)(x))
#define EXACT_U16(x) exact_one((double)(x))
#define EXACT_U32(x) exact_one((double)(x))
#define EXACT_U64(x) exact_u64(x)
#define EXACT_S8(x) exact_one((double)(x))
#define EXACT_S16(x) exact_one((double)(x))
#define EXACT_S32(x) exact_one((double)(x))
#define EXACT_S64(x) exact_s64(x)

#define WIDEN_F16(x, flags) ((double)f16_widen(x))
#define WIDEN_BF16(x, flags) ((double)bf16_widen(x))
#define WIDEN_F32(x, flags) ((double)((flags) & FLAG_FTZ ? f32_flush(x) : (x)))
#define WIDEN_F64(x, flags) (x)

static inline u32 narrow_F16(struct exact x, enum round mode, u32 flags)
{
    u32 h = exact_f16(x, mode);
    if (flags & FLAG_SAT) h = h & 0x8000 || h > 0x7c00 ? 0 : min_u32(h, 0x3c00);
    return h;
}
static inline u32 narrow_BF16(struct exact x, enum round mode, u32 flags)
{
    u32 h = exact_bf16(x, mode);
    if (flags & FLAG_SAT) h = h & 0x8000 || h > 0x7f80 ? 0 : min_u32(h, 0x3f80);
    return h;
}
static inline float narrow_F32(struct exact x, enum round mode, u32 flags)
{
    float r = f32_canonical(exact_f32(x, mode));
    if (flags & FLAG_FTZ) r = f32_flush(r);
    return flags & FLAG_SAT ? f32_saturate(r) : r;
}
static inline double narrow_F64(struct exact x, enum round mode, u32 flags)
{
    double r = exact_f64(x, mode);
    return flags & FLAG_SAT ? f64_saturate(r) : r;
}

/* Rounds to an integral value; always exact. */
static inline double integral(double x, enum round mode)
{
    switch (mode) {
    case ROUND_RNI: return __builtin_rint(x);
    case ROUND_RZI: return __builtin_trunc(x);
    case ROUND_RMI: return __builtin_floor(x);
    case ROUND_RPI: return __builtin_ceil(x);
    default: return x;
    }
}

/* Convert an integral x or NaN. 64-bit limits are powers of two, and exact as doubles. */
static inline u64 to_signed(double x, s64 low, u64 high, u64 nan)
{
    if (x != x) return nan;
    if (x < (double)low) return (u64)low;
    return x >= (double)high ? high : (u64)(s64)x;
}
static inline u64 to_unsigned(double x, s64 low, u64 high, u64 nan)
{
    (void)low;
    if (x != x) return nan;
    if (x < 0) return 0;
    return x >= (double)high ? high : (u64)x;
}
/* Converts if the limits fit in 32 bits, in vectorisable form. Unsigned values pass through the
 * signed range. */
static inline u64 to_small(double x, s64 low, u64 high, u64 nan)
{
    double middle = low == 0 && high == UINT32_MAX ? 0x1p31 : 0;
    double y = x > (double)low ? (x < (double)high ? x : (double)high) : (double)low;
    return x != x ? nan : (u64)((s64)(s32)(y - middle) + (s64)middle);
}
#define TO_U8 to_small
#define TO_U16 to_small
#define TO_U32 to_small
#define TO_U64 to_unsigned
#define TO_S8 to_small
#define TO_S16 to_small
#define TO_S32 to_small
#define TO_S64 to_signed

/* NaN converts to 0, but to 2^(bits-1) if the source is f64 or the destination has 64 bits. */
#define NAN_AS(d, s) (BITS(d) == 64 || BITS(s) == 64 ? 1ull << (BITS(d) - 1) : 0)

#define SOURCE(s) const HOLD_##s *a_row = __builtin_assume_aligned(row_of(w, i->src[0]), 64)
#define WRITE(d, s, VALUE) \
    do { \
        u32 mask = w->executing; \
        HOLD_##d *out = lanes_begin(w, i->dst[0], mask); \
        LANE_LOOP { \
            LANE_##s a = (LANE_##s)a_row[l]; \
            out[l] = (HOLD_##d)(LANE_##d)(VALUE); \
        } \
        lanes_end(w, i->dst[0], mask, sizeof *out); \
    } while (0)

#define NAME(d, s, how) cvt_##d##_##s##_##how
#define RUN(d, s, how) static void NAME(d, s, how)(struct warp *w, const struct ptx_inst *i)

#define INT_FROM_INT(d, s) \
    RUN(d, s, plain) { SOURCE(s); WRITE(d, s, a); } \
    RUN(d, s, sat) { SOURCE(s); WRITE(d, s, CLAMP_##s(a, LIMITS_##d)); }

#define INT_FROM_FLOAT_ROUND(d, s, mode) \
    RUN(d, s, mode) \
    { \
        SOURCE(s); \
        u32 flags = i->form.flags; \
        (void)flags; \
        WRITE(d, s, TO_##d(integral(WIDEN_##s(a, flags), ROUND_##mode), LIMITS_##d, \
                           NAN_AS(d, s))); \
    }
#define INT_FROM_FLOAT(d, s) \
    INT_FROM_FLOAT_ROUND(d, s, RNI) INT_FROM_FLOAT_ROUND(d, s, RZI) \
    INT_FROM_FLOAT_ROUND(d, s, RMI) INT_FROM_FLOAT_ROUND(d, s, RPI)

#define FLOAT_FROM_INT(d, s) \
    RUN(d, s, RN) \
    { \
        SOURCE(s); \
        u32 flags = i->form.flags; \
        WRITE(d, s, narrow_##d(EXACT_##s(a), ROUND_RN, flags)); \
    } \
    RUN(d, s, other) \
    { \
        SOURCE(s); \
        u32 flags = i->form.flags; \
        enum round mode = i->form.round; \
        WRITE(d, s, narrow_##d(EXACT_##s(a), mode, flags)); \
    }

/* Flags that matter to the operand. Model: .ftz flushes no operand of a conversion to f16 (measured
 * on an H100: test/silicon). */
#define FLUSHED_F16 ~(u32)FLAG_FTZ
#define FLUSHED_BF16 UINT32_MAX
#define FLUSHED_F32 UINT32_MAX
#define FLUSHED_F64 UINT32_MAX

/* ---- NaN from NaN ---- */

/* Return the bits of a NaN as a quiet NaN of f64, with payload and sign. */
#define PAYLOAD_F16(a) ((u64)((a) & 0x8000u) << 48 | 0xfffull << 51 | (u64)((a) & 0x3ffu) << 42)
#define PAYLOAD_BF16(a) ((u64)((a) & 0x8000u) << 48 | 0xfffull << 51 | (u64)((a) & 0x7fu) << 45)
#define PAYLOAD_F32(a) \
    ((u64)(bits_of(a) & 0x80000000u) << 32 | 0xfffull << 51 | (u64)(bits_of(a) & 0x7fffffu) << 29)
#define PAYLOAD_F64(a) (bits_of_double(a) | 1ull << 51)

/* Model: a conversion from or to f64 keeps the leading bits of a NaN's payload and the sign, and
 * makes the NaN quiet; f32 from bf16 keeps all bits; between f32, f16 and other bf16 the result is
 * 0x7fffffff or 0x7fff (measured on an H100: test/silicon). */
static inline double keep_f64(double r, u64 nan) { return r == r ? r : double_of(nan); }
static inline float keep_f32(float r, u64 nan)
{
    u32 kept = (u32)(nan >> 32 & 0x80000000) | 0x7f800000 | (u32)(nan >> 29 & 0x7fffff);
    return r == r ? r : float_of(kept);
}
static inline u32 keep_half(u32 r, u64 nan, u32 inf, u32 lost)
{
    u32 kept = (u32)(nan >> 48 & 0x8000) | inf | (u32)(nan >> lost & (0x7fff ^ inf));
    return (r & 0x7fff) > inf ? kept : r;
}
static inline float keep_bits(float r, float a) { return r == r ? r : a; }
#define NAN_F64_F16(r, a) keep_f64(r, PAYLOAD_F16(a))
#define NAN_F64_BF16(r, a) keep_f64(r, PAYLOAD_BF16(a))
#define NAN_F64_F32(r, a) keep_f64(r, PAYLOAD_F32(a))
#define NAN_F64_F64(r, a) keep_f64(r, PAYLOAD_F64(a))
#define NAN_F32_F64(r, a) keep_f32(r, PAYLOAD_F64(a))
#define NAN_F16_F64(r, a) keep_half(r, PAYLOAD_F64(a), 0x7c00, 42)
#define NAN_BF16_F64(r, a) keep_half(r, PAYLOAD_F64(a), 0x7f80, 45)
#define NAN_F32_BF16(r, a) keep_bits(r, bf16_widen(a))
#define NAN_F32_F32(r, a) (r)
#define NAN_F32_F16(r, a) (r)
#define NAN_F16_F32(r, a) (r)
#define NAN_F16_F16(r, a) (r)
#define NAN_F16_BF16(r, a) (r)
#define NAN_BF16_F32(r, a) (r)
#define NAN_BF16_F16(r, a) (r)
#define NAN_BF16_BF16(r, a) (r)

#define FLOAT_FROM_FLOAT(d, s) \
    RUN(d, s, RN) \
    { \
        SOURCE(s); \
        u32 flags = i->form.flags; \
        WRITE(d, s, NAN_##d##_##s(narrow_##d(exact_one(WIDEN_##s(a, flags)), ROUND_RN, flags), \
                                  a)); \
    } \
    RUN(d, s, other) \
    { \
        SOURCE(s); \
        u32 flags = i->form.flags; \
        enum round mode = i->form.round; \
        WRITE(d, s, \
              NAN_##d##_##s(narrow_##d(exact_one(integral(WIDEN_##s(a, flags & FLUSHED_##d), \
                                                          mode)), mode, flags), \
                            a)); \
    }

/* Dispatch on the kinds of both types. */
#define KIND_U8 INT
#define KIND_U16 INT
#define KIND_U32 INT
#define KIND_U64 INT
#define KIND_S8 INT
#define KIND_S16 INT
#define KIND_S32 INT
#define KIND_S64 INT
#define KIND_F16 FLOAT
#define KIND_BF16 FLOAT
#define KIND_F32 FLOAT
#define KIND_F64 FLOAT
#define KIND_F16X2 PAIR
#define KIND_BF16X2 PAIR
#define KIND_TF32 TENSOR
#define JOIN3(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN3(a, b, c)

#define PAIR_FROM_FLOAT(d, s)
#define TENSOR_FROM_FLOAT(d, s)
#define CVT(d, s, rounds, flags) JOIN(KIND_##d, _FROM_, KIND_##s)(d, s)
#include "isa/typed.def"
#undef INT_FROM_INT
#undef INT_FROM_FLOAT
#undef FLOAT_FROM_INT
#undef FLOAT_FROM_FLOAT
#undef PAIR_FROM_FLOAT
#undef TENSOR_FROM_FLOAT

/* d = {a, b}: a is the upper half. */
#define PAIR(d, half) \
    static void cvt_##d(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(float, a, 0); \
        ROW_IN(float, b, 1); \
        u32 flags = i->form.flags; \
        enum round mode = i->form.round; \
        if (likely(mode == ROUND_RN)) LANES_WRITE(u32, PAIRED(half, ROUND_RN)); \
        else LANES_WRITE(u32, PAIRED(half, mode)); \
    }
#define PAIRED(half, mode) \
    u32 r = narrow_##half(exact_one((double)a_row[l]), mode, flags) << 16 | \
            narrow_##half(exact_one((double)b_row[l]), mode, flags)
PAIR(F16X2, F16)
PAIR(BF16X2, BF16)

static void cvt_TF32(struct warp *w, const struct ptx_inst *i)
{
    ROW_IN(u32, a, 0);
    enum round mode = i->form.round;
    LANES_WRITE(u32, u32 r = tf32_narrow(a_row[l], mode));
}

#define ANY EXEC_ANY
#define ROW_FOR(d, s, round, flags, care, run) \
    {OP_CVT, T_##d, T_##s, round, ANY, ANY, ANY, ANY, flags, care, run},
#define INT_FROM_INT(d, s) \
    ROW_FOR(d, s, ANY, 0, FLAG_SAT, NAME(d, s, plain)) \
    ROW_FOR(d, s, ANY, FLAG_SAT, FLAG_SAT, NAME(d, s, sat))
#define INT_FROM_FLOAT(d, s) \
    ROW_FOR(d, s, ROUND_RNI, 0, 0, NAME(d, s, RNI)) \
    ROW_FOR(d, s, ROUND_RZI, 0, 0, NAME(d, s, RZI)) \
    ROW_FOR(d, s, ROUND_RMI, 0, 0, NAME(d, s, RMI)) \
    ROW_FOR(d, s, ROUND_RPI, 0, 0, NAME(d, s, RPI))
#define FLOAT_FROM_INT(d, s) \
    ROW_FOR(d, s, ROUND_RN, 0, 0, NAME(d, s, RN)) ROW_FOR(d, s, ANY, 0, 0, NAME(d, s, other))
#define FLOAT_FROM_FLOAT(d, s) FLOAT_FROM_INT(d, s)
#define TENSOR_FROM_FLOAT(d, s) ROW_FOR(d, s, ANY, 0, 0, cvt_##d)
#define PAIR_FROM_FLOAT(d, s) ROW_FOR(d, s, ANY, 0, 0, cvt_##d)
#define CVT(d, s, rounds, flags) JOIN(KIND_##d, _FROM_, KIND_##s)(d, s)
const struct exec_row exec_convert_rows[] = {
#include "isa/typed.def"
};
const u32 exec_convert_row_n = COUNT_OF(exec_convert_rows);

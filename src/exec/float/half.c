/* Arithmetic on f16 and bf16, single and in pairs: the FLOAT rows of typed.def with 16-bit types.
 * Operands are widened, and the exact result is rounded once to nearest (round.h). NaN results are
 * 0x7fff. Source: PTX ISA manual, half-precision instructions.
 * Model: neg and abs of f16 and bf16 turn NaN into 0x7fff (measured on an H100: test/silicon). */
#include "exec/float/round.h"

/* Conversion of the bits of a 16-bit format to float. */
#define WIDEN_F16(x) f16_widen(x)
#define WIDEN_BF16(x) bf16_widen(x)

/* The result on widened operands, rounded once. Products of f16 are exact in f32, and so are the
 * rounding errors of sums. */
#define COMPUTE_F16_ADD(a, b, c) nearest_f16(odd_sum_f32(a, b))
#define COMPUTE_F16_SUB(a, b, c) nearest_f16(odd_sum_f32(a, -(b)))
#define COMPUTE_F16_MUL(a, b, c) nearest_f16((a) * (b))
#define COMPUTE_F16_FMA(a, b, c) nearest_f16(odd_sum_f32((a) * (b), c))
#define NARROW_BF16(x) exact_bf16(x, ROUND_RN)
#define COMPUTE_BF16_ADD(a, b, c) NARROW_BF16(exact_sum((double)(a), (double)(b)))
#define COMPUTE_BF16_SUB(a, b, c) NARROW_BF16(exact_sum((double)(a), -(double)(b)))
#define COMPUTE_BF16_MUL(a, b, c) NARROW_BF16(exact_one((double)(a) * (double)(b)))
#define COMPUTE_BF16_FMA(a, b, c) NARROW_BF16(exact_sum((double)(a) * (double)(b), (double)(c)))

static inline u32 f16_saturate(u32 h) { return h & 0x8000 || h > 0x7c00 ? 0 : min_u32(h, 0x3c00); }

#define ARITHMETIC(op, format) \
    static inline u32 format##_##op(u32 a, u32 b, u32 c, u32 flags) \
    { \
        (void)c; \
        (void)flags; \
        return COMPUTE_##format##_##op(WIDEN_##format(a), WIDEN_##format(b), \
                                       WIDEN_##format(c)); \
    }
ARITHMETIC(ADD, F16)
ARITHMETIC(SUB, F16)
ARITHMETIC(MUL, F16)
ARITHMETIC(FMA, F16)
ARITHMETIC(ADD, BF16)
ARITHMETIC(SUB, BF16)
ARITHMETIC(MUL, BF16)
ARITHMETIC(FMA, BF16)

#define OTHERS(format, inf) \
    static inline u32 format##_MIN(u32 a, u32 b, u32 c, u32 flags) \
    { \
        (void)c; \
        return half_extreme(a, b, true, inf, flags); \
    } \
    static inline u32 format##_MAX(u32 a, u32 b, u32 c, u32 flags) \
    { \
        (void)c; \
        return half_extreme(a, b, false, inf, flags); \
    } \
    static inline u32 format##_NEG(u32 a, u32 b, u32 c, u32 flags) \
    { \
        (void)b, (void)c, (void)flags; \
        return (a & 0x7fff) > inf ? F16_NAN : a ^ 0x8000; \
    } \
    static inline u32 format##_ABS(u32 a, u32 b, u32 c, u32 flags) \
    { \
        (void)b, (void)c, (void)flags; \
        return (a & 0x7fff) > inf ? F16_NAN : a & 0x7fff; \
    }
OTHERS(F16, 0x7c00)
OTHERS(BF16, 0x7f80)

static inline u32 half_read(u32 h, u32 flags)
{
    return flags & FLAG_FTZ ? f16_flush(h) : h & 0xffff;
}
static inline u32 half_finish(u32 h, u32 flags)
{
    if (flags & FLAG_FTZ) h = f16_flush(h);
    return flags & FLAG_SAT ? f16_saturate(h) : h;
}

/* X(op, format, operands, flags) */
#define ARITHMETIC_F16(X, op, n) \
    X(op, F16, n, F_PLAIN) X(op, F16, n, F_FTZ) X(op, F16, n, F_SAT) X(op, F16, n, F_FTZ_SAT)
#define NEGATED(X, negation) \
    X(FMA, F16, 3, negation) X(FMA, F16, 3, negation##_FTZ) X(FMA, F16, 3, negation##_SAT) \
    X(FMA, F16, 3, negation##_FTZ_SAT) X(FMA, BF16, 3, negation)
#define EXTREME(X, op) \
    X(op, F16, 2, F_PLAIN) X(op, F16, 2, F_FTZ) X(op, F16, 2, F_NAN) X(op, F16, 2, F_FTZ_NAN) \
    X(op, BF16, 2, F_PLAIN) X(op, BF16, 2, F_NAN)
#define SIGN(X, op) X(op, F16, 1, F_PLAIN) X(op, F16, 1, F_FTZ) X(op, BF16, 1, F_PLAIN)
#define EACH(X) \
    ARITHMETIC_F16(X, ADD, 2) ARITHMETIC_F16(X, SUB, 2) ARITHMETIC_F16(X, MUL, 2) \
    ARITHMETIC_F16(X, FMA, 3) \
    X(ADD, BF16, 2, F_PLAIN) X(SUB, BF16, 2, F_PLAIN) X(MUL, BF16, 2, F_PLAIN) \
    X(FMA, BF16, 3, F_PLAIN) NEGATED(X, F_A) NEGATED(X, F_C) NEGATED(X, F_A_C) \
    EXTREME(X, MIN) EXTREME(X, MAX) SIGN(X, NEG) SIGN(X, ABS)

#define ROWS_1 ROW_IN(u32, a, 0); const u32 *b_row = a_row, *c_row = a_row;
#define ROWS_2 ROW_IN(u32, a, 0); ROW_IN(u32, b, 1); const u32 *c_row = a_row;
#define ROWS_3 ROW_IN(u32, a, 0); ROW_IN(u32, b, 1); ROW_IN(u32, c, 2);

/* Defines one function for single values and one for pairs. */
#define DEFINE(op, format, n, flags) \
    static inline u32 one_##op##_##format##_##flags(u32 a, u32 b, u32 c) \
    { \
        a = half_read(a, flags); \
        b = half_read(b, flags); \
        c = half_read(c, flags); \
        if ((flags) & FLAG_NEGATE_A) a ^= 0x8000; \
        if ((flags) & FLAG_NEGATE_C) c ^= 0x8000; \
        return half_finish(format##_##op(a, b, c, flags), flags); \
    } \
    static void op##_##format##_##flags(struct warp *w, const struct ptx_inst *i) \
    { \
        ROWS_##n \
        LANES_WRITE(u32, \
                    u32 r = one_##op##_##format##_##flags(a_row[l], b_row[l], c_row[l])); \
    } \
    static void op##_##format##X2_##flags(struct warp *w, const struct ptx_inst *i) \
    { \
        ROWS_##n \
        LANES_WRITE(u32, \
                    u32 a = a_row[l]; u32 b = b_row[l]; u32 c = c_row[l]; \
                    u32 r = one_##op##_##format##_##flags(a, b, c) | \
                            one_##op##_##format##_##flags(a >> 16, b >> 16, c >> 16) << 16); \
    }
EACH(DEFINE)

/* ---- .relu and .xorsign.abs ---- */

/* fma with .relu: negative results become +0. */
static inline u32 relu_f16(u32 a, u32 b, u32 c, u32 flags)
{
    u32 r = half_finish(F16_FMA(half_read(a, flags), half_read(b, flags), half_read(c, flags), 0),
                        flags);
    return r & 0x8000 ? 0 : r;
}
static inline u32 relu_bf16(u32 a, u32 b, u32 c, u32 flags)
{
    u32 r = BF16_FMA(a & 0xffff, b & 0xffff, c & 0xffff, flags);
    return r & 0x8000 ? 0 : r;
}
/* min and max of magnitudes, with the product of the signs unless the result is NaN. */
static inline u32 signless(u32 a, u32 b, bool less, u32 inf, u32 flags)
{
    a = half_read(a, flags);
    b = half_read(b, flags);
    u32 r = half_extreme(a & 0x7fff, b & 0x7fff, less, inf, flags);
    return r > inf ? r : r | ((a ^ b) & 0x8000);
}

#define RELU(format, half) \
    static void FMA_##format##_relu(struct warp *w, const struct ptx_inst *i) \
    { \
        ROWS_3 \
        u32 flags = i->form.flags; \
        LANES_WRITE(u32, u32 r = relu_##half(a_row[l], b_row[l], c_row[l], flags)); \
    } \
    static void FMA_##format##X2_relu(struct warp *w, const struct ptx_inst *i) \
    { \
        ROWS_3 \
        u32 flags = i->form.flags; \
        LANES_WRITE(u32, \
                    u32 r = relu_##half(a_row[l], b_row[l], c_row[l], flags) | \
                            relu_##half(a_row[l] >> 16, b_row[l] >> 16, c_row[l] >> 16, flags) \
                            << 16); \
    }
RELU(F16, f16)
RELU(BF16, bf16)

#define SIGNLESS(format, inf, op, less) \
    static void op##_##format##_signless(struct warp *w, const struct ptx_inst *i) \
    { \
        ROWS_2 \
        (void)c_row; \
        u32 flags = i->form.flags; \
        LANES_WRITE(u32, u32 r = signless(a_row[l], b_row[l], less, inf, flags)); \
    } \
    static void op##_##format##X2_signless(struct warp *w, const struct ptx_inst *i) \
    { \
        ROWS_2 \
        (void)c_row; \
        u32 flags = i->form.flags; \
        LANES_WRITE(u32, u32 r = signless(a_row[l], b_row[l], less, inf, flags) | \
                                 signless(a_row[l] >> 16, b_row[l] >> 16, less, inf, flags) \
                                 << 16); \
    }
#define EACH_SIGNLESS(X) \
    X(F16, 0x7c00, MIN, true) X(F16, 0x7c00, MAX, false) \
    X(BF16, 0x7f80, MIN, true) X(BF16, 0x7f80, MAX, false)
EACH_SIGNLESS(SIGNLESS)

#define ANY EXEC_ANY
enum { CARE = FLAG_FTZ | FLAG_SAT | FLAG_NAN | FLAG_NEGATE_A | FLAG_NEGATE_C };
#define TWO_ROWS(op, format, n, flags) \
    {OP_##op, T_##format, ANY, ANY, ANY, ANY, ANY, ANY, flags, CARE, op##_##format##_##flags}, \
    {OP_##op, T_##format##X2, ANY, ANY, ANY, ANY, ANY, ANY, flags, CARE, op##_##format##X2_##flags},
#define FLAG_ROWS(op, format, flag, run) \
    {OP_##op, T_##format, ANY, ANY, ANY, ANY, ANY, ANY, flag, flag, op##_##format##_##run}, \
    {OP_##op, T_##format##X2, ANY, ANY, ANY, ANY, ANY, ANY, flag, flag, op##_##format##X2_##run},
#define SIGNLESS_ROWS(format, inf, op, less) FLAG_ROWS(op, format, FLAG_XORSIGN, signless)
const struct exec_row exec_half_rows[] = {
    FLAG_ROWS(FMA, F16, FLAG_RELU, relu)
    FLAG_ROWS(FMA, BF16, FLAG_RELU, relu)
    EACH_SIGNLESS(SIGNLESS_ROWS)
    EACH(TWO_ROWS)
};
const u32 exec_half_row_n = COUNT_OF(exec_half_rows);

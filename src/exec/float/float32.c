/* Arithmetic on f32: the FLOAT rows of typed.def with type F32. Rounding to nearest uses the host's
 * operation; the other modes round the exact value, computed in double, once (round.h). One
 * function per opcode, rounding mode and flags. NaN results are 0x7fffffff. Source: PTX ISA
 * manual. */
#include "exec/float/round.h"

/* An exactly zero sum is -0 when rounding down, unless both terms are +0. */
static inline float zero_sum(float r, u32 signs, enum round mode)
{
    return mode == ROUND_RM && r == 0 && signs & 0x80000000 ? -0.0f : r;
}

static inline float f32_ADD(float a, float b, enum round mode)
{
    if (mode == ROUND_RN) return a + b;
    struct exact x = exact_sum((double)a, (double)b);
    float r = exact_f32(x, mode);
    return x.high == 0 ? zero_sum(r, bits_of(a) | bits_of(b), mode) : r;
}

static inline float f32_SUB(float a, float b, enum round mode) { return f32_ADD(a, -b, mode); }

static inline float f32_MUL(float a, float b, enum round mode)
{
    return mode == ROUND_RN ? a * b : exact_f32(exact_one((double)a * (double)b), mode);
}

static inline float f32_FMA(float a, float b, float c, enum round mode)
{
#ifdef __FMA__
    if (mode == ROUND_RN) return __builtin_fmaf(a, b, c);
#endif
    double p = (double)a * (double)b;
    struct exact x = exact_sum(p, (double)c);
    float r = exact_f32(x, mode);
    u32 signs = (u32)(bits_of_double(p) >> 32) | bits_of(c);
    return x.high == 0 ? zero_sum(r, signs, mode) : r;
}

static inline float f32_MAD(float a, float b, float c, enum round mode)
{
    return f32_FMA(a, b, c, mode);
}

/* The double quotient or root of floats and the exact value are on the same side of every float,
 * because a double has more than twice as many bits. */
static inline float f32_DIV(float a, float b, enum round mode)
{
    return mode == ROUND_RN ? a / b : exact_f32(exact_one((double)a / (double)b), mode);
}
static inline float f32_RCP(float a, enum round mode) { return f32_DIV(1, a, mode); }
static inline float f32_SQRT(float a, enum round mode)
{
    return mode == ROUND_RN ? __builtin_sqrtf(a)
                            : exact_f32(exact_one(__builtin_sqrt((double)a)), mode);
}

static inline float finish(float r, u32 flags)
{
    r = f32_canonical(r);
    if (flags & FLAG_FTZ) r = f32_flush(r);
    return flags & FLAG_SAT ? f32_saturate(r) : r;
}

/* -0 is less than +0. If one operand is NaN, the result is the other, or NaN with FLAG_NAN. */
static inline float f32_MIN(float a, float b, u32 flags)
{
    float r = a < b ? a : b < a ? b : float_of(bits_of(a) | bits_of(b));
    float nan = float_of(F32_NAN);
    if (flags & FLAG_NAN) return a != a || b != b ? nan : r;
    return a != a ? (b != b ? nan : b) : b != b ? a : r;
}
static inline float f32_MAX(float a, float b, u32 flags)
{
    float r = a > b ? a : b > a ? b : float_of(bits_of(a) & bits_of(b));
    float nan = float_of(F32_NAN);
    if (flags & FLAG_NAN) return a != a || b != b ? nan : r;
    return a != a ? (b != b ? nan : b) : b != b ? a : r;
}

/* Model: neg and abs of f32 turn NaN into 0x7fffffff (measured on an H100: test/silicon). */
static inline float f32_NEG(float a) { return f32_canonical(float_of(bits_of(a) ^ 0x80000000)); }
static inline float f32_ABS(float a) { return f32_canonical(float_of(bits_of(a) & 0x7fffffff)); }

#define EACH_ROUND(X, op, n, flags) \
    X(op, n, RN, flags) X(op, n, RZ, flags) X(op, n, RM, flags) X(op, n, RP, flags)
#define FULL(X, op, n) \
    EACH_ROUND(X, op, n, F_PLAIN) EACH_ROUND(X, op, n, F_FTZ) \
    EACH_ROUND(X, op, n, F_SAT) EACH_ROUND(X, op, n, F_FTZ_SAT)
#define NO_SAT(X, op, n) EACH_ROUND(X, op, n, F_PLAIN) EACH_ROUND(X, op, n, F_FTZ)

#define NEGATED(X, op, n, negation) \
    X(op, n, RN, negation) X(op, n, RN, negation##_FTZ) X(op, n, RN, negation##_SAT) \
    X(op, n, RN, negation##_FTZ_SAT)

#define ROUNDED(X) \
    FULL(X, ADD, 2) FULL(X, SUB, 2) FULL(X, MUL, 2) FULL(X, FMA, 3) FULL(X, MAD, 3) \
    NEGATED(X, FMA, 3, F_A) NEGATED(X, FMA, 3, F_C) NEGATED(X, FMA, 3, F_A_C) \
    NO_SAT(X, DIV, 2) NO_SAT(X, RCP, 1) NO_SAT(X, SQRT, 1)
#define EXTREMES(X) \
    X(MIN, F_PLAIN) X(MIN, F_FTZ) X(MIN, F_NAN) X(MIN, F_FTZ_NAN) \
    X(MAX, F_PLAIN) X(MAX, F_FTZ) X(MAX, F_NAN) X(MAX, F_FTZ_NAN)
#define SIGNS(X) X(NEG, F_PLAIN) X(NEG, F_FTZ) X(ABS, F_PLAIN) X(ABS, F_FTZ)

#define READ(name, flags) \
    float name = (flags) & FLAG_FTZ ? f32_flush(name##_row[l]) : name##_row[l]
#define CALL_1(op, mode, flags) READ(a, flags); float r = f32_##op(a, ROUND_##mode)
#define CALL_2(op, mode, flags) \
    READ(a, flags); READ(b, flags); float r = f32_##op(a, b, ROUND_##mode)
#define CALL_3(op, mode, flags) \
    READ(a, flags); READ(b, flags); READ(c, flags); \
    if ((flags) & FLAG_NEGATE_A) a = -a; \
    if ((flags) & FLAG_NEGATE_C) c = -c; \
    float r = f32_##op(a, b, c, ROUND_##mode)
#define ROWS_1 ROW_IN(float, a, 0);
#define ROWS_2 ROWS_1 ROW_IN(float, b, 1);
#define ROWS_3 ROWS_2 ROW_IN(float, c, 2);

#define DEFINE_ROUNDED(op, n, mode, flags) \
    static void op##_##mode##_##flags(struct warp *w, const struct ptx_inst *i) \
    { \
        ROWS_##n \
        LANES_WRITE(float, CALL_##n(op, mode, flags); r = finish(r, flags)); \
    }
ROUNDED(DEFINE_ROUNDED)

#define DEFINE_EXTREME(op, flags) \
    static void op##_##flags(struct warp *w, const struct ptx_inst *i) \
    { \
        ROWS_2 \
        LANES_WRITE(float, READ(a, flags); READ(b, flags); float r = f32_##op(a, b, flags)); \
    }
EXTREMES(DEFINE_EXTREME)

#define DEFINE_SIGN(op, flags) \
    static void op##_##flags(struct warp *w, const struct ptx_inst *i) \
    { \
        ROWS_1 \
        LANES_WRITE(float, READ(a, flags); float r = f32_##op(a)); \
    }
SIGNS(DEFINE_SIGN)

/* min and max of magnitudes, with the product of the signs unless the result is NaN. */
#define SIGNLESS(op) \
    static void op##_signless(struct warp *w, const struct ptx_inst *i) \
    { \
        ROWS_2 \
        u32 flags = i->form.flags; \
        LANES_WRITE(float, READ(a, flags); READ(b, flags); \
                    u32 signs = (bits_of(a) ^ bits_of(b)) & 0x80000000; \
                    float r = f32_##op(f32_ABS(a), f32_ABS(b), flags); \
                    r = r == r ? float_of(bits_of(r) | signs) : r); \
    }
SIGNLESS(MIN)
SIGNLESS(MAX)

/* ---- pairs ---- */

/* A register of 64 bits holds two numbers: a row of pairs is a row of 64 numbers. */
#define PAIR_LOOP for (u32 l = 0; l < 2 * LANES; l++)
#define PAIR(op, n) \
    static void op##_pair(struct warp *w, const struct ptx_inst *i) \
    { \
        ROWS_##n \
        u32 mask = w->executing, flags = i->form.flags; \
        float *out = lanes_begin(w, i->dst[0], mask); \
        if (i->form.round <= ROUND_RN) PAIR_LOOP { \
            CALL_##n(op, RN, flags); \
            out[l] = finish(r, flags); \
        } else PAIR_LOOP { \
            PAIR_##n(op); \
            out[l] = finish(r, flags); \
        } \
        lanes_end(w, i->dst[0], mask, 8); \
    }
#define PAIR_2(op) \
    READ(a, flags); READ(b, flags); float r = f32_##op(a, b, i->form.round)
#define PAIR_3(op) \
    READ(a, flags); READ(b, flags); READ(c, flags); float r = f32_##op(a, b, c, i->form.round)
PAIR(ADD, 2)
PAIR(SUB, 2)
PAIR(MUL, 2)
PAIR(FMA, 3)

/* ---- f32 with operands of 16 bits ---- */

#define WIDEN_F16(h) f16_widen((h) & 0xffff)
#define WIDEN_BF16(h) bf16_widen(h)
#define MIXED_SUM(op, half) \
    static void op##_with_##half(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(u32, a, 0); \
        ROW_IN(float, b, 1); \
        u32 flags = i->form.flags; \
        enum round mode = i->form.round == ROUND_NONE ? ROUND_RN : i->form.round; \
        LANES_WRITE(float, float r = f32_##op(WIDEN_##half(a_row[l]), b_row[l], mode); \
                    r = finish(r, flags)); \
    }
#define MIXED_FMA(half) \
    static void FMA_with_##half(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(u32, a, 0); \
        ROW_IN(u32, b, 1); \
        ROW_IN(float, c, 2); \
        u32 flags = i->form.flags; \
        enum round mode = i->form.round; \
        LANES_WRITE(float, float x = WIDEN_##half(a_row[l]); float y = WIDEN_##half(b_row[l]); \
                    float r = f32_FMA(x, y, c_row[l], mode); r = finish(r, flags)); \
    }
MIXED_SUM(ADD, F16)
MIXED_SUM(ADD, BF16)
MIXED_SUM(SUB, F16)
MIXED_SUM(SUB, BF16)
MIXED_FMA(F16)
MIXED_FMA(BF16)

#define ANY EXEC_ANY
enum {
    CARE = FLAG_FTZ | FLAG_SAT | FLAG_NAN | FLAG_APPROX | FLAG_FULL | FLAG_NEGATE_A | FLAG_NEGATE_C
};
#define ROW_ROUNDED(op, n, mode, flags) \
    {OP_##op, T_F32, ANY, ROUND_##mode, ANY, ANY, ANY, ANY, flags, CARE, op##_##mode##_##flags},
#define ROW_UNROUNDED(op, flags) \
    {OP_##op, T_F32, ANY, ANY, ANY, ANY, ANY, ANY, flags, CARE, op##_##flags},
#define ROW_SIGNLESS(op) \
    {OP_##op, T_F32, ANY, ANY, ANY, ANY, ANY, ANY, FLAG_XORSIGN, FLAG_XORSIGN, op##_signless},
#define ROW_PAIR(op) {OP_##op, T_F32X2, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, op##_pair},
#define ROW_MIXED(op, half) \
    {OP_##op, T_F32, T_##half, ANY, ANY, ANY, ANY, ANY, 0, 0, op##_with_##half},
const struct exec_row exec_float32_rows[] = {
    ROW_SIGNLESS(MIN)
    ROW_SIGNLESS(MAX)
    ROW_PAIR(ADD)
    ROW_PAIR(SUB)
    ROW_PAIR(MUL)
    ROW_PAIR(FMA)
    ROW_MIXED(ADD, F16)
    ROW_MIXED(ADD, BF16)
    ROW_MIXED(SUB, F16)
    ROW_MIXED(SUB, BF16)
    ROW_MIXED(FMA, F16)
    ROW_MIXED(FMA, BF16)
    ROUNDED(ROW_ROUNDED)
    EXTREMES(ROW_UNROUNDED)
    SIGNS(ROW_UNROUNDED)
};
const u32 exec_float32_row_n = COUNT_OF(exec_float32_rows);

/* setp, set and testp: a comparison or property gives one bit per lane, written to a predicate or,
 * as all ones or 1.0, to a register. Each function is bound to one comparison and type, for setp
 * and set alike; the boolean operator with the source predicate applies to all lanes at once.
 * Source: PTX ISA manual, comparison and selection. */
#include "exec/float/round.h"

/* If a or b is NaN, ordered comparisons are false and unordered comparisons true. */
#define DO_EQ(a, b) ((a) == (b))
#define DO_NE(a, b) ((a) < (b) || (a) > (b))
#define DO_LT(a, b) ((a) < (b))
#define DO_LE(a, b) ((a) <= (b))
#define DO_GT(a, b) ((a) > (b))
#define DO_GE(a, b) ((a) >= (b))
#define DO_LO(a, b) DO_LT(a, b)
#define DO_LS(a, b) DO_LE(a, b)
#define DO_HI(a, b) DO_GT(a, b)
#define DO_HS(a, b) DO_GE(a, b)
#define DO_EQU(a, b) (!DO_NE(a, b))
#define DO_NEU(a, b) (!DO_EQ(a, b))
#define DO_LTU(a, b) (!DO_GE(a, b))
#define DO_LEU(a, b) (!DO_GT(a, b))
#define DO_GTU(a, b) (!DO_LE(a, b))
#define DO_GEU(a, b) (!DO_LT(a, b))
#define DO_NUM(a, b) ((a) == (a) && (b) == (b))
#define DO_NAN(a, b) (!DO_NUM(a, b))

#define EQUAL(X, ...) X(EQ, __VA_ARGS__) X(NE, __VA_ARGS__)
#define SIGNED(X, ...) \
    EQUAL(X, __VA_ARGS__) \
    X(LT, __VA_ARGS__) X(LE, __VA_ARGS__) X(GT, __VA_ARGS__) X(GE, __VA_ARGS__)
#define UNSIGNED(X, ...) \
    SIGNED(X, __VA_ARGS__) \
    X(LO, __VA_ARGS__) X(LS, __VA_ARGS__) X(HI, __VA_ARGS__) X(HS, __VA_ARGS__)
#define FLOATS(X, ...) \
    SIGNED(X, __VA_ARGS__) \
    X(EQU, __VA_ARGS__) X(NEU, __VA_ARGS__) X(LTU, __VA_ARGS__) X(LEU, __VA_ARGS__) \
    X(GTU, __VA_ARGS__) X(GEU, __VA_ARGS__) X(NUM, __VA_ARGS__) X(NAN, __VA_ARGS__)

#define HELD_f16 u32
#define VALUE_u16(x) ((u16)(x))
#define VALUE_u32(x) (x)
#define VALUE_u64(x) (x)
#define VALUE_s16(x) ((s16)(x))
#define VALUE_s32(x) (x)
#define VALUE_s64(x) (x)
#define VALUE_float(x) (x)
#define VALUE_double(x) (x)
#define VALUE_flushed(x) f32_flush(x)
#define VALUE_f16(x) f16_widen(x)
#define VALUE_f16_flushed(x) f16_widen(f16_flush(x))
#define VALUE_f16_high(x) f16_widen((x) >> 16)
#define VALUE_f16_high_flushed(x) f16_widen(f16_flush((x) >> 16))
#define VALUE_bf16(x) bf16_widen(x)
#define VALUE_bf16_high(x) bf16_widen((x) >> 16)

/* The types compared: X(comparison, type, C type in the row, how a lane is read, flags). */
#define EACH(X) \
    EQUAL(X, B16, u16, u16, 0) EQUAL(X, B32, u32, u32, 0) EQUAL(X, B64, u64, u64, 0) \
    UNSIGNED(X, U16, u16, u16, 0) UNSIGNED(X, U32, u32, u32, 0) UNSIGNED(X, U64, u64, u64, 0) \
    SIGNED(X, S16, s16, s16, 0) SIGNED(X, S32, s32, s32, 0) SIGNED(X, S64, s64, s64, 0) \
    FLOATS(X, F32, float, float, 0) FLOATS(X, F32, float, flushed, FLAG_FTZ) \
    FLOATS(X, F64, double, double, 0) \
    FLOATS(X, F16, u16, f16, 0) FLOATS(X, F16, u16, f16_flushed, FLAG_FTZ) \
    FLOATS(X, BF16, u16, bf16, 0)
/* Both halves of a pair: p is the lower, q the upper. */
#define EACH_X2(X) \
    FLOATS(X, F16X2, f16, f16_high, 0) FLOATS(X, F16X2, f16_flushed, f16_high_flushed, FLAG_FTZ) \
    FLOATS(X, BF16X2, bf16, bf16_high, 0)

static inline u32 join(const struct warp *w, const struct ptx_inst *i, u32 bits)
{
    switch (i->form.sub) {
    case BOOL_AND: return bits & lanes_pred(w, i);
    case BOOL_OR: return bits | lanes_pred(w, i);
    case BOOL_XOR: return bits ^ lanes_pred(w, i);
    default: return bits;
    }
}

static inline void setp_write(struct warp *w, const struct ptx_inst *i, u32 bits)
{
    u32 p = join(w, i, bits);
    u32 q = join(w, i, ~bits);
    lanes_put_pred(w, i->dst_pred, p);
    lanes_put_pred(w, i->dst_pred2, q);
}

static void setp_write_pair(struct warp *w, const struct ptx_inst *i, u32 low, u32 high)
{
    u32 p = join(w, i, low), q = join(w, i, high);
    lanes_put_pred(w, i->dst_pred, p);
    lanes_put_pred(w, i->dst_pred2, q);
}

/* Returns the value for true in the destination type; of pairs, for each half. */
static u32 set_true(enum type type, bool pair)
{
    switch (type) {
    case T_F32: return bits_of(1.0f);
    case T_F16: case T_F16X2: return 0x3c00;
    case T_BF16: case T_BF16X2: return 0x3f80;
    case T_U16: case T_S16: return UINT16_MAX;
    default: return pair ? UINT16_MAX : UINT32_MAX;
    }
}

static void set_write(struct warp *w, const struct ptx_inst *i, u32 bits)
{
    u32 yes = set_true((enum type)i->form.type, false), out[LANES];
    u32 p = join(w, i, bits);
    for (u32 l = 0; l < LANES; l++) out[l] = p & 1u << l ? yes : 0;
    lanes_put32(w, i->dst[0], out);
}

static void set_write_pair(struct warp *w, const struct ptx_inst *i, u32 low, u32 high)
{
    u32 yes = set_true((enum type)i->form.type, true), out[LANES];
    low = join(w, i, low);
    high = join(w, i, high);
    for (u32 l = 0; l < LANES; l++)
        out[l] = (low & 1u << l ? yes : 0) | (high & 1u << l ? yes << 16 : 0);
    lanes_put32(w, i->dst[0], out);
}

#define BITS(compare, read) \
    u32 bits = 0; \
    for (u32 l = 0; l < LANES; l++) \
        bits |= DO_##compare(VALUE_##read(a_row[l]), VALUE_##read(b_row[l])) ? 1u << l : 0;

#define DEFINE(compare, type, T, read, flags) \
    static void type##_##compare##_##flags(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(T, a, 0); \
        ROW_IN(T, b, 1); \
        BITS(compare, read) \
        if (likely(i->form.op == OP_SETP)) setp_write(w, i, bits); \
        else set_write(w, i, bits); \
    }
EACH(DEFINE)

#define DEFINE_X2(compare, type, low, high, flags) \
    static u32 low_##type##_##compare##_##flags(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(u32, a, 0); \
        ROW_IN(u32, b, 1); \
        BITS(compare, low) \
        return bits; \
    } \
    static u32 high_##type##_##compare##_##flags(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(u32, a, 0); \
        ROW_IN(u32, b, 1); \
        BITS(compare, high) \
        return bits; \
    } \
    static void type##_##compare##_##flags(struct warp *w, const struct ptx_inst *i) \
    { \
        u32 low_bits = low_##type##_##compare##_##flags(w, i); \
        u32 high_bits = high_##type##_##compare##_##flags(w, i); \
        if (i->form.op == OP_SETP) setp_write_pair(w, i, low_bits, high_bits); \
        else set_write_pair(w, i, low_bits, high_bits); \
    }
EACH_X2(DEFINE_X2)

/* True if a float has the property `kind`. magnitude, inf and least_normal: bits without the
 * sign. */
static bool testp_holds(u64 magnitude, u64 inf, u64 least_normal, enum testp_kind kind)
{
    switch (kind) {
    case TESTP_FINITE: return magnitude < inf;
    case TESTP_INFINITE: return magnitude == inf;
    case TESTP_NUMBER: return magnitude <= inf;
    case TESTP_NOTANUMBER: return magnitude > inf;
    case TESTP_NORMAL: return magnitude == 0 || (magnitude >= least_normal && magnitude < inf);
    case TESTP_SUBNORMAL: return magnitude < least_normal && magnitude != 0;
    }
    return false;
}

static void run_testp_f32(struct warp *w, const struct ptx_inst *i)
{
    const u32 *a = row_of(w, i->src[0]);
    u32 bits = 0;
    for (u32 l = 0; l < LANES; l++)
        bits |= (u32)testp_holds(a[l] & INT32_MAX, 0x7f800000, 0x800000, i->form.sub) << l;
    lanes_put_pred(w, i->dst_pred, bits);
}

static void run_testp_f64(struct warp *w, const struct ptx_inst *i)
{
    const u64 *a = row_of(w, i->src[0]);
    u32 bits = 0;
    for (u32 l = 0; l < LANES; l++)
        bits |= (u32)testp_holds(a[l] & INT64_MAX, 0x7ffull << 52, 1ull << 52, i->form.sub) << l;
    lanes_put_pred(w, i->dst_pred, bits);
}

#define ANY EXEC_ANY
#define SETP_ROW(compare, type, T, read, flags) \
    {OP_SETP, T_##type, ANY, ANY, CMP_##compare, ANY, ANY, ANY, flags, FLAG_FTZ, \
     type##_##compare##_##flags},
#define SET_ROW(compare, type, T, read, flags) \
    {OP_SET, ANY, T_##type, ANY, CMP_##compare, ANY, ANY, ANY, flags, FLAG_FTZ, \
     type##_##compare##_##flags},
const struct exec_row exec_compare_rows[] = {
    EACH(SETP_ROW)
    EACH_X2(SETP_ROW)
    EACH(SET_ROW)
    EACH_X2(SET_ROW)
    {OP_TESTP, T_F32, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_testp_f32},
    {OP_TESTP, T_F64, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_testp_f64},
};
const u32 exec_compare_row_n = COUNT_OF(exec_compare_rows);

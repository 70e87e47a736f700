/* Integer, logic, shift, move and selection: a function for each FN and SELECT row of typed.def.
 * Bound by exec_bind; see lanes.h for the loop. */
#include "exec/int_ops.h"
#include "isa/isa.h"

#define NAME(op, sub, type, type2, flags) op##_##sub##_##type##_##type2##_##flags
#define RUN(op, sub, type, type2, flags) \
    static void NAME(op, sub, type, type2, flags)(struct warp *w, const struct ptx_inst *i)
#define LANE(T, name) T name __attribute__((unused)) = (T)name##_row[l]

#define FN1(op, sub, type, type2, flags, cost, D, A, ...) \
    RUN(op, sub, type, type2, flags) \
    { \
        ROW_IN(A, a, 0); \
        LANES_WRITE(D, LANE(A, a); D r = (D)(__VA_ARGS__)); \
    }
#define FN2(op, sub, type, type2, flags, cost, D, A, B, ...) \
    RUN(op, sub, type, type2, flags) \
    { \
        ROW_IN(A, a, 0); \
        ROW_IN(B, b, 1); \
        LANES_WRITE(D, LANE(A, a); LANE(B, b); D r = (D)(__VA_ARGS__)); \
    }
#define FN3(op, sub, type, type2, flags, cost, D, A, B, C, ...) \
    RUN(op, sub, type, type2, flags) \
    { \
        ROW_IN(A, a, 0); \
        ROW_IN(B, b, 1); \
        ROW_IN(C, c, 2); \
        u32 imm __attribute__((unused)) = (u32)i->imm; \
        LANES_WRITE(D, LANE(A, a); LANE(B, b); LANE(C, c); D r = (D)(__VA_ARGS__)); \
    }
#define FN4(op, sub, type, type2, flags, cost, D, A, B, C, E, ...) \
    RUN(op, sub, type, type2, flags) \
    { \
        ROW_IN(A, a, 0); \
        ROW_IN(B, b, 1); \
        ROW_IN(C, c, 2); \
        ROW_IN(E, e, 3); \
        LANES_WRITE(D, LANE(A, a); LANE(B, b); LANE(C, c); LANE(E, e); D r = (D)(__VA_ARGS__)); \
    }
#define SELECT(op, type, D) \
    RUN(op, 0, type, NONE, 0) \
    { \
        ROW_IN(D, a, 0); \
        ROW_IN(D, b, 1); \
        u32 p = lanes_pred(w, i); \
        LANES_WRITE(D, D r = (D)(p & 1u << l ? a_row[l] : b_row[l])); \
    }
#include "isa/typed.def"

/* ---- video ---- */

/* Returns the result of vmad. Model: vmad takes a, b and c as signed 32-bit numbers, whatever their
 * types; .sat clamps to s32, but for unsigned a and b all values outside u32 become the greatest
 * (measured on an H100: test/silicon; the manual has 34 bits and the types as given). */
static u32 video_mad(const struct form *f, bool b_signed, s64 a, s64 b, u32 c)
{
    s64 x = (s64)(s32)a * (s32)b + (s32)c + (f->sub & VMAD_ONE ? 1 : 0);
    x >>= (f->sub & VMAD_SHR7 ? 7 : 0) + (f->sub & VMAD_SHR15 ? 15 : 0);
    if (!(f->flags & FLAG_SAT)) return (u32)x;
    if (f->type2 == T_S32 || b_signed) return (u32)int_saturate(x, 32, true);
    return x >> 32 ? UINT32_MAX : (u32)x;
}

static bool video_shifts(const struct form *f) { return f->op == OP_VSHL || f->op == OP_VSHR; }

/* Inserts x into a part of c. Model: if a scalar video instruction writes a part of d, .sat limits
 * the result, taken as an unsigned 32-bit number, to the greatest value of the part, but not the
 * result of a shift; the upper half of d receives the upper half of the result (measured on an
 * H100: test/silicon; the manual clamps to the part's range and inserts the lower bits). */
static u32 video_insert(const struct form *f, s64 x, u32 c, u32 part)
{
    u32 bits = int_part_bits(part);
    u64 most = (1ull << (bits - (f->type == T_S32))) - 1;
    u64 value = f->op == OP_VABSDIFF ? (u64)x : (u32)x;
    if (f->flags & FLAG_SAT && !video_shifts(f)) value = min_u64(value, most);
    if (part == PART_HALF + 1) value >>= 16;
    return int_bfi_b32((u32)value, c, int_part_at(part), bits);
}

/* Returns the lesser or greater of x and c. Model: .min and .max of a scalar video instruction
 * compare the lower 32 bits of the result with c, but all bits of a left shift; vset compares in
 * the type of a (measured on an H100: test/silicon). */
static u32 video_extreme(const struct form *f, s64 x, u32 c)
{
    bool sign = (f->op == OP_VSET ? f->type2 : f->type) == T_S32;
    s64 y = f->op == OP_VSHL ? x : sign ? (s64)(s32)x : (s64)(u32)x;
    s64 third = sign ? (s64)(s32)c : (s64)c;
    bool less = sign ? y < third : (u64)y < (u64)third;
    return (u32)(less == (f->sub == SIMD_MIN) ? y : third);
}

/* Returns the result of a scalar video instruction, combined with c: by the secondary operation, or
 * by inserting the result into c. Model: .sat of vshl and vshr sees the lower 34 bits of the result
 * (measured on an H100: test/silicon). */
static u32 video_scalar(const struct form *f, u32 code, u32 a, u32 b, u32 c)
{
    u32 pa = code >> VIDEO_A & 7, pb = code >> VIDEO_B & 7, pd = code >> VIDEO_RESULT & 7;
    s64 left = int_part(a, int_part_at(pa), int_part_bits(pa), f->type2 == T_S32);
    s64 right = int_part(b, int_part_at(pb), int_part_bits(pb), code & VIDEO_B_SIGNED);
    if (f->op == OP_VMAD) return video_mad(f, code & VIDEO_B_SIGNED, left, right, c);
    s64 x = int_video(f, left, right);
    bool sign = f->type == T_S32;
    if (f->flags & FLAG_SAT && video_shifts(f))
        x = int_saturate((s64)((u64)x << 30) >> 30, 32, sign);
    else if (f->flags & FLAG_SAT && pd == PART_WORD)
        x = int_saturate(x, 32, sign);
    switch (f->sub) {
    case SIMD_ADD: return (u32)x + c;
    case SIMD_MIN: case SIMD_MAX: return video_extreme(f, x, c);
    default: return pd == PART_WORD ? (u32)x : video_insert(f, x, c, pd);
    }
}

/* Returns the result of a vector video instruction. c supplies the lanes not written, or is the
 * accumulator of all lanes written (.add). */
static u32 video_vector(const struct form *f, u32 code, u32 a, u32 b, u32 c)
{
    u32 n = op_video((enum op)f->op), bits = 32 / n;
    for (u32 lane = 0; lane < n; lane++) {
        u32 pa = code >> (VIDEO_A + 3 * lane) & 7, pb = code >> (VIDEO_B + 3 * lane) & 7;
        s64 x = int_video(f, int_part(pa < n ? a : b, pa % n * bits, bits, f->type2 == T_S32),
                          int_part(pb < n ? a : b, pb % n * bits, bits, code & VIDEO_B_SIGNED));
        if (f->flags & FLAG_SAT) x = int_saturate(x, bits, f->type == T_S32);
        if (!(code >> (VIDEO_RESULT + lane) & 1)) continue;
        if (f->sub == SIMD_ADD) c += (u32)x;
        else c = int_bfi_b32((u32)x, c, lane * bits, bits);
    }
    return c;
}

static void run_video(struct warp *w, const struct ptx_inst *i)
{
    ROW_IN(u32, a, 0);
    ROW_IN(u32, b, 1);
    const u32 *c_row = i->src[2] == OPERAND_ABSENT ? a_row : row_of(w, i->src[2]);
    u32 code = (u32)i->imm;
    bool scalar = op_video((enum op)i->form.op) == 1;
    LANES_WRITE(u32, u32 r = (scalar ? video_scalar : video_vector)(&i->form, code, a_row[l],
                                                                    b_row[l], c_row[l]));
}

/* ---- quotients ---- */

/* Division by double: as fast as a vector, and exact for integers below 2^52. The rounded quotient
 * never reaches the next integer, which is at least 1 / b away: more than its rounding error. Other
 * operands, zero divisors among them, are left to the functions above. */
static inline double whole_double(u64 x) { return double_of(x | 0x433ull << 52) - 0x1p52; }
static inline u64 whole_u64(double x) { return bits_of_double(x + 0x1p52) << 12 >> 12; }
static inline double whole_quotient(double a, double b)
{
    double q = a / b, near = q + 0x1p52 - 0x1p52;
    return near > q ? near - 1 : near;
}
static inline u64 quotient(u64 a, u64 b)
{
    return whole_u64(whole_quotient(whole_double(a), whole_double(b)));
}
static inline u64 remainder_of(u64 a, u64 b)
{
    double x = whole_double(a), y = whole_double(b);
    return whole_u64(x - whole_quotient(x, y) * y);
}

#define SIZE_u32(x) (x)
#define SIZE_u64(x) (x)
#define SIZE_s32(x) ((x) < 0 ? 0 - (u32)(x) : (u32)(x))
#define SIZE_s64(x) ((x) < 0 ? 0 - (u64)(x) : (u64)(x))
#define NEGATE_u32(x, negative) (x)
#define NEGATE_u64(x, negative) (x)
#define NEGATE_s32(x, negative) ((negative) ? 0 - (x) : (x))
#define NEGATE_s64(x, negative) ((negative) ? 0 - (x) : (x))

/* Returns true if all executing lanes have operands below 2^52 and divisors other than 0. */
#define DIVIDES(T, U) \
    static bool divides_##T(const struct warp *w, const T *a, const T *b) \
    { \
        u64 wide = 0; \
        if (likely(w->executing == UINT32_MAX)) { \
            for (u32 l = 0; l < LANES; l++) { \
                U size = (U)SIZE_##T(b[l]); \
                wide |= (U)SIZE_##T(a[l]) | size | ((u64)size - 1); \
            } \
            return !(wide >> 52); \
        } \
        for (u32 l = 0; l < LANES; l++) { \
            U size = (U)SIZE_##T(b[l]); \
            wide |= ((U)SIZE_##T(a[l]) | size | ((u64)size - 1)) & \
                    (0 - (u64)(w->executing >> l & 1)); \
        } \
        return !(wide >> 52); \
    }
DIVIDES(u32, u32)
DIVIDES(u64, u64)
DIVIDES(s32, u32)
DIVIDES(s64, u64)

#define DIVIDE(op, type, T, U, operation, negative) \
    static void fast_##op##_##type(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(T, a, 0); \
        ROW_IN(T, b, 1); \
        if (unlikely(!divides_##T(w, a_row, b_row))) { \
            NAME(op, 0, type, NONE, 0)(w, i); \
            return; \
        } \
        LANES_WRITE(T, T a = a_row[l]; T b = b_row[l]; \
                    U size = (U)operation((U)SIZE_##T(a), (U)SIZE_##T(b)); \
                    T r = (T)NEGATE_##T(size, negative)); \
    }
DIVIDE(DIV, U32, u32, u32, quotient, false)
DIVIDE(DIV, U64, u64, u64, quotient, false)
DIVIDE(DIV, S32, s32, u32, quotient, (a ^ b) < 0)
DIVIDE(DIV, S64, s64, u64, quotient, (a ^ b) < 0)
DIVIDE(REM, U32, u32, u32, remainder_of, false)
DIVIDE(REM, U64, u64, u64, remainder_of, false)
DIVIDE(REM, S32, s32, u32, remainder_of, a < 0)
DIVIDE(REM, S64, s64, u64, remainder_of, a < 0)
#undef DIVIDE

#define FN1(op, sub, type, type2, flags, ...) \
    {OP_##op, T_##type, T_##type2, EXEC_ANY, EXEC_ANY, sub, EXEC_ANY, EXEC_ANY, flags, EXEC_EXACT, \
     NAME(op, sub, type, type2, flags)},
#define FN2(...) FN1(__VA_ARGS__)
#define FN3(...) FN1(__VA_ARGS__)
#define FN4(...) FN1(__VA_ARGS__)
#define SELECT(op, type, D) \
    {OP_##op, T_##type, T_NONE, EXEC_ANY, EXEC_ANY, 0, EXEC_ANY, EXEC_ANY, 0, 0, \
     NAME(op, 0, type, NONE, 0)},
#define ANY EXEC_ANY
#define VIDEO(op) {OP_##op, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_video},
#define DIVIDED(op, type) \
    {OP_##op, T_##type, T_NONE, ANY, ANY, 0, ANY, ANY, 0, EXEC_EXACT, fast_##op##_##type},
const struct exec_row exec_int_rows[] = {
    DIVIDED(DIV, U32) DIVIDED(DIV, U64) DIVIDED(DIV, S32) DIVIDED(DIV, S64)
    DIVIDED(REM, U32) DIVIDED(REM, U64) DIVIDED(REM, S32) DIVIDED(REM, S64)
#include "isa/typed.def"
    VIDEO(VADD) VIDEO(VSUB) VIDEO(VABSDIFF) VIDEO(VMIN) VIDEO(VMAX) VIDEO(VSHL) VIDEO(VSHR)
    VIDEO(VSET) VIDEO(VMAD) VIDEO(VADD2) VIDEO(VSUB2) VIDEO(VAVRG2) VIDEO(VABSDIFF2) VIDEO(VMIN2)
    VIDEO(VMAX2) VIDEO(VSET2) VIDEO(VADD4) VIDEO(VSUB4) VIDEO(VAVRG4) VIDEO(VMIN4) VIDEO(VMAX4)
    VIDEO(VSET4)
};
const u32 exec_int_row_n = COUNT_OF(exec_int_rows);

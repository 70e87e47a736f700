/* Extended-precision integers: the CARRY rows of typed.def. CC.CF is one bit per lane of the warp.
 * Sums are computed in 128 bits; the bit above the width of the type is the carry. Subtraction
 * computes a + ~b + 1, and its carry is the complement of a borrow: GPUs keep the carry, and
 * compilers read it with addc after sub.cc. The manual calls the bit a borrow; pure chains of
 * subtractions cannot tell the difference. */
#include "exec/lanes.h"
#include "isa/isa.h"

#define UNSIGNED_u32 u32
#define UNSIGNED_s32 u32
#define UNSIGNED_u64 u64
#define UNSIGNED_s64 u64
#define WIDTH(T) (8 * sizeof(T))

/* The half of a product to add, as an unsigned number; T determines the signedness. */
#define HALF_OF_HALF_LO(T, a, b) ((UNSIGNED_##T)((u128)(a) * (u128)(b)))
#define HALF_OF_HALF_HI(T, a, b) ((UNSIGNED_##T)((WIDE_##T)(a) * (WIDE_##T)(b) >> WIDTH(T)))
#define WIDE_u32 u64
#define WIDE_s32 s64
#define WIDE_u64 u128
#define WIDE_s64 s128

/* k: carry in */
#define SUM_ADD(T, sub) ((u128)a + (u128)b)
#define SUM_ADDC(T, sub) ((u128)a + (u128)b + k)
#define SUM_SUB(T, sub) ((u128)a + (T)~b + 1)
#define SUM_SUBC(T, sub) ((u128)a + (T)~b + k)
#define SUM_MAD(T, sub) ((u128)HALF_OF_##sub(T, a, b) + (UNSIGNED_##T)c)
#define SUM_MADC(T, sub) ((u128)HALF_OF_##sub(T, a, b) + (UNSIGNED_##T)c + k)
#define SOURCE_C_ADD 1
#define SOURCE_C_ADDC 1
#define SOURCE_C_SUB 1
#define SOURCE_C_SUBC 1
#define SOURCE_C_MAD 2
#define SOURCE_C_MADC 2

#define NAME(op, sub, type, flags) op##_##sub##_##type##_##flags
#define CARRY(op, sub, type, flags, cost, T) \
    static void NAME(op, sub, type, flags)(struct warp *w, const struct ptx_inst *i) \
    { \
        const T *a_row = row_of(w, i->src[0]), *b_row = row_of(w, i->src[1]); \
        const T *c_row = row_of(w, i->src[SOURCE_C_##op]); \
        T out[LANES]; \
        u32 carry = 0; \
        for (u32 l = 0; l < LANES; l++) { \
            T a = a_row[l], b = b_row[l], c __attribute__((unused)) = c_row[l]; \
            u32 k __attribute__((unused)) = w->carry >> l & 1; \
            u128 sum = SUM_##op(T, sub); \
            out[l] = (T)sum; \
            carry |= (u32)(sum >> WIDTH(T) & 1) << l; \
        } \
        if (sizeof(T) == 4) lanes_put32(w, i->dst[0], out); \
        else lanes_put64(w, i->dst[0], out); \
        if (flags) w->carry = (w->carry & ~w->executing) | (carry & w->executing); \
    }
#include "isa/typed.def"

#define CARRY(op, sub, type, flags, cost, T) \
    {OP_##op, T_##type, T_NONE, EXEC_ANY, EXEC_ANY, sub, EXEC_ANY, EXEC_ANY, flags, EXEC_EXACT, \
     NAME(op, sub, type, flags)},
const struct exec_row exec_carry_rows[] = {
#include "isa/typed.def"
};
const u32 exec_carry_row_n = COUNT_OF(exec_carry_rows);

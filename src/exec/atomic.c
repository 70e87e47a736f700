/* atom, red: the lanes execute one after the other, in lane order. Memory orders and scopes have no
 * further effect, because an instruction takes full effect at issue or, in global memory, at the
 * end of the cycle (store_buffer.h). Bound by exec_bind.
 * Source: PTX ISA manual, parallel synchronization instructions. */
#include "exec/atomic.h"
#include "exec/float/round.h"
#include "exec/store_buffer.h"
#include "isa/isa.h"

/* Model: f32 addition flushes subnormal inputs and results to zero in global memory, but not in
 * shared memory (PTX ISA manual, atom). */
static u32 flush(u32 bits) { return bits & 0x7f800000 ? bits : bits & 0x80000000; }

static u32 add_f32(u32 a, u32 b, bool flushes)
{
    float sum = flushes ? float_of(flush(a)) + float_of(flush(b)) : float_of(a) + float_of(b);
    if (sum != sum) return F32_NAN;
    return flushes ? flush(bits_of(sum)) : bits_of(sum);
}

/* Model: a NaN sum of f64 is 0x7ff8000000000000 (guess). */
#define SUM_NAN 0x7ff8000000000000ull

static u64 add_f64(u64 a, u64 b)
{
    double sum = double_of(a) + double_of(b);
    return sum != sum ? SUM_NAN : bits_of_double(sum);
}

static u32 add_f16(u32 a, u32 b)
{
    return exact_f16(exact_sum((double)f16_widen(a), (double)f16_widen(b)), ROUND_RN);
}

static u32 add_bf16(u32 a, u32 b)
{
    return exact_bf16(exact_sum((double)bf16_widen(a), (double)bf16_widen(b)), ROUND_RN);
}

/* Model: both halves of a pair are added in one atomic step (PTX: each half is atomic by
 * itself). */
static u32 add_f16x2(u32 a, u32 b)
{
    return add_f16(a >> 16, b >> 16) << 16 | add_f16(a & 0xffff, b & 0xffff);
}

static u32 add_bf16x2(u32 a, u32 b)
{
    return add_bf16(a >> 16, b >> 16) << 16 | add_bf16(a & 0xffff, b & 0xffff);
}

/* Model: min and max of f16 and bf16 follow the instructions min and max, halves of a pair in one
 * step (guess). */
static u32 extreme_f16(u32 a, u32 b, bool less) { return half_extreme(a, b, less, 0x7c00, 0); }
static u32 extreme_bf16(u32 a, u32 b, bool less) { return half_extreme(a, b, less, 0x7f80, 0); }
static u32 extreme_f16x2(u32 a, u32 b, bool less)
{
    return extreme_f16(a >> 16, b >> 16, less) << 16 | extreme_f16(a & 0xffff, b & 0xffff, less);
}
static u32 extreme_bf16x2(u32 a, u32 b, bool less)
{
    return extreme_bf16(a >> 16, b >> 16, less) << 16 | extreme_bf16(a & 0xffff, b & 0xffff, less);
}

/* Records whether the atomic changed memory at the host addresses `each`. w->wasted counts
 * consecutive atomics at one address without a change, as when spinning on a lock: see
 * meet_loop. */
static void changed(struct warp *w, u8 *const *each, bool writes)
{
    const u8 *address = each[__builtin_ctz(w->executing)];
    effect_wrote(w->effect, writes);
    w->wasted = writes ? 0 : address == w->wasted_at ? w->wasted + 1 : 1;
    w->wasted_at = address;
}

/* Performs, at issue, the lanes in shared and local memory, and all lanes in functional execution;
 * buffers the others. */
INLINED void atomic_run(struct warp *w, const struct ptx_inst *i, u32 size_bytes,
                        void (*lanes_run)(struct warp *w, const struct ptx_inst *i,
                                          u8 *const *each, bool global),
                        void (*later)(struct warp *w, const struct store_entry *s))
{
    enum access_kind kind = i->form.op == OP_ATOM ? ACCESS_ATOMIC : ACCESS_RED;
    struct access a;
    enum shape shape = access_find(w, i, size_bytes, kind, &a);
    if (shape == SHAPE_FAULT) return;
    access_each(w, shape, size_bytes, &a);
    u32 lanes = w->executing, buffered = lanes_buffered(w, shape, &a);
    bool global = w->effect->space == SPACE_GLOBAL;
    if (buffered) {
        struct store_entry *s = store_buffer_add(w, i, buffered, size_bytes, later);
        memcpy(s->each, a.each, sizeof s->each);
        s->atomic = true;
        s->global = global;
    }
    if (buffered == lanes) return;
    w->executing = lanes & ~buffered;
    lanes_run(w, i, a.each, global);
    w->executing = lanes;
}

/* Defines an atomic. T: type in memory; the expression computes the new value from old (in memory)
 * and the operands b and c (c: cas only). */
#define ATOMIC(name, T, ...) \
    static void name##_lanes(struct warp *w, const struct ptx_inst *i, u8 *const *each, \
                             bool global __attribute__((unused))) \
    { \
        const HELD_##T *b_row = row_of(w, i->src[1]); \
        const HELD_##T *c_row = i->form.sub == ATOM_CAS ? row_of(w, i->src[2]) : b_row; \
        T out[LANES]; \
        bool writes = false; \
        for (u32 left = w->executing; left; left &= left - 1) { \
            u32 l = (u32)__builtin_ctz(left); \
            T old, b = (T)b_row[l], c __attribute__((unused)) = (T)c_row[l]; \
            memcpy(&old, each[l], sizeof old); \
            T now = (T)(__VA_ARGS__); \
            memcpy(each[l], &now, sizeof now); \
            writes |= memcmp(&now, &old, sizeof now) != 0; \
            out[l] = old; \
        } \
        changed(w, each, writes); \
        if (i->form.op != OP_ATOM || i->dst[0] == OPERAND_ABSENT) return; \
        HELD_##T *to = row_of(w, i->dst[0]); \
        for (u32 left = w->executing; left; left &= left - 1) { \
            u32 l = (u32)__builtin_ctz(left); \
            to[l] = out[l]; \
        } \
    } \
    static void name##_later(struct warp *w, const struct store_entry *s) \
    { \
        name##_lanes(w, s->inst, s->each, s->global); \
    } \
    static void name(struct warp *w, const struct ptx_inst *i) \
    { \
        atomic_run(w, i, sizeof(T), name##_lanes, name##_later); \
    }

/* ATOMICS(sub, type, held type, new value). S32 and S64 add in the unsigned type. */
#define ATOMICS(X) \
    X(ADD, U32, u32, old + b) \
    X(ADD, S32, u32, old + b) \
    X(ADD, U64, u64, old + b) \
    X(ADD, S64, u64, old + b) \
    X(ADD, F32, u32, add_f32(old, b, global)) \
    X(ADD, F64, u64, add_f64(old, b)) \
    X(ADD, F16, u16, add_f16(old, b)) \
    X(ADD, F16X2, u32, add_f16x2(old, b)) \
    X(ADD, BF16, u16, add_bf16(old, b)) \
    X(ADD, BF16X2, u32, add_bf16x2(old, b)) \
    X(INC, U32, u32, old >= b ? 0 : old + 1) \
    X(DEC, U32, u32, old == 0 || old > b ? b : old - 1) \
    X(MIN, U32, u32, b < old ? b : old) \
    X(MIN, S32, s32, b < old ? b : old) \
    X(MIN, U64, u64, b < old ? b : old) \
    X(MIN, S64, s64, b < old ? b : old) \
    X(MAX, U32, u32, b > old ? b : old) \
    X(MAX, S32, s32, b > old ? b : old) \
    X(MAX, U64, u64, b > old ? b : old) \
    X(MAX, S64, s64, b > old ? b : old) \
    X(MIN, F16, u16, extreme_f16(old, b, true)) \
    X(MIN, F16X2, u32, extreme_f16x2(old, b, true)) \
    X(MIN, BF16, u16, extreme_bf16(old, b, true)) \
    X(MIN, BF16X2, u32, extreme_bf16x2(old, b, true)) \
    X(MAX, F16, u16, extreme_f16(old, b, false)) \
    X(MAX, F16X2, u32, extreme_f16x2(old, b, false)) \
    X(MAX, BF16, u16, extreme_bf16(old, b, false)) \
    X(MAX, BF16X2, u32, extreme_bf16x2(old, b, false)) \
    X(AND, B32, u32, old & b) \
    X(AND, B64, u64, old & b) \
    X(OR, B32, u32, old | b) \
    X(OR, B64, u64, old | b) \
    X(XOR, B32, u32, old ^ b) \
    X(XOR, B64, u64, old ^ b) \
    X(EXCH, B32, u32, b) \
    X(EXCH, B64, u64, b) \
    X(CAS, B16, u16, old == b ? c : old) \
    X(CAS, B32, u32, old == b ? c : old) \
    X(CAS, B64, u64, old == b ? c : old)

#define RUN(sub, type, T, ...) ATOMIC(run_##sub##_##type, T, __VA_ARGS__)
ATOMICS(RUN)

/* ---- reductions ---- */

#define COMBINE(sub, type, T, ...) \
    static void combine_##sub##_##type(void *at, const void *with) \
    { \
        const bool global __attribute__((unused)) = true; \
        const T c __attribute__((unused)) = 0; \
        T old, b; \
        memcpy(&old, at, sizeof old); \
        memcpy(&b, with, sizeof b); \
        T now = (T)(__VA_ARGS__); \
        memcpy(at, &now, sizeof now); \
    }
ATOMICS(COMBINE)

bool atomic_combine(u32 op, u32 type, void *at, const void *with)
{
    static const struct {
        u8 op, type;
        void (*run)(void *at, const void *with);
    } rows[] = {
#define COMBINE_ROW(sub, type, ...) {ATOM_##sub, T_##type, combine_##sub##_##type},
        ATOMICS(COMBINE_ROW)
    };
    for (u32 k = 0; k < COUNT_OF(rows); k++) {
        if (rows[k].op != op || rows[k].type != type) continue;
        if (at) rows[k].run(at, with);
        return true;
    }
    return false;
}

/* ---- 128 bits ---- */

/* Two registers of 64 bits hold a number of 128 bits. */
struct pair {
    u64 low, high;
};

static struct pair pair_read(const struct warp *w, const u32 *operand, u32 lane)
{
    return (struct pair){((const u64 *)row_of(w, operand[0]))[lane],
                         ((const u64 *)row_of(w, operand[1]))[lane]};
}

static void pairs_lanes(struct warp *w, const struct ptx_inst *i, u8 *const *each, bool global)
{
    (void)global;
    struct pair out[LANES];
    bool writes = false;
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        struct pair old, b = pair_read(w, i->src + 1, l), now = b;
        memcpy(&old, each[l], sizeof old);
        if (i->form.sub == ATOM_CAS)
            now = memcmp(&old, &b, sizeof b) ? old : pair_read(w, i->src + 3, l);
        memcpy(each[l], &now, sizeof now);
        writes |= memcmp(&now, &old, sizeof now) != 0;
        out[l] = old;
    }
    changed(w, each, writes);
    for (u32 k = 0; k < 2; k++) {
        if (i->dst[k] == OPERAND_ABSENT) continue;
        u64 *to = row_of(w, i->dst[k]);
        for (u32 left = w->executing; left; left &= left - 1) {
            u32 l = (u32)__builtin_ctz(left);
            to[l] = k ? out[l].high : out[l].low;
        }
    }
}
static void pairs_later(struct warp *w, const struct store_entry *s)
{
    pairs_lanes(w, s->inst, s->each, s->global);
}
static void run_pairs(struct warp *w, const struct ptx_inst *i)
{
    atomic_run(w, i, sizeof(struct pair), pairs_lanes, pairs_later);
}

#define ANY EXEC_ANY
#define ROWS(sub, type, ...) \
    {OP_ATOM, T_##type, ANY, ANY, ANY, ATOM_##sub, ANY, ANY, 0, 0, run_##sub##_##type}, \
    {OP_RED, T_##type, ANY, ANY, ANY, ATOM_##sub, ANY, ANY, 0, 0, run_##sub##_##type},
const struct exec_row exec_atomic_rows[] = {
    {OP_ATOM, T_B64, ANY, ANY, ANY, ATOM_EXCH, ANY, 2, 0, 0, run_pairs},
    {OP_ATOM, T_B64, ANY, ANY, ANY, ATOM_CAS, ANY, 2, 0, 0, run_pairs},
    ATOMICS(ROWS)
};
const u32 exec_atomic_row_n = COUNT_OF(exec_atomic_rows);

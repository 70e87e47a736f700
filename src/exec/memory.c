/* ld, ldu, st and cache hints. access.c finds the bytes; the functions here move them between
 * memory and rows, with sign or zero extension to the width of the register. Bound by exec_bind;
 * timing reads the addresses from struct effect. Stores to global memory go through the store
 * buffer. Source: PTX ISA manual, data movement instructions. */
#include "base/vector.h"
#include "exec/lanes.h"
#include "exec/store_buffer.h"
#include "isa/isa.h"


#define READ(T, at) ({ T read_; memcpy(&read_, (const void *)(at), sizeof read_); read_; })
#define WRITE(T, at, value) \
    do { T write_ = (T)(value); memcpy((void *)(at), &write_, sizeof write_); } while (0)

/* One register of a vector: byte offset of the element, and bytes from lane to lane. */
struct element { u32 operand, offset, stride; };

/* Where the bytes of the lanes are, by shape: at base, base + address[lane], or each[lane]. */
struct place {
    enum shape shape;
    uintptr_t base;
    const u64 *address;
    u8 *const *each;
    const bool *eights; /* SHAPE_BASED: as in struct access */
};

/* Loads 32 words of 4 bytes in eights (struct access). */
static void eights_load(void *to, uintptr_t base, const u64 *address)
{
    u32x8 *eight = to;
    for (u32 k = 0; k < LANES / 8; k++) {
        uintptr_t at = base + address[8 * k];
        if (address[0] != address[1]) memcpy(&eight[k], (const void *)at, sizeof *eight);
        else eight[k] = (u32x8){0} + READ(u32, at);
    }
}

/* Loads one register: FROM in memory, cut to THROUGH (the width of the register), held as TO. */
#define LOAD(name, FROM, THROUGH, TO) \
    INLINED void name##_row(struct warp *w, struct element x, struct place p) \
    { \
        TO *to = __builtin_assume_aligned(row_of(w, x.operand), 64); \
        u32 mask = w->executing; \
        enum shape shape = p.shape; \
        uintptr_t at = p.base + x.offset; \
        const u64 *address = p.address; \
        if (shape == SHAPE_LINEAR && likely(mask == UINT32_MAX)) { \
            LANE_LOOP to[l] = (TO)(THROUGH)READ(FROM, at + l * x.stride); \
        } else if (shape == SHAPE_LINEAR) { \
            u32 first = (u32)__builtin_ctz(mask), n = (u32)__builtin_popcount(mask); \
            for (u32 k = 0; k < n; k++) \
                to[first + k] = (TO)(THROUGH)READ(FROM, at + k * x.stride); \
        } else if (shape == SHAPE_UNIFORM) { \
            TO value = (TO)(THROUGH)READ(FROM, at); \
            if (likely(mask == UINT32_MAX)) LANE_LOOP to[l] = value; \
            else LANE_LOOP to[l] = mask & 1u << l ? value : to[l]; \
        } else if (shape == SHAPE_BASED && mask == UINT32_MAX) { \
            if (sizeof(FROM) == 4 && sizeof(TO) == 4 && *p.eights && x.stride == 4) { \
                eights_load(to, at, address); \
                return; \
            } \
            UNROLLED(32) for (u32 l = 0; l < LANES; l++) \
                to[l] = (TO)(THROUGH)READ(FROM, at + address[l]); \
        } else if (shape == SHAPE_BASED) { \
            for (; mask; mask &= mask - 1) { \
                u32 l = (u32)__builtin_ctz(mask); \
                to[l] = (TO)(THROUGH)READ(FROM, at + address[l]); \
            } \
        } else { \
            for (; mask; mask &= mask - 1) { \
                u32 l = (u32)__builtin_ctz(mask); \
                to[l] = (TO)(THROUGH)READ(FROM, p.each[l] + x.offset); \
            } \
        } \
    } \
    MOVE(name, FROM, i->dst[k]) \
    INLINED void name##_vector(struct warp *w, const struct ptx_inst *i, u32 n) \
    { \
        struct access a; \
        u32 size_bytes = n * (u32)sizeof(FROM); \
        enum shape shape = access_find(w, i, size_bytes, ACCESS_LOAD, &a); \
        if (unlikely(shape == SHAPE_FAULT)) return; \
        shape = load_forward(w, i, shape, size_bytes, &a); \
        name##_move(w, i, n, (struct place){shape, a.base, w->effect->address, a.each, \
                                           &a.eights}); \
    } \
    static void name(struct warp *w, const struct ptx_inst *i) \
    { \
        BY_VECTOR(i, name##_vector, w, i); \
    }

/* Stores one register. Model: when several lanes store to one address, the highest lane wins; the
 * manual leaves the order open (guess). */
#define STORE(name, FROM, TO) \
    INLINED void name##_row(struct warp *w, struct element x, struct place p) \
    { \
        const FROM *from = __builtin_assume_aligned(row_of(w, x.operand), 64); \
        u32 mask = w->executing; \
        enum shape shape = p.shape; \
        uintptr_t at = p.base + x.offset; \
        const u64 *address = p.address; \
        if (shape == SHAPE_LINEAR && likely(mask == UINT32_MAX)) { \
            LANE_LOOP WRITE(TO, at + l * x.stride, from[l]); \
        } else if (shape == SHAPE_LINEAR) { \
            u32 first = (u32)__builtin_ctz(mask), n = (u32)__builtin_popcount(mask); \
            for (u32 k = 0; k < n; k++) WRITE(TO, at + k * x.stride, from[first + k]); \
        } else if (shape == SHAPE_UNIFORM) { \
            WRITE(TO, at, from[31 - __builtin_clz(mask)]); \
        } else if (shape == SHAPE_BASED && mask == UINT32_MAX) { \
            UNROLLED(32) for (u32 l = 0; l < LANES; l++) WRITE(TO, at + address[l], from[l]); \
        } else { \
            for (; mask; mask &= mask - 1) { \
                u32 l = (u32)__builtin_ctz(mask); \
                uintptr_t each = shape == SHAPE_BASED ? at + address[l] \
                                                      : (uintptr_t)p.each[l] + x.offset; \
                WRITE(TO, each, from[l]); \
            } \
        } \
    } \
    MOVE(name, TO, i->src[1 + k]) \
    INLINED void name##_later_vector(struct warp *w, const struct store_entry *s, u32 n) \
    { \
        enum shape shape = (enum shape)s->shape; \
        name##_move(w, s->inst, n, (struct place){shape, s->base, s->address, s->each, NULL}); \
    } \
    static __attribute__((noinline)) void name##_later_any(struct warp *w, \
                                                           const struct store_entry *s) \
    { \
        BY_VECTOR(s->inst, name##_later_vector, w, s); \
    } \
    static void name##_later(struct warp *w, const struct store_entry *s) \
    { \
        bool line = s->shape == SHAPE_LINEAR && s->mask == UINT32_MAX; \
        if (unlikely(!line || s->inst->form.vector > 1)) { \
            name##_later_any(w, s); \
            return; \
        } \
        uintptr_t at = s->base; \
        const FROM *from = __builtin_assume_aligned(row_of(w, s->inst->src[1]), 64); \
        LANE_LOOP WRITE(TO, at + l * sizeof(TO), from[l]); \
    } \
    INLINED void name##_vector(struct warp *w, const struct ptx_inst *i, u32 n) \
    { \
        struct access a; \
        u32 size_bytes = n * (u32)sizeof(TO), lanes = w->executing; \
        enum shape shape = access_find(w, i, size_bytes, ACCESS_STORE, &a); \
        if (unlikely(shape == SHAPE_FAULT)) return; \
        u32 buffered = lanes_buffered(w, shape, &a); \
        if (buffered) store_buffer_store(w, i, buffered, shape, size_bytes, &a, name##_later); \
        if (buffered == lanes) return; \
        w->executing = lanes & ~buffered; \
        name##_move(w, i, n, (struct place){shape, a.base, w->effect->address, a.each, NULL}); \
        w->executing = lanes; \
    } \
    static void name(struct warp *w, const struct ptx_inst *i) \
    { \
        BY_VECTOR(i, name##_vector, w, i); \
    }

/* Moves all n registers of an instruction; OPERAND is the k-th. */
#define MOVE(name, MEMORY, OPERAND) \
    INLINED void name##_move(struct warp *w, const struct ptx_inst *i, u32 n, struct place p) \
    { \
        for (u32 k = 0; k < n; k++) { \
            struct element x = {OPERAND, k * (u32)sizeof(MEMORY), n * (u32)sizeof(MEMORY)}; \
            if (likely(x.operand != OPERAND_ABSENT)) name##_row(w, x, p); \
        } \
    }

/* Calls run(..., n) with the number of registers as a constant. */
#define BY_VECTOR(i, run, ...) \
    do { \
        if (likely((i)->form.vector <= 1)) run(__VA_ARGS__, 1); \
        else if ((i)->form.vector == 2) run(__VA_ARGS__, 2); \
        else run(__VA_ARGS__, 4); \
    } while (0)

LOAD(ld_u8_32, u8, u8, u32)
LOAD(ld_u8_64, u8, u8, u64)
LOAD(ld_s8_16, s8, u16, u32)
LOAD(ld_s8_32, s8, s8, u32)
LOAD(ld_s8_64, s8, s8, u64)
LOAD(ld_u16_32, u16, u16, u32)
LOAD(ld_u16_64, u16, u16, u64)
LOAD(ld_s16_32, s16, s16, u32)
LOAD(ld_s16_64, s16, s16, u64)
LOAD(ld_u32_32, u32, u32, u32)
LOAD(ld_u32_64, u32, u32, u64)
LOAD(ld_s32_64, s32, s32, u64)
LOAD(ld_u64_64, u64, u64, u64)
STORE(st_32_8, u32, u8)
STORE(st_64_8, u64, u8)
STORE(st_32_16, u32, u16)
STORE(st_64_16, u64, u16)
STORE(st_32_32, u32, u32)
STORE(st_64_32, u64, u32)
STORE(st_64_64, u64, u64)

/* MOVES(type, loads into a register of 2, 4 and 8 bytes, stores from 4 and 8): load and store of a
 * type by register width. Without a register (the sink `_`), 1-byte types count as 2 bytes wide. */
#define MOVES(X) \
    X(u8, ld_u8_32, ld_u8_32, ld_u8_64, st_32_8, st_64_8) \
    X(s8, ld_s8_16, ld_s8_32, ld_s8_64, st_32_8, st_64_8) \
    X(u16, ld_u16_32, ld_u16_32, ld_u16_64, st_32_16, st_64_16) \
    X(s16, ld_u16_32, ld_s16_32, ld_s16_64, st_32_16, st_64_16) \
    X(u32, ld_u32_32, ld_u32_32, ld_u32_64, st_32_32, st_64_32) \
    X(s32, ld_u32_32, ld_u32_32, ld_s32_64, st_32_32, st_64_32)

#define BY_WIDTH(type, two, four, eight, st_four, st_eight) \
    static void run_ld_##type(struct warp *w, const struct ptx_inst *i) \
    { \
        if (likely(i->register_bytes == 4)) four(w, i); \
        else if (i->register_bytes == 8) eight(w, i); \
        else two(w, i); \
    } \
    static void run_st_##type(struct warp *w, const struct ptx_inst *i) \
    { \
        if (likely(i->register_bytes != 8)) st_four(w, i); \
        else st_eight(w, i); \
    }
MOVES(BY_WIDTH)

/* Model: prefetch, discard and other cache hints have no effect on the program and cause no traffic
 * (guess). */
static void run_hint(struct warp *w, const struct ptx_inst *i)
{
    (void)w;
    (void)i;
}

#define ANY EXEC_ANY
#define ROW(op, type, run) {OP_##op, type, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run},
#define ROWS(type, move) \
    ROW(LD, T_##type, run_ld_##move) ROW(LDU, T_##type, run_ld_##move) \
    ROW(ST, T_##type, run_st_##move)
#define ROWS_64(type) \
    ROW(LD, T_##type, ld_u64_64) ROW(LDU, T_##type, ld_u64_64) ROW(ST, T_##type, st_64_64)
const struct exec_row exec_memory_rows[] = {
    ROWS(B8, u8) ROWS(U8, u8) ROWS(S8, s8)
    ROWS(B16, u16) ROWS(U16, u16) ROWS(S16, s16)
    ROWS(B32, u32) ROWS(U32, u32) ROWS(S32, s32) ROWS(F32, u32)
    ROWS_64(B64) ROWS_64(U64) ROWS_64(S64) ROWS_64(F64)
    ROW(PREFETCH, ANY, run_hint)
    ROW(PREFETCHU, ANY, run_hint)
    ROW(DISCARD, ANY, run_hint)
    ROW(APPLYPRIORITY, ANY, run_hint)
};
const u32 exec_memory_row_n = COUNT_OF(exec_memory_rows);

/* Memory accesses of the lanes: from address registers to host pointers, with bounds and alignment
 * checks. Used by memory.c, atomic.c, builtin.c, block/ and matrix/; fills struct effect for
 * timing. access_find handles the common case inline: a full warp with consecutive addresses in
 * global or shared memory. access_other (access.c) handles the rest. */
#ifndef CORUN_ACCESS_H
#define CORUN_ACCESS_H

#include "exec/warp.h"
#include "isa/ptx_inst.h"

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_RED };
enum shape {
    SHAPE_FAULT,    /* effect->fault is set; the access must not happen */
    SHAPE_UNIFORM,  /* all lanes at base */
    SHAPE_LINEAR,   /* k-th executing lane at base + k * size; lanes contiguous */
    SHAPE_BASED,    /* lane at base + effect->address[lane] */
    SHAPE_EACH      /* lane at each[lane] */
};
struct access {
    uintptr_t base; /* host address */
    /* SHAPE_BASED of a full warp: each eight lanes, from a multiple of eight on, have consecutive
     * words of 4 bytes, or all eights one word each. */
    bool eights;
    u8 *each[LANES];
    u32 global; /* SHAPE_EACH: lanes in allocations of global memory */
};

/* Prefetches the bytes of the first and the last lane of i, an access to global or shared memory. i
 * is at w->pc and runs soon; its address register must already be in the host's cache. */
void access_prefetch(const struct warp *w, const struct ptx_inst *i);
/* Stores the host pointers of all executing lanes in a->each. */
void access_each(const struct warp *w, enum shape shape, u32 size_bytes, struct access *a);
/* Returns n readable bytes of one lane at a generic address; NULL: out of bounds. */
const u8 *access_bytes(const struct warp *w, u32 lane, u64 generic, u64 n);
/* Returns the n bytes at an offset in the local memory of a lane; NULL: out of bounds. */
u8 *access_local(const struct warp *w, u32 lane, u64 offset, u64 n);

enum shape access_other(struct warp *w, const struct ptx_inst *i, u32 size_bytes,
                        enum access_kind kind, struct access *a);
/* access_other for addresses known not to be consecutive. */
enum shape access_spread(struct warp *w, const struct ptx_inst *i, u32 size_bytes,
                         enum access_kind kind, struct access *a);

/* Resolves an access of some lanes at the addresses in effect->address, given as in the program.
 * The bytes of lane l are at a->each[l]. Returns SHAPE_EACH or SHAPE_FAULT. */
enum shape access_given(struct warp *w, const struct ptx_inst *i, u32 lanes, u32 size_bytes,
                        enum access_kind kind, struct access *a);

/* ---- internal ---- */

static inline u8 access_use(enum access_kind kind)
{
    return kind == ACCESS_LOAD ? USE_LOADED : kind == ACCESS_STORE ? USE_STORED : USE_BOTH;
}

/* Returns the search hint of the instruction before `pc`: its last allocation. */
static inline u8 *access_hint(const struct warp *w, u32 pc)
{
    return &w->block->hint[pc % COUNT_OF(w->block->hint)];
}
static inline struct allocation *access_hinted(const struct warp *w, u32 pc) /* NULL: none */
{
    const struct image *m = w->block->image;
    u32 hint = *access_hint(w, pc);
    return hint < m->allocation_n ? m->allocations + hint : NULL;
}

/* Returns 0 if the address of every lane l is row[0] + l * step. */
static inline u64 line_misses_64(const u64 *row, u32 step)
{
    u64 first = row[0], misses = 0;
    for (u32 l = 0; l < LANES; l++) misses |= (first + l * step) ^ row[l];
    return misses;
}
static inline u32 line_misses_32(const u32 *row, u32 step)
{
    u32 first = row[0], misses = 0;
    for (u32 l = 0; l < LANES; l++) misses |= (first + l * step) ^ row[l];
    return misses;
}

/* Resolves the access of i. size_bytes: whole access of a lane, a power of two up to 16. */
INLINED enum shape
access_find(struct warp *w, const struct ptx_inst *i, u32 size_bytes, enum access_kind kind,
            struct access *a)
{
    struct effect *e = w->effect;
    bool shared = i->form.space == SPACE_SHARED;
    e->kind = EFFECT_MEMORY;
    e->load = kind == ACCESS_LOAD || kind == ACCESS_ATOMIC;
    e->store = kind != ACCESS_LOAD;
    e->atomic = kind >= ACCESS_ATOMIC;
    e->size_bytes = (u8)size_bytes;
    e->linear = true;
    e->uniform = false;
    e->space = i->form.space;
    e->cache = i->form.cache;
    e->mask = w->executing;
    e->reach = 0;
    effect_wrote(e, kind == ACCESS_STORE);
    if (unlikely(w->executing != UINT32_MAX || i->src[0] == OPERAND_ABSENT || e->atomic ||
                 !(shared || i->form.space == SPACE_GLOBAL)))
        return access_other(w, i, size_bytes, kind, a);
    const void *row = __builtin_assume_aligned(row_of(w, i->src[0]), 64);
    u64 address;
    if (i->address_bytes != 4) {
        if (unlikely(line_misses_64(row, size_bytes)))
            return access_spread(w, i, size_bytes, kind, a);
        address = *(const u64 *)row + (u64)i->imm;
    } else {
        if (unlikely(line_misses_32(row, size_bytes)))
            return access_spread(w, i, size_bytes, kind, a);
        address = (u32)(*(const u32 *)row + (u32)i->imm);
    }
    e->address[0] = address;
    bool fits;
    if (shared) {
        u64 bytes = w->block->shared_bytes;
        fits = address < bytes && LANES * size_bytes <= bytes - address;
        a->base = (uintptr_t)w->block->shared + address;
    } else {
        struct allocation *in = access_hinted(w, w->pc);
        fits = in && allocation_holds(in, address, LANES * size_bytes) &&
               (kind == ACCESS_LOAD || !in->read_only) && address >= GLOBAL_BASE;
        if (likely(fits)) {
            a->base = (uintptr_t)in->bytes + (address - in->start);
            e->shift = in->shift;
            allocation_use(in, access_use(kind));
        }
    }
    if (unlikely(!fits || (address & (size_bytes - 1))))
        return access_other(w, i, size_bytes, kind, a);
    return SHAPE_LINEAR;
}

#endif

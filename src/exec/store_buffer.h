/* The store buffer of an SM: stores and atomics to global memory that were issued in the present
 * cycle. effect_drain (warp.h) performs the entries in order of issue.
 *
 * Model: a load reads global memory as at the beginning of the cycle, plus the stores that its own
 * SM issued earlier in the same cycle. The stores and atomics of all SMs take effect at the end of
 * the cycle, ordered by SM, and by scheduler turn in an SM; an atomic reads the old value at that
 * time. Reads of textures and surfaces see no store of the same cycle, and no load sees a store to
 * a surface of the same cycle. Shared and local memory change at issue. Functional execution knows
 * no cycle; every write takes effect at once. (Guess: a GPU does not order the accesses of a
 * cycle.) */
#ifndef CORUN_STORE_BUFFER_H
#define CORUN_STORE_BUFFER_H

#include <string.h>

#include "exec/access.h"

enum { ACCESS_BYTES_MAX = 16 };

/* An instruction in the buffer. No warp issues twice in a cycle: the warp's registers keep their
 * values until the drain, and the entry holds no copy of the registers. */
struct store_entry {
    /* Performs the entry, in the frame `rows` and for the lanes `mask` of the warp. */
    void (*act)(struct warp *w, const struct store_entry *s);
    struct warp *warp;
    const struct ptx_inst *inst;
    u8 *rows;        /* warp.base[0] at issue */
    uintptr_t base;  /* as in struct access, for SHAPE_UNIFORM and SHAPE_LINEAR; else 0 */
    u32 mask;
    u8 shape;        /* SHAPE_UNIFORM, SHAPE_LINEAR or SHAPE_BASED */
    u8 size_bytes;   /* of a lane */
    bool atomic;     /* no load of the cycle sees the entry; also of stores to surfaces */
    bool global;     /* of an atomic: effect.space is SPACE_GLOBAL */
    union {          /* SHAPE_BASED: host address per lane */
        _Alignas(64) u64 address[LANES];
        u8 *each[LANES];
    };
    u8 bytes[LANES][ACCESS_BYTES_MAX]; /* data of entries whose `act` reads no registers */
};

/* Appends an entry for `lanes`, with SHAPE_BASED; the caller fills `each`. */
static inline struct store_entry *
store_buffer_add(struct warp *w, const struct ptx_inst *i, u32 lanes, u32 size_bytes,
                 void (*act)(struct warp *w, const struct store_entry *s))
{
    struct effect *e = w->effect;
    check(e->store_n < e->store_room);
    struct store_entry *s = &e->store_buffer[e->store_n++];
    s->act = act;
    s->warp = w;
    s->inst = i;
    s->rows = w->base[0];
    s->base = 0;
    s->mask = lanes;
    s->shape = SHAPE_BASED;
    s->size_bytes = (u8)size_bytes;
    s->atomic = s->global = false;
    return s;
}

/* Fills the addresses of an entry with SHAPE_BASED. */
void store_entry_spread(struct store_entry *s, enum shape shape, const struct access *a);

/* Appends a store whose `act` reads the data from registers. */
static inline void store_buffer_store(struct warp *w, const struct ptx_inst *i, u32 lanes,
                                      enum shape shape, u32 size_bytes, const struct access *a,
                                      void (*act)(struct warp *w, const struct store_entry *s))
{
    struct store_entry *s = store_buffer_add(w, i, lanes, size_bytes, act);
    if (unlikely(shape > SHAPE_LINEAR)) {
        store_entry_spread(s, shape, a);
        return;
    }
    s->shape = (u8)shape;
    s->base = a->base;
}

/* Stores size_bytes at bytes + l * size_bytes to each[l], for every lane l of `lanes`: lanes in
 * `global` through the store buffer, if the SM has one; the others at once. */
void store_bytes(struct warp *w, const struct ptx_inst *i, u32 lanes, u32 global,
                 u8 *const *each, const u8 *bytes, u32 size_bytes);

/* Returns the lanes of a resolved store or atomic that must go through the store buffer. */
static inline u32 lanes_buffered(const struct warp *w, enum shape shape, const struct access *a)
{
    const struct effect *e = w->effect;
    if (!e->store_buffer) return 0;
    if (unlikely(shape == SHAPE_EACH)) return a->global & w->executing;
    return e->space == SPACE_GLOBAL ? w->executing : 0;
}

/* ---- loads ---- */

enum shape store_buffer_forward(struct warp *w, enum shape shape, u32 size_bytes,
                                struct access *a);
void store_buffer_patch(const struct effect *e, const u8 *from, u32 n, u8 *to);

/* Call for each resolved load from global memory: if an earlier store of the cycle overlaps, points
 * a->each to copies of the bytes with the store's data. Returns the new shape. */
static inline enum shape load_forward(struct warp *w, const struct ptx_inst *i, enum shape shape,
                                      u32 size_bytes, struct access *a)
{
    if (likely(!w->effect->store_n)) return shape;
    if (i->form.space != SPACE_GLOBAL && i->form.space != SPACE_NONE) return shape;
    return store_buffer_forward(w, shape, size_bytes, a);
}

/* Reads n bytes, including earlier stores of the cycle. */
static inline void load_bytes(const struct warp *w, const u8 *from, u32 n, void *to)
{
    memcpy(to, from, n);
    if (unlikely(w->effect->store_n)) store_buffer_patch(w->effect, from, n, to);
}

#endif

/* See store_buffer.h. */
#include "exec/store_buffer.h"

#include "base/arena.h"

void effect_buffer_stores(struct effect *e, u32 room, struct arena *arena)
{
    e->store_buffer = arena_alloc(arena, room * sizeof *e->store_buffer, 64);
    e->store_room = room;
}

/* ---- entries ---- */

void store_entry_spread(struct store_entry *s, enum shape shape, const struct access *a)
{
    const u64 *address = s->warp->effect->address;
    if (shape == SHAPE_BASED)
        for (u32 l = 0; l < LANES; l++) s->address[l] = a->base + address[l];
    else
        memcpy(s->each, a->each, sizeof s->each);
}

static inline void bytes_copy(u8 *to, const u8 *from, u32 n) /* usually 16 */
{
    if (likely(n == 16)) memcpy(to, from, 16);
    else memcpy(to, from, n);
}

static void act_bytes(struct warp *w, const struct store_entry *s)
{
    (void)w;
    for (u32 left = s->mask; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        bytes_copy(s->each[l], s->bytes[l], s->size_bytes);
    }
}

void store_bytes(struct warp *w, const struct ptx_inst *i, u32 lanes, u32 global,
                 u8 *const *each, const u8 *bytes, u32 size_bytes)
{
    u32 buffered = w->effect->store_buffer ? lanes & global : 0;
    struct store_entry *s = NULL;
    if (buffered) s = store_buffer_add(w, i, buffered, size_bytes, act_bytes);
    for (u32 left = lanes; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        bool later = buffered >> l & 1;
        if (later) s->each[l] = each[l];
        bytes_copy(later ? s->bytes[l] : each[l], bytes + l * size_bytes, size_bytes);
    }
}

/* Performs an entry in another frame than the warp's present frame. */
static __attribute__((noinline)) void perform_in_frame(const struct store_entry *s)
{
    struct warp *w = s->warp;
    u8 *rows = w->base[0];
    w->base[0] = s->rows;
    s->act(w, s);
    w->base[0] = rows;
}

static inline void perform(const struct store_entry *s)
{
    struct warp *w = s->warp;
    w->executing = s->mask;
    if (likely(w->base[0] == s->rows)) s->act(w, s);
    else perform_in_frame(s);
}

void effect_drain(struct effect *e)
{
    const struct store_entry *s = e->store_buffer, *end = s + e->store_n;
    for (; s < end; s++) perform(s);
    e->store_n = 0;
}

/* ---- loads ---- */

struct span { /* of host addresses */
    uintptr_t start, end;
};

static struct span span_of(enum shape shape, uintptr_t base, u8 *const *each, u32 mask,
                           u32 size_bytes)
{
    u32 n = shape == SHAPE_LINEAR ? (u32)__builtin_popcount(mask) : 1;
    struct span s = {base, base + (u64)n * size_bytes};
    if (shape <= SHAPE_LINEAR) return s;
    s = (struct span){UINTPTR_MAX, 0};
    for (u32 left = mask; left; left &= left - 1) {
        uintptr_t at = (uintptr_t)each[__builtin_ctz(left)];
        if (at < s.start) s.start = at;
        if (at + size_bytes > s.end) s.end = at + size_bytes;
    }
    return s;
}

static bool is_seen(const struct store_entry *s, struct span load)
{
    struct span x = span_of((enum shape)s->shape, s->base, s->each, s->mask, s->size_bytes);
    return !s->atomic && x.start < load.end && load.start < x.end;
}

/* The data of an entry, by lane. */
struct store_data { u8 lane[LANES][ACCESS_BYTES_MAX]; };

static void data_read(const struct store_entry *s, struct store_data *data)
{
    struct store_entry to_data = *s;
    to_data.base = 0;
    to_data.shape = SHAPE_BASED;
    for (u32 l = 0; l < LANES; l++) to_data.each[l] = data->lane[l];
    perform(&to_data);
}

/* Replaces those of the n bytes read from `from` that the entry stores; the highest lane wins. */
static void patch(const struct store_entry *s, const struct store_data *data, const u8 *from,
                  u32 n, u8 *to)
{
    uintptr_t load = (uintptr_t)from;
    u32 first = (u32)__builtin_ctz(s->mask);
    for (u32 left = s->mask; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        uintptr_t store = s->shape == SHAPE_UNIFORM  ? s->base
                          : s->shape == SHAPE_LINEAR ? s->base + (l - first) * s->size_bytes
                                                     : (uintptr_t)s->each[l];
        uintptr_t start = max_u64(load, store), end = min_u64(load + n, store + s->size_bytes);
        if (start < end) memcpy(to + (start - load), data->lane[l] + (start - store), end - start);
    }
}

void store_buffer_patch(const struct effect *e, const u8 *from, u32 n, u8 *to)
{
    struct span load = {(uintptr_t)from, (uintptr_t)from + n};
    for (u32 k = 0; k < e->store_n; k++) {
        const struct store_entry *s = &e->store_buffer[k];
        struct store_data data;
        if (!is_seen(s, load)) continue;
        data_read(s, &data);
        patch(s, &data, from, n, to);
    }
}

/* Bytes read by the lanes of one load, with the stores of the cycle. */
static _Thread_local _Alignas(64) u8 seen[LANES][ACCESS_BYTES_MAX];

enum shape store_buffer_forward(struct warp *w, enum shape shape, u32 size_bytes, struct access *a)
{
    const struct effect *e = w->effect;
    u32 mask = w->executing, hits = 0;
    if (shape == SHAPE_BASED) access_each(w, shape, size_bytes, a);
    struct span load = span_of(shape, a->base, a->each, mask, size_bytes);
    for (u32 k = 0; k < e->store_n; k++) hits += is_seen(&e->store_buffer[k], load);
    if (likely(!hits)) return shape;
    access_each(w, shape, size_bytes, a);
    for (u32 left = mask; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        memcpy(seen[l], a->each[l], size_bytes);
    }
    for (u32 k = 0; k < e->store_n; k++) {
        const struct store_entry *s = &e->store_buffer[k];
        struct store_data data;
        if (!is_seen(s, load)) continue;
        data_read(s, &data);
        for (u32 left = mask; left; left &= left - 1) {
            u32 l = (u32)__builtin_ctz(left);
            patch(s, &data, a->each[l], size_bytes, seen[l]);
        }
    }
    for (u32 l = 0; l < LANES; l++) a->each[l] = seen[l];
    return SHAPE_EACH;
}

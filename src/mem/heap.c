/* See heap.h. Free memory is a list of ranges sorted by address, no two of which touch. */
#include "mem/heap.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

struct free_range {
    u32 start, n; /* in units */
};
struct heap {
    u64 start;
    u32 unit_n;
    u32 *taken;   /* by first unit of an allocation: its units; other entries are 0 */
    struct free_range *free;
    u32 free_n, room;
};

struct heap *heap_new(u64 start, u64 size_bytes)
{
    struct heap *h = base_alloc(sizeof *h);
    u32 n = (u32)min_u64(size_bytes / HEAP_UNIT, UINT32_MAX / 2);
    h->start = start;
    h->unit_n = n;
    h->taken = base_alloc(sizeof *h->taken * (n + 1ull));
    *base_push(h->free, h->free_n, h->room) = (struct free_range){0, n};
    return h;
}

void heap_free(struct heap *h)
{
    if (!h) return;
    free(h->taken);
    free(h->free);
    free(h);
}

u64 heap_take(struct heap *h, u64 size_bytes)
{
    u64 n = div_up(min_u64(size_bytes, UINT64_MAX / 2), HEAP_UNIT);
    for (u32 k = 0; n && k < h->free_n; k++) {
        struct free_range *r = &h->free[k];
        if (r->n < n) continue;
        u32 at = r->start;
        h->taken[at] = (u32)n;
        r->start += (u32)n;
        r->n -= (u32)n;
        if (!r->n) memmove(r, r + 1, (--h->free_n - k) * sizeof *r);
        return h->start + (u64)at * HEAP_UNIT;
    }
    return 0;
}

/* Returns the index of the first free range behind a unit. */
static u32 range_after(const struct heap *h, u32 unit)
{
    u32 low = 0, high = h->free_n;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (h->free[middle].start < unit) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void range_remove(struct heap *h, u32 k)
{
    memmove(&h->free[k], &h->free[k + 1], (--h->free_n - k) * sizeof *h->free);
}

bool heap_give(struct heap *h, u64 address)
{
    u64 offset = address - h->start, unit = offset / HEAP_UNIT;
    if (offset % HEAP_UNIT || unit >= h->unit_n || !h->taken[unit]) return false;
    struct free_range back = {(u32)unit, h->taken[unit]};
    h->taken[unit] = 0;
    u32 k = range_after(h, back.start);
    if (k < h->free_n && h->free[k].start == back.start + back.n) {
        back.n += h->free[k].n;
        range_remove(h, k);
    }
    if (k && h->free[k - 1].start + h->free[k - 1].n == back.start) {
        h->free[k - 1].n += back.n;
        return true;
    }
    base_push(h->free, h->free_n, h->room);
    memmove(&h->free[k + 1], &h->free[k], (h->free_n - 1 - k) * sizeof *h->free);
    h->free[k] = back;
    return true;
}

/* Allocation of ranges of registers and shared memory: see allocator.h. A side stores ranges as
 * distances from the side's end, hence the same code grows up and down. */
#include "chip/sm/blocks/allocator.h"

#include <stdlib.h>
#include <string.h>

/* Model: 2n-way gives each pair of apps a part (paper 002 section 4.2); a single app gets the whole
 * pools. */
u32 allocator_parts(const struct sm_conf *conf, u32 app_n)
{
    if (conf->allocator != ALLOCATOR_2N_WAY) return 1;
    return conf->allocator_parts ? conf->allocator_parts : max_u32((u32)div_up(app_n, 2), 1);
}

void allocator_init(struct allocator *a, const struct sm_conf *conf)
{
    *a = (struct allocator){.by_warp = conf->register_ranges == REGISTER_RANGES_WARP};
    if (conf->allocator == ALLOCATOR_COUNTERS) return;
    a->part_n = allocator_parts(conf, 1);
    a->side_n = conf->allocator == ALLOCATOR_FIRST_FIT ? 1 : 2 * a->part_n;
    check(a->side_n <= SIDES_MAX);
    a->registers.part = conf->registers / a->part_n;
    a->shared.part = conf->shared_bytes / a->part_n;
}

void allocator_free(struct allocator *a)
{
    for (u32 s = 0; s < a->side_n; s++) {
        free(a->registers.side[s].at);
        free(a->shared.side[s].at);
    }
}

/* ---- the ranges of a side ---- */

static u32 reach(const struct ranges *r) { return r->n ? r->at[r->n - 1].upto : 0; }

/* Bounds of a side's k-th hole, as distances from the end. The last hole extends to the ranges of
 * the opposite side. */
static u32 hole_from(const struct ranges *r, u32 k) { return k ? r->at[k - 1].upto : 0; }

static u32 hole_upto(const struct allocator *a, const struct address_pool *p, u32 side, u32 k)
{
    const struct ranges *r = &p->side[side];
    if (k < r->n) return r->at[k].from;
    return a->side_n == 1 ? p->part : p->part - reach(&p->side[(side + a->part_n) % a->side_n]);
}

/* True if the side has room for n ranges of this size. */
static bool ranges_fit(const struct allocator *a, const struct address_pool *p, u32 side, u32 size,
                      u32 n)
{
    const struct ranges *r = &p->side[side];
    u32 room = 0;
    for (u32 k = 0; size && k <= r->n && room < n; k++)
        room += (hole_upto(a, p, side, k) - hole_from(r, k)) / size;
    return !size || room >= n;
}

static void ranges_take(const struct allocator *a, struct address_pool *p, u32 side, u32 size,
                      const struct block *b)
{
    struct ranges *r = &p->side[side];
    u32 k = 0;
    if (!size) return;
    while (hole_upto(a, p, side, k) - hole_from(r, k) < size) {
        check(k < r->n);
        k++;
    }
    u32 from = hole_from(r, k);
    base_push(r->at, r->n, r->room);
    memmove(&r->at[k + 1], &r->at[k], (r->n - 1 - k) * sizeof *r->at);
    r->at[k] = (struct range){from, from + size, b};
}

static void ranges_give(struct address_pool *p, u32 side, const struct block *b)
{
    struct ranges *r = &p->side[side];
    u32 n = 0;
    for (u32 k = 0; k < r->n; k++)
        if (r->at[k].block != b) r->at[n++] = r->at[k];
    r->n = n;
}

static u32 ranges_reach(const struct address_pool *p, u32 side, const struct block *b)
{
    const struct ranges *r = &p->side[side];
    u32 k = r->n;
    while (k && r->at[k - 1].block != b) k--;
    return k ? r->at[k - 1].upto : 0;
}

/* ---- sides ---- */

static u32 register_ranges(const struct allocator *a, const struct work *k)
{
    return a->by_warp ? k->grid.warps : 1;
}

static u32 register_size(const struct allocator *a, const struct work *k)
{
    return k->need.registers / register_ranges(a, k);
}

static u32 side_lacks(const struct allocator *a, u32 side, const struct work *k)
{
    bool registers =
        ranges_fit(a, &a->registers, side, register_size(a, k), register_ranges(a, k));
    bool shared = ranges_fit(a, &a->shared, side, k->need.shared_bytes, 1);
    return (registers ? 0 : LACKS_REGISTERS) | (shared ? 0 : LACKS_SHARED);
}

/* Returns the side owned by the app; side_n: none. */
static u32 side_of(const struct allocator *a, u32 app_id)
{
    u32 s = 0;
    if (a->side_n == 1) return 0;
    while (s < a->side_n && !(a->block_n[s] && a->app[s] == app_id)) s++;
    return s;
}

/* Returns the side for a block of the kernel; side_n: no room. Model: a new app takes the first
 * side with room for the block, one end of every part before any opposite end. */
static u32 side_for(const struct allocator *a, const struct work *k)
{
    u32 own = side_of(a, k->app_id);
    if (own < a->side_n) return side_lacks(a, own, k) ? a->side_n : own;
    for (u32 s = 0; s < a->side_n; s++)
        if (!a->block_n[s] && !side_lacks(a, s, k)) return s;
    return a->side_n;
}

bool allocator_fits(const struct allocator *a, const struct work *k)
{
    return !a->side_n || side_for(a, k) < a->side_n;
}

u32 allocator_lacks(const struct allocator *a, const struct work *k)
{
    u32 own = side_of(a, k->app_id), lacks = 0;
    if (own < a->side_n) return side_lacks(a, own, k);
    for (u32 s = 0, n = 0; s < a->side_n; s++)
        if (!a->block_n[s]) lacks = n++ ? lacks & side_lacks(a, s, k) : side_lacks(a, s, k);
    return lacks;
}

void allocator_take(struct allocator *a, const struct block *b)
{
    if (!a->side_n) return;
    const struct work *k = b->work;
    u32 side = side_for(a, k);
    check(side < a->side_n);
    for (u32 n = register_ranges(a, k); n; n--)
        ranges_take(a, &a->registers, side, register_size(a, k), b);
    ranges_take(a, &a->shared, side, k->need.shared_bytes, b);
    a->app[side] = (u8)k->app_id;
    a->block_n[side]++;
}

void allocator_give(struct allocator *a, const struct block *b)
{
    if (!a->side_n) return;
    u32 side = side_of(a, b->work->app_id);
    check(side < a->side_n);
    ranges_give(&a->registers, side, b);
    ranges_give(&a->shared, side, b);
    a->block_n[side]--;
}

u64 allocator_reach(const struct allocator *a, const struct block *b)
{
    if (a->side_n < 2) return 0;
    u32 side = side_of(a, b->work->app_id);
    return (u64)ranges_reach(&a->registers, side, b) << 32 | ranges_reach(&a->shared, side, b);
}

/* ---- invariants ---- */

static bool ranges_are_consistent(const struct allocator *a, const struct address_pool *p,
                                  u64 taken)
{
    for (u32 s = 0; s < a->side_n; s++) {
        const struct ranges *r = &p->side[s];
        for (u32 k = 0; k <= r->n; k++)
            if (hole_from(r, k) > hole_upto(a, p, s, k) || hole_upto(a, p, s, k) > p->part)
                return false;
        for (u32 k = 0; k < r->n; k++) taken -= r->at[k].upto - r->at[k].from;
    }
    return !taken;
}

bool allocator_is_consistent(const struct allocator *a, const struct corun_resources *used)
{
    return !a->side_n || (ranges_are_consistent(a, &a->registers, used->registers) &&
                          ranges_are_consistent(a, &a->shared, used->shared_bytes));
}

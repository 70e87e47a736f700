/* Counting of a launch's seats and their occupants; moves of units into and out of seats. */
#include "chip/sm/residency/seats.h"
#include "chip/sm/blocks/life.h"
#include "chip/sm/residency/exchange.h"
#include "chip/sm/policy/quota.h"

/* ---- statistics ---- */

void residency_catch_up(struct sm *sm, u64 now)
{
    struct residency *r = &sm->residency;
    if (!sm->residency.extended || r->since >= now) return;
    u64 cycles = now - r->since;
    r->since = now;
    for (u32 a = 0; a < APPS_MAX; a++) {
        r->stat[a].extra_cycles += cycles * r->extra_of[a];
        r->stat[a].absent_cycles += cycles * r->absent_of[a];
        r->stat[a].present_cycles += cycles * r->present_of[a];
    }
}

const struct residency_stat *residency_count(struct sm *sm, u32 app_id, u64 now)
{
    residency_catch_up(sm, now);
    return &sm->residency.stat[app_id];
}

/* ---- a launch on the SM ---- */

struct block *residency_oldest(const struct sm *sm, const struct work *k, bool extra)
{
    struct block *oldest = NULL;
    for (u64 left = ~sm->blocks.free_blocks; left; left &= left - 1) {
        struct block *b = sm->blocks.block[__builtin_ctzll(left)];
        if (b->work != k || b->extra != extra) continue;
        if (!oldest || b->start < oldest->start ||
            (b->start == oldest->start && b->block_id < oldest->block_id))
            oldest = b;
    }
    return oldest;
}

/* Model: the oldest block, seated at once on entry, keeps the seats to the end; then the oldest of
 * the other blocks inherits the pin (paper 003 section 6.3, the first remedy). */
bool block_is_pinned(const struct sm *sm, const struct block *b)
{
    const struct work *k = b->work;
    return k->residency.pinned && residency_oldest(sm, k, false) == b;
}

bool unit_is_stalled(const struct sm *sm, const struct resident *u)
{
    if (block_is_pinned(sm, u->block)) return false;
    return u->context ? warp_stalled(sm, u->context) : block_stalled(sm, u->block);
}

static struct launch_here part_of(const struct sm *sm, const struct block *b)
{
    struct launch_here l = {0};
    if (b->life != LIFE_SEATED && b->life != LIFE_ABSENT) return l;
    bool warps = unit_of(b) == CORUN_WARPS;
    u32 n = warps ? b->state.warp_n : 1;
    if (b->extra) l.spare = n;
    else l.seats = n;
    if (warps) {
        u32 seated = block_is_pinned(sm, b) ? b->seated : b->seated & ~b->ended;
        l.held = (u32)__builtin_popcount(b->seated);
        l.seated = (u32)__builtin_popcount(seated);
        l.absent = (u32)__builtin_popcount(block_warps(b) & ~b->seated & ~b->ended);
    } else {
        l.held = l.seated = b->life == LIFE_SEATED;
        l.absent = b->life == LIFE_ABSENT;
    }
    return l;
}

static void part_add(struct launch_here *l, const struct launch_here *part, u32 sign)
{
    l->seats += sign * part->seats;
    l->held += sign * part->held;
    l->seated += sign * part->seated;
    l->absent += sign * part->absent;
    l->spare += sign * part->spare;
}

/* Returns the counts of a launch, from the cache where possible. With pinned blocks the cache is
 * not used, because any change may pin another block. */
const struct launch_here *launch_lookup(struct sm *sm, const struct work *k)
{
    struct launch_cache *f = &sm->residency.launch_cache;
    if (f->work != k || f->unit != k->residency.unit || k->residency.pinned)
        *f = (struct launch_cache){
            .work = k, .unit = k->residency.unit, .changed = ~sm->blocks.free_blocks};
    for (; f->changed; f->changed &= f->changed - 1) {
        u32 slot = (u32)__builtin_ctzll(f->changed);
        const struct block *b = sm->blocks.block[slot];
        struct launch_here *part = &f->part[slot];
        part_add(&f->here, part, UINT32_MAX);
        *part = b && b->work == k ? part_of(sm, b) : (struct launch_here){0};
        part_add(&f->here, part, 1);
    }
    return &f->here;
}

u32 sm_extra_n(const struct sm *sm, const struct work *k)
{
    u32 n = 0;
    if (!sm->residency.extended) return 0;
    for (u64 left = ~sm->blocks.free_blocks; left; left &= left - 1) {
        const struct block *b = sm->blocks.block[__builtin_ctzll(left)];
        n += b->work == k && b->extra;
    }
    return n;
}

/* ---- into and out of seats ---- */

/* Model: the warp slot of an ended warp counts as free. A returning warp is the youngest of the
 * scheduler, with local memory at the new warp slot (guess). */
void context_put_away(struct sm *sm, struct context *c, u64 now)
{
    if (c->seat) context_unseat(sm, c, now + 1);
    context_stay(c, sm->id);
    sm->residency.absent_of[c->app_id] += c->wait != WAIT_ENDED;
}

/* Frees a warp slot of the launch: of an ended warp, or else of a live warp. Ended warps keep their
 * warp slots until then. */
static void seat_give_up(struct sm *sm, const struct work *k, u64 now)
{
    struct context *last = NULL;
    u32 ended = 0;
    for (u64 left = ~sm->blocks.free_blocks; left && !ended; left &= left - 1) {
        const struct block *b = sm->blocks.block[__builtin_ctzll(left)];
        if (b->work != k || b->life != LIFE_SEATED) continue;
        u32 may = b->seated;
        if (block_is_pinned(sm, b)) may = last ? 0 : may & (0 - may);
        if (!may) continue;
        ended = may & b->ended;
        last = b->context[ended ? __builtin_ctz(ended) : 31 - __builtin_clz(may)];
    }
    check(last);
    unit_queue_forget(sm, &sm->residency.stalled[CORUN_WARPS], last->block);
    context_put_away(sm, last, now);
    note_block(sm, last->block);
}

void unit_put_away(struct sm *sm, const struct resident *u, u64 now)
{
    struct block *b = u->block;
    residency_catch_up(sm, now + 1);
    if (u->context) {
        context_put_away(sm, u->context, now);
        return;
    }
    block_moves(b, now);
    block_move(sm, b, LIFE_ABSENT, now);
    for (u32 i = 0; i < b->state.warp_n; i++) context_put_away(sm, b->context[i], now);
    quota_moved(sm, now + 1);
}

static void context_return(struct sm *sm, struct context *c, u64 now)
{
    sm->residency.absent_of[c->app_id] -= c->wait != WAIT_ENDED;
    context_seat(sm, c, now);
}

void unit_return(struct sm *sm, const struct resident *u, u64 now)
{
    struct residency *r = &sm->residency;
    struct block *b = u->block;
    residency_catch_up(sm, now + 1);
    if (u->context) {
        struct launch_here l = *launch_lookup(sm, b->work);
        for (; l.held >= l.seats; l.held--) seat_give_up(sm, b->work, now);
        context_return(sm, u->context, now);
        return;
    }
    r->moved[r->moved_n++] =
        (struct moved){b->work, b->block_id, b->moves_since, now, b->slot};
    sm->notify = true;
    block_move(sm, b, LIFE_SEATED, now);
    for (u32 i = 0; i < b->state.warp_n; i++) context_return(sm, b->context[i], now);
    quota_moved(sm, now + 1);
}

/* Model: when a block leaves the SM before the end, with the seats, warps of the launch lose warp
 * slots at no cost (guess: preemption and extra blocks in the same run). */
void sm_seats_hold(struct sm *sm, const struct work *k, u64 now)
{
    if (!sm->residency.extended || k->residency.unit != CORUN_WARPS) return;
    for (struct launch_here l = *launch_lookup(sm, k); l.held > l.seats; l.held--) {
        residency_catch_up(sm, now + 1);
        seat_give_up(sm, k, now);
        residency_look(sm);
    }
}

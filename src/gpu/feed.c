#include "gpu/feed.h"

/* Model: a channel takes a request per DRAM cycle from its slices by turns, if its scheduler's
 * queue is not full (GPGPU-Sim; whether it is, is known here as of an L2 cycle before). Between two
 * L2 edges nothing reaches their queues, so that all DRAM cycles up to the next one are handled
 * together. */

/* A channel as it is fed in an L2 cycle. */
struct feed {
    struct gpu *g;
    struct dram *d;
    struct l2 *slices; /* n of them */
    u32 channel, n;
    u64 now;           /* the L2 cycle */
};

/* The first DRAM cycle after an L2 edge: what next[DOMAIN_DRAM] is then. */
static inline u64 dram_after(const struct gpu *g, u64 edge)
{
    return clock_after(&g->clocks, DOMAIN_DRAM, edge * g->clocks.period[DOMAIN_L2]);
}

/* The last L2 edge before a DRAM cycle, from which on it is handled. */
static inline u64 edge_before(const struct gpu *g, u64 cycle)
{
    u64 tick = cycle * g->clocks.period[DOMAIN_DRAM];
    return max_u64(clock_at_or_after(&g->clocks, DOMAIN_L2, tick), 1) - 1;
}

/* The slice has a request, and the channel has room in DRAM cycle `at`, after this L2 edge. */
INLINED void slice_gives(const struct feed *f, struct l2 *l, u64 at, u64 edge)
{
    struct gpu *g = f->g;
    u32 req = fifo_front(&l->to_dram);
    bool taken = dram_push(f->d, at, req);
    check(taken);
    req_end_stage(req_at(&g->pool, req), STAGE_AT_L2, g->next[DOMAIN_SM] + (edge - f->now));
    l2_pop_to_dram(l);
    if (l->wake <= f->now) agenda_set(&g->l2_due, L2_LOOK, (u32)(l - g->slices), f->now + 1);
}

/* ---- a channel with several slices ---- */

/* The next slice, from the one whose turn it is, that has a request to give; NULL: none. */
INLINED struct l2 *slice_of_turn(const struct feed *f)
{
    for (u32 i = 0, turn = f->g->turn[f->channel]; i < f->n; i++) {
        struct l2 *l = &f->slices[turn];
        turn = turn + 1 < f->n ? turn + 1 : 0;
        if (l2_to_dram_at(l) > f->now) continue;
        f->g->turn[f->channel] = (u8)turn;
        return l;
    }
    return NULL;
}

/* The L2 cycle in which something may be taken next: in time for the next DRAM cycle, or the one in
 * which the queue has room; NEVER: when the channel has (room_for_slices in step.c). */
INLINED u64 slices_give(const struct feed *f)
{
    struct dram *d = f->d;
    u64 at = max_u64(f->g->next[DOMAIN_DRAM], d->push_from), end = dram_after(f->g, f->now + 1);
    for (; at < end && !dram_full(d); at++) {
        if (dram_seen_full(d, at)) {
            d->push_from = at + 1; /* this cycle is settled */
            continue;
        }
        struct l2 *l = slice_of_turn(f);
        if (!l) break;
        slice_gives(f, l, at, f->now);
    }
    if (dram_full(d)) return NEVER;
    u64 cycle = max_u64(d->push_from, end);
    if (dram_seen_full(d, cycle)) cycle = max_u64(cycle, d->full_until);
    return max_u64(f->now + 1, edge_before(f->g, cycle));
}

/* ---- a channel with one ---- */

/* May it give a request already that is handled from a later L2 edge on, in a DRAM cycle of which
 * it is known whether the queue is full? That is exact, as nobody else's can come between, and the
 * slice has more room than it needs until then. */
INLINED bool gives_early(const struct feed *f, u64 edge)
{
    const struct fifo *q = &f->slices->to_dram;
    u64 ahead = edge - f->now;
    return f->g->early_feed && ahead < EARLY_EDGES && q->n + ahead < q->room;
}

/* As slices_give, of one slice: each DRAM cycle in turn, and further on than to the next edge. */
INLINED u64 slice_gives_all(const struct feed *f)
{
    struct dram *d = f->d;
    struct l2 *l = f->slices;
    d->push_from = max_u64(d->push_from, f->g->next[DOMAIN_DRAM]);
    while (!dram_full(d)) {
        u64 at = d->push_from;
        bool full = dram_seen_full(d, at), known = at < d->known_until;
        if (full & known) {
            d->push_from = d->full_until; /* the cycles before are settled */
            continue;
        }
        u64 edge = max_u64(f->now, edge_before(f->g, at));
        if (edge > f->now && !(known && gives_early(f, edge))) return edge;
        u64 ready = l2_to_dram_at(l);
        if (ready == NEVER) return max_u64(f->now + 1, edge);
        if (full) d->push_from++;
        else if (ready > edge) d->push_from = dram_after(f->g, ready);
        else slice_gives(f, l, at, edge);
    }
    return NEVER;
}

void channel_takes(struct gpu *g, u32 channel, u64 now)
{
    u32 n = g->machine.map.slices_per_channel;
    const struct feed f = {.g = g, .d = &g->channels[channel], .slices = &g->slices[channel * n],
                           .channel = channel, .n = n, .now = now};
    u64 wake = f.d->wake, offered = NEVER;
    u64 next = g->feed_at[channel] = n == 1 ? slice_gives_all(&f) : slices_give(&f);
    if (f.d->wake != wake)
        agenda_lower(&g->channel_due, CHANNEL_TICK, channel,
                     max_u64(f.d->wake, g->next[DOMAIN_DRAM]));
    for (u32 k = 0; k < n; k++) offered = min_u64(offered, l2_to_dram_at(&f.slices[k]));
    agenda_set(&g->l2_due, L2_FEED, channel, offered == NEVER ? NEVER : max_u64(offered, next));
}

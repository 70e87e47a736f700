#include "gpu/feed.h"

/* Model: a channel takes one request per DRAM cycle from its slices in turn, unless the queue of
 * its scheduler is full (GPGPU-Sim; here a slice sees the state of the queue as of one L2 cycle
 * earlier). Between two L2 edges no request enters the slices' output queues; all DRAM cycles up to
 * the next L2 edge are therefore handled together. */

/* Context of feeding a channel in an L2 cycle. */
struct feed {
    struct gpu *g;
    struct dram *d;
    struct l2 *slices; /* n slices */
    u32 channel, n;
    u64 now;           /* L2 cycle */
};

/* Returns the first DRAM cycle after an L2 edge, the value of next[DOMAIN_DRAM] at the edge. */
static inline u64 dram_after(const struct gpu *g, u64 edge)
{
    return clock_after(&g->clocks, DOMAIN_DRAM, edge * g->clocks.period[DOMAIN_L2]);
}

/* Returns the last L2 edge before a DRAM cycle; the DRAM cycle is handled at this edge. */
static inline u64 edge_before(const struct gpu *g, u64 cycle)
{
    u64 tick = cycle * g->clocks.period[DOMAIN_DRAM];
    return max_u64(clock_at_or_after(&g->clocks, DOMAIN_L2, tick), 1) - 1;
}

/* Moves the first request of slice k to the channel, which has room in DRAM cycle `at`. The DRAM
 * cycle is handled `edges` L2 edges after the current edge. */
INLINED void slice_gives(const struct feed *f, u32 k, u64 at, u64 edges)
{
    struct gpu *g = f->g;
    struct l2 *l = &f->slices[k];
    u32 req = fifo_front(&l->to_dram);
    bool taken = dram_push(f->d, at, req);
    check(taken);
    req_end_stage(req_at(&g->pool, req), STAGE_AT_L2, g->next[DOMAIN_SM] + edges);
    l2_pop_to_dram(l);
    if (l->wake <= f->now) agenda_set(&g->l2_due, L2_LOOK, f->channel * f->n + k, f->now + 1);
}

/* ---- a channel with several slices ---- */

enum { NO_SLICE = UINT8_MAX };

/* Returns the next slice in turn with a request for the channel, or NO_SLICE. */
INLINED u32 slice_of_turn(const struct feed *f)
{
    for (u32 i = 0, turn = f->g->turn[f->channel]; i < f->n; i++) {
        u32 k = turn;
        turn = turn + 1 < f->n ? turn + 1 : 0;
        if (l2_to_dram_at(&f->slices[k]) > f->now) continue;
        f->g->turn[f->channel] = (u8)turn;
        return k;
    }
    return NO_SLICE;
}

/* Feeds the channel in all DRAM cycles up to the next L2 edge. Returns the L2 cycle of the next
 * attempt: early enough for the next DRAM cycle, or for the cycle in which the scheduler queue has
 * room. Returns NEVER if the channel is full; room_for_slices (step.c) then sets the next
 * attempt. */
INLINED u64 slices_give(const struct feed *f)
{
    struct dram *d = f->d;
    u64 at = max_u64(f->g->next[DOMAIN_DRAM], d->push_from), end = dram_after(f->g, f->now + 1);
    for (; at < end && !dram_full(d); at++) {
        if (dram_seen_full(d, at)) {
            d->push_from = at + 1; /* no further push in this cycle */
            continue;
        }
        u32 k = slice_of_turn(f);
        if (k == NO_SLICE) break;
        slice_gives(f, k, at, 0);
    }
    if (dram_full(d)) return NEVER;
    u64 cycle = max_u64(d->push_from, end);
    if (dram_seen_full(d, cycle)) cycle = max_u64(cycle, d->full_until);
    return max_u64(f->now + 1, edge_before(f->g, cycle));
}

/* ---- slices with a channel for each copy ---- */

/* Returns the next slice in turn whose first request is of an app with the copy, or NO_SLICE. */
static u32 slice_of_copy(const struct feed *f, u32 copy)
{
    const struct gpu *g = f->g;
    for (u32 i = 0; i < f->n; i++) {
        u32 k = (g->turn[f->channel] + i) % f->n;
        const struct l2 *l = &f->slices[k];
        if (l2_to_dram_at(l) > f->now) continue;
        if (g->map.cut.of[req_at(&g->pool, fifo_front(&l->to_dram))->app] == copy) return k;
    }
    return NO_SLICE;
}

/* Lets the channels of all copies, without effect on each other, take requests in a DRAM cycle. A
 * request waits only for the requests in front in its slice. */
static void copies_take(struct feed *f, u64 at)
{
    struct gpu *g = f->g;
    for (u32 q = 0; q < g->map.cut.n; q++) {
        struct dram *d = f->d = &g->channels[q * g->feed_n + f->channel];
        if (!dram_room(d, at)) continue;
        d->push_from = at + dram_seen_full(d, at);
        u32 k = d->push_from > at ? NO_SLICE : slice_of_copy(f, q);
        if (k == NO_SLICE) continue;
        u64 wake = d->wake;
        g->turn[f->channel] = (u8)((k + 1) % f->n);
        slice_gives(f, k, at, 0);
        if (d->wake != wake)
            agenda_lower(&g->channel_due, CHANNEL_TICK, q * g->feed_n + f->channel,
                         max_u64(d->wake, g->next[DOMAIN_DRAM]));
    }
}

/* Does the work of channel_takes for a group of slices with a channel for each copy. */
static void group_gives(struct gpu *g, u32 group, u64 now)
{
    u32 n = g->channel_slices;
    struct feed f = {.g = g, .slices = &g->slices[group * n], .channel = group, .n = n,
                     .now = now};
    u64 end = dram_after(g, now + 1), offered = NEVER;
    for (u64 at = g->next[DOMAIN_DRAM]; at < end; at++) copies_take(&f, at);
    g->feed_at[group] = now + 1;
    for (u32 k = 0; k < n; k++) offered = min_u64(offered, l2_to_dram_at(&f.slices[k]));
    agenda_set(&g->l2_due, L2_FEED, group, offered == NEVER ? NEVER : max_u64(offered, now + 1));
}

/* ---- a channel with a single slice ---- */

/* Returns the number of L2 edges between the current edge and the edge that handles the DRAM cycle,
 * at most EARLY_EDGES. */
INLINED u64 edges_until(const struct feed *f, u64 cycle)
{
    const u64 *period = f->g->clocks.period;
    u64 tick = cycle * period[DOMAIN_DRAM], next = (f->now + 1) * period[DOMAIN_L2], n = 0;
    for (; n < EARLY_EDGES && next < tick; n++) next += period[DOMAIN_L2];
    return n;
}

/* Returns true if the slice may give a request now for a DRAM cycle handled `edges` L2 edges later,
 * for which the state of the scheduler queue is already known. Giving early is exact: no other
 * slice can give a request in between, and the slice cannot fill its output queue until then, hence
 * the early removal goes unnoticed. */
INLINED bool gives_early(const struct feed *f, u64 edges)
{
    const struct fifo *q = &f->slices->to_dram;
    return f->g->early_feed && edges < EARLY_EDGES && q->n + edges < q->room;
}

/* Does the work of slices_give for a channel with a single slice: tries the DRAM cycles in turn,
 * also beyond the next L2 edge. */
INLINED u64 slice_gives_all(const struct feed *f)
{
    struct dram *d = f->d;
    u64 at = max_u64(d->push_from, f->g->next[DOMAIN_DRAM]);
    while (!dram_full(d)) {
        d->push_from = at; /* no push before this cycle */
        bool full = dram_seen_full(d, at), known = at < d->known_until;
        if (full & known) {
            at = d->full_until;
            continue;
        }
        u64 edges = edges_until(f, at);
        if (edges && !(known && gives_early(f, edges)))
            return edges < EARLY_EDGES ? f->now + edges : edge_before(f->g, at);
        u64 ready = l2_to_dram_at(f->slices);
        if (ready == NEVER) return f->now + max_u64(edges, 1);
        if (!full && ready > f->now + edges) {
            at = dram_after(f->g, ready);
            continue;
        }
        if (!full) slice_gives(f, 0, at, edges);
        at++;
    }
    return NEVER;
}

INLINED void takes(struct gpu *g, u32 channel, u32 n, u64 now)
{
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

void channel_takes(struct gpu *g, u32 channel, u64 now)
{
    u32 n = g->channel_slices;
    if (unlikely(g->shared_slices)) group_gives(g, channel, now);
    else if (n == 1) takes(g, channel, 1, now);
    else takes(g, channel, n, now);
}

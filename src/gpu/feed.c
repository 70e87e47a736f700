#include "gpu/feed.h"

#include "chip/dram/ahead.h"

/* A channel as it is fed in an L2 cycle. */
struct feed {
    struct gpu *g;
    struct dram *d;
    struct l2 *slices; /* n of them */
    u32 channel, n;
    u64 now;           /* the L2 cycle */
    u64 end, last;     /* the first DRAM cycle after the next L2 edge; the last edge before that */
    bool taken;        /* a request, in this cycle */
};

/* The first DRAM cycle after an L2 edge: what next[DOMAIN_DRAM] is then. */
static inline u64 dram_after(const struct gpu *g, u64 edge)
{
    return clock_after(&g->clocks, DOMAIN_DRAM, edge * g->clocks.period[DOMAIN_L2]);
}

/* The slice has a request, and the channel has room in DRAM cycle `at`. */
INLINED void slice_gives(struct feed *f, struct l2 *l, u64 at, u64 sm_now)
{
    struct gpu *g = f->g;
    u32 req = fifo_front(&l->to_dram);
    bool taken = dram_push(f->d, at, req);
    check(taken);
    req_end_stage(req_at(&g->pool, req), STAGE_AT_L2, sm_now);
    l2_pop_to_dram(l);
    if (l->wake <= f->now) agenda_set(&g->l2_due, L2_LOOK, (u32)(l - g->slices), f->now + 1);
    f->taken = true;
}

/* The next slice, from the one whose turn it is, that has a request to give; NULL: none. */
INLINED struct l2 *slice_of_turn(struct feed *f, u64 edge)
{
    if (f->n == 1) return l2_to_dram_at(f->slices) > edge ? NULL : f->slices;
    for (u32 i = 0, turn = f->g->turn[f->channel]; i < f->n; i++) {
        struct l2 *l = &f->slices[turn];
        turn = turn + 1 < f->n ? turn + 1 : 0;
        if (l2_to_dram_at(l) > edge) continue;
        f->g->turn[f->channel] = (u8)turn;
        return l;
    }
    return NULL;
}

/* Model: a channel takes a request per DRAM cycle from its slices by turns, if its scheduler's
 * queue is not full (GPGPU-Sim; whether it is, is known here as of an L2 cycle before). Between two
 * L2 edges nothing reaches their queues, so that all DRAM cycles up to the next one are handled
 * together: from `at` to before `end`. edge: the first of these two. */
INLINED void edge_takes(struct feed *f, u64 edge, u64 at, u64 end)
{
    struct dram *d = f->d;
    at = max_u64(at, d->push_from);
    for (; at < end && !dram_full(d); at++) {
        if (dram_seen_full(d, at)) {
            d->push_from = at + 1; /* this cycle is settled */
            continue;
        }
        struct l2 *l = slice_of_turn(f, edge);
        if (!l) break;
        slice_gives(f, l, at, f->g->next[DOMAIN_SM] + (edge - f->now));
    }
}

/* Of a channel with one slice the next edges, too: exact, as nobody else's request can come
 * between, the slice has more room than it needs until then, and the channel has run so far that
 * it is known whether its queue is full. */
INLINED void early_takes(struct feed *f, u64 at)
{
    const struct l2 *l = f->slices;
    for (u64 edge = f->now + 1; l->to_dram.n && edge < f->now + 3; edge++) {
        if (l->to_dram.n + (edge - f->now) >= l->to_dram.room) break;
        u64 end = dram_after(f->g, edge + 1);
        if (end > dram_run_over(f->d) + f->d->seen_after) break;
        edge_takes(f, edge, at, end);
        at = end;
    }
}

/* The last L2 edge before a DRAM cycle, from which on it is handled. */
static u64 edge_before(const struct gpu *g, u64 cycle)
{
    u64 tick = cycle * g->clocks.period[DOMAIN_DRAM];
    return max_u64(clock_at_or_after(&g->clocks, DOMAIN_L2, tick), 1) - 1;
}

/* The L2 cycle in which something may be taken next: in time for the next DRAM cycle, or the one in
 * which the queue has room; of a full channel, when it has room (room_for_slices in step.c). */
INLINED u64 takes_next(const struct feed *f)
{
    struct dram *d = f->d;
    if (dram_full(d)) return NEVER;
    u64 cycle = max_u64(d->push_from, f->end);
    if (dram_seen_full(d, cycle)) cycle = max_u64(cycle, dram_full_until(d));
    return max_u64(f->now + 1, cycle == f->end ? f->last : edge_before(f->g, cycle));
}

INLINED void feed(struct feed *f)
{
    struct gpu *g = f->g;
    f->d = &g->channels[f->channel];
    f->slices = &g->slices[f->channel * f->n];
    f->taken = false;
    edge_takes(f, f->now, g->next[DOMAIN_DRAM], f->end);
    if (f->n == 1 && g->early_feed) early_takes(f, f->end);
    if (f->taken)
        agenda_lower(&g->channel_due, CHANNEL_TICK, f->channel,
                     max_u64(f->d->wake, g->next[DOMAIN_DRAM]));
    u64 next = g->feed_at[f->channel] = takes_next(f), offered = NEVER;
    for (u32 k = 0; k < f->n; k++) offered = min_u64(offered, l2_to_dram_at(&f->slices[k]));
    agenda_set(&g->l2_due, L2_FEED, f->channel,
               offered == NEVER ? NEVER : max_u64(offered, next));
}

INLINED void feed_each(struct gpu *g, const struct ports *taking, u64 now, u32 n)
{
    struct feed f = {.g = g, .n = n, .now = now, .end = dram_after(g, now + 1)};
    f.last = edge_before(g, f.end);
    EACH_PORT(PORT_WORDS, k, *taking)
    {
        f.channel = k;
        feed(&f);
    }
}

void channels_take(struct gpu *g, struct ports taking, u64 now)
{
    u32 n = g->machine.map.slices_per_channel;
    if (n > 1) feed_each(g, &taking, now, n);
    else feed_each(g, &taking, now, 1); /* a constant */
}

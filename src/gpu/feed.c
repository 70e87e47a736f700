#include "gpu/feed.h"

#include "chip/dram/ahead.h"

/* The next slice of a channel, from the one whose turn it is, that has a request to give; NULL:
 * none. */
static struct l2 *slice_of_turn(struct gpu *g, u32 channel, u64 now)
{
    u32 n = g->machine.map.slices_per_channel;
    for (u32 i = 0, turn = g->turn[channel]; i < n; i++, turn = turn + 1 < n ? turn + 1 : 0) {
        struct l2 *l = &g->slices[channel * n + turn];
        if (l2_to_dram_at(l) > now) continue;
        g->turn[channel] = (u8)(turn + 1 < n ? turn + 1 : 0);
        return l;
    }
    return NULL;
}

/* Model: a channel takes a request per DRAM cycle from its slices by turns, if its scheduler's
 * queue is not full (GPGPU-Sim; whether it is, is known here as of an L2 cycle before). Between two
 * L2 edges nothing reaches their queues, so that all DRAM cycles up to the next one are handled
 * together: from `at` to before `end`. edge: the first of these two. */
static bool edge_takes(struct gpu *g, u32 channel, u64 edge, u64 now, u64 at, u64 end)
{
    struct dram *d = &g->channels[channel];
    bool taken = false;
    at = max_u64(at, d->push_from);
    for (; at < end && !dram_full(d); at++) {
        if (dram_was_full(d, at < g->dram_window ? 0 : at - g->dram_window)) {
            d->push_from = at + 1; /* this cycle is settled */
            continue;
        }
        struct l2 *l = slice_of_turn(g, channel, edge);
        if (!l) break;
        slice_gives(g, l, d, at, g->next[DOMAIN_SM] + (edge - now));
        taken = true;
    }
    return taken;
}

/* Of a channel with one slice the next edges, too: exact, as nobody else's request can come
 * between, the slice has more room than it needs until then, and the channel has run so far that
 * it is known whether its queue is full. */
static bool early_takes(struct gpu *g, u32 channel, u64 now)
{
    const struct l2 *l = &g->slices[channel];
    const struct dram *d = &g->channels[channel];
    bool taken = false;
    for (u64 edge = now + 1, at = g->dram_end; edge < now + 3; edge++) {
        if (!l->to_dram.n || l->to_dram.n + (edge - now) >= l->to_dram.room) break;
        u64 end = dram_next_at(g, now, edge + 1);
        if (end > dram_run_over(d) + g->dram_window) break;
        taken |= edge_takes(g, channel, edge, now, at, end);
        at = end;
    }
    return taken;
}

/* The L2 edge from which on a DRAM cycle is handled. */
static u64 edge_before(const struct gpu *g, u64 cycle)
{
    u64 tick = cycle * g->clocks.period[DOMAIN_DRAM];
    return max_u64(clock_at_or_after(&g->clocks, DOMAIN_L2, tick), 1) - 1;
}

/* What is left is looked at in time for the next cycle, or the one in which the queue has room; of
 * a full channel, when it has room again (room_for_slices in step.c). */
void channel_takes(struct gpu *g, u32 channel, u64 now)
{
    struct dram *d = &g->channels[channel];
    u32 n = g->machine.map.slices_per_channel;
    bool taken = edge_takes(g, channel, now, now, g->next[DOMAIN_DRAM], g->dram_end);
    if (n == 1 && g->early_feed) taken |= early_takes(g, channel, now);
    if (taken)
        agenda_lower(&g->channel_due, CHANNEL_TICK, channel,
                     max_u64(d->wake, g->next[DOMAIN_DRAM]));
    u64 cycle = d->push_from, next = now + 1;
    if (d->full) cycle = max_u64(cycle, dram_full_until(d) + g->dram_window);
    if (cycle > g->dram_end) next = max_u64(next, edge_before(g, cycle));
    g->feed_at[channel] = next;
    for (u32 k = channel * n; k < (channel + 1) * n; k++) {
        const struct l2 *l = &g->slices[k];
        u64 at = dram_full(d) ? NEVER : max_u64(l2_to_dram_at(l), next);
        agenda_lower(&g->l2_due, L2_LOOK, k, min_u64(at, max_u64(l->wake, now + 1)));
    }
}

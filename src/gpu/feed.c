#include "gpu/feed.h"

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
 * L2 edges nothing reaches their queues, so that all DRAM cycles up to the next edge are handled at
 * this one. What is left is looked at in time for the next cycle; of a full channel, when it has
 * room again (room_for_slices in step.c). */
void channel_takes(struct gpu *g, u32 channel, u64 now)
{
    struct dram *d = &g->channels[channel];
    u64 first = max_u64(g->next[DOMAIN_DRAM], d->push_from), end = dram_next_at(g, now, now + 1);
    bool taken = false;
    for (u64 at = first; at < end && !dram_full(d); at++) {
        if (dram_was_full(d, at < g->dram_window ? 0 : at - g->dram_window)) continue;
        struct l2 *l = slice_of_turn(g, channel, now);
        if (!l) break;
        slice_gives(g, l, d, at, g->next[DOMAIN_SM]);
        taken = true;
    }
    if (taken)
        agenda_lower(&g->channel_due, CHANNEL_TICK, channel,
                     max_u64(d->wake, g->next[DOMAIN_DRAM]));
    u64 edge = d->push_from * g->clocks.period[DOMAIN_DRAM];
    u64 next = max_u64(now + 2, clock_at_or_after(&g->clocks, DOMAIN_L2, edge)) - 1;
    u32 n = g->machine.map.slices_per_channel;
    for (u32 k = channel * n; k < (channel + 1) * n; k++) {
        const struct l2 *l = &g->slices[k];
        u64 at = dram_full(d) ? NEVER : max_u64(l2_to_dram_at(l), next);
        agenda_lower(&g->l2_due, L2_LOOK, k, min_u64(at, max_u64(l->wake, now + 1)));
    }
}

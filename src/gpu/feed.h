/* Transfer of requests from L2 slices to their DRAM channel; called by step.c. */
#ifndef CORUN_GPU_FEED_H
#define CORUN_GPU_FEED_H

#include "gpu/state.h"

enum { EARLY_EDGES = 3 }; /* see gives_early */

/* Lets the channel take requests from its slices in L2 cycle `now`. Call after the slices have
 * ticked. */
void channel_takes(struct gpu *g, u32 channel, u64 now);

/* Announces to the channel that the slice has ticked in cycle `now` and has a request. The channel
 * takes the request at once if no other request can come first, else at the earliest possible
 * cycle. */
INLINED void channel_offer(struct gpu *g, u32 slice, const struct l2 *l, u64 now)
{
    u32 channel = g->map.channel_of[slice];
    u64 at = max_u64(l2_to_dram_at(l), g->feed_at[channel]);
    bool early = at < now + EARLY_EDGES && at + l->to_dram.n < now + l->to_dram.room;
    if (g->early_feed && (at <= now || early)) channel_takes(g, channel, now);
    else agenda_lower(&g->l2_due, L2_FEED, channel, at);
}

#endif

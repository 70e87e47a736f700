/* How requests come from L2 slices to their DRAM channel; called by step.c. */
#ifndef CORUN_GPU_FEED_H
#define CORUN_GPU_FEED_H

#include "gpu/state.h"

enum { EARLY_EDGES = 3 }; /* see gives_early */

/* The channel takes what its slices have for it in L2 cycle `now`; the slices have done theirs. */
void channel_takes(struct gpu *g, u32 channel, u64 now);

/* The slice has ticked in cycle `now` and has a request for its channel, which looks when it may be
 * taken; at once, if nobody else's can come before. */
INLINED void channel_offer(struct gpu *g, u32 slice, const struct l2 *l, u64 now)
{
    u32 channel = slice >> __builtin_ctz(g->machine.map.slices_per_channel); /* a power of two */
    u64 at = max_u64(l2_to_dram_at(l), g->feed_at[channel]);
    bool early = at < now + EARLY_EDGES && at + l->to_dram.n < now + l->to_dram.room;
    if (g->early_feed && (at <= now || early)) channel_takes(g, channel, now);
    else agenda_lower(&g->l2_due, L2_FEED, channel, at);
}

#endif

/* How requests come from L2 slices to their DRAM channel; called by step.c. */
#ifndef CORUN_GPU_FEED_H
#define CORUN_GPU_FEED_H

#include "gpu/state.h"

/* A slice has a request for its channel, which looks when it may be taken. */
INLINED void channel_offer(struct gpu *g, u32 slice, const struct l2 *l)
{
    u32 channel = slice >> __builtin_ctz(g->machine.map.slices_per_channel); /* a power of two */
    agenda_lower(&g->l2_due, L2_FEED, channel, max_u64(l2_to_dram_at(l), g->feed_at[channel]));
}

/* These channels take what their slices have for them in L2 cycle `now`; the slices have done
 * theirs. */
void channels_take(struct gpu *g, struct ports taking, u64 now);

#endif

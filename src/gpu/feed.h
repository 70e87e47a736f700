/* How requests come from L2 slices to their DRAM channel; called by step.c. */
#ifndef CORUN_GPU_FEED_H
#define CORUN_GPU_FEED_H

#include "gpu/state.h"

/* What next[DOMAIN_DRAM] is in an L2 cycle. */
static inline u64 dram_next_at(const struct gpu *g, u64 now, u64 cycle)
{
    if (cycle == now) return g->next[DOMAIN_DRAM];
    return clock_after(&g->clocks, DOMAIN_DRAM, cycle * g->clocks.period[DOMAIN_L2]);
}

/* It has one, and the channel has room in DRAM cycle dram_now. */
static inline void slice_gives(struct gpu *g, struct l2 *l, struct dram *d, u64 dram_now,
                               u64 sm_now)
{
    u32 req = fifo_front(&l->to_dram);
    bool taken = dram_push(d, dram_now, req);
    check(taken);
    req_end_stage(req_at(&g->pool, req), STAGE_AT_L2, sm_now);
    l2_pop_to_dram(l);
}

/* A channel of several slices takes what they have. now: the L2 cycle; they have done theirs. */
void channel_takes(struct gpu *g, u32 channel, u64 now);

/* The same, unless it is known to take nothing in this cycle. */
INLINED void channel_feed(struct gpu *g, u32 channel, u32 slices, u64 now)
{
    u64 at = g->feed_at[channel];
    if (at <= now) {
        channel_takes(g, channel, now);
        return;
    }
    for (u32 k = channel * slices; k < (channel + 1) * slices; k++) {
        u64 item = l2_to_dram_at(&g->slices[k]);
        if (item != NEVER) agenda_lower(&g->l2_due, L2_LOOK, k, max_u64(item, at));
    }
}

#endif

/* Notifications to residency/ of changes that may permit a swap of units. */
#ifndef CORUN_SM_NOTE_H
#define CORUN_SM_NOTE_H

#include "chip/sm/state.h"

/* Requests a check for possible swaps at the end of this cycle. */
static inline void residency_may_move(struct sm *sm) { residency_of(sm)->look = true; }

/* Marks the warp for examination at the end of the cycle, after a wait of the warp has begun or
 * ended. */
static inline void residency_note(struct sm *sm, struct context *c)
{
    if (likely(!sm->residency.extended)) return;
    residency_of(sm)->noted |= 1ull << c->block->slot;
    block_note(c->block, 1u << c->warp.warp_id);
}

/* Notes that the warp waits for a load. A warp with accesses beyond L1 is a candidate to be swapped
 * out and marked for examination; for other warps the function only requests a check for possible
 * swaps. */
static inline void residency_note_waits(struct sm *sm, struct context *c)
{
    if (likely(!sm->residency.extended)) return;
    if (c->beyond_n) residency_note(sm, c);
    else residency_may_move(sm);
}

/* Invalidates the block's part of the cached counts of a launch (struct launch_cache). */
static inline void launch_cache_drop(struct sm *sm, const struct block *b)
{
    residency_of(sm)->launch_cache.changed |= 1ull << b->slot;
}

/* Counts a warp of the app entering or leaving a warp slot. */
static inline void residency_seated(struct sm *sm, u32 app_id, bool more)
{
    residency_of(sm)->present_of[app_id] += more ? 1 : UINT32_MAX;
}

#endif

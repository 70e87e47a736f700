/* What the other files tell residency/: something has changed that may let units change places. */
#ifndef CORUN_SM_NOTE_H
#define CORUN_SM_NOTE_H

#include "chip/sm/state.h"

/* A unit may move at the end of this cycle. */
static inline void residency_may_move(struct sm *sm) { residency_of(sm)->look = true; }

/* What it waits for is over, or it waits: looked at at the end of the cycle. */
static inline void residency_note(struct sm *sm, struct context *c)
{
    if (likely(!sm->residency.extended)) return;
    residency_of(sm)->noted |= 1ull << c->block->slot;
    block_note(c->block, 1u << c->warp.warp_id);
}

/* Its warp waits now: it gives way only to others if it waits for what L1 did not answer. */
static inline void residency_note_waits(struct sm *sm, struct context *c)
{
    if (likely(!sm->residency.extended)) return;
    if (c->beyond_n) residency_note(sm, c);
    else residency_may_move(sm);
}

/* What was found of a launch need not be so any more: something of the block has changed. */
static inline void found_forget(struct sm *sm, const struct block *b)
{
    residency_of(sm)->found.changed |= 1ull << b->slot;
}

/* A warp of the app takes a seat, or gives it up. */
static inline void residency_seated(struct sm *sm, u32 app_id, bool more)
{
    residency_of(sm)->present_of[app_id] += more ? 1 : UINT32_MAX;
}

#endif

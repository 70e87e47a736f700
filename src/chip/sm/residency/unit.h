/* Units. A unit is a block or a single warp, to be swapped with another unit of the same launch.
 * Functions tell whether a unit waits or can continue, and manage the queues of both kinds. Changes
 * are noted when they happen (residency_note) and examined at the end of the cycle: see
 * exchange.c. */
#ifndef CORUN_SM_UNIT_H
#define CORUN_SM_UNIT_H

#include "chip/sm/state.h"

static inline enum corun_unit unit_of(const struct block *b)
{
    return b->life == LIFE_ABSENT ? CORUN_BLOCKS : b->work->residency.unit;
}

static inline u32 block_warps(const struct block *b) /* a bit each */
{
    return UINT32_MAX >> (BLOCK_WARPS_MAX - b->state.warp_n);
}

bool warp_stalled(const struct sm *sm, const struct context *c);
u32 warps_that_may_stall(const struct block *b); /* a bit each; no other warp is stalled */
bool block_stalled(const struct sm *sm, const struct block *b);
bool warp_ready(const struct context *c); /* for a warp without a warp slot */
bool block_ready(const struct block *b);
bool unit_has_run(const struct resident *u);

bool unit_queue_has_room(const struct unit_queue *q, enum corun_unit kind, u32 app_id);
/* Notes that a unit found the queue full: the given warps, or the whole block if warps is 0, are
 * examined again when the queue has room. */
void unit_queue_refuse(struct unit_queue *q, struct block *b, u32 warps);
void unit_queue_push(struct sm *sm, struct unit_queue *q, const struct resident *u);
void unit_queue_remove(struct sm *sm, struct unit_queue *q, u32 k);
void unit_queue_forget(struct sm *sm, struct unit_queue *q, const struct block *b);
void unit_queued_set(const struct resident *u, bool queued);

/* Call when a block leaves or the policy's answer has changed: ends all exclusions (`shut`). */
void shut_forget(struct sm *sm);
void note_block(struct sm *sm, struct block *b); /* marks the whole block for examination */
void note_all(struct sm *sm);
void note_unit(struct sm *sm, const struct resident *u);

#endif

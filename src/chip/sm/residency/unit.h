/* A unit, a block or a single warp, is what changes places with another of its launch: whether it
 * waits or can go on, and the queues of those that do. What may have changed in that is noted when
 * it happens (residency_note) and looked at at the end of the cycle: exchange.c. */
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
u32 warps_that_may_stall(const struct block *b); /* the others are not, a bit each */
bool block_stalled(const struct sm *sm, const struct block *b);
bool warp_ready(const struct context *c); /* one without a seat */
bool block_ready(const struct block *b);
bool unit_has_run(const struct resident *u);

bool unit_queue_has_room(const struct unit_queue *q, enum corun_unit kind, u32 app_id);
/* It found no room: these of its warps, or all of it, are looked at again when there is some. */
void unit_queue_refuse(struct unit_queue *q, struct block *b, u32 warps);
void unit_queue_push(struct sm *sm, struct unit_queue *q, const struct resident *u);
void unit_queue_remove(struct sm *sm, struct unit_queue *q, u32 k);
void unit_queue_forget(struct sm *sm, struct unit_queue *q, const struct block *b);
void unit_queued_set(const struct resident *u, bool queued);

void shut_forget(struct sm *sm); /* a block goes, or the policy's answer has changed */
void note_block(struct sm *sm, struct block *b); /* all of it is looked at */
void note_all(struct sm *sm);
void note_unit(struct sm *sm, const struct resident *u);

#endif

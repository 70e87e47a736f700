/* Interaction of the warps of a block: see block.c. */
#ifndef CORUN_SM_BLOCK_H
#define CORUN_SM_BLOCK_H

#include "chip/sm/state.h"

void block_barrier_arrive(struct sm *sm, const struct seat *s, const struct effect *e, u64 now);
void block_warp_ended(struct sm *sm, const struct seat *s, u64 now);
void block_warp_drained(struct sm *sm, const struct seat *s, u64 now);
/* Ends the context's wait for a fence or for the end of the warp. context_check_wait calls the
 * function once all memory instructions have completed and all stores are acknowledged. */
void context_wait_over(struct sm *sm, struct context *c, u64 now);
static inline void context_check_wait(struct sm *sm, struct context *c, u64 now)
{
    if (c->wait != WAIT_NOTHING && !c->stores && !c->memory_n)
        context_wait_over(sm, c, now);
}
void copies_wait(struct sm *sm, const struct seat *s, u64 now); /* handles EFFECT_COPIES */
void phase_wait(struct sm *sm, const struct seat *s, u64 now); /* handles EFFECT_PHASE */
/* Wakes warps if a step has ended a phase of an mbarrier of the block. */
void phases_look(struct sm *sm, struct block *b, u64 now);
/* Handles EFFECT_CLUSTER, and news of the block's cluster. */
void cluster_barrier(struct sm *sm, const struct seat *s, u64 now);
void cluster_look(struct sm *sm, struct block *b, u64 now);
void grid_control(struct sm *sm, const struct seat *s); /* handles EFFECT_GRID */
/* Lands copy `number` of a context that belongs to this SM. */
void copy_landed(struct sm *sm, struct context *c, u16 number, u64 now);
void context_wait_set(struct context *c, enum wait why); /* WAIT_NOTHING: ends the wait */

#endif

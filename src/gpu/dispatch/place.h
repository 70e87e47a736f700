/* Block dispatch: asks the policy when something has changed, checks its answers with the SM's
 * ledger, starts blocks. gpu hands it launches and retired blocks; it hands gpu ended launches and
 * a starved kernel. Model: machine description 2.1: round robin over SMs from the
 * last that got a block, at most one block per SM and cycle; a kernel's blocks start in order. */
#ifndef CORUN_PLACE_H
#define CORUN_PLACE_H

#include "gpu/dispatch/capacity.h"
#include "gpu/dispatch/place_state.h"

bool place_init(struct place *p, const struct gpu_setup *setup, struct gpu *gpu, struct sm *sms,
                struct arena *arena, struct fail *fail);
void place_free(struct place *p);
void place_launch(struct place *p, const struct launch *l, u64 now);
void place_retire(struct place *p, u32 sm, const struct retired *r, u64 now);
/* A block has been saved, or loaded. */
void place_transferred(struct place *p, u32 sm, struct block *b, u64 now);
/* A block that gave up its seats has some again. */
void place_moved(struct place *p, u32 sm, const struct moved *m);
void place_requests(struct place *p, u32 sm, u64 now); /* accesses of its L1 may have come so far */
/* The first cycle, `now` or later, in which it can start a block or has to ask. */
static inline u64 place_wake(const struct place *p, u64 now)
{
    return p->changed ? now : min_u64(p->ask_at, p->hooks.timer_next);
}
/* The last phase of an SM cycle that place_wake names; true: SMs whose `must_tick` is set have
 * something new to do. */
bool place_tick(struct place *p, u64 now);
const struct kernel *place_starved(const struct place *p, u64 now); /* from patience_ends on */
/* How many blocks of it the policy lets run at once. */
u64 place_allowed(const struct place *p, const struct kernel *k);
struct launch *place_ended(struct place *p);
/* What a kernel has done before cycle `now`; NULL: past the last of those seen. */
const struct gpu_kernel *place_kernel(struct place *p, u32 index, u64 now);

/* For ask.c: the block leaves the SM in that way, not by CORUN_DRAIN, to go on where there is room.
 */
void place_leave(struct place *p, struct kernel *k, u32 sm, struct block *b,
                 enum corun_preempt how, u64 now);

#endif

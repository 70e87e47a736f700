/* Block dispatch: calls the policy after changes, checks answers against the SMs' ledgers, starts
 * blocks. gpu passes launches and retired blocks to dispatch, and receives ended launches and
 * starved kernels. Model: machine description 2.1: round robin over SMs, starting after the SM that
 * got the last block; at most one block per SM and cycle; the blocks of a kernel start in order. */
#ifndef CORUN_PLACE_H
#define CORUN_PLACE_H

#include "gpu/dispatch/capacity.h"
#include "gpu/dispatch/place_state.h"

bool place_init(struct place *p, const struct gpu_setup *setup, struct gpu *gpu, struct sm *sms,
                struct arena *arena, struct fail *fail);
void place_free(struct place *p);
void place_launch(struct place *p, const struct launch *l, u64 now);
void place_retire(struct place *p, u32 sm, const struct retired *r, u64 now);
/* A block's state has been saved or loaded. */
void place_transferred(struct place *p, u32 sm, struct block *b, u64 now);
/* A block that gave up its seats has seats again. */
void place_moved(struct place *p, u32 sm, const struct moved *m);
/* Notifies the policy if L1 accesses on the SM have reached the number for CORUN_REQUESTS. */
void place_requests(struct place *p, u32 sm, u64 now);
/* Returns the first cycle, `now` or later, in which a block may start or the policy must be
 * called. */
static inline u64 place_wake(const struct place *p, u64 now)
{
    return p->changed ? now : min_u64(p->ask_at, p->hooks.timer_next);
}
/* Runs the last phase of an SM cycle; required in every cycle that place_wake returns. Returns true
 * if `must_tick` may be set in some SM; the caller then ticks these SMs in the next cycle. */
bool place_tick(struct place *p, u64 now);
const struct kernel *place_starved(const struct place *p, u64 now); /* call from patience_ends on */
/* Returns how many blocks of the kernel the policy allows to run at once. */
u64 place_allowed(const struct place *p, const struct kernel *k);
struct launch *place_ended(struct place *p);
/* Returns the activity of a kernel before cycle `now`; NULL: index beyond the last kernel. */
const struct gpu_kernel *place_kernel(struct place *p, u32 index, u64 now);

/* For ask.c: takes the block off the SM in the manner `how`, which is not CORUN_DRAIN. The block
 * later continues on any SM with room. */
void place_leave(struct place *p, struct kernel *k, u32 sm, struct block *b,
                 enum corun_preempt how, u64 now);

#endif

/* Block dispatch: calls the policy after changes, checks answers against the SMs' ledgers, starts
 * blocks. gpu passes launches and retired blocks to dispatch, and receives ended launches and
 * starved kernels. Model: machine description 2.1: round robin over SMs, starting after the SM that
 * got the last block; at most one block per SM and cycle; the blocks of a kernel start in order. */
#ifndef CORUN_DISPATCH_H
#define CORUN_DISPATCH_H

#include "gpu/dispatch/capacity.h"
#include "gpu/dispatch/dispatch_state.h"

bool dispatch_init(struct dispatch *p, const struct gpu_setup *setup, struct gpu *gpu,
                   struct sm *sms, struct arena *arena, struct fail *fail);
void dispatch_free(struct dispatch *p);
/* Call only if dispatch_has_room. */
void dispatch_launch(struct dispatch *p, const struct launch *l, u64 now);
bool dispatch_has_room(const struct dispatch *p);
void dispatch_retire(struct dispatch *p, u32 sm, const struct retired *r, u64 now);
/* A block's state has been saved or loaded. */
void dispatch_transferred(struct dispatch *p, u32 sm, struct block *b, u64 now);
/* A block that gave up its seats has seats again. */
void dispatch_moved(struct dispatch *p, u32 sm, const struct moved *m);
/* Notifies the policy if L1 accesses on the SM have reached the number for CORUN_REQUESTS. */
void dispatch_requests(struct dispatch *p, u32 sm, u64 now);
/* Returns the first cycle, `now` or later, in which a block may start or the policy must be
 * called. */
static inline u64 dispatch_wake(const struct dispatch *p, u64 now)
{
    u64 due = min_u64(p->ask_at, p->hooks.timer_next);
    return p->changed ? now : min_u64(due, p->drain_ends);
}
/* Runs the last phase of an SM cycle; required in every cycle that dispatch_wake returns. Returns
 * true if `must_tick` may be set in some SM; the caller then ticks these SMs in the next cycle. */
bool dispatch_tick(struct dispatch *p, u64 now);
/* Returns a starved kernel, or NULL. Called in cycle patience_ends and later cycles. */
const struct kernel *dispatch_starved(const struct dispatch *p, u64 now);
/* Returns how many blocks of the kernel the policy allows to run at once. */
u64 dispatch_allowed(const struct dispatch *p, const struct kernel *k);
const struct gpu_end *dispatch_ended(struct dispatch *p);
/* Returns true if a policy of the run is called within ticks of SMs, not only between cycles. */
bool dispatch_asks_within_tick(const struct dispatch *p);
/* Returns the activity of a kernel before cycle `now`; NULL: index beyond the last kernel. */
const struct gpu_kernel *dispatch_kernel(struct dispatch *p, u32 index, u64 now);

/* Computes the delays of an app's launches or blocks up to cycle `now`. */
/* Returns how long the app's first launch has waited, if no launch of the app has started a block;
 * 0: one has, or the app has no launch. */
u64 dispatch_newcomer_waits(const struct dispatch *p, u32 app_id, u64 now);
void dispatch_delays(struct dispatch *p, u32 app_id, enum delay_kind kind, u64 now,
                     struct delay_summary *out);

/* For ask.c: takes the block off the SM in the manner `how`, which is not CORUN_DRAIN. The block
 * later continues on any SM with room. */
void dispatch_leave(struct dispatch *p, struct kernel *k, u32 sm, struct block *b,
                    enum corun_preempt how, u64 now);

#endif

/* The warps of a scheduler, ordered by rank: see scheduler.c. */
#ifndef CORUN_SM_SCHEDULER_H
#define CORUN_SM_SCHEDULER_H

#include "chip/sm/front/seat.h"

/* Returns the rank of the last issue, for scheduler_choose. last_seat: number of the warp slot of
 * the last issue, plus one; 0: no issue yet. gto: rank of the warp now in the slot; UINT32_MAX if
 * the slot is free. lrr and two-level (ranks are in the order of slots): rank of the last occupied
 * slot up to the given slot; UINT32_MAX if no such slot is occupied, hence round robin starts at
 * rank 0. */
u32 scheduler_last(const struct sm *sm, const struct scheduler *q, u32 last_seat);
/* Makes the scheduler continue after the last issue of the chosen app: with group `order` a
 * scheduler chooses an app first, and each app has a separate last_seat, as for scheduler_last. */
void scheduler_resume(struct sm *sm, const struct scheduler *q, u32 last_seat);
void front_init(struct sm *sm, u32 warps, struct issue_port *ports, struct arena *arena);
/* Add a warp slot to the ranks of the slot's scheduler, or remove the slot. */
void scheduler_insert(struct sm *sm, u32 seat_id);
void scheduler_remove(struct sm *sm, u32 seat_id);
/* Places the context in the warp slot, with an empty instruction buffer. A wait of the context
 * continues. seat_take takes effect in cycle `now` + 1; seat_leave frees the slot from cycle `from`
 * on. */
const struct seat *seat_take(struct sm *sm, u32 seat_id, struct context *c, u64 now);
void seat_leave(struct sm *sm, const struct seat *s, u64 from);
/* Returns the ranks in `among` that are ready for PIPE_MEM and whose head goes to the memory
 * system. */
u64 scheduler_memory_heads(const struct sm *sm, const struct scheduler *q, u64 among);
u64 scheduler_held_some(const struct sm *sm, const struct scheduler *q);
/* Returns the ranks with a head held back by a gate in this cycle; usually 0. */
static inline u64 scheduler_held(const struct sm *sm, const struct scheduler *q)
{
    return sm->front.held && q->ready[PIPE_MEM] ? scheduler_held_some(sm, q) : 0;
}
void scheduler_refill(struct sm *sm, struct scheduler *q); /* two-level: updates the active set */
/* Sets `may_issue` from the active set, `oldest` and the quotas; on a governed SM also `of_app`,
 * `apps` and `urgent`. */
void scheduler_may_issue(const struct sm *sm, struct scheduler *q);
void scheduler_narrow(struct sm *sm, u64 now); /* sm.issue_warps: call at the end of each cycle */
/* scheduler_govern applies a change in a policy's answers about issue, in force from cycle `from`
 * on: from then on the SM is governed, all schedulers look for warps again, and gpu ticks the next
 * cycle. schedulers_hold sets the apps, a bit each, whose memory instructions a gate holds back
 * from cycle `from` on; on a change schedulers look for warps again. */
void scheduler_govern(struct sm *sm, u64 from);
void schedulers_hold(struct sm *sm, u32 apps, u64 from);
bool scheduler_is_consistent(const struct sm *sm, const struct scheduler *q); /* for hard_check */
/* True if scheduler_refill would change the active set. */
bool scheduler_moves(const struct sm *sm, const struct scheduler *q);

#endif

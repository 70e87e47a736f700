/* The warps of a scheduler by rank: see scheduler.c. */
#ifndef CORUN_SM_SCHEDULER_H
#define CORUN_SM_SCHEDULER_H

#include "chip/sm/front/seat.h"

/* The rank of a seat whose warp issued last: gto: of whoever sits there now; else the last of those
 * up to it. last_seat: plus one, 0: nobody has issued; UINT32_MAX: before all. */
u32 scheduler_last(const struct sm *sm, const struct scheduler *q, u32 last_seat);
/* The warp whose app issues, of those that go in order, goes on behind its app's last seat. */
void scheduler_resume(struct sm *sm, const struct scheduler *q, u32 last_seat);
void front_init(struct sm *sm, u32 warps, struct issue_port *ports, struct arena *arena);
/* A seat among the ranks of its scheduler, or no more. */
void scheduler_insert(struct sm *sm, u32 seat_id);
void scheduler_remove(struct sm *sm, u32 seat_id);
/* The context takes the seat: its buffer is empty, and what it waited for it still waits for. */
const struct seat *seat_take(struct sm *sm, u32 seat_id, struct context *c, u64 now);
void seat_leave(struct sm *sm, const struct seat *s);
/* Of these ranks those ready for PIPE_MEM whose head goes to the memory system. */
u64 scheduler_memory_heads(const struct sm *sm, const struct scheduler *q, u64 among);
void scheduler_refill(struct sm *sm, struct scheduler *q); /* two-level: who is in the active set */
/* Sets `may_issue` by the active set and the quotas; on a governed SM `of_app` and `urgent` too. */
void scheduler_may_issue(const struct sm *sm, struct scheduler *q);
void scheduler_narrow(struct sm *sm, u64 now); /* sm.issue_warps: at the end of a cycle */
/* What a policy says of issue has changed: the SM is governed, its schedulers look again, and gpu
 * ticks it. The cycles before are counted (stalls_catch_up). */
void scheduler_govern(struct sm *sm);
bool scheduler_is_sound(const struct sm *sm, const struct scheduler *q); /* for hard_check */
bool scheduler_moves(const struct sm *sm, const struct scheduler *q); /* refill would change it */

#endif

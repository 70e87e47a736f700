/* The load/store unit at work: see ldst.c. */
#ifndef CORUN_SM_LDST_H
#define CORUN_SM_LDST_H

#include "chip/sm/state.h"

void ldst_init(struct sm *sm, struct arena *arena);
/* the unit can work on it from cycle `arrives` on */
void ldst_push(struct sm *sm, const struct seat *s, const struct inst *i, u64 arrives, u64 now);
struct queued *ldst_next(struct sm *sm); /* what the next one pushed will be */
void ldst_tick(struct sm *sm, u64 now);
void ldst_catch_up(struct sm *sm, u64 now);
u64 ldst_wake(const struct sm *sm, u64 now);

/* Doors for gpu. */
/* the request that wants to enter the crossbar, or REQ_NONE */
static inline u32 sm_peek(const struct sm *sm)
{
    return sm->lsu.l1.missq.n ? fifo_front(&sm->lsu.l1.missq) : REQ_NONE;
}
/* it has entered; the next cycle in which the load/store unit may go on */
u64 sm_pop(struct sm *sm, u64 now);
/* a reply that arrives in cycle `at`, the last of all so far; false: the response queue is full */
bool sm_push(struct sm *sm, u32 req_id, u64 at);

#endif

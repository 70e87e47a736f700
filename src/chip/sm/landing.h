/* Copies to shared memory under way (cp.async), mbarriers, and the warps that wait for either: see
 * exec/copy.h for what they mean. pending.c says that a copy's last access is answered, issue.c who
 * waits. */
#ifndef CORUN_SM_LANDING_H
#define CORUN_SM_LANDING_H

#include "chip/sm/state.h"

/* Pending access `id`, a copy's, is over: its bytes are in shared memory from cycle `ready` on. */
void landing_add(struct sm *sm, u32 id, u64 ready, u64 now);
void landings_tick(struct sm *sm, u64 now);
void landings_free(struct sm *sm);
/* Of a context of this SM, or of none. */
void copy_landed(struct sm *sm, struct context *c, u16 number, u64 now);

void copies_wait(struct scheduler *q, struct seat *s);      /* EFFECT_COPIES */
void copies_wait_show(struct scheduler *q, const struct seat *s); /* it counts as waiting for loads */
void phase_wait(struct sm *sm, struct seat *s, u64 now);    /* EFFECT_PHASE */
/* A step may have ended a phase of an mbarrier of the block. */
void phases_look(struct sm *sm, struct block *b, u64 now);

#endif

/* Cycles in which schedulers did not issue, by cause: see stall.c. */
#ifndef CORUN_SM_STALL_H
#define CORUN_SM_STALL_H

#include "chip/sm/front/seat.h"

/* Counts cycles before `now` in which no scheduler issued. Why they did not is as it was since
 * `counted`: whoever is about to change that calls this first. */
void stalls_count(struct sm *sm, u64 now);
void memory_stall_count(struct sm *sm, u64 cycles); /* in which no scheduler issued */
u64 *stall_find(struct sm *sm, struct scheduler *q); /* the counter of its cause */
static inline void stall_count(struct sm *sm, struct scheduler *q, u64 cycles)
{
    if (!q->stall) q->stall = stall_find(sm, q);
    *q->stall += cycles;
}
static inline void stalls_catch_up(struct sm *sm, u64 now)
{
    if (sm->front.counted < now) stalls_count(sm, now);
}

#endif

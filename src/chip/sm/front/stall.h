/* Counts cycles in which schedulers did not issue, by cause: see stall.c. Only files of the front
 * call the functions, except front_catch_up. */
#ifndef CORUN_SM_STALL_H
#define CORUN_SM_STALL_H

#include "chip/sm/front/seat.h"

/* Counts the cycles from front.counted to `now` (exclusive), in which no scheduler issued. The
 * causes must not have changed since front.counted: call this function before any change of a
 * cause. */
void stalls_count(struct sm *sm, u64 now);
void memory_stall_count(struct sm *sm, u64 cycles); /* no scheduler issued in these cycles */
u64 *stall_find(struct sm *sm, struct scheduler *q); /* returns the counter for the cause */
static inline void stall_count(struct sm *sm, struct scheduler *q, u64 cycles)
{
    if (!q->stall) q->stall = stall_find(sm, q);
    *q->stall += cycles;
}
static inline void stalls_catch_up(struct sm *sm, u64 now)
{
    if (sm->front.counted < now) stalls_count(sm, now);
}
/* Brings the statistics of the front up to the cycles before `now`. Called by sm.c when statistics
 * are read. */
static inline void front_catch_up(struct sm *sm, u64 now) { stalls_catch_up(sm, now); }

#endif

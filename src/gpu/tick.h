/* The ticks of the SMs of a cycle on several threads. A tick changes nothing outside its SM; step.c
 * commits the ticks afterwards, in order of SMs. */
#ifndef CORUN_TICK_H
#define CORUN_TICK_H

#include "gpu/state.h"

/* Result of an SM's tick in one word: many results share a line of the host's cache, and for most
 * ticks the commit reads nothing else of the SM. */
enum {
    TICK_NOTIFY = 1, /* see struct sm */
    TICK_STORED = 2, /* the SM's store buffer is not empty */
    TICK_SENDS = 4,  /* a request waits to enter the crossbar */
    TICK_BITS = 3
};

/* Returns the next cycle in which the SM must be ticked. */
static inline u64 tick_wake(u64 end)
{
    u64 wake = end >> TICK_BITS;
    return wake == NEVER >> TICK_BITS ? NEVER : wake;
}
static inline u64 tick_end_of(const struct ticks *t, u32 sm) { return t->ends[t->end_at[sm]]; }

void ticks_init(struct gpu *g);
/* Ticks an SM. */
INLINED void tick_sm(struct sm *sm, u64 now)
{
    hard_check(req_is_settled(sm->lsu.l1.requests));
    u64 allocated = sm->lsu.l1.allocated;
    sm_tick(sm, now);
    hard_check(sm->lsu.l1.allocated - allocated <= l1_requests_max(sm->lsu.l1.conf));
}
/* Starts the ticks of the SMs `ticking` on several threads, and returns true, if the work of the
 * cycle is worth the threads' meeting. The choice depends on simulated quantities only. Until
 * ticks_end, which waits for the ticks, the caller touches no SM. */
bool ticks_begin(struct gpu *g, const struct ports *ticking, u64 now);
void ticks_end(struct gpu *g);

#endif

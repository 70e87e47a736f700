/* Counts outstanding misses per owner, for the cycles counted by stall.c. */
#ifndef CORUN_SM_OUTSTANDING_H
#define CORUN_SM_OUTSTANDING_H

#include "chip/sm/state.h"

static inline void sm_miss_begins(struct sm *sm, u32 owner, u64 now)
{
    struct outstanding *m = &lsu_of(sm)->outstanding[owner];
    m->n++;
    m->correction += now - sm->front.counted;
    lsu_of(sm)->outstanding_owners |= 1ull << owner;
}

static inline void sm_miss_ends(struct sm *sm, u32 owner, u64 now)
{
    struct outstanding *m = &lsu_of(sm)->outstanding[owner];
    m->n--;
    m->correction -= now - sm->front.counted;
}

/* Adds the outstanding misses of the `cycles` since front.counted; in: the cycles are memory
 * stalls. Otherwise the misses are discarded. */
static inline void outstanding_count(struct sm *sm, u64 cycles, bool in)
{
    for (u64 left = sm->lsu.outstanding_owners; left; left &= left - 1) {
        u32 owner = (u32)__builtin_ctzll(left);
        struct outstanding *m = &lsu_of(sm)->outstanding[owner];
        if (in) sm->stat[owner].outstanding += cycles * m->n - m->correction;
        m->correction = 0;
        if (!m->n) lsu_of(sm)->outstanding_owners &= ~(1ull << owner);
    }
}

#endif

/* Counts outstanding misses per app, for the cycles counted by stall.c. */
#ifndef CORUN_SM_OUTSTANDING_H
#define CORUN_SM_OUTSTANDING_H

#include "chip/sm/state.h"

static inline void sm_miss_begins(struct sm *sm, u32 app_id, u64 now)
{
    struct outstanding *m = &lsu_of(sm)->outstanding[app_id];
    m->n++;
    m->correction += now - sm->front.counted;
    lsu_of(sm)->outstanding_apps |= 1u << app_id;
}

static inline void sm_miss_ends(struct sm *sm, u32 app_id, u64 now)
{
    struct outstanding *m = &lsu_of(sm)->outstanding[app_id];
    m->n--;
    m->correction -= now - sm->front.counted;
}

/* Adds the outstanding misses of the `cycles` since front.counted; in: the cycles are memory
 * stalls. Otherwise the misses are discarded. */
static inline void outstanding_count(struct sm *sm, u64 cycles, bool in)
{
    for (u32 left = sm->lsu.outstanding_apps; left; left &= left - 1) {
        u32 app = (u32)__builtin_ctz(left);
        struct outstanding *m = &lsu_of(sm)->outstanding[app];
        if (in) sm->stat[app].outstanding += cycles * m->n - m->correction;
        m->correction = 0;
        if (!m->n) lsu_of(sm)->outstanding_apps &= ~(1u << app);
    }
}

#endif

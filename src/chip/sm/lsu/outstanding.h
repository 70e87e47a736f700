/* Misses outstanding, by app, for the cycles that stall.c counts. */
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

/* Of the `cycles` since front.counted; in: they are cycles of memory stall. */
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

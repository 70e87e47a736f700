/* Notifications from other files to the load/store unit. */
#ifndef CORUN_SM_EVENTS_H
#define CORUN_SM_EVENTS_H

#include "chip/sm/state.h"

/* Notes an event that may let a refused access succeed: a bit of EVENT_*. */
static inline void lsu_event(struct sm *sm, u32 event) { lsu_of(sm)->events |= event; }

static inline void request_free(struct sm *sm, u32 req_id)
{
    req_free(lsu_of(sm)->l1.requests, req_id);
    lsu_of(sm)->requests_freed++;
}

/* Exchanges free requests with the pool, after a tick: see req_settle. */
static inline void sm_settle(struct sm *sm) { req_settle(lsu_of(sm)->l1.requests); }

/* Sends a line past L1, without a pending access. Returns false if the miss queue is full. */
static inline bool lsu_send(struct sm *sm, const struct lookup *line, u64 now)
{
    if (!l1_send(&lsu_of(sm)->l1, line, now)) return false;
    lsu_event(sm, EVENT_ACCESS);
    return true;
}

/* Notes the counters of the instruction (inst_count.h). */
static inline void queued_row(const struct queued *q, struct inst_stat *row)
{
    ((struct queued *)q)->row = row;
}

#endif

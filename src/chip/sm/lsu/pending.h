/* Accesses under way, from the load/store unit until the last answer. ldst.c says that an access
 * was sent, answered, acknowledged; port/release.h ends the instruction. */
#ifndef CORUN_SM_PENDING_H
#define CORUN_SM_PENDING_H

#include "chip/sm/lsu/outstanding.h"
#include "chip/sm/lsu/told.h"
#include "chip/sm/port/release.h"

/* No memory instruction may issue: there is no room for one of each scheduler. */
static inline bool memory_is_full(const struct sm *sm)
{
    return sm->port.memory_room < SCHEDULERS_MAX || sm->lsu.pending_free_n < SCHEDULERS_MAX;
}

void pending_init(struct sm *sm, struct arena *arena);
void store_acknowledged(struct sm *sm, u32 id, u64 now);

/* For the load/store unit's own files only. */
static inline struct pending *pending_of(const struct sm *sm, u32 id)
{
    return (struct pending *)&sm->lsu.pending[id];
}

/* Those that were free before come first: the others have never been written. */
static inline struct pending *pending_new(struct sm *sm, struct queued *q, u64 now)
{
    u32 id = sm->lsu.pending_free_head;
    if (id == L1_NO_ACCESS) id = lsu_of(sm)->pending_fresh++;
    else lsu_of(sm)->pending_free_head = sm->lsu.pending[id].next;
    check(sm->lsu.pending_free_n);
    lsu_of(sm)->pending_free_n--;
    struct pending *p = pending_of(sm, id);
    p->issued = now;
    p->kind = q->kind;
    p->app_id = q->app_id;
    p->left = q->transaction_n;
    p->stores = 0;
    p->filter = q->filter;
    p->beyond = false;
    q->pending = (u16)id;
    q->transaction_next = 0;
    return p;
}

/* Of a new pending access. */
static inline struct release *release_new(struct sm *sm, struct queued *q, const struct inst *i,
                                          u64 now)
{
    struct pending *p = pending_new(sm, q, now);
    if (unlikely(i->form.op == OP_CP_ASYNC)) {
        p->kind = REQ_COPY;
        p->release.copy = sm->common->effect.copy;
    }
    return &p->release;
}

static inline void pending_free(struct sm *sm, u32 id, u64 now)
{
    pending_of(sm, id)->next = (u16)sm->lsu.pending_free_head;
    lsu_of(sm)->pending_free_head = id;
    if (lsu_of(sm)->pending_free_n++ < SCHEDULERS_MAX) issue_wake(sm, now);
}

/* ---- texture cache ---- */

/* One transaction of the oldest looks up the tags; false: it waits for room. */
bool texture_look(struct sm *sm, const struct queued *q, u64 now);
/* The data of a fragment is here. */
void texture_reply(struct sm *sm, u32 req_id);
/* The oldest fragment goes to the filter; the answer can be read from `ready` on. */
void texture_answer(struct sm *sm, u64 ready, u64 now);

/* ---- accesses, by number ---- */

static inline void access_sent(struct sm *sm, u32 id, u64 now)
{
    struct pending *p = pending_of(sm, id);
    if (p->kind == REQ_STORE) {
        p->stores++;
        context_store(p->release.context, true);
    } else {
        sm_miss_begins(sm, p->app_id, now);
    }
}

/* A load or an atomic waits for more than L1, on an SM that has, or had, extra blocks. */
void access_beyond(struct sm *sm, u32 id);
/* One transaction of it is answered; with the last one the instruction ends (release_end), its
 * app has one less in flight, and the gate looks. r: the request that brought it back, NULL:
 * none did. */
void access_answered(struct sm *sm, u32 id, const struct req *r, u64 ready, u64 now);

void landings_tick(struct sm *sm, u64 now); /* copies whose bytes have come */
void landings_free(struct sm *sm);

/* The most memory instructions in flight is counted anew. */
static inline void sm_peak_restart(struct sm *sm, u32 app_id)
{
    lsu_of(sm)->in_flight_peak[app_id] = sm->lsu.in_flight[app_id];
}

#endif

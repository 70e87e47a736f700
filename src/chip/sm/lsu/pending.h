/* Pending accesses: accesses in flight, from the load/store unit to the last answer. ldst.c reports
 * when an access is sent, answered or acknowledged; port/release.h completes the instruction. */
#ifndef CORUN_SM_PENDING_H
#define CORUN_SM_PENDING_H

#include "chip/sm/lsu/outstanding.h"
#include "chip/sm/lsu/events.h"
#include "chip/sm/port/release.h"

/* True if no memory instruction may issue, because the remaining room does not suffice for an
 * instruction of each scheduler. */
static inline bool memory_is_full(const struct sm *sm)
{
    return sm->port.memory_room < SCHEDULERS_MAX || sm->lsu.pending_free_n < SCHEDULERS_MAX;
}

void pending_init(struct sm *sm, struct arena *arena);
void store_acknowledged(struct sm *sm, u32 id, u64 now);

/* Reserved for the load/store unit's own files. */
static inline struct pending *pending_of(const struct sm *sm, u32 id)
{
    return (struct pending *)&sm->lsu.pending[id];
}

/* Allocates the pending access of q. Freed entries are reused first; the memory of other entries
 * has never been touched. */
static inline struct pending *pending_new(struct sm *sm, struct queued *q, u64 now)
{
    u32 id = sm->lsu.pending_free_head;
    if (id == L1_NO_ACCESS) id = lsu_of(sm)->pending_fresh++;
    else lsu_of(sm)->pending_free_head = sm->lsu.pending[id].next;
    prefetch(&sm->lsu.pending[sm->lsu.pending_free_head]); /* for the next access */
    check(sm->lsu.pending_free_n);
    lsu_of(sm)->pending_free_n--;
    struct pending *p = pending_of(sm, id);
    p->issued = now;
    p->kind = q->kind;
    p->app_id = q->app_id;
    p->owner = q->owner;
    p->left = q->transaction_n;
    p->stores = 0;
    p->filter = q->filter;
    p->beyond = false;
    q->pending = (u16)id;
    q->transaction_next = 0;
    return p;
}

/* Allocates a pending access for instruction i and returns the release in the entry. */
static inline struct release *release_new(struct sm *sm, struct queued *q, const struct inst *i,
                                          u64 now)
{
    struct pending *p = pending_new(sm, q, now);
    if (unlikely(i->kind & INST_COPY)) {
        p->kind = REQ_COPY;
        p->bulk = i->kind & INST_BULK;
        p->release.copy = sm->effect.copy;
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

/* Looks up one transaction of the oldest instruction in the texture cache; false: no room yet. */
bool texture_look(struct sm *sm, const struct queued *q, u64 now);
/* Notes the arrival of a fragment's data. */
void texture_reply(struct sm *sm, u32 req_id);
/* Passes the oldest fragment to the filter; the answer is readable from cycle `ready` on. */
void texture_answer(struct sm *sm, u64 ready, u64 now);

/* ---- accesses, by number ---- */

static inline void access_sent(struct sm *sm, u32 id, u64 now)
{
    struct pending *p = pending_of(sm, id);
    if (p->kind == REQ_STORE) {
        p->stores++;
        context_store(p->release.context, true);
    } else {
        sm_miss_begins(sm, p->owner, now);
    }
}

/* Notes that L1 did not answer a load or atomic. Call only on an extended SM (with extra blocks,
 * now or earlier). */
void access_beyond(struct sm *sm, u32 id);
/* Answers one transaction. The last answer ends the instruction (release_end), decrements the app's
 * instructions in flight and updates the gate. r: the request that brought the data; NULL: a hit
 * or an accepted store. */
void access_answered(struct sm *sm, u32 id, const struct req *r, u64 ready, u64 now);

/* Prefetches what the answer of access `id` in cycle `at` will change. */
static inline void answer_prefetch(const struct sm *sm, u32 id, u64 at)
{
    const struct release *w = &sm->lsu.pending[id].release;
    prefetch(&sm->front.seats[w->seat]);
    prefetch(&w->context->memory_n);
    prefetch(&sm->port.result[(at + sm->lsu.l1.conf->fill_cycles) % RESULTS]);
}

/* remote.c: an access to shared memory of other blocks of the cluster. */
struct release *remote_push(struct sm *sm, struct queued *q, u64 now);
void remote_send(struct sm *sm, const struct queued *q, u64 now);

/* Schedules the end of pending access `id`, a copy or a remote access. */
void landing_add(struct sm *sm, u32 id, u64 ready, u64 now);
void landings_tick(struct sm *sm, u64 now); /* processes copies that have arrived */
void landings_free(struct sm *sm);

/* Restarts the peak of the app's memory instructions in flight. */
static inline void sm_peak_restart(struct sm *sm, u32 app_id)
{
    lsu_of(sm)->in_flight_peak[app_id] = sm->lsu.in_flight[app_id];
}

#endif

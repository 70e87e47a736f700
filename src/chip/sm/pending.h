/* What memory instructions wait for, from issue until their registers are released: the load/store
 * unit (ldst.c) says that an access was sent, answered, acknowledged. The end of an instruction
 * finds its context wherever it is: at a seat of this SM, at none, or at another SM, for which gpu
 * takes it (gpu/step.c). */
#ifndef CORUN_SM_PENDING_H
#define CORUN_SM_PENDING_H

#include "chip/sm/block.h"
#include "chip/sm/gate.h"
#include "chip/sm/issue_port.h"
#include "chip/sm/outstanding.h"
#include "chip/sm/stall.h"
#include "chip/sm/wake.h"

/* No memory instruction may issue: there is no room for one of each scheduler. */
static inline bool memory_is_full(const struct sm *sm)
{
    return sm->lsu.memory_room < SCHEDULERS_MAX || sm->lsu.pending_free_n < SCHEDULERS_MAX;
}

/* What may let a refused access succeed has happened: a bit of EVENT_*. */
static inline void lsu_event(struct sm *sm, u32 event) { lsu_of(sm)->events |= event; }

static inline void request_free(struct sm *sm, u32 req_id)
{
    req_free(sm->common->pool, req_id);
    lsu_of(sm)->requests_freed++;
}

/* Nothing of the context is under way. */
static inline void accesses_begin(struct context *c)
{
    c->stores = 0;
    c->memory_n = c->beyond_n = 0;
}

void pending_init(struct sm *sm, struct arena *arena);
/* Of a context that has left its seat. */
void release_end_away(struct sm *sm, const struct release *w, u32 kind, u64 ready, u64 now);
void store_acknowledged(struct sm *sm, u32 id, u64 now);

/* Those that were free before come first: the others have never been written. */
static inline struct pending *pending_new(struct sm *sm, struct queued *q, u64 now)
{
    u32 id = sm->lsu.pending_free_head;
    if (id == L1_NO_ACCESS) id = lsu_of(sm)->pending_fresh++;
    else lsu_of(sm)->pending_free_head = sm->lsu.pending[id].next;
    check(sm->lsu.pending_free_n);
    lsu_of(sm)->pending_free_n--;
    struct pending *p = &sm->lsu.pending[id];
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
    sm->lsu.pending[id].next = (u16)sm->lsu.pending_free_head;
    lsu_of(sm)->pending_free_head = id;
    if (lsu_of(sm)->pending_free_n++ < SCHEDULERS_MAX) issue_wake(sm, now);
}

/* ---- an instruction from issue to its end ---- */

/* Its registers cannot be read until release_end. */
static inline void release_begin(struct sm *sm, struct release *w, const struct seat *s,
                                 const struct inst *i, u64 when)
{
    w->context = s->context;
    w->seat = s->id;
    w->dst_n = (u8)(i->score_n - i->score_dst);
    w->number = i->numbers + i->score_dst;
    for (u32 k = 0; k < w->dst_n; k++) {
        w->dst[k] = (u16)seat_score(s, i->score[i->score_dst + k]);
        s->ready_at[w->dst[k]] = when;
    }
    s->context->memory_n++;
    lsu_of(sm)->memory_room--;
}

static inline void release_end_here(struct sm *sm, const struct seat *s, const struct release *w,
                                    u32 kind, u64 ready, u64 now)
{
    struct context *c = s->context;
    for (u32 k = 0; k < w->dst_n; k++) {
        s->ready_at[w->dst[k]] = ready;
        if (w->dst[k] < s->row_n) issue_port_written(sm, s, w->dst[k], w->number + k, ready, now);
    }
    c->memory_n--;
    if (unlikely(s->waits) && kind == REQ_ATOMIC && c->wait == WAIT_ATOMIC) {
        context_wait_set(c, WAIT_NOTHING);
        seat_delay(s, ready);
        seat_arm(sm, s, now);
    }
    seat_load_over(sm, s, now);
    if (unlikely(s->waits)) context_check_wait(sm, c, now);
}

/* All of it has come back (loads, atomics) or left (stores): the registers can be read from `ready`
 * on. */
static inline void release_end(struct sm *sm, const struct release *w, u32 kind, u64 ready,
                               u64 now)
{
    const struct seat *s = &sm->front.seats[w->seat];
    stalls_catch_up(sm, now);
    if (lsu_of(sm)->memory_room++ < SCHEDULERS_MAX) issue_wake(sm, now);
    if (likely(s->context == w->context)) release_end_here(sm, s, w, kind, ready, now);
    else release_end_away(sm, w, kind, ready, now);
}

/* Model: the unit writes back one result at a time, of shared memory, of a line's reader or of a
 * reply that passed L1; L1 hits have a path of their own (GPGPU-Sim 4.x). Takes the first free
 * cycles from `at` on; returns the last. */
static inline u64 result_cycle(struct sm *sm, u64 at, u32 cycles)
{
    for (;; at++) {
        if (sm->port.result[at % RESULTS] == (u32)at) continue;
        sm->port.result[at % RESULTS] = (u32)at;
        if (likely(cycles <= 1)) return at;
        cycles--;
    }
}

/* Into the banks of sub-cores, from cycle `at` on; returns the last. */
u64 result_written(const struct sm *sm, const struct release *w, u64 at);

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
    struct pending *p = &sm->lsu.pending[id];
    if (p->kind == REQ_STORE) {
        p->stores++;
        p->release.context->stores++;
    } else {
        sm_miss_begins(sm, p->app_id, now);
    }
}

/* A load or an atomic waits for more than L1, on an SM that has, or had, extra blocks. */
void access_beyond(struct sm *sm, u32 id);
/* r: the request that brought it back, NULL: none did. */
void access_answered(struct sm *sm, u32 id, const struct req *r, u64 ready, u64 now);

void landings_tick(struct sm *sm, u64 now); /* copies whose bytes have come */
void landings_free(struct sm *sm);

/* Before sm_tick(now): what ended at another SM, for a context seated here, an instruction or a
 * store's acknowledgement; see gpu/step.c. */
void elsewhere_deliver(struct sm *sm, const struct elsewhere *e, u64 now);

static inline void sm_elsewhere_clear(struct sm *sm) { lsu_of(sm)->elsewhere_n = 0; }
/* The most memory instructions in flight is counted anew. */
static inline void sm_peak_restart(struct sm *sm, u32 app_id)
{
    lsu_of(sm)->in_flight_peak[app_id] = sm->lsu.in_flight[app_id];
}

#endif

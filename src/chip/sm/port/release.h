/* An instruction whose end was not known at issue, until its registers can be read: a memory
 * instruction, or one parked by class_order.c. The end finds the context wherever it is: at a seat
 * of this SM, at none, or at another SM, to which gpu carries it (gpu/step.c). */
#ifndef CORUN_SM_RELEASE_H
#define CORUN_SM_RELEASE_H

#include "chip/sm/blocks/block.h"
#include "chip/sm/front/stall.h"
#include "chip/sm/front/wake.h"
#include "chip/sm/port/issue_port.h"

/* For so many at a time. */
static inline void release_room(struct sm *sm, u32 n) { port_of(sm)->memory_room = n; }
/* Of a context that has left its seat. */
void release_end_away(struct sm *sm, const struct release *w, u32 kind, u64 ready, u64 now);

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
    context_memory(s->context, true);
    port_of(sm)->memory_room--;
}

static inline void release_end_here(struct sm *sm, const struct seat *s, const struct release *w,
                                    u32 kind, u64 ready, u64 now)
{
    struct context *c = s->context;
    for (u32 k = 0; k < w->dst_n; k++) {
        s->ready_at[w->dst[k]] = ready;
        if (w->dst[k] < s->row_n) issue_port_written(sm, s, w->dst[k], w->number + k, ready, now);
    }
    context_memory(c, false);
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
    if (port_of(sm)->memory_room++ < SCHEDULERS_MAX) issue_wake(sm, now);
    if (likely(s->context == w->context)) release_end_here(sm, s, w, kind, ready, now);
    else release_end_away(sm, w, kind, ready, now);
}

/* For the port's own files only. */
static inline u32 *result_of(const struct sm *sm, u64 at)
{
    return (u32 *)&sm->port.result[at % RESULTS];
}

/* Model: the unit writes back one result at a time, of shared memory, of a line's reader or of a
 * reply that passed L1; L1 hits have a path of their own (GPGPU-Sim 4.x). Takes the first free
 * cycles from `at` on; returns the last. */
static inline u64 result_cycle(struct sm *sm, u64 at, u32 cycles)
{
    for (;; at++) {
        if (sm->port.result[at % RESULTS] == (u32)at) continue;
        *result_of(sm, at) = (u32)at;
        if (likely(cycles <= 1)) return at;
        cycles--;
    }
}

/* Into the banks of sub-cores, from cycle `at` on; returns the last. */
u64 result_written(const struct sm *sm, const struct release *w, u64 at);

/* Before sm_tick(now): what ended at another SM, for a context seated here, an instruction or a
 * store's acknowledgement; see gpu/step.c. */
void elsewhere_deliver(struct sm *sm, const struct elsewhere *e, u64 now);
static inline void sm_elsewhere_clear(struct sm *sm) { port_of(sm)->elsewhere_n = 0; }
/* A store's request is acknowledged. */
void release_acknowledged(struct sm *sm, struct context *c, u64 now);

#endif

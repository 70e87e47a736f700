/* Completion of instructions whose end is unknown at issue: memory instructions, and instructions
 * deferred by class_order.c. At completion the registers become readable. The context may be in a
 * warp slot of this SM, in none, or at another SM; in the last case gpu delivers the completion
 * (gpu/step.c). */
#ifndef CORUN_SM_RELEASE_H
#define CORUN_SM_RELEASE_H

#include "chip/sm/blocks/block.h"
#include "chip/sm/front/wake.h"
#include "chip/sm/port/issue_port.h"

/* Sets how many instructions may be outstanding at once. */
static inline void release_room(struct sm *sm, u32 n) { port_of(sm)->memory_room = n; }
/* Completes an instruction of a context that has left the warp slot. */
void release_end_away(struct sm *sm, const struct release *w, u32 kind, u64 ready, u64 now);

/* Marks the destination registers unreadable (`when`: SOON or NEVER) until release_end. */
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

/* Completes an instruction: all replies have come back (loads, atomics), or all accesses have left
 * (stores). The registers are readable from cycle `ready` on. */
static inline void release_end(struct sm *sm, const struct release *w, u32 kind, u64 ready,
                               u64 now)
{
    const struct seat *s = &sm->front.seats[w->seat];
    if (port_of(sm)->memory_room++ < SCHEDULERS_MAX) issue_wake(sm, now);
    if (likely(s->context == w->context)) release_end_here(sm, s, w, kind, ready, now);
    else release_end_away(sm, w, kind, ready, now);
}

/* Reserved for the port's own files. */
static inline u32 *result_of(const struct sm *sm, u64 at)
{
    return (u32 *)&sm->port.result[at % RESULTS];
}

/* Reserves the first free write-back cycles, `at` or later; returns the last. Model: the load/store
 * unit writes back one result at a time, from shared memory, for a reader of a line, or from a
 * reply that bypassed L1; L1 hits have a separate path (GPGPU-Sim 4.x). */
static inline u64 result_cycle(struct sm *sm, u64 at, u32 cycles)
{
    for (;; at++) {
        if (sm->port.result[at % RESULTS] == (u32)at) continue;
        *result_of(sm, at) = (u32)at;
        if (likely(cycles <= 1)) return at;
        cycles--;
    }
}

/* With class order: returns the cycle, `at` or later, in which the last register is written into
 * the banks of the sub-core. */
u64 result_written(const struct sm *sm, const struct release *w, u64 at);

/* Delivers a completion from another SM to a context at this SM: the end of an instruction or the
 * acknowledgement of a store. Call before sm_tick(now); see gpu/step.c. */
void elsewhere_deliver(struct sm *sm, const struct elsewhere *e, u64 now);
/* Removes the first completion for a context on no SM. The caller delivers the completion to the
 * last SM of the block. False: none. */
bool elsewhere_take(struct sm *sm, struct elsewhere *out);
static inline void sm_elsewhere_clear(struct sm *sm) { port_of(sm)->elsewhere_n = 0; }
/* Notes that L1 did not answer an access of the context, or that the access has completed. */
void release_beyond(struct sm *sm, struct context *c, bool more);
/* Notes the acknowledgement of a store request. */
void release_acknowledged(struct sm *sm, struct context *c, u64 now);

#endif

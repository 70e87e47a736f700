/* See landing.h.
 * Model: a copy is a load that ends in shared memory, not in registers: it goes through L1 (.ca) or
 * past it (.cg), and writes its bytes when the last line has come, at no cost for the banks of
 * shared memory (NVIDIA A100 whitepaper, asynchronous copy: past the register file, .cg past L1;
 * guess: no cycle of the load/store unit when they land). A warp at cp.async.wait_group stands as
 * one that waits for a load (guess; Ampere's machine code waits at a scoreboard). A fence waits for
 * its warp's copies too (guess). */
#include "chip/sm/landing.h"

#include <stdlib.h>

#include "chip/sm/block.h"
#include "chip/sm/gate.h"
#include "chip/sm/pending.h"
#include "chip/sm/stall.h"
#include "chip/sm/wake.h"
#include "exec/copy.h"

/* ---- waiting ---- */

void copies_wait_show(struct scheduler *q, const struct seat *s)
{
    q->valid |= 1ull << s->rank;
    q->loads |= 1ull << s->rank;
}

void copies_wait(struct scheduler *q, struct seat *s)
{
    context_wait_set(s->context, WAIT_COPIES);
    copies_wait_show(q, s);
}

static void copies_wait_over(struct sm *sm, struct context *c, u64 now)
{
    struct seat *s = c->seat;
    context_wait_set(c, WAIT_NOTHING);
    residency_note(sm, c);
    if (!s) return;
    struct scheduler *q = &sm->scheduler[s->scheduler];
    q->valid &= ~(1ull << s->rank);
    q->loads &= ~(1ull << s->rank);
    q->stall = NULL;
    seat_arm(sm, s, now);
    warp_prefetch(&c->warp, s->head);
}

void phase_wait(struct sm *sm, struct seat *s, u64 now)
{
    u64 cycles = (u64)(sm->common->effect.sleep_ns / sm->common->ns_per_cycle);
    s->context->phase_until = now + 1 + cycles;
    s->not_before = max_u64(s->not_before, s->context->phase_until);
}

/* Model: a warp that try_wait has suspended goes on in the cycle after the one in which its phase
 * is over (guess). */
static __attribute__((noinline)) void phases_over(struct sm *sm, struct block *b, u64 now)
{
    b->phases = b->state.phases;
    for (u32 k = 0; k < b->warp_n; k++) {
        struct context *c = b->context[k];
        if (c->phase_until <= now || !mbarrier_try_again(&c->warp)) continue;
        c->phase_until = 0;
        c->not_before = now + 1;
        residency_note(sm, c);
        if (!c->seat) continue;
        c->seat->not_before = now + 1;
        seat_arm(sm, c->seat, now);
    }
}

void phases_look(struct sm *sm, struct block *b, u64 now)
{
    if (b->phases != b->state.phases) phases_over(sm, b, now);
}

/* ---- landing ---- */

/* An arrival that a copy has let happen may be one too many. */
static void look_for_fault(struct sm *sm, const struct context *c)
{
    struct fault *f = &sm->common->effect.fault;
    if (likely(!f->what) || sm->faulted) return;
    sm->faulted = c->seat != NULL;
    if (c->seat) sm->fault_seat = c->seat->id;
    else f->what = NULL; /* nobody would know where */
}

void copy_landed(struct sm *sm, struct context *c, u16 number, u64 now)
{
    stalls_catch_up(sm, now);
    copies_land(&c->warp, number);
    look_for_fault(sm, c);
    if (c->wait == WAIT_COPIES && copies_over(&c->warp)) copies_wait_over(sm, c, now);
    phases_look(sm, c->block, now);
}

void landing_add(struct sm *sm, u32 id, u64 ready, u64 now)
{
    struct landings *l = &sm->landings;
    *base_push(l->queue, l->n, l->room) = (struct landing){max_u64(ready, now), id};
    for (u32 k = l->n - 1; k && l->queue[k - 1].at > l->queue[k].at; k--) {
        struct landing later = l->queue[k - 1];
        l->queue[k - 1] = l->queue[k];
        l->queue[k] = later;
    }
    l->at = l->queue[0].at;
    sm->slow_path = true;
}

/* The bytes first: with its last access over a block may retire. */
static void landing_over(struct sm *sm, u32 id, u64 now)
{
    struct pending *p = &sm->pending[id];
    struct release w = p->release;
    u32 app_id = p->app_id;
    if (w.context->sm_id == sm->id || w.context->sm_id == NO_SM)
        copy_landed(sm, w.context, w.copy, now);
    release_end(sm, &w, REQ_COPY, now, now);
    sm->in_flight[app_id]--;
    if (unlikely(sm->gated)) gate_look(sm);
    pending_free(sm, id, now);
}

void landings_tick(struct sm *sm, u64 now)
{
    struct landings *l = &sm->landings;
    u32 n = 0;
    while (n < l->n && l->queue[n].at <= now) landing_over(sm, l->queue[n++].id, now);
    l->n -= n;
    for (u32 k = 0; k < l->n; k++) l->queue[k] = l->queue[k + n];
    l->at = l->n ? l->queue[0].at : NEVER;
}

void landings_free(struct sm *sm) { free(sm->landings.queue); }

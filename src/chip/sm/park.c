/* A block leaves an SM before its end and goes on later, where there is room. Model: ideal
 * preemption, at no cost: what it holds is neither saved nor loaded through the memory system, what
 * it waits for counts as arrived, and its accesses under way find nobody when they come back. Such
 * accesses belong to a slot of nobody, one for each app; stores that are not acknowledged stay with
 * the warp slot, whose next warp is quiet only after them. Called by place. */
#include "chip/sm/sm.h"

#include <stdlib.h>
#include <string.h>

struct parked_warp {
    struct warp warp;
    u64 *ready_at;
    bool ended, at_barrier;
};

struct parked {
    struct parked *next;
    struct resident block;
    struct parked_warp warp[];
};

struct parked **parked_link(struct parked *b) { return &b->next; }

void parked_free(struct parked *b)
{
    free(b->block.memory);
    free(b);
}

static void waiter_leave(const struct sm *sm, struct waiter *w, const struct slot *s)
{
    if (w->slot == s->id)
        *w = (struct waiter){.slot = (u8)(sm->conf->threads / LANES + s->app_id)};
}

/* The end of its memory instructions wakes nobody. */
static void waiters_leave(struct sm *sm, const struct slot *s)
{
    for (u32 k = 0; k < sm->transfer_n; k++) waiter_leave(sm, &sm->transfers[k].waiter, s);
    for (u32 k = 0; k < sm->queue_room; k++) waiter_leave(sm, &sm->queue[k].waiter, s);
}

static void warp_leave(struct sm *sm, struct slot *s, struct parked_warp *w)
{
    const struct program *p = s->warp.block->program;
    w->warp = s->warp;
    w->ready_at = s->ready_at;
    w->ended = s->wait == WAIT_DRAIN || s->wait == WAIT_ENDED || s->wait == WAIT_EMPTY;
    w->at_barrier = s->wait == WAIT_BARRIER;
    memset(w->ready_at, 0, (p->row_n + p->pred_n) * sizeof *w->ready_at);
    sm->want[s->id / 64] &= ~(1ull << s->id % 64);
    waiters_leave(sm, s);
}

static u32 youngest(const struct sm *sm, const struct work *work)
{
    u32 best = SM_BLOCKS_MAX;
    for (u32 k = 0; k < SM_BLOCKS_MAX; k++) {
        const struct resident *b = &sm->resident[k];
        if (b->work != work || !b->alive_n) continue;
        if (best == SM_BLOCKS_MAX || b->start >= sm->resident[best].start) best = k;
    }
    return best;
}

struct parked *sm_park(struct sm *sm, const struct work *work, u64 now)
{
    u32 at = youngest(sm, work);
    if (at == SM_BLOCKS_MAX) return NULL;
    sm_settle(sm, now + 1);
    struct resident *b = &sm->resident[at];
    struct parked *p = base_alloc(sizeof *p + b->warp_n * sizeof p->warp[0]);
    p->block = *b;
    for (u32 i = 0; i < b->warp_n; i++) warp_leave(sm, &sm->slots[b->slot[i]], &p->warp[i]);
    b->memory = NULL;
    b->memory_bytes = 0;
    sm->stat[work->app_id].blocks_preempted++;
    block_leave(sm, at, now);
    return p;
}

static void warp_resume(struct slot *s, const struct parked_warp *w, struct resident *b)
{
    s->warp = w->warp;
    s->warp.block = &b->state;
    s->ready_at = w->ready_at;
    s->head = &s->warp.code[s->warp.pc];
    s->called = s->warp.depth > 0;
    if (w->ended) s->wait = WAIT_EMPTY; /* it is done: what comes back is not for it */
    if (w->at_barrier) s->wait = WAIT_BARRIER;
}

void sm_resume(struct sm *sm, struct parked *p, u64 now)
{
    u32 at = block_enter(sm, p->block.work, now);
    struct resident *b = &sm->resident[at];
    free(b->memory);
    *b = p->block;
    b->start = now;
    b->busy_n = b->alive_n;
    b->state.sm_id = sm->id;
    for (u32 i = 0; i < b->warp_n; i++) {
        struct slot *s = block_warp_enter(sm, at, i);
        warp_resume(s, &p->warp[i], b);
        scheduler_insert(sm, b->slot[i]);
        if (s->wait != WAIT_EMPTY) fetch_want(sm, s->id);
        if (s->wait != WAIT_NOTHING) sm->scheduler[s->scheduler].blocked |= 1ull << s->rank;
    }
    quota_moved(sm);
    free(p);
}

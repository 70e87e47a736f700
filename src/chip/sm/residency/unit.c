/* Detection of waiting units and of units able to continue, and the queues of both. */
#include "chip/sm/residency/unit.h"
#include "chip/sm/residency/note.h"
#include "chip/sm/front/seat.h"

/* ---- a unit ---- */

/* Returns the first cycle in which the next instruction's operands are readable; NEVER, SOON:
 * unknown. */
static u64 next_ready(const struct context *c)
{
    const struct inst *i = warp_next(&c->warp);
    u64 t = 0;
    if (likely(!c->warp.depth)) {
        for (u32 k = 0; k < i->score_n; k++) t = max_u64(t, c->ready_at[i->score[k]]);
        return t;
    }
    struct seat s = {.row_n = (u16)c->block->work->grid.program->row_n};
    seat_frame_set(&s, &c->warp);
    for (u32 k = 0; k < i->score_n; k++) t = max_u64(t, c->ready_at[seat_score(&s, i->score[k])]);
    return t;
}

/* Model: a warp is stalled if the next instruction depends on a load or atomic beyond L1. A block
 * is ready when all loads have returned. */
bool warp_stalled(const struct sm *sm, const struct context *c)
{
    if (c->wait == WAIT_BARRIER) return c->block->work->residency.barriers;
    if (c->wait == WAIT_COPIES) return c->beyond_n > 0;
    if (c->wait != WAIT_NOTHING || !c->beyond_n) return false;
    return seat_waits_for_load(sm, c->seat);
}

u32 warps_that_may_stall(const struct block *b)
{
    u32 which = b->beyond;
    for (u32 left = b->state.arrived; left; left &= left - 1)
        which |= (u32)b->state.barrier[__builtin_ctz(left)].waiting;
    return which;
}

bool block_stalled(const struct sm *sm, const struct block *b)
{
    for (u32 i = 0; i < b->state.warp_n; i++)
        if (!context_has_ended(b->context[i]) && !warp_stalled(sm, b->context[i])) return false;
    return b->state.alive_n > 0;
}

bool warp_ready(const struct context *c)
{
    if (c->wait != WAIT_NOTHING) return c->wait == WAIT_WRITE;
    return !c->memory_n || next_ready(c) < NEVER;
}

bool block_ready(const struct block *b)
{
    for (u32 i = 0; i < b->state.warp_n; i++) {
        const struct context *c = b->context[i];
        bool goes_on = c->wait == WAIT_NOTHING && !c->beyond_n;
        if (!goes_on && !context_has_ended(c) && c->wait != WAIT_BARRIER) return false;
    }
    return true;
}

static bool has_issued(const struct context *c)
{
    return c->seat ? c->seat->issued : c->issued;
}

bool unit_has_run(const struct resident *u)
{
    if (u->context) return u->context->issued > 0;
    u32 i = 0;
    while (i < u->block->state.warp_n && !has_issued(u->block->context[i])) i++;
    return i < u->block->state.warp_n;
}

/* ---- queues ---- */

static const u32 queue_room[UNITS] = {[CORUN_BLOCKS] = 8, [CORUN_WARPS] = QUEUE_MOST};

void unit_queued_set(const struct resident *u, bool queued)
{
    u32 which = u->context ? 1u << u->context->warp.warp_id : UINT32_MAX;
    block_queue(u->block, which, queued);
}

/* Model: if the queue is full, a unit stays in place and tries again when the queue has room; each
 * app has room of its own (guess: paper 003 runs a single app). */
bool unit_queue_has_room(const struct unit_queue *q, enum corun_unit kind, u32 app_id)
{
    return q->of[app_id] < queue_room[kind];
}

void unit_queue_refuse(struct unit_queue *q, struct block *b, u32 warps)
{
    q->refused |= 1ull << b->slot;
    block_note(b, warps);
}

void note_block(struct sm *sm, struct block *b)
{
    sm->residency.noted |= 1ull << b->slot;
    block_note(b, UINT32_MAX);
}

/* ---- exclusion of apps with full queues until a queue has room ---- */

/* Returns the app's block slots; 0: some slot must be examined even with full queues. */
static u64 slots_to_shut(const struct sm *sm, enum corun_unit kind, u32 app)
{
    u64 slots = 0;
    for (u64 left = ~sm->blocks.free_blocks; left; left &= left - 1) {
        const struct block *b = sm->blocks.block[__builtin_ctzll(left)];
        const struct work *k = b->work;
        if (k->app_id != app || (b->life != LIFE_SEATED && b->life != LIFE_ABSENT)) continue;
        if (unit_of(b) != kind || sm->residency.pins) return 0;
        slots |= 1ull << b->slot;
    }
    return slots;
}

static void app_shut(struct sm *sm, enum corun_unit kind, u32 app)
{
    struct residency *r = &sm->residency;
    if (unit_queue_has_room(&r->stalled[kind], kind, app)) return;
    if (unit_queue_has_room(&r->ready[kind], kind, app)) return;
    if (!r->slots_of[app]) r->slots_of[app] = slots_to_shut(sm, kind, app);
    r->shut |= r->slots_of[app];
}

static void app_open(struct residency *r, u32 app)
{
    u64 slots = r->slots_of[app];
    r->noted |= r->put_off & slots;
    r->put_off &= ~slots;
    r->shut &= ~slots;
}

void shut_forget(struct sm *sm)
{
    struct residency *r = &sm->residency;
    r->noted |= r->put_off;
    r->shut = r->put_off = 0;
    memset(r->slots_of, 0, sizeof r->slots_of);
}

/* ---- into and out of queues ---- */

void unit_queue_push(struct sm *sm, struct unit_queue *q, const struct resident *u)
{
    u32 app = u->block->work->app_id;
    hard_check(q->n < COUNT_OF(q->at));
    q->at[q->n++] = *u;
    q->of[app]++;
    unit_queued_set(u, true);
    app_shut(sm, u->context ? CORUN_WARPS : CORUN_BLOCKS, app);
}

void note_all(struct sm *sm)
{
    for (u64 left = ~sm->blocks.free_blocks; left; left &= left - 1)
        note_block(sm, sm->blocks.block[__builtin_ctzll(left)]);
}

void note_unit(struct sm *sm, const struct resident *u)
{
    if (u->context) residency_note(sm, u->context);
    else note_block(sm, u->block);
}

void unit_queue_remove(struct sm *sm, struct unit_queue *q, u32 k)
{
    u32 app = q->at[k].block->work->app_id;
    unit_queued_set(&q->at[k], false);
    q->of[app]--;
    app_open(&sm->residency, app);
    for (q->n--; k < q->n; k++) q->at[k] = q->at[k + 1];
    sm->residency.noted |= q->refused;
    q->refused = 0;
}

void unit_queue_forget(struct sm *sm, struct unit_queue *q, const struct block *b)
{
    for (u32 k = q->n; k--;)
        if (q->at[k].block == b) unit_queue_remove(sm, q, k);
}

/* Which units wait and which can go on, and the queues of both. */
#include "chip/sm/residency/unit.h"

/* ---- a unit ---- */

/* when the next instruction's operands can be read; NEVER, SOON: not known */
static u64 next_ready(const struct context *c)
{
    const struct inst *i = warp_next(&c->warp);
    u64 t = 0;
    if (likely(!c->warp.depth)) {
        for (u32 k = 0; k < i->score_n; k++) t = max_u64(t, c->ready_at[i->score[k]]);
        return t;
    }
    struct seat s = {.row_n = (u16)c->block->work->program->row_n};
    seat_frame_set(&s, &c->warp);
    for (u32 k = 0; k < i->score_n; k++) t = max_u64(t, c->ready_at[seat_score(&s, i->score[k])]);
    return t;
}

/* Model: a warp waits if its next instruction reads a register of a load or atomic that L1 did not
 * answer. A block can go on when all its loads are back. */
bool warp_stalled(const struct sm *sm, const struct context *c)
{
    if (c->wait == WAIT_BARRIER) return c->block->work->residency.barriers;
    if (c->wait == WAIT_COPIES) return c->beyond_n > 0;
    if (c->wait != WAIT_NOTHING || !c->beyond_n) return false;
    return seat_waits_for_load(sm, c->seat);
}

bool block_stalled(const struct sm *sm, const struct block *b)
{
    for (u32 i = 0; i < b->warp_n; i++)
        if (!context_has_ended(b->context[i]) && !warp_stalled(sm, b->context[i])) return false;
    return b->alive_n > 0;
}

bool warp_ready(const struct context *c)
{
    return c->wait == WAIT_NOTHING ? next_ready(c) < NEVER : c->wait == WAIT_WRITE;
}

bool block_ready(const struct block *b)
{
    for (u32 i = 0; i < b->warp_n; i++) {
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
    while (i < u->block->warp_n && !has_issued(u->block->context[i])) i++;
    return i < u->block->warp_n;
}

/* ---- queues ---- */

static const u32 queue_room[UNITS] = {[CORUN_BLOCKS] = 8, [CORUN_WARPS] = QUEUE_MOST};

void unit_queued_set(const struct resident *u, enum queued_as where)
{
    if (u->context) u->context->queued = (u8)where;
    else u->block->queued = (u8)where;
}

/* Model: a unit that finds its queue full stays where it is, and asks again when there is room;
 * each app has room of its own (guess: 003 runs one). */
bool unit_queue_has_room(const struct unit_queue *q, enum corun_unit kind, u32 app_id)
{
    return q->of[app_id] < queue_room[kind];
}

void unit_queue_refuse(struct unit_queue *q, struct block *b, u32 warps)
{
    q->refused |= 1ull << b->slot;
    b->noted |= warps;
}

void note_block(struct sm *sm, struct block *b)
{
    sm->residency.noted |= 1ull << b->slot;
    b->noted = UINT32_MAX;
}

void unit_queue_push(struct unit_queue *q, const struct resident *u, enum queued_as where)
{
    hard_check(q->n < COUNT_OF(q->at));
    q->at[q->n++] = *u;
    q->of[u->block->work->app_id]++;
    unit_queued_set(u, where);
}

void note_all(struct sm *sm)
{
    for (u64 left = ~sm->free_blocks; left; left &= left - 1)
        note_block(sm, sm->block[__builtin_ctzll(left)]);
}

void note_unit(struct sm *sm, const struct resident *u)
{
    if (u->context) residency_note(sm, u->context);
    else note_block(sm, u->block);
}

void unit_queue_remove(struct sm *sm, struct unit_queue *q, u32 k)
{
    unit_queued_set(&q->at[k], QUEUED_NOT);
    q->of[q->at[k].block->work->app_id]--;
    for (q->n--; k < q->n; k++) q->at[k] = q->at[k + 1];
    sm->residency.noted |= q->refused;
    q->refused = 0;
}

void unit_queue_forget(struct sm *sm, struct unit_queue *q, const struct block *b)
{
    for (u32 k = q->n; k--;)
        if (q->at[k].block == b) unit_queue_remove(sm, q, k);
}

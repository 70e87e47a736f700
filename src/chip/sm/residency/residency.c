/* Blocks beyond those that have seats take turns at them. The ledger (life.c) counts an extra block
 * as the policy's answer says; those of its launch that are not extra give the launch its places
 * (seats.c). Who sits there is decided here: a unit that waits for what takes long (unit.c) gives
 * its place to one that can go on (move.c). */
#include "chip/sm/residency/residency.h"
#include "chip/sm/residency/move.h"
#include "chip/sm/residency/seats.h"
#include "chip/sm/pending.h"

/* ---- a cycle ---- */

static void stalled_look(struct sm *sm, struct block *b, u32 which)
{
    struct unit_queue *q = &sm->residency.stalled[CORUN_WARPS];
    for (; which; which &= which - 1) {
        if (!unit_queue_has_room(q, CORUN_WARPS, b->work->app_id)) {
            unit_queue_refuse(q, b, which);
            return;
        }
        struct context *c = b->context[__builtin_ctz(which)];
        if (warp_stalled(sm, c)) unit_queue_push(sm, q, &(struct resident){b, c});
    }
}

static void ready_look(struct sm *sm, struct block *b, u32 which, bool pinned)
{
    struct unit_queue *q = &sm->residency.ready[CORUN_WARPS];
    for (; which; which &= which - 1) {
        if (!pinned && !unit_queue_has_room(q, CORUN_WARPS, b->work->app_id)) {
            unit_queue_refuse(q, b, which);
            return;
        }
        struct context *c = b->context[__builtin_ctz(which)];
        if (pinned || warp_ready(c)) unit_queue_push(sm, q, &(struct resident){b, c});
    }
}

static void block_look(struct sm *sm, struct block *b, bool pinned, bool turns)
{
    bool seated = b->life == LIFE_SEATED;
    struct residency *r = &sm->residency;
    struct unit_queue *q = seated ? &r->stalled[CORUN_BLOCKS] : &r->ready[CORUN_BLOCKS];
    if (b->queued || (seated && (!turns || pinned))) return;
    if (!pinned && !unit_queue_has_room(q, CORUN_BLOCKS, b->work->app_id))
        unit_queue_refuse(q, b, 0);
    else if (seated ? block_stalled(sm, b) : block_ready(b))
        unit_queue_push(sm, q, &(struct resident){b, NULL});
}

static void block_noted_look(struct sm *sm, struct block *b)
{
    u32 which = b->noted & block_warps(b) & ~b->ended & ~b->queued;
    bool pinned = block_is_pinned(sm, b), turns = sm->residency.extra_apps >> b->work->app_id & 1;
    b->noted = 0;
    if (b->life != LIFE_SEATED && b->life != LIFE_ABSENT) return;
    if (unit_of(b) == CORUN_BLOCKS) {
        block_look(sm, b, pinned, turns);
        return;
    }
    if (turns && !pinned) stalled_look(sm, b, which & b->seated & warps_that_may_stall(b));
    ready_look(sm, b, which & ~b->seated, pinned);
}

static void noted_look(struct sm *sm)
{
    struct residency *r = &sm->residency;
    u64 left = r->noted & ~sm->blocks.free_blocks;
    r->look |= left != 0;
    r->noted = 0;
    while (left & ~r->shut) {
        u32 slot = (u32)__builtin_ctzll(left & ~r->shut);
        left &= ~(1ull << slot);
        block_noted_look(sm, sm->blocks.block[slot]);
    }
    r->put_off |= left;
}

void residency_tick(struct sm *sm, u64 now)
{
    struct residency *r = &sm->residency;
    if (r->over_at <= now) move_over(sm, now);
    if (r->noted) noted_look(sm);
    r->look |= r->turn_at <= now;
    while (r->look && r->over_at == NEVER) {
        r->look = false;
        move_start(sm, now);
        if (r->noted) noted_look(sm); /* a queue has room again */
    }
    if (r->turn_at <= now) r->turn_at = NEVER;
}

/* ---- blocks come and go ---- */

void residency_init(struct sm *sm) { sm->residency.over_at = sm->residency.turn_at = NEVER; }

void sm_extra_look(struct sm *sm)
{
    shut_forget(sm);
    sm->residency.pins = false;
    for (u64 left = ~sm->blocks.free_blocks; left; left &= left - 1)
        sm->residency.pins |= sm->blocks.block[__builtin_ctzll(left)]->work->residency.pinned;
    note_all(sm);
    residency_look(sm);
}

static void l1_empty(struct sm *sm) /* its lines are dropped, as at a launch */
{
    for (u32 a = 0; a < APPS_MAX; a++) l1_invalidate(&lsu_of(sm)->l1, a);
    lsu_event(sm, EVENT_FILL);
}

void residency_extra(struct sm *sm, const struct block *b, bool take, u64 now)
{
    struct residency *r = &sm->residency;
    if (!sm->residency.extended) r->since = now + 1;
    sm->residency.extended = true;
    residency_catch_up(sm, now + 1);
    u32 sign = take ? 1 : UINT32_MAX;
    r->extra_n += sign;
    u32 app = b->work->app_id;
    bool first = take && !r->extra_of[app]; /* who waited had nobody to wait for */
    r->extra_of[app] += sign;
    r->extra_apps = (u8)((r->extra_apps & ~(1u << app)) | (u32)(r->extra_of[app] > 0) << app);
    r->l1_n += b->work->residency.l1 ? sign : 0;
    if (b->work->residency.l1 && take && r->l1_n == 1) l1_empty(sm);
    r->pool_bytes += take ? b->pool_bytes : 0 - b->pool_bytes;
    if (first || r->pins || b->work->residency.pinned) sm_extra_look(sm);
    else residency_look(sm);
}

void residency_enter(struct sm *sm, struct block *b, u64 now)
{
    b->moves_since = now;
    for (u32 i = 0; i < b->state.warp_n; i++) context_put_away(sm, b->context[i]);
    note_block(sm, b);
}

/* The places are those of the launch's other blocks: one of them is extra in its stead. */
static void extra_swap(struct sm *sm, struct block *b)
{
    struct block *other = residency_oldest(sm, b->work, false);
    if (!other) return;
    other->extra_need = b->extra_need;
    other->pool_bytes = b->pool_bytes;
    other->extra = true;
    b->extra = false;
    found_forget(sm, b);
    found_forget(sm, other);
}

void residency_leave(struct sm *sm, struct block *b, u64 now)
{
    struct residency *r = &sm->residency;
    residency_catch_up(sm, now + 1);
    if (r->out.block == b || r->in.block == b) move_over(sm, now);
    for (u32 kind = 0; kind < UNITS; kind++) {
        unit_queue_forget(sm, &r->stalled[kind], b);
        unit_queue_forget(sm, &r->ready[kind], b);
    }
    if (b->extra && b->state.alive_n) extra_swap(sm, b);
    for (u32 i = 0; i < b->state.warp_n; i++) {
        const struct context *c = b->context[i];
        r->absent_of[c->app_id] -= !c->seat && c->wait != WAIT_ENDED;
    }
    if (r->pins) {
        sm_extra_look(sm);
    } else {
        shut_forget(sm);
        residency_look(sm);
    }
}

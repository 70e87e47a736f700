/* Swaps between extra blocks and seated blocks. The ledger (life.c) counts an extra block according
 * to the policy's answer; the launch's other blocks provide the launch's seats (seats.c). This file
 * decides which units occupy the seats: a unit with a long wait (unit.c) gives up the seat to a
 * unit that can continue. */
#include "chip/sm/residency/exchange.h"
#include "chip/sm/blocks/life.h"
#include "chip/sm/residency/seats.h"
#include "chip/sm/lsu/l1_change.h"

/* Model: the SM's single swap unit moves the states of one pair at a time, out and in, at a fixed
 * rate of bytes per cycle; neither unit of the pair can issue before both moves are complete (paper
 * 003 sections 6.6 and 6.7). A unit that has not run has no state to move and is launched (section
 * 6.2). Registers move only if a unit of the pair has none of its own and runs in those of the
 * other (section 6.1: only the critical resource is switched out; guess: by the two blocks, even if
 * an earlier swap has moved a unit's registers). A free seat is filled before a pair is
 * swapped; otherwise a waiting unit is swapped out alone if there is room for the state. Only units
 * of the same launch are swapped, which preserves shares (guess). */

/* ---- a swap ---- */

/* Completes a swap. If the launch has lost the seat, the incoming unit stays out until later. */
static void move_over(struct sm *sm, u64 now)
{
    struct residency *r = &sm->residency;
    struct resident in = r->in, out = r->out;
    r->over_at = NEVER;
    r->in = r->out = (struct resident){0};
    r->look = true;
    if (out.block) unit_queued_set(&out, false);
    if (out.block) note_unit(sm, &out);
    if (!in.block) return;
    unit_queued_set(&in, false);
    note_unit(sm, &in);
    if (launch_has_seat(launch_lookup(sm, in.block->work))) unit_return(sm, &in, now);
}

/* Returns the bytes of a unit's state. own: neither unit of the swap lacks registers. */
static u64 move_bytes(const struct resident *u, bool own)
{
    const struct corun_residency *r = &u->block->work->residency;
    if (!unit_has_run(u)) return 0;
    return own && r->own_registers ? r->own_state_bytes : r->state_bytes;
}

static u64 move_cycles(const struct resident *u, bool own)
{
    return div_up(move_bytes(u, own), u->block->work->residency.bytes_per_cycle);
}

static bool lacks_registers(const struct resident *u)
{
    return u->block && u->block->lacks_registers;
}

/* Prefetches the data read first after a swap, which has left the host's inner caches. */
static void registers_prefetch(const struct context *c)
{
    const struct inst *i = warp_next(&c->warp);
    warp_prefetch(&c->warp);
    for (u32 k = 0; k < i->score_n; k++) __builtin_prefetch(&c->ready_at[i->score[k]]);
}

static void move_begin(struct sm *sm, struct resident out, struct resident in, u64 now)
{
    struct residency *r = &sm->residency;
    const struct block *b = out.block ? out.block : in.block;
    struct residency_stat *stat = &r->stat[b->work->app_id];
    bool own = !lacks_registers(&out) && !lacks_registers(&in);
    u64 cycles = 0;
    if (out.block) {
        unit_queued_set(&out, true);
        unit_put_away(sm, &out, now);
        cycles += move_cycles(&out, own);
        stat->switches++;
        stat->bytes += move_bytes(&out, own);
    }
    if (in.block) {
        unit_queued_set(&in, true);
        if (in.context) registers_prefetch(in.context);
        cycles += move_cycles(&in, own);
        stat->bytes += move_bytes(&in, own);
    }
    cycles = max_u64(cycles, 1);
    r->out = out;
    r->in = in;
    r->over_at = now + cycles;
    stat->transit_cycles += cycles;
}

/* ---- selection of units ---- */

static struct resident seated_at(const struct sm *sm, const struct work *k, u32 slot)
{
    struct block *b = sm->blocks.block[slot / BLOCK_WARPS_MAX];
    u32 warp = slot % BLOCK_WARPS_MAX;
    if (!b || b->work != k || b->life != LIFE_SEATED || !b->state.alive_n || block_is_pinned(sm, b))
        return (struct resident){0};
    if (unit_of(b) == CORUN_BLOCKS) return warp ? (struct resident){0} : (struct resident){b, NULL};
    struct context *c = warp < b->state.warp_n ? b->context[warp] : NULL;
    bool leaves = c && c->seat && !context_has_ended(c);
    return leaves ? (struct resident){b, c} : (struct resident){0};
}

/* Returns the next seated unit of the launch if the quantum has ended: round robin by block slot
 * and warp, starting after the last such unit; block NULL: none. */
static struct resident turn_over(struct sm *sm, const struct work *k, u64 now)
{
    enum { SLOTS = SM_BLOCKS_MAX * BLOCK_WARPS_MAX };
    struct residency *r = &sm->residency;
    if (!k->residency.quantum || r->turn_at > now) return (struct resident){0};
    for (u32 n = 1; n <= SLOTS; n++) {
        u32 slot = (r->turn_of + n) % SLOTS;
        struct resident u = seated_at(sm, k, slot);
        if (!u.block) continue;
        r->turn_of = slot;
        unit_queue_forget(sm, &r->stalled[u.context ? CORUN_WARPS : CORUN_BLOCKS], u.block);
        note_block(sm, u.block);
        return u;
    }
    return (struct resident){0};
}

/* Removes from the queue, and returns, the first unit still stalled: of launch `of`, or if NULL of
 * any launch with room for the state; block NULL: none. */
static struct resident stalled_take(struct sm *sm, enum corun_unit kind, const struct work *of)
{
    struct unit_queue *q = &sm->residency.stalled[kind];
    for (u32 k = 0; k < q->n;) {
        struct resident u = q->at[k];
        bool waits = unit_is_stalled(sm, &u), wanted = u.block->work == of;
        if (waits && !of) {
            const struct launch_here *l = launch_lookup(sm, u.block->work);
            wanted = l->absent < l->spare;
        }
        if (waits && !wanted) {
            k++;
            continue;
        }
        unit_queue_remove(sm, q, k);
        if (waits) return u;
    }
    return (struct resident){0};
}

enum { TURN_PINNED, TURN_EARLY, TURN_LATE, TURNS };

static u32 turn_of(const struct sm *sm, const struct resident *u)
{
    if (sm->residency.pins && block_is_pinned(sm, u->block)) return TURN_PINNED;
    return !u->block->work->residency.returned_first || unit_has_run(u) ? TURN_EARLY : TURN_LATE;
}

static void turn_begin(struct sm *sm, const struct work *k, u64 now)
{
    u64 *at = &sm->residency.turn_at;
    if (!k->residency.quantum) return;
    *at = min_u64(*at <= now ? NEVER : *at, now + k->residency.quantum);
}

/* Seats the first ready unit of class `turn`, on a free seat or in exchange for a stalled unit.
 * Returns false if no unit can be seated. *none: a launch with neither a free seat nor a stalled
 * unit. *more: ready units of a later class exist. */
static bool ready_move(struct sm *sm, enum corun_unit kind, u32 turn, const struct work **none,
                       bool *more, u64 now)
{
    struct residency *r = &sm->residency;
    struct unit_queue *q = &r->ready[kind];
    *more = false;
    for (u32 k = 0; k < q->n; k++) {
        const struct work *of = q->at[k].block->work;
        if (of == *none) continue;
        struct resident out = {0};
        bool has_seat = launch_has_seat(launch_lookup(sm, of));
        if (!has_seat && !r->stalled[kind].n && !of->residency.quantum) {
            *none = of;
            continue;
        }
        if (turn_of(sm, &q->at[k]) != turn) {
            *more = true;
            continue;
        }
        if (!has_seat) {
            out = stalled_take(sm, kind, of);
            if (!out.block) out = turn_over(sm, of, now);
            if (!out.block) {
                turn_begin(sm, of, now);
                *none = of;
                continue;
            }
        }
        struct resident in = q->at[k];
        unit_queue_remove(sm, q, k);
        move_begin(sm, out, in, now);
        return true;
    }
    return false;
}

static bool pair_start(struct sm *sm, enum corun_unit kind, u64 now)
{
    const struct work *none = NULL;
    bool more = true;
    for (u32 turn = sm->residency.pins ? TURN_PINNED : TURN_EARLY; turn < TURNS && more; turn++)
        if (ready_move(sm, kind, turn, &none, &more, now)) return true;
    struct resident out = stalled_take(sm, kind, NULL);
    if (!out.block) return false;
    move_begin(sm, out, (struct resident){0}, now);
    return true;
}

static void move_start(struct sm *sm, u64 now)
{
    if (!pair_start(sm, CORUN_WARPS, now)) pair_start(sm, CORUN_BLOCKS, now);
}

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
    block_looked(b);
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
        if (r->noted) noted_look(sm); /* removal from a queue made room */
    }
    if (r->turn_at <= now) r->turn_at = NEVER;
}

/* ---- entry and departure of blocks ---- */

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

void residency_extra(struct sm *sm, const struct block *b, bool take, u64 now)
{
    struct residency *r = &sm->residency;
    if (!sm->residency.extended) r->since = now + 1;
    sm->residency.extended = true;
    residency_catch_up(sm, now + 1);
    u32 sign = take ? 1 : UINT32_MAX;
    r->extra_n += sign;
    u32 app = b->work->app_id;
    /* Stalled units of the app had no partner before the first extra block, hence were not
     * queued. */
    bool first = take && !r->extra_of[app];
    r->extra_of[app] += sign;
    r->extra_apps = (u8)((r->extra_apps & ~(1u << app)) | (u32)(r->extra_of[app] > 0) << app);
    r->l1_n += b->work->residency.l1 ? sign : 0;
    if (b->work->residency.l1 && take && r->l1_n == 1) l1_drop(sm);
    r->pool_bytes += take ? b->pool_bytes : 0 - b->pool_bytes;
    if (first || r->pins || b->work->residency.pinned) sm_extra_look(sm);
    else residency_look(sm);
}

void residency_enter(struct sm *sm, struct block *b, u64 now)
{
    block_moves(b, now);
    for (u32 i = 0; i < b->state.warp_n; i++) context_put_away(sm, b->context[i], now);
    note_block(sm, b);
}

/* Makes another block of the launch extra before a live extra block leaves the SM: the departing
 * block gives up seats, and only blocks that are not extra provide seats. */
static void extra_swap(struct sm *sm, struct block *b)
{
    struct block *other = residency_oldest(sm, b->work, false);
    if (!other) return;
    block_swap_extra(sm, b, other);
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

/* Blocks on an SM: admission by the ledger, barriers, the end of warps, retirement. One way in
 * (block_enter), one way out (block_leave). Called by gpu (admit, drop) and by issue and ldst when
 * warps arrive, end or become quiet. */
#include "chip/sm/sm.h"

#include <stdlib.h>
#include <string.h>

bool sm_fits(const struct sm *sm, const struct corun_resources *need)
{
    const struct sm_conf *c = sm->conf;
    const struct corun_resources *u = &sm->used;
    return u->threads + need->threads <= c->threads &&
           u->registers + need->registers <= c->registers &&
           u->shared_bytes + need->shared_bytes <= c->shared_bytes &&
           u->blocks + need->blocks <= c->blocks;
}

static void ledger_add(struct corun_resources *used, const struct corun_resources *need)
{
    used->threads += need->threads;
    used->registers += need->registers;
    used->shared_bytes += need->shared_bytes;
    used->blocks += need->blocks;
}

static void ledger_remove(struct corun_resources *used, const struct corun_resources *need)
{
    used->threads -= need->threads;
    used->registers -= need->registers;
    used->shared_bytes -= need->shared_bytes;
    used->blocks -= need->blocks;
}

static u32 free_slot_take(struct sm *sm)
{
    u32 half = sm->free_slots[0] ? 0 : 1;
    check(sm->free_slots[half]);
    u32 bit = (u32)__builtin_ctzll(sm->free_slots[half]);
    sm->free_slots[half] &= sm->free_slots[half] - 1;
    return half * 64 + bit;
}

enum { SLACK_BYTES = 64 }; /* after shared and local memory, for wide host loads */

/* One region for all a block holds; it grows only when a larger block than any before comes to this
 * slot. Zeroed, so that what an earlier block left there cannot steer a program that reads a
 * register before writing it. */
struct parts {
    size_t rows, preds, ready, shared, local;
    size_t stack; /* is not zeroed, lies behind */
    size_t zeroed, total;
};

static struct parts block_parts(const struct work *k)
{
    const struct program *p = k->program;
    struct parts at = {
        .rows = warp_row_bytes(p),
        .preds = round_up(p->pred_n * sizeof(u32), 64),
        .ready = round_up((p->row_n + p->pred_n) * sizeof(u64), 64),
        .shared = round_up(k->shared_bytes + SLACK_BYTES, 64),
        .local = p->local_bytes ? round_up((u64)k->threads * p->local_bytes + SLACK_BYTES, 64) : 0,
        .stack = round_up(warp_stack_bytes(p), 64)};
    at.zeroed = (at.rows + at.preds + at.ready) * k->warps + at.shared + at.local;
    at.total = at.zeroed + at.stack * k->warps;
    return at;
}

static u8 *block_memory(struct resident *b, const struct parts *at)
{
    if (b->memory_bytes < at->total) {
        free(b->memory);
        b->memory = base_realloc(NULL, at->total + 64);
        b->memory_bytes = at->total;
    }
    base_zero(b->memory, at->zeroed + 64);
    return b->memory + (64 - (uintptr_t)b->memory % 64) % 64;
}

static void block_state_fill(struct resident *b, const struct work *k, u32 sm_id)
{
    u64 x = k->grid[0], y = k->grid[1];
    b->state = (struct block_state){
        .program = k->program,
        .image = k->image,
        .printer = k->printer,
        .param = k->param,
        .shared_bytes = k->shared_bytes,
        .local_bytes = k->program->local_bytes,
        .ctaid = {(u32)(b->block_id % x), (u32)(b->block_id / x % y), (u32)(b->block_id / x / y)},
        .nctaid = {k->grid[0], k->grid[1], k->grid[2]},
        .ntid = {k->block[0], k->block[1], k->block[2]},
        .threads = k->threads,
        .grid_id = k->grid_id,
        .sm_id = sm_id,
        .sm_n = k->sm_n,
    };
}

static void count_resident(struct sm *sm, u32 app_id, u64 now)
{
    sm->stat[app_id].resident_cycles += sm->resident_n[app_id] * (now - sm->resident_since[app_id]);
    sm->resident_since[app_id] = now;
}

const struct sm_stat *sm_count(struct sm *sm, u32 app_id, u64 now)
{
    sm_settle(sm, now);
    if (app_id < APPS_MAX) count_resident(sm, app_id, now);
    return &sm->stat[app_id];
}

u32 block_enter(struct sm *sm, const struct work *k, u64 now)
{
    check(sm_fits(sm, &k->need) && sm->free_blocks);
    sm_settle(sm, now + 1);
    sm->admitted = true;
    ledger_add(&sm->used, &k->need);
    u32 block_slot = (u32)__builtin_ctzll(sm->free_blocks);
    sm->free_blocks &= sm->free_blocks - 1;
    sm->stat[k->app_id].blocks_launched++;
    count_resident(sm, k->app_id, now + 1);
    u32 resident_n = ++sm->resident_n[k->app_id];
    sm->max_resident[k->app_id] = max_u32(sm->max_resident[k->app_id], resident_n);
    return block_slot;
}

/* Stores that a parked block left behind are still the slot's: it is quiet when they are
 * acknowledged. */
struct slot *block_warp_enter(struct sm *sm, u32 block_slot, u32 warp)
{
    u32 id = free_slot_take(sm);
    struct resident *b = &sm->resident[block_slot];
    struct slot *s = &sm->slots[id];
    b->slot[warp] = (u8)id;
    s->row_n = b->work->program->row_n;
    s->block_slot = (u8)block_slot;
    s->app_id = (u8)b->work->app_id;
    s->transfers = 0;
    s->fetch_at = s->written_at = 0;
    s->buffered = 0;
    s->wrong = s->called = s->sure = false;
    s->wait = WAIT_NOTHING;
    return s;
}

void sm_admit(struct sm *sm, const struct work *k, u64 block_id, u64 now)
{
    u32 block_slot = block_enter(sm, k, now);
    struct resident *b = &sm->resident[block_slot];
    b->work = k;
    b->block_id = block_id;
    b->start = now;
    b->warp_n = b->alive_n = b->busy_n = k->warps;
    memset(b->barrier, 0, sizeof b->barrier);
    block_state_fill(b, k, sm->id);

    struct parts at = block_parts(k);
    u8 *m = block_memory(b, &at);
    u8 *stack = m + at.zeroed;
    b->state.shared = m;
    b->state.local = at.local ? m + at.shared : NULL;
    m += at.shared + at.local;
    for (u32 i = 0; i < k->warps; i++) {
        struct slot *s = block_warp_enter(sm, block_slot, i);
        warp_start(&s->warp, &b->state, i, m, (u32 *)(m + at.rows), (struct path *)stack,
                   &sm->common->effect);
        s->ready_at = (u64 *)(m + at.rows + at.preds);
        m += at.rows + at.preds + at.ready;
        stack += at.stack;
        s->head = &s->warp.code[s->warp.pc];
        scheduler_insert(sm, b->slot[i]);
        fetch_want(sm, b->slot[i]);
    }
    quota_moved(sm);
}

void block_leave(struct sm *sm, u32 block_slot, u64 now)
{
    struct resident *b = &sm->resident[block_slot];
    const struct work *k = b->work;
    stalls_settle(sm, now);
    for (u32 i = 0; i < b->warp_n; i++) {
        u32 id = b->slot[i];
        scheduler_remove(sm, id);
        sm->slots[id].wait = WAIT_EMPTY;
        sm->free_slots[id / 64] |= 1ull << (id % 64);
    }
    ledger_remove(&sm->used, &k->need);
    count_resident(sm, k->app_id, now + 1);
    sm->resident_n[k->app_id]--;
    sm->free_blocks |= 1ull << block_slot;
    b->work = NULL;
    quota_moved(sm);
}

static void block_retire(struct sm *sm, u32 block_slot, u64 now)
{
    struct resident *b = &sm->resident[block_slot];
    check(sm->retired_n < SM_BLOCKS_MAX);
    sm->retired[sm->retired_n++] =
        (struct retired){b->work, b->block_id, b->start, now, block_slot};
    sm->stat[b->work->app_id].blocks_retired++;
    block_leave(sm, block_slot, now);
}

/* Model: a warp is done when it has ended, its last instruction is written back and its stores are
 * acknowledged; the block retires with its last warp (GPGPU-Sim: a warp's slot is free when nothing
 * of it is in the pipeline and no store on the way). */
static void warp_done(struct sm *sm, struct slot *s, u64 now)
{
    struct resident *b = &sm->resident[s->block_slot];
    if (!--b->busy_n) block_retire(sm, s->block_slot, now);
}

static void barrier_release(struct sm *sm, struct resident *b, u32 id, u64 now)
{
    struct barrier *r = &b->barrier[id];
    for (u64 left = r->waiting; left; left &= left - 1) {
        struct slot *s = &sm->slots[b->slot[__builtin_ctzll(left)]];
        warp_barrier_release(&s->warp, id);
        s->wait = WAIT_NOTHING;
        s->fetch_at = max_u64(s->fetch_at, now + 1);
        slot_arm(sm, s, now + 1);
        warp_prefetch(&s->warp);
    }
    b->state.reduce[id] = 0;
    *r = (struct barrier){0};
}

/* Model: warps arrive as a whole. Without a thread count, or one of the whole block, warps that
 * have ended are not waited for (GPGPU-Sim; PTX leaves it open). */
u32 block_barrier_warps(const struct resident *b, const struct barrier *r)
{
    u32 all = (u32)round_up(b->state.threads, LANES);
    bool whole = !r->threads || r->threads == b->state.threads || r->threads == all;
    return whole ? b->alive_n : (u32)div_up(r->threads, LANES);
}

static bool barrier_complete(const struct resident *b, const struct barrier *r)
{
    return r->arrived && r->arrived >= block_barrier_warps(b, r);
}

void block_barrier_arrive(struct sm *sm, struct slot *s, const struct effect *e, u64 now)
{
    struct resident *b = &sm->resident[s->block_slot];
    struct barrier *r = &b->barrier[e->barrier_id % BARRIERS];
    r->arrived++;
    r->threads = e->barrier_threads;
    sm->stat[s->app_id].barriers++;
    if (e->barrier_waits) {
        r->waiting |= 1ull << s->warp.warp_id;
        s->wait = WAIT_BARRIER;
    }
    if (barrier_complete(b, r)) barrier_release(sm, b, e->barrier_id % BARRIERS, now);
}

void block_warp_ended(struct sm *sm, struct slot *s, u64 now)
{
    struct resident *b = &sm->resident[s->block_slot];
    s->wait = WAIT_DRAIN;
    s->buffered = 0;
    s->fetch_at = s->written_at;
    wheel_set(sm, s, s->fetch_at, now);
    b->alive_n--;
    for (u32 id = 0; id < BARRIERS && b->alive_n; id++)
        if (b->barrier[id].arrived && barrier_complete(b, &b->barrier[id]))
            barrier_release(sm, b, id, now);
}

void block_warp_drained(struct sm *sm, struct slot *s, u64 now)
{
    if (s->fetch_at > now) {
        wheel_set(sm, s, s->fetch_at, now);
        return;
    }
    s->wait = WAIT_ENDED;
    block_warp_quiet(sm, s, now);
}

void block_warp_quiet(struct sm *sm, struct slot *s, u64 now)
{
    if (s->transfers || s->stores) return;
    if (s->wait == WAIT_ENDED) {
        warp_done(sm, s, now);
    } else if (s->wait == WAIT_FENCE) {
        s->wait = WAIT_NOTHING;
        slot_arm(sm, s, now);
    }
}

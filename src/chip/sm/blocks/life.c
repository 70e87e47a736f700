/* Life cycle of the blocks of an SM: the ledger of resources, the table of moves, and the functions
 * for moves: onto the SM (capacity), to seats (threads, warp slots, block slot), and back. Called
 * by dispatch.c, and by block.c when the last warp is done.
 *
 * Model: ideal preemption has no cost: a block's state is neither saved nor loaded through the
 * memory system; instruction buffers are lost, and accesses in flight continue. A block being saved
 * or loaded (transfer.c) keeps its seats. A flushed block leaves at once, and the accesses in
 * flight continue (Chimera: flushing has no latency). */
#include "chip/sm/blocks/life.h"
#include "chip/sm/policy/quota.h"
#include "chip/sm/residency/note.h"
#include "chip/sm/residency/exchange.h"
#include "chip/sm/front/scheduler.h"
#include "chip/sm/lsu/l1_change.h"
#include "chip/sm/blocks/transfer.h"
#include "exec/block/copy.h"

#include <stdlib.h>
#include <string.h>

/* ---- the ledger ---- */

static const struct {
    bool capacity, seats;
} holds[LIFE_N] = {
#define LIFE(id, capacity, seats, sentence) [LIFE_##id] = {capacity, seats},
#define MOVE(from, to, who)
#include "chip/sm/life.def"
#undef LIFE
#undef MOVE
};

static bool life_allows(u32 from, u32 to)
{
    static const struct {
        u8 from, to;
    } moves[] = {
#define LIFE(id, capacity, seats, sentence)
#define MOVE(from, to, who) {LIFE_##from, LIFE_##to},
#include "chip/sm/life.def"
#undef LIFE
#undef MOVE
    };
    for (u32 k = 0; k < COUNT_OF(moves); k++)
        if (moves[k].from == from && moves[k].to == to) return true;
    return false;
}

/* True if the SM has room for `need` and additionally pool_bytes in any free registers or shared
 * memory or, with l1, in L1. */
static bool capacity_fits(const struct sm *sm, const struct corun_resources *need, u32 pool_bytes,
                          bool l1)
{
    const struct corun_resources *u = &sm->blocks.used;
    u64 registers = (u64)u->registers + need->registers;
    u64 shared = (u64)u->shared_bytes + need->shared_bytes;
    u64 shared_most = sm_shared_bytes(sm);
    if (registers > sm->conf->registers || shared > shared_most) return false;
    u64 pool = (u64)sm->residency.pool_bytes + pool_bytes;
    u64 room = l1 || sm->residency.l1_n ? l1_bytes(&sm->lsu.l1) : 0;
    room += (sm->conf->registers - registers) * 4 + shared_most - shared;
    return pool <= room;
}

static bool seats_fit(const struct sm *sm, const struct corun_resources *need)
{
    const struct corun_resources *u = &sm->blocks.used;
    return u->threads + need->threads <= sm->conf->threads &&
           u->blocks + need->blocks <= sm->conf->blocks;
}

bool sm_has(const struct sm *sm, const struct corun_resources *need)
{
    return capacity_fits(sm, need, 0, false) && seats_fit(sm, need);
}

/* True if an extra block finds registers of its own. */
static bool own_registers_fit(const struct sm *sm, const struct work *k)
{
    const struct corun_residency *r = &k->residency;
    struct corun_resources need = {.registers = r->own_registers, .shared_bytes = r->shared_bytes};
    return r->own_registers && capacity_fits(sm, &need, r->own_pool_bytes, r->l1);
}

bool sm_fits_extra(const struct sm *sm, const struct work *k)
{
    const struct corun_residency *r = &k->residency;
    struct corun_resources need = {.registers = r->registers, .shared_bytes = r->shared_bytes};
    return sm->blocks.free_blocks && sm->conf->allocator == ALLOCATOR_COUNTERS &&
           (own_registers_fit(sm, k) || capacity_fits(sm, &need, r->pool_bytes, r->l1));
}

bool sm_fits(const struct sm *sm, const struct work *k)
{
    return sm_has(sm, &k->need) && allocator_fits(&sm->blocks.allocator, k);
}

void resident_catch_up(struct sm *sm, u32 owner, u64 now)
{
    u64 cycles = now - sm->blocks.resident[owner].since;
    u32 n = sm->blocks.resident[owner].n;
    sm->stat[owner].resident_cycles += n * cycles;
    sm->stat[owner].active_cycles += n ? cycles : 0;
    sm->blocks.resident[owner].since = now;
}

void resident_hand_over(struct sm *sm, u32 owner)
{
    sm->stat[owner].resident_cycles = sm->stat[owner].active_cycles = 0;
    sm->blocks.resident[owner].most = 0;
}

static void resident_change(struct sm *sm, u32 owner, bool more, u64 now)
{
    resident_catch_up(sm, owner, now + 1);
    u32 *n = &sm->blocks.resident[owner].n, *most = &sm->blocks.resident[owner].most;
    *n += more ? 1 : UINT32_MAX;
    *most = max_u32(*most, *n);
}

u64 sm_busy_cycles(const struct sm *sm, u64 now)
{
    return sm->blocks.busy.cycles + (sm->blocks.busy.n ? now - sm->blocks.busy.since : 0);
}

static void busy_change(struct sm *sm, bool more, u64 now)
{
    sm->blocks.busy.cycles = sm_busy_cycles(sm, now + 1);
    sm->blocks.busy.since = now + 1;
    sm->blocks.busy.n += more ? 1 : UINT32_MAX;
}

static void capacity_change(struct sm *sm, const struct block *b, bool take, u64 now)
{
    struct corun_resources *u = &sm->blocks.used;
    const struct work *k = b->work;
    const struct corun_resources *need = b->extra ? &b->extra_need : &k->need;
    check(!take || capacity_fits(sm, need, b->extra ? b->pool_bytes : 0,
                                 b->extra && k->residency.l1));
    if (b->extra) residency_extra(sm, b, take, now);
    if (take) allocator_take(&sm->blocks.allocator, b);
    else allocator_give(&sm->blocks.allocator, b);
    u->registers += take ? need->registers : 0 - need->registers;
    u->shared_bytes += take ? need->shared_bytes : 0 - need->shared_bytes;
    hard_check(allocator_is_consistent(&sm->blocks.allocator, u));
    busy_change(sm, take, now);
    resident_change(sm, k->app_id, take, now);
    if (k->owner != k->app_id) resident_change(sm, k->owner, take, now);
}

static void seats_change(struct sm *sm, const struct work *k, bool take, u64 now)
{
    struct corun_resources *u = &sm->blocks.used;
    const struct corun_resources *need = &k->need;
    check(!take || seats_fit(sm, need));
    if (take && !u->blocks) turns_skip(sm, now + 1 - sm->blocks.empty_from);
    u->threads += take ? need->threads : 0 - need->threads;
    u->blocks += take ? need->blocks : 0 - need->blocks;
    if (!u->blocks) sm->blocks.empty_from = now + 1;
}

/* Makes a move of life.def; every move of a block happens here. */
void block_move(struct sm *sm, struct block *b, enum life to, u64 now)
{
    u32 from = b->life;
    check(life_allows(from, to));
    launch_cache_drop(sm, b);
    if (holds[to].capacity != holds[from].capacity)
        capacity_change(sm, b, holds[to].capacity, now);
    if (holds[to].seats != holds[from].seats && !b->extra)
        seats_change(sm, b->work, holds[to].seats, now);
    if (!holds[to].capacity) b->extra = false;
    if (to == LIFE_SEATED) sm->blocks.seated_n[b->work->app_id]++;
    if (from == LIFE_SEATED) sm->blocks.seated_n[b->work->app_id]--;
    b->life = (u8)to;
}

/* ---- memory of blocks ---- */

/* Returns the memory of a block, a single region. A larger block than any before in the object
 * takes a new region, of at least twice the size, because an arena frees no region. block_begin
 * zeroes the region, because data left by an earlier block could change the behaviour of a program
 * that reads uninitialised registers. */
static u8 *block_memory(struct sm *sm, struct block *b, const struct block_layout *l)
{
    if (b->memory_bytes < l->total) {
        b->memory_bytes = max_u64(l->total, 2 * b->memory_bytes);
        b->memory = arena_alloc(&sm->common->block_memory, b->memory_bytes, 64);
    }
    return b->memory;
}

void contexts_spare(struct sm *sm, struct context *c, u32 n)
{
    while (n--) {
        c[n].next = sm->blocks.spare_contexts;
        sm->blocks.spare_contexts = &c[n];
    }
}

static void block_spare(struct sm *sm, struct block *b)
{
    for (u32 i = 0; i < b->state.warp_n; i++) contexts_spare(sm, b->context[i], 1);
    b->next = sm->blocks.spare_blocks;
    sm->blocks.spare_blocks = b;
}

/* Returns an unused context. An SM starts with a context per warp slot; more contexts are allocated
 * when blocks on no SM hold some of them. Contexts never move in memory. */
static struct context *context_take(struct sm *sm)
{
    enum { MORE = 32 };
    if (unlikely(!sm->blocks.spare_contexts)) {
        size_t bytes = sizeof(struct context_chunk) + 64 + MORE * sizeof(struct context);
        struct context_chunk *chunk = base_alloc(bytes);
        chunk->next = sm->blocks.context_chunks;
        sm->blocks.context_chunks = chunk;
        contexts_spare(sm, (struct context *)round_up((uintptr_t)(chunk + 1), 64), MORE);
    }
    struct context *c = sm->blocks.spare_contexts;
    sm->blocks.spare_contexts = c->next;
    return c;
}

/* Recycles dropped blocks without accesses in flight. */
static void dropped_spare(struct sm *sm)
{
    struct block **at = &sm->blocks.dropped_blocks;
    while (*at) {
        struct block *b = *at;
        if (block_is_quiet(b)) {
            *at = b->next;
            block_spare(sm, b);
        } else {
            at = &b->next;
        }
    }
}

static struct block *block_take(struct sm *sm)
{
    if (unlikely(sm->blocks.dropped_blocks != NULL)) dropped_spare(sm);
    struct block *b = sm->blocks.spare_blocks;
    if (!b) return base_alloc(sizeof *b);
    sm->blocks.spare_blocks = b->next;
    return b;
}

static void context_begin(struct context *c, struct block *b, u8 *ready_at)
{
    c->ready_at = (u64 *)(void *)ready_at;
    c->block = b;
    c->app_id = (u8)b->work->app_id;
    c->sm_id = NO_SM;
    c->seat = NULL;
    c->stores = 0;
    c->memory_n = c->beyond_n = 0;
    c->wait = WAIT_NOTHING;
    c->not_before = c->written_at = c->phase_until = c->product_end = 0;
    c->group_n = 0;
    c->issued = 0;
}

static struct block *block_make(struct sm *sm, const struct work *k, u64 block_id)
{
    const struct program *p = k->grid.program;
    struct block_layout l =
        block_layout(&k->grid, (p->row_n + p->pred_n) * sizeof(u64), p->noted);
    struct block *b = block_take(sm);
    b->work = k;
    b->block_id = block_id;
    b->busy_n = k->grid.warps;
    b->seated = b->ended = b->beyond = b->noted = b->queued = 0;
    b->life = LIFE_QUEUED;
    b->saved = b->extra = false;
    b->cycles_before = 0;
    if (p->copies && !b->copies) b->copies = copies_new();
    b->state.copies = p->copies ? b->copies : NULL;
    u8 *memory = block_memory(sm, b, &l);
    for (u32 i = 0; i < k->grid.warps; i++) {
        b->context[i] = context_take(sm);
        b->state.warp[i] = &b->context[i]->warp;
        context_begin(b->context[i], b, block_own(memory, &l, i));
    }
    block_begin(&b->state, &k->grid, block_id, memory, &l, &sm->effect);
    return b;
}

void block_free(struct block *b)
{
    copies_free(b->copies);
    free(b);
}

static void blocks_free(struct block *first)
{
    while (first) {
        struct block *b = first;
        first = b->next;
        block_free(b);
    }
}

void blocks_end(struct sm *sm)
{
    for (u32 k = 0; k < SM_BLOCKS_MAX; k++)
        if (sm->blocks.block[k]) block_free(sm->blocks.block[k]);
    blocks_free(sm->blocks.spare_blocks);
    blocks_free(sm->blocks.dropped_blocks);
    allocator_free(&sm->blocks.allocator);
    while (sm->blocks.context_chunks) {
        struct context_chunk *chunk = sm->blocks.context_chunks;
        sm->blocks.context_chunks = chunk->next;
        free(chunk);
    }
}

/* ---- seats ---- */

void blocks_init(struct sm *sm, u32 warps, struct arena *arena)
{
    struct blocks *b = &sm->blocks;
    b->transfer.at = NEVER;
    for (u32 k = 0; k < warps; k++) b->free_seats[k / 64] |= 1ull << (k % 64);
    contexts_spare(sm, arena_array(arena, struct context, warps), warps);
    /* The lowest free slot is taken first; without extra blocks no slot from conf->blocks on is
     * used. */
    b->free_blocks = ~0ull;
    allocator_init(&b->allocator, sm->conf);
    carveout_init(&b->carveout, sm->conf);
    b->retired = arena_array(arena, struct retired, SM_BLOCKS_MAX);
}

static u32 free_seat_take(struct sm *sm)
{
    u32 half = sm->blocks.free_seats[0] ? 0 : 1;
    check(sm->blocks.free_seats[half]);
    u32 bit = (u32)__builtin_ctzll(sm->blocks.free_seats[half]);
    sm->blocks.free_seats[half] &= sm->blocks.free_seats[half] - 1;
    return half * 64 + bit;
}

void context_seat(struct sm *sm, struct context *c, u64 now)
{
    c->seat = seat_take(sm, free_seat_take(sm), c, now);
    c->warp.effect = &sm->effect;
    c->sm_id = (u16)sm->id;
    c->block->seated |= 1u << c->warp.warp_id;
    launch_cache_drop(sm, c->block);
    residency_seated(sm, c->app_id, true);
}

void context_unseat(struct sm *sm, struct context *c, u64 from)
{
    const struct seat *s = c->seat;
    c->not_before = s->not_before;
    c->written_at = s->written_at;
    c->issued = s->issued;
    c->seat = NULL;
    c->sm_id = NO_SM;
    c->block->seated &= ~(1u << c->warp.warp_id);
    launch_cache_drop(sm, c->block);
    residency_seated(sm, c->app_id, false);
    sm->blocks.free_seats[s->id / 64] |= 1ull << s->id % 64;
    seat_leave(sm, s, from);
}

static void slot_take(struct sm *sm, struct block *b)
{
    b->slot = (u8)__builtin_ctzll(sm->blocks.free_blocks);
    sm->blocks.free_blocks &= sm->blocks.free_blocks - 1;
    sm->blocks.block[b->slot] = b;
}

static void slot_free(struct sm *sm, const struct block *b)
{
    sm->blocks.block[b->slot] = NULL;
    sm->blocks.free_blocks |= 1ull << b->slot;
}

void sm_seat(struct sm *sm, struct block *b, u64 now)
{
    if (unlikely(sm->residency.extended)) residency_catch_up(sm, now + 1);
    if (b->life == LIFE_IDLE) slot_take(sm, b);
    block_move(sm, b, LIFE_SEATED, now);
    for (u32 i = 0; i < b->state.warp_n; i++) context_seat(sm, b->context[i], now);
    sm->must_tick = true;
    quota_moved(sm, now + 1);
}

/* Takes the block's seats in cycle `now`; the seats are free from cycle `from` on. */
static void unseat(struct sm *sm, struct block *b, enum life to, u64 now, u64 from)
{
    sm->blocks.unseated++;
    if (unlikely(sm->residency.extended)) residency_leave(sm, b, now);
    block_move(sm, b, to, now);
    for (u32 i = 0; i < b->state.warp_n; i++) {
        struct context *c = b->context[i];
        if (likely(c->seat != NULL)) context_unseat(sm, c, from);
        else c->sm_id = NO_SM;
    }
    if (!holds[to].seats) slot_free(sm, b);
    quota_moved(sm, from);
}

/* A block whose warps have all ended must not be unseated: such a block retires from its seats with
 * the last acknowledgement. Warps of unseated blocks never end, hence every block retires from
 * seats. */
void sm_unseat(struct sm *sm, struct block *b, u64 now)
{
    check(b->state.alive_n);
    unseat(sm, b, LIFE_IDLE, now, now + 1);
    sm->must_tick = true; /* another warp may enter the active set */
}

/* ---- onto an SM and off the SM ---- */

static void enter(struct sm *sm, struct block *b, enum life to, u64 now)
{
    block_move(sm, b, to, now);
    b->start = now;
    b->state.sm_id = sm->id;
    sm->stat[b->work->owner].blocks_launched++;
}

void sm_enter(struct sm *sm, struct block *b, u64 now) { enter(sm, b, LIFE_IDLE, now); }

/* Counts a flushed block's work as lost. */
static void flush_count(struct preempt_stat *stat, const struct block *b)
{
    stat->flushed++;
    stat->lost_warp += block_issued(b);
    stat->lost_thread += b->state.idempotence->thread_instructions;
}

void sm_leave(struct sm *sm, struct block *b, enum life to, u64 now)
{
    struct preempt_stat *stat = &sm->preempt_stat[b->work->owner];
    u32 from = b->life;
    if (from == LIFE_SAVING) {
        slot_free(sm, b);
        stat->saving_cycles += now - b->moves_since;
    }
    block_move(sm, b, to, now);
    b->cycles_before += now - b->start;
    if (to == LIFE_RETIRED) return;
    sm->stat[b->work->owner].blocks_preempted++;
    if (to == LIFE_FLUSHED) flush_count(stat, b);
    else if (from == LIFE_SAVING) stat->switched++;
}

void sm_save(struct sm *sm, struct block *b, u64 now)
{
    check(b->state.alive_n);
    unseat(sm, b, LIFE_SAVING, now, now + 1);
    b->saved = true;
    transfer_add(sm, b, now);
}

void sm_load(struct sm *sm, struct block *b, u64 now)
{
    enter(sm, b, LIFE_LOADING, now);
    slot_take(sm, b);
    transfer_add(sm, b, now);
}

void sm_loaded(struct sm *sm, struct block *b, u64 now)
{
    sm->preempt_stat[b->work->owner].loading_cycles += now - b->moves_since;
    b->saved = false;
    sm_seat(sm, b, now);
}

void sm_drop(struct sm *sm, struct block *b)
{
    b->next = sm->blocks.dropped_blocks;
    sm->blocks.dropped_blocks = b;
}

struct block *sm_admit(struct sm *sm, const struct work *k, u64 block_id, u64 now)
{
    struct block *b = block_make(sm, k, block_id);
    sm_enter(sm, b, now);
    sm_seat(sm, b, now);
    return b;
}

void sm_admit_extra(struct sm *sm, const struct work *k, u64 block_id, u64 now)
{
    struct block *b = block_make(sm, k, block_id);
    const struct corun_residency *r = &k->residency;
    bool own = own_registers_fit(sm, k);
    b->extra = true;
    b->lacks_registers = !own;
    b->extra_need = (struct corun_resources){.registers = own ? r->own_registers : r->registers,
                                             .shared_bytes = r->shared_bytes};
    b->pool_bytes = own ? r->own_pool_bytes : r->pool_bytes;
    sm_enter(sm, b, now);
    slot_take(sm, b);
    block_move(sm, b, r->unit == CORUN_WARPS ? LIFE_SEATED : LIFE_ABSENT, now);
    residency_enter(sm, b, now);
}

void block_swap_extra(struct sm *sm, struct block *b, struct block *other)
{
    other->extra_need = b->extra_need;
    other->pool_bytes = b->pool_bytes;
    other->lacks_registers = b->lacks_registers;
    other->extra = true;
    b->extra = b->lacks_registers = false;
    launch_cache_drop(sm, b);
    launch_cache_drop(sm, other);
}

/* Replaces the extra block's share in the ledger by that of a block with seats. */
bool sm_promote(struct sm *sm, const struct work *k, u64 now)
{
    struct block *b = seats_fit(sm, &k->need) ? residency_oldest(sm, k, true) : NULL;
    if (!b) return false;
    capacity_change(sm, b, false, now);
    b->extra = !sm_has(sm, &k->need);
    b->lacks_registers &= b->extra;
    launch_cache_drop(sm, b);
    capacity_change(sm, b, true, now);
    if (b->extra) return false;
    seats_change(sm, k, true, now);
    residency_look(sm);
    return true;
}

static bool leaves_before(const struct sm *sm, const struct block *a, const struct block *b)
{
    const struct allocator *of = &sm->blocks.allocator;
    u64 reach_a = allocator_reach(of, a), reach_b = allocator_reach(of, b);
    if (reach_a != reach_b) return reach_a > reach_b;
    return a->start != b->start ? a->start > b->start : a->slot > b->slot;
}

struct block *sm_younger(const struct sm *sm, const struct work *work, u32 n)
{
    struct block *of[SM_BLOCKS_MAX];
    u32 of_n = 0;
    for (u32 k = 0; k < SM_BLOCKS_MAX; k++) {
        struct block *b = sm->blocks.block[k];
        if (b && b->life == LIFE_SEATED && b->work == work && b->state.alive_n) of[of_n++] = b;
    }
    for (u32 k = 0; k < of_n; k++) {
        u32 before = 0;
        for (u32 j = 0; j < of_n; j++) before += leaves_before(sm, of[j], of[k]);
        if (before == n) return of[k];
    }
    return NULL;
}

void block_retire(struct sm *sm, struct block *b, u64 now)
{
    check(sm->blocks.retired_n < SM_BLOCKS_MAX);
    sm->notify = true;
    sm->blocks.retired[sm->blocks.retired_n++] =
        (struct retired){b->work, b->block_id, b->start, now, block_issued(b), b->slot,
                         b->state.cluster, b->state.triggered};
    sm->stat[b->work->owner].blocks_retired++;
    unseat(sm, b, LIFE_IDLE, now, now);
    sm_leave(sm, b, LIFE_RETIRED, now);
    block_spare(sm, b);
}

/* ---- carve-outs ---- */

/* Model: the blocks of an SM have one carve-out; the SM changes the carve-out only without blocks,
 * and L1 loses all lines (guess: the CUDA C++ Programming Guide says only that the driver chooses
 * so that kernels can still run together). The change takes no time of its own (guess), but waits
 * for accesses in flight of blocks that have left. */
bool sm_carve(struct sm *sm, u32 bytes, u32 app_id, u64 now)
{
    struct carveout *c = &sm->blocks.carveout;
    check(!sm->blocks.busy.n);
    c->changing = bytes != c->bytes && !lsu_carve(sm, bytes, now);
    if (bytes == c->bytes || c->changing) return !c->changing;
    c->stat[app_id].changes += c->bytes != NO_CARVEOUT;
    c->bytes = bytes;
    return true;
}

void sm_note_carveout(struct sm *sm, u32 app_id, bool waits, u64 now)
{
    carveout_note(&sm->blocks.carveout, app_id, waits, now + 1);
}

const struct carveout_stat *sm_count_carveouts(struct sm *sm, u32 app_id, u64 now)
{
    return carveout_count(&sm->blocks.carveout, app_id, now);
}

/* ---- fragmentation ---- */

void sm_fragments(const struct sm *sm, const struct work *k, u32 n, struct corun_resources *sum)
{
    const struct sm_conf *c = sm->conf;
    struct corun_resources has = {c->threads, c->registers, c->shared_bytes, c->blocks};
    u32 lacks = sm->blocks.allocator.side_n ? allocator_lacks(&sm->blocks.allocator, k) : 0;
    if (!lacks) return;
    n = min_u32(n, corun_room(&has, &sm->blocks.used, &k->need));
    if (lacks & LACKS_REGISTERS) sum->registers += n * k->need.registers;
    if (lacks & LACKS_SHARED) sum->shared_bytes += n * k->need.shared_bytes;
}

void fragments_catch_up(struct sm *sm, u32 app_id, u64 now)
{
    struct fragments *f = &sm->blocks.allocator.fragments[app_id];
    struct allocator_stat *s = &sm->blocks.allocator.stat[app_id];
    s->fragmented_registers += f->registers * (now - f->since);
    s->fragmented_shared += f->shared_bytes * (now - f->since);
    f->since = now;
}

void sm_note_fragments(struct sm *sm, u32 app_id, const struct corun_resources *sum, u64 now)
{
    struct fragments *f = &sm->blocks.allocator.fragments[app_id];
    fragments_catch_up(sm, app_id, now + 1);
    f->registers = sum->registers;
    f->shared_bytes = sum->shared_bytes;
}

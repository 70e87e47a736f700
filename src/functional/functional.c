#include "functional/functional.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/block/cluster.h"
#include "exec/block/copy.h"
#include "exec/block/block.h"
#include "gpu/dispatch/cluster_fit.h"

/* Limits of a turn:
 *   WARP_STEPS      steps of a warp before the next warp's turn
 *   RELEASED_STEPS  the same for the warp's first turn after a barrier
 *   BLOCK_ROUNDS    rounds over the warps of the only running block
 *   WASTED_ROUNDS     rounds over all blocks without a store, a clock read, a wake or the end of a
 *                   block, after which the launch counts as stuck
 *
 * Turns after a barrier are short because warps of a GPU leave a barrier together: programs read
 * data stored before a barrier and overwrite the data soon after, without a second barrier. */
enum {
    WARP_STEPS = 1 << 12, RELEASED_STEPS = 1 << 5,
    BLOCK_ROUNDS = 1 << 6, WASTED_ROUNDS = 1 << 20
};

struct functional_block {
    struct functional_block *next; /* next spare block */
    struct block_state state;
    u64 block_id;
    u64 ended, waiting;     /* bit per warp: has ended; waits at a barrier */
    u64 released;           /* bit per warp: released from a barrier, no turn since */
    u64 asleep, trying;     /* bit per warp: sleeps until `wake`; subset `trying`: or until an
                             * mbarrier phase ends */
    u64 wake[BLOCK_WARPS_MAX]; /* [warp] cycle */
    u8 *memory;
    struct warp warp[];
};

struct machinery {          /* state of a launch */
    const struct functional_setup *s;
    const struct launch *l;
    struct functional *out;
    struct effect effect;
    struct grid grid;
    struct block_layout layout;
    u64 block_n, started, most; /* most: limit of concurrently running blocks */
    struct functional_block **running; /* running blocks, in order of block ids */
    u32 running_n, running_room;
    struct functional_block *spare; /* unused blocks, for reuse */
    u32 cluster_n;          /* blocks of a cluster */
    struct cluster *cluster; /* that of the block started last; NULL: no clusters */
    struct cluster_pool clusters;
    u64 wake;               /* earliest wake of sleeping warps skipped this round; NEVER: none */
    bool stopped;           /* by a fault, no progress, or an interrupt */
    enum functional_end end;
};

/* ---- blocks ---- */

static struct functional_block *block_take(struct machinery *m)
{
    struct functional_block *b = m->spare;
    if (b) {
        m->spare = b->next;
        return b;
    }
    b = base_alloc(sizeof *b + m->grid.warps * sizeof *b->warp);
    b->memory = base_realloc(NULL, m->layout.total + 64);
    if (m->l->program->copies) b->state.copies = copies_new();
    for (u32 i = 0; i < m->grid.warps; i++) b->state.warp[i] = &b->warp[i];
    return b;
}

static void block_start(struct machinery *m, struct functional_block *b, u64 id)
{
    b->block_id = id;
    b->ended = b->waiting = b->released = b->asleep = b->trying = 0;
    u8 *memory = b->memory + (64 - (uintptr_t)b->memory % 64) % 64;
    block_begin(&b->state, &m->grid, id, memory, &m->layout, &m->effect);
    b->state.sm_id = (u32)(id % m->grid.sm_n);
    if (m->cluster_n > 1) cluster_join(m->cluster, &b->state);
}

static void blocks_free(struct functional_block *first)
{
    while (first) {
        struct functional_block *b = first;
        first = b->next;
        free(b->memory);
        copies_free(b->state.copies);
        free(b);
    }
}

/* ---- barriers ---- */

static void warps_release(struct functional_block *b, u64 warps)
{
    b->waiting &= ~warps;
    b->released |= warps;
}

static void barrier_arrive(struct functional_block *b, u32 warp, const struct effect *e)
{
    if (e->barrier_waits) b->waiting |= 1ull << warp;
    warps_release(b, block_arrive(&b->state, warp, e));
}

/* Wakes the warps that wait for a phase of the cluster's barrier that has ended. */
static void cluster_look(struct functional_block *b)
{
    struct cluster *c = b->state.cluster;
    if (likely(!c) || !c->news) return;
    c->news = false;
    for (u32 rank = 0; rank < CLUSTER_BLOCKS_MAX; rank++) {
        struct block_state *s = c->block[rank];
        if (!s) continue;
        void *of = (u8 *)s - offsetof(struct functional_block, state);
        warps_release(of, cluster_release(s));
    }
}

static void warp_end(struct functional_block *b, u32 warp)
{
    b->ended |= 1ull << warp;
    warps_release(b, block_exit(&b->state, warp));
    cluster_warp_ended(&b->warp[warp]);
    cluster_look(b);
}

/* ---- faults and stuck launches ---- */

static struct gpu_trouble place_of(const struct machinery *m, const struct functional_block *b,
                                   u32 warp)
{
    return (struct gpu_trouble){.app_id = m->l->app_id, .program = m->l->program,
                                .in_block = true, .sm_id = b->state.sm_id,
                                .block_id = b->block_id, .warp_id = warp};
}

static void stop(struct machinery *m, enum functional_end end)
{
    m->stopped = true;
    m->end = end;
}

static void stop_fault(struct machinery *m, const struct functional_block *b, u32 warp)
{
    struct gpu_trouble *t = &m->out->trouble;
    *t = place_of(m, b, warp);
    t->fault = m->effect.fault;
    t->what = t->fault.what;
    t->deadlock = t->fault.deadlock;
    t->space_bytes = block_space_bytes(&b->state, t->fault.space);
    stop(m, FUNCTIONAL_FAULT);
}

static void stop_stuck(struct machinery *m)
{
    const struct functional_block *b = m->running[0];
    u32 warp = (u32)__builtin_ctzll(~b->ended);
    const struct warp *w = &b->warp[warp];
    struct gpu_trouble *t = &m->out->trouble;
    *t = place_of(m, b, warp);
    t->deadlock = true;
    t->what = "no warp of a launch that runs functionally can continue; if the launch waits for "
              "another launch or for the host, simulate the launch with timing";
    t->fault.lane = w->mask ? (u32)__builtin_ctz(w->mask) : 0;
    if (b->waiting >> warp & 1) {
        t->fault.line = w->pc ? warp_next(w)[-1].line : warp_next(w)->line;
        block_barrier_words(&b->state, warp, t->fault.detail, sizeof t->fault.detail);
    } else {
        t->fault.line = w->repeated ? w->repeated->line : warp_next(w)->line;
        snprintf(t->fault.detail, sizeof t->fault.detail,
                 "warp %u repeats a loop without changing memory", warp);
    }
    stop(m, FUNCTIONAL_STUCK);
}

/* ---- execution ---- */

static void warp_sleeps(struct machinery *m, struct functional_block *b, u32 warp, bool tries)
{
    u64 cycles = timer_cycles(m->s->timer, m->effect.sleep_ns);
    b->wake[warp] = m->effect.clock + cycles;
    b->asleep |= 1ull << warp;
    if (tries) b->trying |= 1ull << warp;
}

static void warp_wakes(struct machinery *m, struct functional_block *b, u32 warp)
{
    b->asleep &= ~(1ull << warp);
    b->trying &= ~(1ull << warp);
    m->effect.noticed = m->effect.clock;
}

/* Wakes the warps suspended on an mbarrier phase that has ended. */
static void phases_look(struct machinery *m, struct functional_block *b)
{
    if (likely(!block_phases_changed(&b->state))) return;
    for (u64 left = block_phases(&b->state, b->trying); left; left &= left - 1)
        warp_wakes(m, b, (u32)__builtin_ctzll(left));
}

static bool warp_is_asleep(struct machinery *m, struct functional_block *b, u32 warp)
{
    if (likely(!(b->asleep >> warp & 1))) return false;
    if (b->wake[warp] <= m->effect.clock) {
        warp_wakes(m, b, warp);
        return false;
    }
    m->wake = min_u64(m->wake, b->wake[warp]);
    return true;
}

/* Handles the effect of a warp's last step. true: the warp continues its turn. */
static bool warp_effect(struct machinery *m, struct functional_block *b, u32 warp)
{
    const struct effect *e = &m->effect;
    switch ((enum effect_kind)e->kind) {
    case EFFECT_NONE:
    case EFFECT_MEMORY:
    case EFFECT_FENCE:
    case EFFECT_PRODUCT:
    case EFFECT_GROUP_PRODUCT:
    case EFFECT_GROUP_END:
    case EFFECT_GRID: return true;
    case EFFECT_GROUP_WAIT:
    case EFFECT_BARRIER:
        barrier_arrive(b, warp, e);
        return !((b->waiting | b->released) >> warp & 1);
    case EFFECT_COPIES:
    case EFFECT_ARRIVED:
        if (b->state.copies) copies_land_all(&b->warp[warp]);
        return true;
    case EFFECT_CLUSTER:
        if (e->barrier_waits) b->waiting |= 1ull << warp;
        cluster_look(b);
        return !((b->waiting | b->released) >> warp & 1);
    case EFFECT_REMOTE:
        if (e->lands) copies_land(&b->warp[warp], e->copy);
        cluster_look(b);
        return true;
    case EFFECT_SLEEP: warp_sleeps(m, b, warp, false); break;
    case EFFECT_PHASE: warp_sleeps(m, b, warp, true); break;
    case EFFECT_REPEATS: break;
    }
    return false; /* gives other warps a turn */
}

/* Lands the bulk copies of a warp's turn. */
static void bulk_lands(struct machinery *m, struct functional_block *b, u32 warp)
{
    copies_land_bulk(&b->warp[warp]);
    if (m->effect.fault.what) stop_fault(m, b, warp);
}

/* Runs a warp's turn: until the warp ends, waits, sleeps, faults or has used up its steps. */
static void warp_turn(struct machinery *m, struct functional_block *b, u32 warp)
{
    struct warp *w = &b->warp[warp];
    struct effect *e = &m->effect;
    u32 n = 0, steps = b->released >> warp & 1 ? RELEASED_STEPS : WARP_STEPS;
    bool goes_on = true;
    b->released &= ~(1ull << warp);
    while (goes_on && n < steps) {
        n += warp_run(w, steps - n);
        if (unlikely(e->exited)) {
            warp_end(b, warp);
            goes_on = false;
        } else if (!e->fault.what) {
            goes_on = warp_effect(m, b, warp);
        }
        if (unlikely(e->fault.what != NULL)) {
            stop_fault(m, b, warp);
            goes_on = false;
        }
    }
    m->out->warp_instructions += n;
    if (b->state.copies && !e->fault.what) bulk_lands(m, b, warp);
}

/* True if no warp of the block can make progress: each warp has ended, waits at a barrier, or
 * repeats a loop in which nothing changes (warp_repeats). */
static bool block_repeats(const struct functional_block *b)
{
    for (u64 left = ~(b->ended | b->waiting); left; left &= left - 1) {
        u32 warp = (u32)__builtin_ctzll(left);
        if (warp >= b->state.warp_n) break;
        if (!warp_repeats(&b->warp[warp])) return false;
    }
    return true;
}

/* Advances the clock to the earliest wake if no warp has run since the count of steps was
 * `before`. */
static void time_jumps(struct machinery *m, u64 before)
{
    if (m->out->warp_instructions == before && m->wake != NEVER) m->effect.clock = m->wake;
    m->wake = NEVER;
}

/* Runs a block's turn: until the block ends, its warps make no progress (from the second round on),
 * or the rounds are used up. */
static void block_turn(struct machinery *m, struct functional_block *b, u32 rounds)
{
    for (u32 round = 0; round < rounds && b->state.alive_n && !m->stopped; round++) {
        if (round && block_repeats(b)) return;
        u64 before = m->out->warp_instructions;
        phases_look(m, b);
        for (u32 warp = 0; warp < b->state.warp_n && !m->stopped; warp++)
            if (!((b->ended | b->waiting) >> warp & 1) && !warp_is_asleep(m, b, warp))
                warp_turn(m, b, warp);
        if (m->running_n == 1) time_jumps(m, before);
    }
}

static void block_add(struct machinery *m)
{
    struct functional_block *b = block_take(m);
    if (m->cluster_n > 1 && m->started % m->cluster_n == 0)
        m->cluster = cluster_take(&m->clusters, m->cluster_n);
    block_start(m, b, grid_block(&m->grid, m->started++));
    *base_push(m->running, m->running_n, m->running_room) = b;
}

static void block_remove(struct machinery *m, u32 k)
{
    struct functional_block *b = m->running[k];
    cluster_drop(&m->clusters, b->state.cluster);
    b->next = m->spare;
    m->spare = b;
    m->running_n--;
    memmove(m->running + k, m->running + k + 1, (m->running_n - k) * sizeof *m->running);
}

static bool all_repeat(const struct machinery *m)
{
    for (u32 k = 0; k < m->running_n; k++)
        if (!block_repeats(m->running[k])) return false;
    return true;
}

/* Gives each running block a turn. true: a block has ended. */
static bool blocks_turn(struct machinery *m)
{
    u32 rounds = m->running_n == 1 ? BLOCK_ROUNDS : 1, before = m->running_n;
    u64 steps = m->out->warp_instructions;
    for (u32 k = 0; k < m->running_n && !m->stopped;) {
        block_turn(m, m->running[k], rounds);
        if (!m->running[k]->state.alive_n) block_remove(m, k);
        else k++;
    }
    time_jumps(m, steps);
    return m->running_n < before;
}

/* Runs all blocks, or clusters, one at a time as long as each ends in its turn. Whenever no block
 * has ended in a round, doubles the number of concurrently running blocks, up to the capacity of
 * the GPU. The blocks of a cooperative launch all run concurrently from the start. */
static void launch_run(struct machinery *m)
{
    u64 wasted = 0, want = m->l->cooperative ? m->most : 1;
    while (!m->stopped && (m->running_n || m->started < m->block_n)) {
        while (m->started < m->block_n && (m->running_n < want || m->started % m->cluster_n))
            block_add(m);
        u64 writes = m->effect.writes, noticed = m->effect.noticed;
        bool ended = blocks_turn(m);
        if (m->s->interrupted && m->s->interrupted()) stop(m, FUNCTIONAL_INTERRUPTED);
        bool more = m->started < m->block_n && want < m->most;
        bool changed = writes != m->effect.writes || noticed != m->effect.noticed;
        if (m->stopped || ended || more || changed) wasted = 0;
        else if (++wasted == WASTED_ROUNDS || all_repeat(m)) stop_stuck(m);
        if (!ended && more) want = min_u64(2 * want, m->most);
    }
}

static u64 time_of(const struct timer *t, u64 cycles) /* in ns, rounded up */
{
    unsigned __int128 of = t->mhz.num;
    return (u64)(((unsigned __int128)cycles * 1000 * t->mhz.den + of - 1) / of);
}

enum functional_end functional_run(const struct functional_setup *s, struct functional *out)
{
    const struct launch *l = s->launch;
    struct gpu_occupancy fits;
    gpu_occupancy(s->machine, l, &fits);
    *out = (struct functional){0};
    struct machinery m = {.s = s, .l = l, .out = out, .wake = NEVER};
    m.effect.clock = m.effect.noticed = s->cycle;
    m.grid = launch_grid(l, s->machine, s->timer, s->grid_id);
    check(m.grid.warps <= BLOCK_WARPS_MAX);
    m.block_n = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    m.most = (u64)fits.blocks_per_sm * s->machine->sm.count;
    m.layout = block_layout(&m.grid, 0, false);
    m.cluster_n = gpu_cluster_n(l);
    launch_run(&m);
    out->repeatable = m.effect.noticed == s->cycle && !m.effect.outside;
    out->ns = time_of(s->timer, m.effect.noticed - s->cycle);
    while (m.running_n) block_remove(&m, 0);
    blocks_free(m.spare);
    clusters_free(&m.clusters);
    free(m.running);
    return m.end;
}

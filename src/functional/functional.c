#include "functional/functional.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/async/copy.h"

/* A warp's steps before another's turn, and in its first turn after a barrier; rounds of the warps
 * of a block that runs by itself; rounds of all without a store, a look at a clock or an end, after
 * which nothing more is hoped for.
 *
 * After a barrier the turns are short because warps of a GPU go on from it together: programs read
 * what was stored before a barrier and store there again soon after, without a second barrier. */
enum {
    WARP_STEPS = 1 << 12, RELEASED_STEPS = 1 << 5,
    BLOCK_ROUNDS = 1 << 6, VAIN_ROUNDS = 1 << 20, SLACK_BYTES = 64
};

enum { BLOCK_WARPS = 1024 / LANES };

struct barrier {
    u64 waiting; /* a bit per warp */
    u32 arrived, threads;
};
struct block {
    struct block *next;     /* that is spare */
    struct block_state state;
    u64 block_id;
    u64 ended, waiting;     /* a bit per warp: at a barrier; */
    u64 released;           /* from one, without a turn since */
    u64 asleep, trying;     /* until `wake`; trying: or until the phase of an mbarrier is over */
    u64 wake[BLOCK_WARPS];
    u32 phases;             /* of all mbarriers, at the last look at `trying` */
    u32 warp_n, alive_n;
    struct barrier barrier[BARRIERS];
    u8 *memory;             /* registers and what is zeroed with them, then stacks */
    struct copies *copies;  /* or NULL */
    struct warp warp[];
};
struct layout {             /* of `memory` */
    size_t shared, local, rows, preds, stack, zeroed;
};

struct machinery {          /* of one launch */
    const struct functional_setup *s;
    const struct launch *l;
    struct functional *out;
    struct effect effect;
    struct layout at;
    u64 block_n, started, most; /* most: blocks at once */
    u32 threads, warp_n;
    struct block **running; /* in the order of their ids */
    u32 running_n, running_room;
    struct block *spare;
    u64 wake;               /* earliest of the warps passed over asleep; NEVER: none */
    bool stopped;           /* a fault, or interrupted */
    enum functional_end end;
};

/* ---- blocks ---- */

static struct layout layout_of(const struct machinery *m)
{
    const struct program *p = m->l->program;
    size_t shared = p->shared_bytes + m->l->dynamic_shared_bytes;
    struct layout at = {
        .shared = round_up(shared + SLACK_BYTES, 64),
        .local = p->local_bytes ? round_up((u64)m->threads * p->local_bytes + SLACK_BYTES, 64) : 0,
        .rows = warp_row_bytes(p),
        .preds = round_up(p->pred_n * sizeof(u32), 64),
        .stack = round_up(warp_stack_bytes(p), 64)};
    at.zeroed = at.shared + at.local + (at.rows + at.preds) * m->warp_n;
    return at;
}

static struct block *block_take(struct machinery *m)
{
    struct block *b = m->spare;
    if (b) {
        m->spare = b->next;
        return b;
    }
    b = base_alloc(sizeof *b + m->warp_n * sizeof *b->warp);
    b->memory = base_realloc(NULL, m->at.zeroed + m->at.stack * m->warp_n + 64);
    if (m->l->program->copies) b->copies = copies_new();
    return b;
}

static void block_start(struct machinery *m, struct block *b, u64 id)
{
    const struct launch *l = m->l;
    u64 x = l->grid[0], y = l->grid[1];
    u32 sms = m->s->machine->sm.count;
    b->block_id = id;
    b->ended = b->waiting = b->released = b->asleep = b->trying = 0;
    b->phases = 0;
    b->warp_n = b->alive_n = m->warp_n;
    memset(b->barrier, 0, sizeof b->barrier);
    base_zero(b->memory, m->at.zeroed + 64);
    u8 *at = b->memory + (64 - (uintptr_t)b->memory % 64) % 64, *stack = at + m->at.zeroed;
    b->state = (struct block_state){
        .program = l->program,
        .image = l->image,
        .printer = l->printer,
        .warnings = l->warnings,
        .workspace = l->workspace,
        .timer = m->s->timer,
        .param = l->param,
        .shared = at,
        .local = m->at.local ? at + m->at.shared : NULL,
        .shared_bytes = l->program->shared_bytes + l->dynamic_shared_bytes,
        .local_bytes = l->program->local_bytes,
        .ctaid = {(u32)(id % x), (u32)(id / x % y), (u32)(id / x / y)},
        .nctaid = {l->grid[0], l->grid[1], l->grid[2]},
        .ntid = {l->block[0], l->block[1], l->block[2]},
        .threads = m->threads,
        .grid_id = m->s->grid_id,
        .sm_id = (u32)(id % sms),
        .sm_n = sms,
        .independent = m->s->machine->sm.independent_threads,
        .copies = b->copies,
    };
    if (b->copies) copies_reset(b->copies);
    at += m->at.shared + m->at.local;
    for (u32 i = 0; i < m->warp_n; i++) {
        warp_start(&b->warp[i], &b->state, i, at, (u32 *)(void *)(at + m->at.rows),
                   (struct path *)(void *)stack, &m->effect);
        at += m->at.rows + m->at.preds;
        stack += m->at.stack;
    }
}

static void blocks_free(struct block *first)
{
    while (first) {
        struct block *b = first;
        first = b->next;
        free(b->memory);
        copies_free(b->copies);
        free(b);
    }
}

/* ---- barriers, as in chip/sm/block.c ---- */

static u32 barrier_warps(const struct block *b, const struct barrier *r)
{
    bool whole = !r->threads || r->threads == b->state.threads ||
                 r->threads == round_up(b->state.threads, LANES);
    return whole ? b->alive_n : (u32)div_up(r->threads, LANES);
}

static void barrier_look(struct block *b, u32 id)
{
    struct barrier *r = &b->barrier[id];
    if (!r->arrived || r->arrived < barrier_warps(b, r)) return;
    b->waiting &= ~r->waiting;
    b->released |= r->waiting;
    for (u64 left = b->state.reduce[id] ? r->waiting : 0; left; left &= left - 1)
        warp_barrier_release(&b->warp[__builtin_ctzll(left)], id);
    b->state.reduce[id] = 0;
    *r = (struct barrier){0};
}

static void barrier_arrive(struct block *b, u32 warp, const struct effect *e)
{
    struct barrier *r = &b->barrier[e->barrier_id];
    r->arrived++;
    r->threads = e->barrier_threads;
    if (e->barrier_waits) {
        r->waiting |= 1ull << warp;
        b->waiting |= 1ull << warp;
    }
    barrier_look(b, e->barrier_id);
}

static void warp_end(struct block *b, u32 warp)
{
    b->ended |= 1ull << warp;
    b->alive_n--;
    for (u32 id = 0; b->alive_n && id < BARRIERS; id++) barrier_look(b, id);
}

/* ---- what stops it ---- */

static struct gpu_trouble place_of(const struct machinery *m, const struct block *b, u32 warp)
{
    return (struct gpu_trouble){.app_id = m->l->app_id, .program = m->l->program,
                                .in_block = true, .sm_id = b->state.sm_id,
                                .block_id = b->block_id, .warp_id = warp};
}

static u64 space_bytes(const struct block_state *b, u32 space)
{
    switch (space) {
    case SPACE_SHARED: return b->shared_bytes;
    case SPACE_LOCAL: return b->local_bytes;
    case SPACE_PARAM: return b->program->param_bytes;
    default: return 0;
    }
}

static void stop(struct machinery *m, enum functional_end end)
{
    m->stopped = true;
    m->end = end;
}

static void stop_fault(struct machinery *m, const struct block *b, u32 warp)
{
    struct gpu_trouble *t = &m->out->trouble;
    *t = place_of(m, b, warp);
    t->fault = m->effect.fault;
    t->what = t->fault.what;
    t->deadlock = t->fault.deadlock;
    t->space_bytes = space_bytes(&b->state, t->fault.space);
    stop(m, FUNCTIONAL_FAULT);
}

static void barrier_words(const struct block *b, u32 warp, char *out, size_t room)
{
    for (u32 id = 0; id < BARRIERS; id++) {
        const struct barrier *r = &b->barrier[id];
        if (!(r->waiting >> warp & 1)) continue;
        snprintf(out, room, "warp %u waits at barrier %u, where %u of %u warps have arrived",
                 warp, id, r->arrived, barrier_warps(b, r));
        return;
    }
}

static void stop_stuck(struct machinery *m)
{
    const struct block *b = m->running[0];
    u32 warp = (u32)__builtin_ctzll(~b->ended);
    const struct warp *w = &b->warp[warp];
    struct gpu_trouble *t = &m->out->trouble;
    *t = place_of(m, b, warp);
    t->deadlock = true;
    t->what = "a launch that runs functionally waits for what no warp of it will do: have it timed";
    t->fault.lane = w->mask ? (u32)__builtin_ctz(w->mask) : 0;
    if (b->waiting >> warp & 1) {
        t->fault.line = w->pc ? warp_next(w)[-1].line : warp_next(w)->line;
        barrier_words(b, warp, t->fault.detail, sizeof t->fault.detail);
    } else {
        t->fault.line = w->repeated ? w->repeated->line : warp_next(w)->line;
        snprintf(t->fault.detail, sizeof t->fault.detail,
                 "warp %u is in a loop in which nothing changes in memory", warp);
    }
    stop(m, FUNCTIONAL_STUCK);
}

/* ---- running ---- */

/* All copies to shared memory that it has under way have come: they do when it waits. */
static void copies_come(struct warp *w)
{
    const struct copies *c = &w->block->copies[w->warp_id];
    for (u32 k = 0; k < c->n;) {
        if (c->at[k].arrives) {
            k++;
        } else {
            copies_land(w, c->at[k].number);
            k = 0; /* arrivals that waited for it are gone, too */
        }
    }
}

static void warp_sleeps(struct machinery *m, struct block *b, u32 warp, bool tries)
{
    u64 cycles = timer_cycles(m->s->timer, m->effect.sleep_ns);
    b->wake[warp] = m->effect.clock + cycles;
    b->asleep |= 1ull << warp;
    if (tries) b->trying |= 1ull << warp;
}

static void warp_wakes(struct machinery *m, struct block *b, u32 warp)
{
    b->asleep &= ~(1ull << warp);
    b->trying &= ~(1ull << warp);
    m->effect.noticed = m->effect.clock;
}

/* Wakes the warps with a finished phase. */
static void phases_look(struct machinery *m, struct block *b)
{
    if (likely(b->phases == b->state.phases)) return;
    b->phases = b->state.phases;
    for (u64 left = b->trying; left; left &= left - 1) {
        u32 warp = (u32)__builtin_ctzll(left);
        if (mbarrier_try_again(&b->warp[warp])) warp_wakes(m, b, warp);
    }
}

static bool warp_is_asleep(struct machinery *m, struct block *b, u32 warp)
{
    if (likely(!(b->asleep >> warp & 1))) return false;
    if (b->wake[warp] <= m->effect.clock) {
        warp_wakes(m, b, warp);
        return false;
    }
    m->wake = min_u64(m->wake, b->wake[warp]);
    return true;
}

/* Whether the warp goes on. */
static bool warp_effect(struct machinery *m, struct block *b, u32 warp)
{
    const struct effect *e = &m->effect;
    switch ((enum effect_kind)e->kind) {
    case EFFECT_NONE:
    case EFFECT_MEMORY:
    case EFFECT_FENCE:
    case EFFECT_PRODUCT: return true;
    case EFFECT_BARRIER:
        barrier_arrive(b, warp, e);
        return !((b->waiting | b->released) >> warp & 1);
    case EFFECT_COPIES:
    case EFFECT_ARRIVED:
        if (b->copies) copies_come(&b->warp[warp]);
        return true;
    case EFFECT_SLEEP: warp_sleeps(m, b, warp, false); break;
    case EFFECT_PHASE: warp_sleeps(m, b, warp, true); break;
    case EFFECT_REPEATS: break;
    }
    return false; /* others first */
}

/* A warp's turn: until it ends, waits, pauses or has had its steps. */
static void warp_turn(struct machinery *m, struct block *b, u32 warp)
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
}

/* No warp of it can go on and change something. */
static bool block_repeats(const struct block *b)
{
    for (u64 left = ~(b->ended | b->waiting); left; left &= left - 1) {
        u32 warp = (u32)__builtin_ctzll(left);
        if (warp >= b->warp_n) break;
        if (!warp_repeats(&b->warp[warp])) return false;
    }
    return true;
}

/* Moves time to the earliest wake if no warp has run since `before` steps. */
static void time_jumps(struct machinery *m, u64 before)
{
    if (m->out->warp_instructions == before && m->wake != NEVER) m->effect.clock = m->wake;
    m->wake = NEVER;
}

/* A block's turn: until it ends, or all its warps wait for others, or it has had its rounds. */
static void block_turn(struct machinery *m, struct block *b, u32 rounds)
{
    for (u32 round = 0; round < rounds && b->alive_n && !m->stopped; round++) {
        if (round && block_repeats(b)) return;
        u64 before = m->out->warp_instructions;
        phases_look(m, b);
        for (u32 warp = 0; warp < b->warp_n && !m->stopped; warp++)
            if (!((b->ended | b->waiting) >> warp & 1) && !warp_is_asleep(m, b, warp))
                warp_turn(m, b, warp);
        if (m->running_n == 1) time_jumps(m, before);
    }
}

static void block_add(struct machinery *m)
{
    struct block *b = block_take(m);
    block_start(m, b, m->started++);
    *base_push(m->running, m->running_n, m->running_room) = b;
}

static void block_remove(struct machinery *m, u32 k)
{
    struct block *b = m->running[k];
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

/* The running blocks in turn, each once. false: none of them ended in its. */
static bool blocks_turn(struct machinery *m)
{
    u32 rounds = m->running_n == 1 ? BLOCK_ROUNDS : 1, before = m->running_n;
    u64 steps = m->out->warp_instructions;
    for (u32 k = 0; k < m->running_n && !m->stopped;) {
        block_turn(m, m->running[k], rounds);
        if (!m->running[k]->alive_n) block_remove(m, k);
        else k++;
    }
    time_jumps(m, steps);
    return m->running_n < before;
}

/* Blocks that end by themselves run one at a time; if one does not, twice as many each time. */
static void launch_run(struct machinery *m)
{
    u64 vain = 0, want = m->l->cooperative ? m->most : 1;
    while (!m->stopped && (m->running_n || m->started < m->block_n)) {
        while (m->running_n < want && m->started < m->block_n) block_add(m);
        u64 writes = m->effect.writes, noticed = m->effect.noticed;
        bool ended = blocks_turn(m);
        if (m->s->interrupted && m->s->interrupted()) stop(m, FUNCTIONAL_INTERRUPTED);
        bool more = m->started < m->block_n && want < m->most;
        bool changed = writes != m->effect.writes || noticed != m->effect.noticed;
        if (m->stopped || ended || more || changed) vain = 0;
        else if (++vain == VAIN_ROUNDS || all_repeat(m)) stop_stuck(m);
        if (!ended && more) want = min_u64(2 * want, m->most);
    }
}

static u64 time_of(const struct timer *t, u64 cycles) /* ns, rounded up */
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
    m.threads = l->block[0] * l->block[1] * l->block[2];
    m.warp_n = (u32)div_up(m.threads, LANES);
    check(m.warp_n <= BLOCK_WARPS);
    m.block_n = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    m.most = (u64)fits.blocks_per_sm * s->machine->sm.count;
    m.at = layout_of(&m);
    launch_run(&m);
    out->ns = time_of(s->timer, m.effect.noticed - s->cycle);
    while (m.running_n) block_remove(&m, 0);
    blocks_free(m.spare);
    free(m.running);
    return m.end;
}

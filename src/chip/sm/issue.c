/* Warp schedulers: which warp issues, what its instruction costs, and why a scheduler did not
 * issue. Ready warps are bits in age order; a warp that is not ready waits in the timing wheel or
 * for its load. */
#include "chip/sm/sm.h"

static void wheel_set(struct sm *sm, const struct slot *s, u64 at, u64 now)
{
    u64 when = at - now < WHEEL ? at : now + WHEEL - 1; /* later ones look again on the way */
    sm->wheel[when % WHEEL][s->scheduler] |= 1ull << s->place;
    sm->wheel_set |= 1ull << (when % WHEEL);
}

/* Model: an operand can be read from the cycle its producer is written back; no forwarding beyond
 * the unit's latency, both true and output dependences wait (machine description 2.4). */
static u64 operands_ready(const struct slot *s, const struct inst *i)
{
    u64 t = 0;
    for (u32 k = 0; k < i->score_n; k++) t = max_u64(t, s->ready_at[slot_score(s, i->score[k])]);
    return t;
}

void slot_arm(struct sm *sm, struct slot *s, u64 now)
{
    if (s->wait != WAIT_NOTHING) return;
    struct scheduler *q = &sm->scheduler[s->scheduler];
    u64 bit = 1ull << s->rank;
    if (s->fetch_at > now) {
        wheel_set(sm, s, s->fetch_at, now);
        return;
    }
    q->stall = NULL;
    q->valid |= bit;
    u64 t = operands_ready(s, s->head);
    if (t <= now)
        q->ready[s->head->unit] |= bit;
    else if (t != NEVER)
        wheel_set(sm, s, t, now);
    else
        q->loads |= bit; /* until its transfer ends */
}

static void wheel_turn(struct sm *sm, u64 now)
{
    u32 at = now % WHEEL;
    if (!(sm->wheel_set >> at & 1)) return;
    sm->wheel_set &= ~(1ull << at);
    for (u32 k = 0; k < sm->conf->schedulers; k++) {
        u64 woken = sm->wheel[at][k];
        sm->wheel[at][k] = 0;
        for (; woken; woken &= woken - 1) {
            u32 id = (u32)__builtin_ctzll(woken) * sm->conf->schedulers + k;
            slot_arm(sm, &sm->slots[id], now);
        }
    }
}

static void unit_take(struct sm *sm, u32 unit, u64 until)
{
    u64 *free = sm->unit_free[unit];
    u32 n = sm->unit_n[unit], first = 0;
    for (u32 k = 1; k < n; k++)
        if (free[k] < free[first]) first = k;
    free[first] = until;
    u64 open = free[0];
    for (u32 k = 1; k < n; k++) open = min_u64(open, free[k]);
    sm->unit_open[unit] = open;
}

/* Model: a unit takes an instruction every `initiation` cycles; its result can be used
 * `pipeline_cycles + latency` cycles after issue. The operand collector's bank conflicts are not
 * modelled here (guess: their mean is in pipeline_cycles). */
static void issue_compute(struct sm *sm, struct slot *s, const struct inst *i, u64 now)
{
    unit_take(sm, i->unit, now + sm->initiation[i->cost]);
    u64 t = now + sm->conf->pipeline_cycles + sm->latency[i->cost];
    for (u32 k = i->score_dst; k < i->score_n; k++) s->ready_at[slot_score(s, i->score[k])] = t;
}

static void issue_effect(struct sm *sm, struct slot *s, const struct inst *i, u64 now)
{
    const struct effect *e = &sm->effect;
    if (i->unit == UNIT_MEM && e->kind == EFFECT_MEMORY && e->mask)
        ldst_push(sm, s, i, now);
    else
        issue_compute(sm, s, i, now);
    if (e->branched) s->fetch_at = now + 1 + sm->conf->branch_cycles;
    if (e->kind == EFFECT_BARRIER) {
        block_barrier_arrive(sm, s, e, now);
    } else if (e->kind == EFFECT_FENCE) {
        if (s->stores || s->transfers) s->wait = WAIT_FENCE;
    } else if (e->kind == EFFECT_SLEEP) {
        u64 cycles = (u64)(e->sleep_ns / sm->ns_per_cycle);
        s->fetch_at = max_u64(s->fetch_at, now + 1 + cycles);
    }
}

static void issue(struct sm *sm, struct scheduler *q, u32 rank, u64 now)
{
    struct slot *s = &sm->slots[q->slot[rank]];
    const struct inst *i = s->head;
    struct effect *e = &sm->effect;
    u64 bit = 1ull << rank;
    q->ready[i->unit] &= ~bit;
    q->valid &= ~bit;
    q->last = rank;
    q->stall = NULL;
    struct sm_stat *stat = &sm->stat[s->app_id];

    s->warp.clock = now;
    warp_step(&s->warp);
    stat->inst_warp++;
    stat->inst_thread += (u32)__builtin_popcount(e->executed);
    if (i->unit == UNIT_SP)
        stat->inst_sp++;
    else if (i->unit == UNIT_SFU)
        stat->inst_sfu++;
    else
        stat->inst_mem++;
    if (unlikely(e->fault.what != NULL)) {
        sm->faulted = true;
        sm->fault_slot = q->slot[rank];
    } else if (e->exited) {
        issue_effect(sm, s, i, now);
        block_warp_ended(sm, s, now);
    } else {
        s->head = &s->warp.code[s->warp.pc];
        issue_effect(sm, s, i, now);
        slot_arm(sm, s, now + 1);
    }
}

/* The reason a scheduler did not issue and the app it belongs to: the first warp in order that is
 * ready (its pipeline is full), else valid (waits for operands), else resident (no instruction).
 * Model: machine description section 3 (stall breakdown), first ready warp decides. */
static u64 *stall_find(struct sm *sm, const struct scheduler *q)
{
    if (!q->n) return &sm->stat[APPS_MAX].stall_idle; /* no app's */
    u64 ready = 0;
    for (u32 u = 0; u < UNIT_N; u++) ready |= q->ready[u];
    u64 among = ready ? ready : q->valid ? q->valid : q->resident;
    u32 rank = q->last < 64 && (among >> q->last & 1) ? q->last : (u32)__builtin_ctzll(among);
    struct sm_stat *stat = &sm->stat[q->app[rank]];
    if (!ready) return q->valid ? &stat->stall_raw : &stat->stall_idle;
    return q->ready[UNIT_MEM] >> rank & 1 ? &stat->stall_memory : &stat->stall_compute;
}

static inline u64 *stall_reason(struct sm *sm, struct scheduler *q)
{
    if (!q->stall) q->stall = stall_find(sm, q);
    return q->stall;
}

static inline u64 candidates(const struct sm *sm, const struct scheduler *q, u64 now)
{
    u64 c = 0;
    if (sm->unit_open[UNIT_SP] <= now) c |= q->ready[UNIT_SP];
    if (sm->unit_open[UNIT_SFU] <= now) c |= q->ready[UNIT_SFU];
    if (!ldst_full(sm)) c |= q->ready[UNIT_MEM];
    return c;
}

static u32 choose(const struct sm *sm, const struct scheduler *q, u64 among)
{
    if (sm->conf->scheduler == 0) /* gto */
        return q->last < 64 && (among >> q->last & 1) ? q->last : (u32)__builtin_ctzll(among);
    u64 after = q->last < 63 ? among & ~((2ull << q->last) - 1) : 0; /* lrr */
    return (u32)__builtin_ctzll(after ? after : among);
}

/* Cycles in which no scheduler issues while a warp waits for a load or the memory pipeline holds
 * one back, and the misses outstanding in them; the cycles belong to the first such warp's app.
 * Model: docs/policies.md 9.3 (M and A of the MIAS metrics, paper 004 section 3.2.2). */
static void memory_stall_count(struct sm *sm, u64 cycles)
{
    for (u32 k = 0; k < sm->conf->schedulers; k++) {
        const struct scheduler *q = &sm->scheduler[k];
        u64 held = q->loads | q->ready[UNIT_MEM];
        if (!held) continue;
        sm->stat[q->app[__builtin_ctzll(held)]].memory_stall += cycles;
        for (u32 left = sm->missing_apps; left; left &= left - 1) {
            u32 app = (u32)__builtin_ctz(left);
            sm->stat[app].outstanding += cycles * sm->missing[app];
        }
        return;
    }
}

void issue_tick(struct sm *sm, u64 now)
{
    bool issued = false;
    wheel_turn(sm, now);
    for (u32 k = 0; k < sm->conf->schedulers; k++) {
        struct scheduler *q = &sm->scheduler[k];
        u64 among = candidates(sm, q, now);
        if (among && !unlikely(sm->faulted)) { /* nothing is executed after a fault */
            issue(sm, q, choose(sm, q, among), now);
            issued = true;
        } else {
            ++*stall_reason(sm, q);
        }
    }
    if (!issued) memory_stall_count(sm, 1);
}

/* ---- waking and settling ---- */

static u64 wheel_next(const struct sm *sm, u64 now)
{
    if (!sm->wheel_set) return NEVER;
    u32 from = (now + 1) % WHEEL;
    u64 turned = from ? sm->wheel_set >> from | sm->wheel_set << (WHEEL - from) : sm->wheel_set;
    return now + 1 + (u32)__builtin_ctzll(turned);
}

u64 sm_wake(const struct sm *sm, u64 now)
{
    u64 t = min_u64(wheel_next(sm, now), ldst_wake(sm, now));
    if (t == now + 1) return t;
    for (u32 k = 0; k < sm->conf->schedulers; k++) {
        const struct scheduler *q = &sm->scheduler[k];
        if (q->ready[UNIT_SP]) t = min_u64(t, max_u64(now + 1, sm->unit_open[UNIT_SP]));
        if (q->ready[UNIT_SFU]) t = min_u64(t, max_u64(now + 1, sm->unit_open[UNIT_SFU]));
        if (q->ready[UNIT_MEM] && !ldst_full(sm)) t = now + 1;
    }
    return t;
}

void sm_settle(struct sm *sm, u64 now)
{
    u64 next = sm->ticked == NEVER ? 0 : sm->ticked + 1;
    if (now <= next) return;
    for (u32 k = 0; k < sm->conf->schedulers; k++) {
        *stall_reason(sm, &sm->scheduler[k]) += now - next;
    }
    memory_stall_count(sm, now - next);
    ldst_settle(sm, now);
    sm->ticked = now - 1;
}

void scheduler_insert(struct sm *sm, u32 slot_id)
{
    struct slot *s = &sm->slots[slot_id];
    s->scheduler = (u8)(slot_id % sm->conf->schedulers);
    s->place = (u8)(slot_id / sm->conf->schedulers);
    struct scheduler *q = &sm->scheduler[s->scheduler];
    check(q->n < 64);
    s->rank = (u8)q->n;
    q->slot[q->n] = (u8)slot_id;
    q->app[q->n] = (u8)s->app_id;
    q->resident |= 1ull << q->n;
    q->stall = NULL;
    q->n++;
}

static u64 bits_close(u64 bits, u32 at) /* removes bit `at`, those above move down */
{
    u64 low = bits & ((1ull << at) - 1);
    return low | ((bits >> 1) & ~((1ull << at) - 1));
}

void scheduler_remove(struct sm *sm, u32 slot_id)
{
    struct slot *s = &sm->slots[slot_id];
    struct scheduler *q = &sm->scheduler[s->scheduler];
    u32 at = s->rank;
    for (u32 u = 0; u < UNIT_N; u++) q->ready[u] = bits_close(q->ready[u], at);
    q->valid = bits_close(q->valid, at);
    q->loads = bits_close(q->loads, at);
    q->stall = NULL;
    q->n--;
    q->resident = (1ull << q->n) - 1;
    for (u32 r = at; r < q->n; r++) {
        q->slot[r] = q->slot[r + 1];
        q->app[r] = q->app[r + 1];
        sm->slots[q->slot[r]].rank = (u8)r;
    }
    if (q->last == at)
        q->last = UINT32_MAX;
    else if (q->last > at && q->last < 64)
        q->last--;
}

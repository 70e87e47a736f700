/* Warp schedulers: which warp issues, what its instruction costs, and why a scheduler did not
 * issue. Ready warps are bits in order of rank; a warp that is not ready waits for its fetch,
 * in the timing wheel or for its load. */
#include "chip/sm/sm.h"

/* Model: an operand can be read from the cycle its producer is written back; no forwarding, both
 * true and output dependences wait (machine description 2.4). */
static inline u64 operands_ready(const struct slot *s, const struct inst *i)
{
    const u64 *at = s->ready_at;
    u64 t = 0;
    for (u32 k = 0; k < i->score_n && t < NEVER; k += SCORE_STEP) {
        const u16 *e = i->score + k;
        u64 low = max_u64(at[e[0]], at[e[1]]), high = max_u64(at[e[2]], at[e[3]]);
        t = max_u64(t, max_u64(low, high));
    }
    return t;
}

static inline void head_ready(struct sm *sm, struct slot *s, struct scheduler *q, u64 bit, u64 now)
{
    u32 p = sm->common->pipe_of[s->head->unit][s->head->cost];
    q->ready[p] |= bit;
    q->any |= bit;
    sm->issue_at = now;
}

/* The head of a warp that waits for nothing else can issue from t on. */
static inline void head_wait(struct sm *sm, struct slot *s, u64 t, u64 now)
{
    struct scheduler *q = &sm->scheduler[s->scheduler];
    u64 bit = 1ull << s->rank;
    q->stall = NULL;
    q->valid |= bit;
    q->blocked &= ~bit;
    if (t <= now) {
        head_ready(sm, s, q, bit, now);
    } else if (t < SOON) {
        s->fetch_at = t;
        s->sure = true;
        wheel_set(sm, s, t, now);
    } else {
        q->loads |= bit; /* until its transfer ends */
        if (t == NEVER) q->blocked |= bit;
    }
    if (unlikely(sm->conf->scheduler == SCHEDULER_TWO_LEVEL)) sm->issue_at = now;
}

static __attribute__((noinline)) void head_wait_called(struct sm *sm, struct slot *s, u64 now)
{
    const struct inst *i = s->head; /* in a function's frame */
    u64 t = 0;
    for (u32 k = 0; k < i->score_n; k++) t = max_u64(t, s->ready_at[slot_score(s, i->score[k])]);
    head_wait(sm, s, t, now);
}

void slot_arm(struct sm *sm, struct slot *s, u64 now)
{
    if (s->wait != WAIT_NOTHING || !s->buffered) return;
    if (s->fetch_at > now) {
        wheel_set(sm, s, s->fetch_at, now);
        return;
    }
    stalls_settle(sm, now);
    struct scheduler *q = &sm->scheduler[s->scheduler];
    u64 bit = 1ull << s->rank;
    if (unlikely(s->wrong)) {
        q->flush |= bit;
        sm->issue_at = now;
    } else if (s->sure) {
        q->stall = NULL;
        head_ready(sm, s, q, bit, now);
    } else if (unlikely(s->called)) {
        head_wait_called(sm, s, now);
    } else {
        head_wait(sm, s, operands_ready(s, s->head), now);
    }
}

static void wheel_turn(struct sm *sm, u64 now)
{
    u32 at = now % WHEEL;
    if (!(sm->wheel_set >> at & 1)) return;
    sm->wheel_set &= ~(1ull << at);
    for (u32 half = 0; half < 2; half++) {
        u64 woken = sm->wheel[half][at];
        sm->wheel[half][at] = 0;
        for (; woken; woken &= woken - 1) {
            struct slot *s = &sm->slots[half * 64 + (u32)__builtin_ctzll(woken)];
            if (unlikely(s->wait == WAIT_DRAIN))
                block_warp_drained(sm, s, now);
            else
                slot_arm(sm, s, now);
        }
    }
}

/* ---- issue ---- */

static void issue_compute(struct sm *sm, struct scheduler *q, struct slot *s, const struct inst *i,
                          enum pipe p, u64 now)
{
    u64 t = p == PIPE_MEM /* nothing to access: its guard is false, or a fence */
                ? now + 1 + (3u >> sm->common->round_shift)
                : front_compute(sm, q->front, s, i, p, now);
    s->written_at = max_u64(s->written_at, t);
    for (u32 k = i->score_dst; k < i->score_n; k++) {
        u32 score = slot_score(s, i->score[k]);
        s->ready_at[score] = t;
        if (i->score[k] < s->row_n) front_written(sm, s, score, t, now);
    }
}

static void issue_effect(struct sm *sm, struct scheduler *q, struct slot *s, const struct inst *i,
                         enum pipe p, u64 now)
{
    const struct effect *e = &sm->common->effect;
    if (p == PIPE_MEM && e->kind == EFFECT_MEMORY && e->mask) {
        ldst_push(sm, s, i, front_memory(sm, q->front, s, i, now), now);
        if (unlikely(e->atomic) && sm->conf->atomics_hold) s->wait = WAIT_ATOMIC;
    } else {
        issue_compute(sm, q, s, i, p, now);
    }
    if (e->kind == EFFECT_BARRIER) {
        block_barrier_arrive(sm, s, e, now);
    } else if (e->kind == EFFECT_FENCE) {
        if (s->stores || s->transfers) s->wait = WAIT_FENCE;
    } else if (e->kind == EFFECT_SLEEP) {
        u64 cycles = (u64)(e->sleep_ns / sm->common->ns_per_cycle);
        s->fetch_at = max_u64(s->fetch_at, now + 1 + cycles);
    }
}

/* Its next instruction is in the buffer or to be fetched. */
static void issue_next(struct sm *sm, struct scheduler *q, struct slot *s, u64 bit, u64 now)
{
    if (unlikely(s->wait != WAIT_NOTHING)) q->blocked |= bit;
    if (s->buffered)
        slot_arm(sm, s, now + 1);
    else
        fetch_want(sm, s->id);
}

enum { NOBODY = 255 };
struct pick {     /* what a scheduler issues in a cycle */
    u8 rank;      /* of the warp, or NOBODY */
    u8 pipe;      /* enum pipe */
};

static __attribute__((noinline)) void issue(struct sm *sm, struct scheduler *q, struct pick pick,
                                            u64 now)
{
    u32 rank = pick.rank;
    enum pipe p = pick.pipe;
    struct slot *s = &sm->slots[q->by_rank[rank].slot];
    const struct inst *i = s->head;
    struct effect *e = &sm->common->effect;
    u64 bit = 1ull << rank;
    q->ready[p] &= ~bit;
    q->any &= ~bit;
    q->valid &= ~bit;
    q->last = rank;
    q->stall = NULL;
    struct sm_stat *stat = &sm->stat[s->app_id];

    warp_step(&s->warp);
    s->buffered--;
    s->head = &s->warp.code[s->warp.pc];
    s->wrong = e->branched;
    s->called = s->warp.depth > 0;
    s->sure = false;
    stat->inst_warp++;
    stat->inst_thread += (u32)__builtin_popcount(e->executed);
    if (p == PIPE_MEM)
        stat->inst_mem++;
    else if (p == PIPE_SFU)
        stat->inst_sfu++;
    else
        stat->inst_sp++;
    if (unlikely(e->fault.what != NULL)) {
        sm->faulted = true;
        sm->fault_slot = q->by_rank[rank].slot;
        return;
    }
    issue_effect(sm, q, s, i, p, now);
    if (unlikely(e->exited)) {
        q->blocked |= bit;
        block_warp_ended(sm, s, now);
    } else {
        issue_next(sm, q, s, bit, now);
    }
}

/* ---- choice ---- */

#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* it need not be */
#define UNROLLED _Pragma("clang loop unroll(enable)")
#else
#define UNROLLED _Pragma("GCC unroll 4")
#endif

struct look { /* what all schedulers of a cycle have in common */
    u64 now;
    u64 no_memory; /* all ones: no memory instruction may issue */
    u32 rule, pipe_n;
};

static inline struct look look_at(const struct sm *sm, u64 now)
{
    return (struct look){now, 0 - (u64)(sm->transfer_left < SCHEDULERS_MAX), sm->conf->scheduler,
                         sm->common->pipe_n};
}

static inline u64 candidates(const struct scheduler *q, const struct look *at)
{
    const u64 *open = q->front->open, *ready = q->ready;
    u64 c = q->any & q->active;
    u64 shut = at->no_memory | (0 - (u64)(open[PIPE_MEM] > at->now)); /* often: no branch */
    c &= ~(ready[PIPE_MEM] & shut);
    if (unlikely(open[PIPE_SP] > at->now)) c &= ~ready[PIPE_SP];
    if (unlikely(open[PIPE_SFU] > at->now)) c &= ~ready[PIPE_SFU];
    if (at->pipe_n == PIPE_INT) return c;
    if (open[PIPE_INT] > at->now) c &= ~ready[PIPE_INT];
    if (open[PIPE_DP] > at->now) c &= ~ready[PIPE_DP];
    return c;
}

/* Model: gto: the warp that issued last, then the oldest; lrr and two-level: the next slot
 * after the one that issued last (machine description 2.3). */
static inline u32 choose(const struct scheduler *q, u32 rule, u64 among)
{
    if (rule == SCHEDULER_GTO) {
        u64 same = among & (q->last < 64 ? 1ull << q->last : 0);
        return (u32)__builtin_ctzll(same ? same : among);
    }
    u64 after = q->last < 63 ? among & ~((2ull << q->last) - 1) : q->last == 63 ? 0 : among;
    return (u32)__builtin_ctzll(after ? after : among);
}

/* ranks that are looked at before `rank` */
static u64 choose_before(const struct scheduler *q, u32 rule, u32 rank)
{
    u64 below = (1ull << rank) - 1, last = q->last < 64 ? 1ull << q->last : 0;
    if (rule == SCHEDULER_GTO) return q->last == rank ? 0 : below | last;
    u64 upto = q->last < 63 ? (2ull << q->last) - 1 : q->last == 63 ? ~0ull : 0;
    return rank < 64 && (1ull << rank) & upto ? below | ~upto : below & ~upto;
}

/* Model: a scheduler notices in the next cycle in which it looks at the warp that the buffer holds
 * what a branch jumped over; it empties it, and the fetch of that cycle may go to the target. A
 * buffer emptied by the branch itself is filled with what follows the branch first (GPGPU-Sim). */
static __attribute__((noinline)) void flush(struct sm *sm, struct scheduler *q, u64 among)
{
    for (u64 left = q->flush & among; left; left &= left - 1) {
        u32 id = q->by_rank[__builtin_ctzll(left)].slot;
        struct slot *s = &sm->slots[id];
        s->buffered = 0;
        s->wrong = false;
        fetch_want(sm, id);
    }
    q->flush &= ~among;
}

/* The reason a scheduler did not issue and the app it belongs to: the first warp in order that is
 * ready (its pipeline is full), else ready but for its app's quota, else valid (waits for
 * operands), else resident (no instruction). Model: machine description section 3 (stall
 * breakdown), first ready warp decides. */
static u64 *stall_find(struct sm *sm, const struct scheduler *q)
{
    if (!q->n) return &sm->stat[APPS_MAX].stall_idle; /* no app's */
    u64 ready = q->any & q->active, shut = q->any & q->level & ~q->active;
    u64 among = ready ? ready : shut ? shut : q->valid ? q->valid : q->resident;
    u32 rank = choose(q, sm->conf->scheduler, among);
    struct sm_stat *stat = &sm->stat[q->by_rank[rank].app];
    if (!ready && shut) return &stat->stall_policy;
    if (!ready) return q->valid ? &stat->stall_raw : &stat->stall_idle;
    return q->ready[PIPE_MEM] >> rank & 1 ? &stat->stall_memory : &stat->stall_compute;
}

/* Cycles in which no scheduler issues while a warp waits for a load or the memory pipeline holds
 * one back, and the misses outstanding in them; the cycles belong to the first such warp's app.
 * Model: machine description 3 (M and A of the MIAS metrics, paper 004 section 3.2.2). */
static void memory_stall_count(struct sm *sm, u64 cycles)
{
    u64 *memory_stall = NULL;
    for (u32 k = 0; k < sm->conf->schedulers && !memory_stall; k++) {
        const struct scheduler *q = &sm->scheduler[k];
        u64 held = q->loads | (q->ready[PIPE_MEM] & q->active);
        if (held) memory_stall = &sm->stat[q->by_rank[__builtin_ctzll(held)].app].memory_stall;
    }
    if (memory_stall) *memory_stall += cycles;
    for (u32 left = sm->missing_apps; left; left &= left - 1) {
        u32 app = (u32)__builtin_ctz(left);
        struct missing *m = &sm->missing[app];
        if (memory_stall) sm->stat[app].outstanding += cycles * m->n - m->too_much;
        m->too_much = 0;
        if (!m->n) sm->missing_apps &= ~(1u << app);
    }
}

/* that the head of a ready warp issues to */
static inline enum pipe pipe_of(const struct scheduler *q, u32 rank)
{
    u32 p = 0;
    for (u32 k = 1; k < PIPE_N; k++) p += k * (u32)(q->ready[k] >> rank & 1);
    return p;
}

INLINED struct pick pick(struct sm *sm, struct scheduler *q, const struct look *at)
{
    if (unlikely(at->rule == SCHEDULER_TWO_LEVEL)) scheduler_refill(sm, q);
    hard_check(scheduler_is_sound(sm, q));
    u64 among = candidates(q, at);
    if (!among) {
        if (unlikely(q->flush != 0)) flush(sm, q, ~0ull);
        return (struct pick){.rank = NOBODY};
    }
    u32 rank = choose(q, at->rule, among);
    const struct slot *s = &sm->slots[q->by_rank[rank].slot];
    prefetch(s);
    prefetch(&s->warp);
    enum pipe p = pipe_of(q, rank);
    front_take(q->front, p, at->now);
    if (unlikely(q->flush != 0)) flush(sm, q, choose_before(q, at->rule, rank));
    return (struct pick){(u8)rank, (u8)p};
}

/* The pipelines its ready warps wait for are not open in the next cycle. */
static __attribute__((noinline)) u64 scheduler_opens(const struct sm *sm,
                                                     const struct scheduler *q, u64 next)
{
    u64 t = NEVER;
    for (u32 p = 0; p < sm->common->pipe_n; p++) {
        if (!(q->ready[p] & q->active)) continue;
        if (p == PIPE_MEM && sm->transfer_left < SCHEDULERS_MAX) continue;
        t = min_u64(t, max_u64(next, q->front->open[p]));
    }
    return t;
}

/* When it may have something to do, unless something changes before; at: the next cycle. */
static inline u64 scheduler_wake(const struct sm *sm, const struct scheduler *q,
                                 const struct look *at)
{
    if (candidates(q, at) | q->flush) return at->now;
    if (unlikely(at->rule == SCHEDULER_TWO_LEVEL) && scheduler_moves(sm, q)) return at->now;
    return q->any & q->active ? scheduler_opens(sm, q, at->now) : NEVER;
}

static inline void stall_count(struct sm *sm, struct scheduler *q, u64 cycles)
{
    if (!q->stall) q->stall = stall_find(sm, q);
    *q->stall += cycles;
}

void stalls_count(struct sm *sm, u64 now)
{
    u64 cycles = now - sm->counted;
    for (u32 k = 0; k < sm->conf->schedulers; k++) stall_count(sm, &sm->scheduler[k], cycles);
    memory_stall_count(sm, cycles);
    sm->counted = now;
}

/* Model: the scheduler that may take a pipeline register first changes every cycle (GPGPU-Sim 4.x);
 * what is issued takes effect in the order of the schedulers. n: how many, known to the compiler
 * for the usual numbers. */
INLINED void schedulers_tick(struct sm *sm, u32 n, bool quotas, u64 now)
{
    struct scheduler *q = sm->scheduler;
    struct look at = look_at(sm, now);
    stalls_settle(sm, now);
    sm->common->effect.clock = now;
    u32 k = n & (n - 1) ? (u32)(now % n) : (u32)now & (n - 1);
    struct pick picked[SCHEDULERS_MAX];
    UNROLLED for (u32 j = 0; j < n; j++) {
        picked[k] = pick(sm, &q[k], &at);
        if (quotas && picked[k].rank != NOBODY) quota_take(sm, q[k].by_rank[picked[k].rank].app);
        k = n & (n - 1) ? (k + 1 == n ? 0 : k + 1) : (k + 1) & (n - 1);
    }
    bool issued = false;
    sm->counted = now + 1;
    UNROLLED for (k = 0; k < n; k++) {
        if (picked[k].rank != NOBODY && !unlikely(sm->faulted)) { /* nothing runs after a fault */
            issue(sm, &q[k], picked[k], now);
            issued = true;
        } else {
            stall_count(sm, &q[k], 1);
        }
    }
    if (!issued) memory_stall_count(sm, 1);
    u64 wake = NEVER;
    at = look_at(sm, now + 1);
    for (k = 0; k < n && wake > now + 1; k++)
        wake = min_u64(wake, scheduler_wake(sm, &q[k], &at));
    sm->issue_at = wake;
}

/* Slots that look again next come near. */
static void wheel_prefetch(const struct sm *sm, u64 now)
{
    u32 at = (now + 1) % WHEEL;
    if (!(sm->wheel_set >> at & 1)) return;
    for (u32 half = 0; half < 2; half++)
        for (u64 left = sm->wheel[half][at]; left; left &= left - 1)
            prefetch(&sm->slots[half * 64 + (u32)__builtin_ctzll(left)]);
}

void issue_tick(struct sm *sm, u64 now)
{
    wheel_turn(sm, now);
    wheel_prefetch(sm, now);
    if (sm->issue_at > now && sm->common->skip) return;
    switch (sm->issue_way) {
    case 1: schedulers_tick(sm, 1, false, now); return;
    case 2: schedulers_tick(sm, 2, false, now); return;
    case 4: schedulers_tick(sm, 4, false, now); return;
    default: schedulers_tick(sm, sm->conf->schedulers, true, now);
    }
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
    if (fetch_wanted(sm) || sm->issue_at <= now + 1) return now + 1;
    return min_u64(sm->issue_at, min_u64(wheel_next(sm, now), ldst_wake(sm, now)));
}

void sm_settle(struct sm *sm, u64 now)
{
    stalls_settle(sm, now);
    ldst_settle(sm, now);
}

/* Warp schedulers: selection of the warp to issue, and execution and timing of the selected
 * instruction. Ready warps are bits ordered by rank, set by wake.c. Also instruction fetch:
 * selection of the warps whose instruction buffer is filled; warps issue from the buffer. */
#include "chip/sm/blocks/block.h"
#include "chip/sm/port/class_order.h"
#include "chip/sm/policy/gate.h"
#include "chip/sm/front/scheduler.h"
#include "chip/sm/front/issue.h"
#include "chip/sm/port/issue_port.h"
#include "chip/sm/lsu/ldst.h"
#include "chip/sm/lsu/pending.h"
#include "chip/sm/policy/quota.h"
#include "chip/sm/front/stall.h"
#include "chip/sm/front/wake.h"
#include "chip/sm/inst_count.h"

/* ---- issue ---- */

static void issue_compute(struct sm *sm, struct scheduler *q, struct seat *s, const struct inst *i,
                          enum pipe p, u64 now)
{
    struct issue_port *f = q->port;
    u64 t = unlikely(p == PIPE_MEM) ? issue_port_no_access(sm, f, s, i, now)
                                    : issue_port_compute(sm, f, s, i, p, now);
    if (likely(t != SOON)) s->written_at = max_u64(s->written_at, t);
    for (u32 k = i->score_dst; k < i->score_n; k++) {
        u32 score = seat_score(s, i->score[k]);
        s->ready_at[score] = t;
        if (i->score[k] >= s->banked_n) continue;
        if (likely(!f->order)) issue_port_written(sm, s, score, &i->numbers[k], t, now);
        else issue_port_computed(sm, s, score, &i->numbers[k], t, now);
    }
}

/* Model: a product of wgmma holds the tensor units of the four warps for its steps, without setup,
 * and at least until shared memory has delivered B, and A if there, to all four, one access to all
 * banks per cycle; loads of other warps do not disturb it (guess; measured on H100, test/silicon:
 * m64n8k16 every 18 cycles, m64n64k16 every 32, m64n128k16 every 64). Products wait for the unit
 * in collectors, in order. The sums of a group are ready sm.wgmma_latency cycles after the last
 * product. */
static void issue_group(struct sm *sm, struct seat *s, const struct inst *i)
{
    const struct sm_conf *conf = sm->conf;
    u32 taken = sm->common->cost[i->cost].initiation, step = taken - conf->tensor_setup_cycles;
    u32 held = max_u32(i->group_steps * step, (u32)div_up(i->group_bytes, 4 * conf->shared_banks));
    struct issue_port *f = sm->front.scheduler[s->scheduler].port;
    u64 end = issue_port_product(f, held - min_u32(held, taken)) + conf->wgmma_latency;
    struct tensor_stat *stat = &sm->tensor_stat[s->owner];
    stat->inst++;
    stat->held_cycles += max_u32(held, taken);
    s->written_at = max_u64(s->written_at, end);
    context_product(s->context, end);
}

static __attribute__((noinline)) void issue_rare(struct sm *sm, struct seat *s,
                                                 const struct inst *i, const struct effect *e,
                                                 u64 now)
{
    switch ((enum effect_kind)e->kind) {
    case EFFECT_PRODUCT: {
        struct tensor_stat *stat = &sm->tensor_stat[s->owner];
        stat->inst++;
        stat->held_cycles += sm->common->cost[i->cost].initiation;
        break;
    }
    case EFFECT_SLEEP: {
        u64 cycles = (u64)(e->sleep_ns / sm->common->ns_per_cycle);
        s->not_before = max_u64(s->not_before, now + 1 + cycles);
        break;
    }
    case EFFECT_COPIES: copies_wait(sm, s, now); break;
    case EFFECT_PHASE: phase_wait(sm, s, now); break;
    case EFFECT_CLUSTER: cluster_barrier(sm, s, now); break;
    case EFFECT_ARRIVED: phases_look(sm, s->context->block, now); break;
    case EFFECT_GROUP_PRODUCT: issue_group(sm, s, i); break;
    case EFFECT_GROUP_END: context_group(s->context); break;
    case EFFECT_GRID: grid_control(sm, s); break;
    case EFFECT_GROUP_WAIT:
        s->not_before = max_u64(s->not_before, context_groups_end(s->context, e->groups));
        block_barrier_arrive(sm, s, e, now);
        break;
    default: sm->front.repeats = sm->notify = true; break; /* EFFECT_REPEATS */
    }
}

static void issue_atomic(struct sm *sm, struct seat *s, u64 now)
{
    if (sm->conf->atomics_hold) context_wait_set(s->context, WAIT_ATOMIC);
    phases_look(sm, s->context->block, now); /* the atomic may be an arrival at an mbarrier */
}

static void issue_effect(struct sm *sm, struct scheduler *q, struct seat *s, const struct inst *i,
                         enum pipe p, u64 now)
{
    const struct effect *e = &sm->effect;
    if (p == PIPE_MEM && e->kind - (u32)EFFECT_MEMORY <= EFFECT_REMOTE - EFFECT_MEMORY &&
        e->mask) {
        ldst_push(sm, s, i, issue_port_memory(sm, q->port, s, i, ldst_next(sm), now), now);
        if (unlikely(e->atomic)) issue_atomic(sm, s, now);
    } else {
        issue_compute(sm, q, s, i, p, now);
    }
    const struct warp *w = &s->context->warp;
    if (unlikely(w->depth || s->called)) seat_frame_set(s, w);
    if (e->kind == EFFECT_BARRIER) {
        block_barrier_arrive(sm, s, e, now);
    } else if (e->kind == EFFECT_FENCE) {
        if (s->context->stores || s->context->memory_n) context_wait_set(s->context, WAIT_FENCE);
    } else if (e->kind >= EFFECT_SLEEP) {
        issue_rare(sm, s, i, e, now);
    }
}

/* Prepares the warp's next instruction: already in the buffer, or to be fetched. */
static void issue_next(struct sm *sm, struct scheduler *q, struct seat *s, u64 bit, u64 now)
{
    if (unlikely(s->waits)) q->blocked |= bit;
    if (s->buffered)
        seat_arm(sm, s, now + 1);
    else
        fetch_want(sm, s->id);
}

enum { NOBODY = 255 };
struct pick {     /* choice of a scheduler in a cycle */
    u8 rank;      /* of the chosen warp, or NOBODY */
    u8 pipe;      /* enum pipe */
};

static __attribute__((noinline)) void issue(struct sm *sm, struct scheduler *q, u32 rank,
                                            enum pipe p, u64 now)
{
    struct seat *s = &sm->front.seats[q->by_rank[rank].seat];
    const struct inst *i = s->head;
    struct effect *e = &sm->effect;
    u64 bit = 1ull << rank;
    q->ready[p] &= ~bit;
    q->any &= ~bit;
    q->valid &= ~bit;
    q->last = rank;
    q->last_seat = (u8)(s->id + 1);
    q->stall = NULL;
    struct sm_stat *stat = &sm->stat[s->owner];

    struct warp *w = &s->context->warp;
    warp_step(w);
    s->buffered--;
    s->issued++;
    s->head = e->branched ? warp_next(w) : i + 1;
    s->stale = e->branched;
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
        front_fault(sm, s->context);
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

static __attribute__((noinline)) void issue_counted(struct sm *sm, struct scheduler *q, u32 rank,
                                                    enum pipe p, u64 now)
{
    const struct seat *s = &sm->front.seats[q->by_rank[rank].seat];
    const struct context *c = s->context;
    const struct inst *i = s->head;
    struct inst_stat *row = inst_count_row(sm, s);
    u32 queue_n = sm->lsu.queue_n;
    issue(sm, q, rank, p, now);
    inst_count_issued(sm, s, c, i, row, sm->lsu.queue_n > queue_n ? ldst_last(sm) : NULL);
}

void issue_init(struct sm *sm)
{
    sm->front.issue = sm->common->counts_insts ? issue_counted : issue;
}

/* ---- choice ---- */

#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* not unrolling is acceptable */
#endif

/* Below, `governed` and `kind` are compile-time constants: whether a policy influences issue, and
 * the kind of configuration: PLAIN as in struct sm_common, GTO any other with the gto scheduler. */
enum issue_kind { ISSUE_PLAIN, ISSUE_GTO, ISSUE_ANY };

struct issue_cycle { /* values common to all schedulers in a cycle */
    u64 now;
    u64 no_memory; /* all ones: no memory instruction may issue */
    u32 rule, pipe_n;
};

INLINED struct issue_cycle issue_cycle_of(const struct sm *sm, enum issue_kind kind, u64 now)
{
    return (struct issue_cycle){now, 0 - (u64)memory_is_full(sm),
                                kind == ISSUE_ANY ? sm->conf->scheduler : SCHEDULER_GTO,
                                kind == ISSUE_PLAIN ? PIPE_INT : sm->common->pipe_n};
}

INLINED u64 candidates(const struct scheduler *q, const struct issue_cycle *at)
{
    const u64 *open = q->port->open, *ready = q->ready;
    u64 c = q->any & q->may_issue;
    if (!c) return 0;
    /* Computed without a branch: PIPE_MEM is often not open. */
    u64 shut = at->no_memory | (0 - (u64)(open[PIPE_MEM] > at->now));
    c &= ~(ready[PIPE_MEM] & shut);
    if (unlikely(open[PIPE_SP] > at->now)) c &= ~ready[PIPE_SP];
    if (unlikely(open[PIPE_SFU] > at->now)) c &= ~ready[PIPE_SFU];
    if (at->pipe_n == PIPE_INT) return c;
    if (open[PIPE_INT] > at->now) c &= ~ready[PIPE_INT];
    if (open[PIPE_DP] > at->now) c &= ~ready[PIPE_DP];
    if (unlikely(at->pipe_n == PIPE_N) && open[PIPE_TENSOR] > at->now) c &= ~ready[PIPE_TENSOR];
    return c;
}

/* Returns the ranks that the scheduler examines before choosing `rank`. */
static u64 choose_before(const struct scheduler *q, u32 rule, u32 rank)
{
    u64 below = (1ull << rank) - 1, last = q->last < 64 ? 1ull << q->last : 0;
    if (rule == SCHEDULER_GTO) return q->last == rank ? 0 : below | last;
    u64 upto = q->last < 63 ? (2ull << q->last) - 1 : q->last == 63 ? ~0ull : 0;
    return rank < 64 && (1ull << rank) & upto ? below | ~upto : below & ~upto;
}

/* Empties the stale buffers of the ranks in `among`. Model: a branch taken makes the buffer's
 * contents stale. The scheduler notices stale contents in the next cycle in which the scheduler
 * examines the warp, and empties the buffer; the fetch of the same cycle may already fetch the
 * target. If the branch was the last instruction in the buffer, the instructions behind the branch
 * are fetched first (GPGPU-Sim). */
static __attribute__((noinline)) void flush(struct sm *sm, struct scheduler *q, u64 among)
{
    for (u64 left = q->flush & among; left; left &= left - 1) {
        u32 id = q->by_rank[__builtin_ctzll(left)].seat;
        struct seat *s = &sm->front.seats[id];
        s->buffered = 0;
        s->stale = false;
        fetch_want(sm, id);
    }
    q->flush &= ~among;
}

/* Returns the pipeline to which the head of a ready warp issues, in an SM of kind ISSUE_PLAIN. */
static inline enum pipe plain_pipe_of(const struct scheduler *q, u32 rank)
{
    u32 p = 0;
    for (u32 k = 1; k < PIPE_INT; k++) p += k * (u32)(q->ready[k] >> rank & 1);
    return (enum pipe)p;
}

INLINED struct pick pick(struct sm *sm, struct scheduler *q, const struct issue_cycle *at,
                         bool governed, enum issue_kind kind)
{
    if (unlikely(at->rule == SCHEDULER_TWO_LEVEL)) scheduler_refill(sm, q);
    hard_check(scheduler_is_consistent(sm, q));
    u64 among = candidates(q, at);
    if (governed) among &= ~scheduler_held(sm, q);
    if (!among) {
        if (unlikely(q->flush != 0)) flush(sm, q, ~0ull);
        return (struct pick){.rank = NOBODY};
    }
    u64 own = ~0ull, earlier = 0, looked = ~0ull;
    if (governed && q->urgent) looked = urgent_pick(q, &among, &earlier);
    if (governed && sm->policy.order.on) own = order_pick(sm, q, among, &earlier);
    u32 rank = scheduler_choose(q, at->rule, among & own);
    const struct seat *s = &sm->front.seats[q->by_rank[rank].seat];
    prefetch(s);
    prefetch(s->context); /* the lines that issue changes */
    prefetch(&s->context->memory_n);
    prefetch(s->ready_at);
    enum pipe p = kind == ISSUE_PLAIN ? plain_pipe_of(q, rank) : head_pipe(sm, s);
    issue_port_take(q->port, p, at->now);
    if (kind != ISSUE_PLAIN && q->port->order) class_order_take(q->port, p, at->now);
    if (governed && sm->policy.gated) gate_pick(sm, s, p, at->now);
    if (unlikely(q->flush != 0))
        flush(sm, q, (earlier | (choose_before(q, at->rule, rank) & own)) & looked);
    return (struct pick){(u8)rank, (u8)p};
}

/* Returns the first cycle in which pipeline p is open, if the head of a warp in `among` needs p;
 * NEVER: no head does. */
static inline u64 opens(const struct scheduler *q, enum pipe p, u64 among)
{
    return q->ready[p] & among ? q->port->open[p] : NEVER;
}

/* Returns the first cycle, at->now or later, in which a warp in `among` can issue, barring other
 * changes before. */
static inline u64 candidates_at(const struct scheduler *q, const struct issue_cycle *at, u64 among)
{
    if (!among) return NEVER;
    u64 t = opens(q, PIPE_MEM, among & ~at->no_memory);
    if (among & ~q->ready[PIPE_MEM]) { /* often false */
        t = min_u64(t, min_u64(opens(q, PIPE_SP, among), opens(q, PIPE_SFU, among)));
        if (at->pipe_n > PIPE_INT)
            t = min_u64(t, min_u64(opens(q, PIPE_INT, among), opens(q, PIPE_DP, among)));
        if (unlikely(at->pipe_n == PIPE_N)) t = min_u64(t, opens(q, PIPE_TENSOR, among));
    }
    return max_u64(t, at->now);
}

/* Returns the first cycle in which the scheduler has work, barring other changes before. `at`
 * describes the next cycle. */
INLINED u64 scheduler_wake(const struct sm *sm, struct scheduler *q, const struct issue_cycle *at,
                           bool governed)
{
    if (q->flush) return at->now;
    if (unlikely(at->rule == SCHEDULER_TWO_LEVEL) && scheduler_moves(sm, q)) return at->now;
    u64 among = q->any & q->may_issue;
    if (governed) among &= ~scheduler_held(sm, q);
    return candidates_at(q, at, among);
}

/* Lets the arbiter choose the app that may issue memory instructions, before any scheduler
 * picks. */
static __attribute__((noinline)) void contest(struct sm *sm, const struct issue_cycle *at)
{
    u32 apps = 0, some = 0;
    for (u32 k = 0; k < sm->conf->schedulers; k++) {
        struct scheduler *q = &sm->front.scheduler[k];
        if (at->rule == SCHEDULER_TWO_LEVEL) scheduler_refill(sm, q);
        some |= scheduler_apps(q, q->ready[PIPE_MEM] & q->may_issue);
    }
    if (!(some & (some - 1))) return; /* the usual case */
    for (u32 k = 0; k < sm->conf->schedulers; k++)
        apps |= gate_apps(sm, &sm->front.scheduler[k], candidates(&sm->front.scheduler[k], at));
    gate_contest(sm, apps, at->now);
}

/* Returns the scheduler with the first turn in cycle `now`. */
static inline u32 schedulers_first(const struct sm *sm, u32 n, u64 now)
{
    u64 turn = now - sm->front.turns_from;
    return n & (n - 1) ? (u32)(turn % n) : (u32)turn & (n - 1);
}

/* Runs one cycle of the n schedulers; for the usual n the compiler knows the number. Model: the
 * scheduler with the first turn changes every cycle in which the SM has a block; the first
 * scheduler is first to take a pipeline register and to execute (GPGPU-Sim 4.x). */
INLINED void schedulers_tick(struct sm *sm, u32 n, bool governed, enum issue_kind kind, u64 now)
{
    struct issue_cycle at = issue_cycle_of(sm, kind, now);
    stalls_catch_up(sm, now);
    sm->effect.clock = now;
    struct scheduler *const *turn = &sm->front.rotation[schedulers_first(sm, n, now)];
    struct pick picked[SCHEDULERS_MAX];
    if (governed && sm->policy.gate.choose) contest(sm, &at);
    UNROLLED(4) for (u32 j = 0; j < n; j++) {
        struct scheduler *q = turn[j];
        picked[j] = pick(sm, q, &at, governed, kind);
        if (governed && picked[j].rank != NOBODY) governed_issue(sm, q, picked[j].rank, now);
    }
    if (governed && sm->policy.gated) gate_picks_over(sm, now);
    bool issued = false;
    sm->front.counted = now + 1;
    UNROLLED(4) for (u32 j = 0; j < n; j++) {
        struct scheduler *q = turn[j];
        /* No instruction executes after a fault. */
        bool runs = picked[j].rank != NOBODY && !unlikely(sm->front.faulted);
        if (runs) {
            if (governed) q->known &= ~(1ull << picked[j].rank);
            sm->front.issue(sm, q, picked[j].rank, (enum pipe)picked[j].pipe, now);
            issued = true;
        } else {
            stall_count(sm, q, 1);
        }
    }
    if (!issued) memory_stall_count(sm, 1);
    if (governed && sm->policy.gated) gate_cycle_over(sm, now);
    u64 wake = NEVER;
    at = issue_cycle_of(sm, kind, now + 1);
    for (u32 k = 0; k < n && wake > now + 1; k++)
        wake = min_u64(wake, scheduler_wake(sm, &sm->front.scheduler[k], &at, governed));
    sm->front.issue_at = wake;
    if (kind != ISSUE_PLAIN && sm->port.class_order && sm->port.class_order->enter)
        class_order_enter(sm, sm->port.class_order, now);
}

static __attribute__((noinline)) void issue_tick_other(struct sm *sm, u64 now)
{
    u32 n = sm->front.ungoverned_schedulers;
    bool gto = sm->conf->scheduler == SCHEDULER_GTO;
    if (n == 4 && gto) schedulers_tick(sm, 4, false, ISSUE_GTO, now);
    else if (n == 4) schedulers_tick(sm, 4, false, ISSUE_ANY, now);
    else if (n == 2) schedulers_tick(sm, 2, false, ISSUE_ANY, now);
    else if (n == 1) schedulers_tick(sm, 1, false, ISSUE_ANY, now);
    else if (sm->conf->schedulers == 4) schedulers_tick(sm, 4, true, ISSUE_ANY, now);
    else schedulers_tick(sm, sm->conf->schedulers, true, ISSUE_ANY, now);
}

void issue_tick(struct sm *sm, u64 now)
{
    u32 n = sm->front.ungoverned_schedulers;
    if (n == 4 && sm->common->plain) schedulers_tick(sm, 4, false, ISSUE_PLAIN, now);
    else if (n == 2 && sm->common->plain) schedulers_tick(sm, 2, false, ISSUE_PLAIN, now);
    else issue_tick_other(sm, now);
}

/* ---- fetch ---- */

/* Returns the next warp slot to fetch for. A warp requests a fetch by a bit in `want`, set when the
 * buffer becomes empty. */
static u32 fetch_next(const struct sm *sm)
{
    u32 half = sm->front.fetched / 64, bit = sm->front.fetched % 64;
    u64 above = sm->front.want[half] & (bit == 63 ? 0 : ~0ull << (bit + 1));
    if (above) return half * 64 + (u32)__builtin_ctzll(above);
    u32 other = half ^ 1;
    if (sm->front.want[other]) return other * 64 + (u32)__builtin_ctzll(sm->front.want[other]);
    return half * 64 + (u32)__builtin_ctzll(sm->front.want[half]);
}

/* Model: round robin over the warp slots, starting after the last slot served. A warp is served
 * when the instruction buffer is empty, also while waiting at a barrier; the instruction cache
 * always hits. An instruction fetched in t is decoded in t + 1 and can issue in t + 2, since a
 * cycle runs issue, decode, fetch. With several fetches per cycle, decode and fetch alternate
 * within the cycle: all instructions but those of the last fetch are decoded in t (GPGPU-Sim,
 * machine description 2.2). */
void fetch_tick(struct sm *sm, u64 now)
{
    u32 room = min_u32(sm->conf->fetch_instructions, sm->conf->ibuffer);
    for (u32 n = sm->conf->fetch_warps; n && fetch_wanted(sm); n--) {
        u32 id = fetch_next(sm);
        struct seat *s = &sm->front.seats[id];
        sm->front.want[id / 64] &= ~(1ull << (id % 64));
        sm->front.fetched = id;
        /* seat_look reads the operands' ready times once the head is decoded. */
        for (u32 k = 0; k < SCORE_STEP; k++) prefetch(&s->ready_at[s->head->score[k]]);
        s->buffered = (u8)room;
        s->not_before = max_u64(s->not_before, n > 1 ? now + 1 : now + 2);
        wheel_set(sm, s, s->not_before, now);
    }
}

/* ---- the timing wheel ---- */

void wheel_turn(struct sm *sm, u64 now)
{
    u32 at = now % WHEEL;
    if (!(sm->front.wheel_used >> at & 1)) return;
    sm->front.wheel_used &= ~(1ull << at);
    for (u32 half = 0; half < 2; half++) {
        u64 woken = sm->front.wheel[at][half];
        sm->front.wheel[at][half] = 0;
        for (; woken; woken &= woken - 1) {
            struct seat *s = &sm->front.seats[half * 64 + (u32)__builtin_ctzll(woken)];
            if (likely(!s->waits)) seat_arm(sm, s, now);
            else if (s->context && s->context->wait == WAIT_WRITE) block_warp_drained(sm, s, now);
        }
    }
}

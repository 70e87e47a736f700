/* Determines when the head of a warp's buffer can issue: at once (a bit in `ready` of the
 * scheduler), in a known cycle (the timing wheel then returns to the warp slot), or on completion
 * of a memory instruction (`loads`). Whoever ends a wait of a warp calls seat_arm. */
#include "chip/sm/front/wake.h"
#include "chip/sm/residency/note.h"

/* Returns the first cycle in which all operands are readable. Model: an operand is readable from
 * the cycle in which the producer is written back; no forwarding; true and output dependences wait
 * (machine description 2.4). */
static inline u64 operands_ready(const struct seat *s, const struct inst *i)
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

static inline void head_ready(struct sm *sm, struct seat *s, struct scheduler *q, u64 bit, u64 now)
{
    enum pipe p = head_pipe(sm, s);
    q->ready[p] |= bit;
    q->any |= bit;
    sm->front.issue_at = min_u64(sm->front.issue_at, max_u64(now, q->port->open[p]));
}

/* Records that the operands of the head are readable from cycle t on; the warp has no other
 * wait. */
static inline void head_wait(struct sm *sm, struct seat *s, u64 t, u64 now)
{
    struct scheduler *q = &sm->front.scheduler[s->scheduler];
    u64 bit = 1ull << s->rank;
    q->stall = NULL;
    q->valid |= bit;
    q->blocked &= ~bit;
    if (t <= now) {
        head_ready(sm, s, q, bit, now);
    } else if (t < SOON) {
        s->not_before = t;
        s->sure = true;
        wheel_set(sm, s, t, now);
    } else {
        q->loads |= bit; /* until the access completes */
        if (t == NEVER) q->blocked |= bit;
        residency_note_waits(sm, s->context);
    }
    if (unlikely(sm->conf->scheduler == SCHEDULER_TWO_LEVEL)) sm->front.issue_at = now;
}

static __attribute__((noinline)) void head_wait_called(struct sm *sm, struct seat *s, u64 now)
{
    const struct inst *i = s->head; /* operands in a function's frame */
    u64 t = 0;
    for (u32 k = 0; k < i->score_n; k++) t = max_u64(t, s->ready_at[seat_score(s, i->score[k])]);
    head_wait(sm, s, t, now);
}

void seat_look(struct sm *sm, const struct seat *seat, u64 now)
{
    struct seat *s = seat_of(seat);
    stalls_catch_up(sm, now);
    struct scheduler *q = &sm->front.scheduler[s->scheduler];
    u64 bit = 1ull << s->rank;
    if (unlikely(s->stale)) {
        q->flush |= bit;
        sm->front.issue_at = now;
    } else if (s->sure) {
        q->stall = NULL;
        head_ready(sm, s, q, bit, now);
    } else if (unlikely(s->called)) {
        head_wait_called(sm, s, now);
    } else {
        head_wait(sm, s, operands_ready(s, s->head), now);
    }
}

/* ---- ends of waits ---- */

void seat_copies_wait(struct sm *sm, const struct seat *s, u64 from)
{
    struct scheduler *q = scheduler_of(&sm->front.scheduler[s->scheduler]);
    stalls_catch_up(sm, from);
    q->valid |= 1ull << s->rank;
    q->loads |= 1ull << s->rank;
}

void seat_copies_over(struct sm *sm, const struct seat *s, u64 now)
{
    struct scheduler *q = &sm->front.scheduler[s->scheduler];
    stalls_catch_up(sm, now);
    q->valid &= ~(1ull << s->rank);
    q->loads &= ~(1ull << s->rank);
    q->stall = NULL;
    seat_arm(sm, s, now);
    warp_prefetch(&s->context->warp);
}

void seat_phase_over(struct sm *sm, const struct seat *s, u64 now)
{
    seat_of(s)->not_before = now + 1;
    seat_arm(sm, s, now);
}

void seat_end(struct sm *sm, const struct seat *seat, u64 now)
{
    struct seat *s = seat_of(seat);
    s->buffered = 0;
    /* A deferred last instruction is not in written_at yet; class_order.c then sets the wheel
     * again. */
    s->not_before = max_u64(s->written_at, now + 1);
    wheel_set(sm, s, s->not_before, now);
}

/* ---- the timing wheel ---- */

u64 wheel_next(const struct sm *sm, u64 now)
{
    if (!sm->front.wheel_used) return NEVER;
    u32 from = (now + 1) % WHEEL;
    u64 turned = from ? sm->front.wheel_used >> from | sm->front.wheel_used << (WHEEL - from)
                      : sm->front.wheel_used;
    return now + 1 + (u32)__builtin_ctzll(turned);
}

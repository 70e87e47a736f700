/* What the other files may do to a seat and its scheduler: see front.h. */
#ifndef CORUN_SM_SEAT_H
#define CORUN_SM_SEAT_H

#include "chip/sm/state.h"

/* ---- asked ---- */

/* the first row of the current frame */
static inline u32 seat_frame(const struct seat *s) { return likely(!s->called) ? 0 : s->frame_row; }

/* What stands for each of an instruction's registers when its bank is asked for: its row, or the
 * number in its PTX name. */
static inline const u16 *bank_registers(const struct sm *sm, const struct inst *i)
{
    return unlikely(sm->conf->bank_of == BANK_OF_NAME) ? i->numbers : i->score;
}

static inline struct frame_of frame_of(const struct seat *s)
{
    return (struct frame_of){s->context, seat_frame(s), unlikely(s->called) ? s->frame_pred : 0,
                             s->bank_from};
}

/* a score of the current frame as an index into ready_at */
static inline u32 seat_score(const struct seat *s, u32 score)
{
    if (likely(!s->called)) return score;
    return score + (score >= s->row_n ? s->frame_pred : s->frame_row);
}

/* Model: gto: the warp that issued last, then the oldest; lrr and two-level: the next slot
 * after the one that issued last (machine description 2.3). */
static inline u32 scheduler_choose(const struct scheduler *q, u32 rule, u64 among)
{
    if (rule == SCHEDULER_GTO) {
        u64 same = among & (q->last < 64 ? 1ull << q->last : 0);
        return (u32)__builtin_ctzll(same ? same : among);
    }
    u64 after = q->last < 63 ? among & ~((2ull << q->last) - 1) : q->last == 63 ? 0 : among;
    return (u32)__builtin_ctzll(after ? after : among);
}

/* Whose warps these ranks hold, on a governed SM: a bit for each app. */
static inline u32 scheduler_apps(const struct scheduler *q, u64 ranks)
{
    u32 apps = 0;
    for (u32 left = ranks ? q->apps : 0; left; left &= left - 1)
        if (ranks & q->of_app[__builtin_ctz(left)]) apps |= left & -left;
    return apps;
}

/* What a generic address means is known when it is executed: it counts as memory until then. */
static inline bool head_goes_to_memory(const struct seat *s)
{
    u32 space = s->head->form.space;
    return space == SPACE_NONE || space == SPACE_GLOBAL || space == SPACE_LOCAL;
}

/* Its warp waits for a load from beyond shared memory, parameters and constants. */
static inline bool seat_waits_for_load(const struct sm *sm, const struct seat *s)
{
    const struct scheduler *q = &sm->front.scheduler[s->scheduler];
    return q->loads & q->blocked & 1ull << s->rank;
}

/* ---- told ---- */

/* The frame of head, and until it has issued of the one before: a step may end in another. */
static inline void seat_frame_set(struct seat *s, const struct warp *w)
{
    s->called = w->depth > 0;
    s->frame_row = (u16)((w->base[0] - w->rows) / ROW_BYTES);
    s->frame_pred = (u16)(w->pred - w->preds);
}

/* A seat and a scheduler, to be written; for the front's own files only. */
static inline struct seat *seat_of(const struct seat *s) { return (struct seat *)s; }
static inline struct scheduler *scheduler_of(const struct scheduler *q)
{
    return (struct scheduler *)q;
}

/* A scheduler may have something to issue from cycle `at` on. */
static inline void issue_wake(struct sm *sm, u64 at)
{
    front_of(sm)->issue_at = min_u64(sm->front.issue_at, at);
}

/* It looks again in cycle `at`, after `now`. */
static inline void wheel_set(struct sm *sm, const struct seat *s, u64 at, u64 now)
{
    hard_check(at > now);
    u64 when = at - now < WHEEL ? at : now + WHEEL - 1; /* later ones look again on the way */
    front_of(sm)->wheel[when % WHEEL][s->id / 64] |= 1ull << s->id % 64;
    front_of(sm)->wheel_used |= 1ull << (when % WHEEL);
}

static inline void fetch_want(struct sm *sm, u32 seat_id)
{
    front_of(sm)->want[seat_id / 64] |= 1ull << (seat_id % 64);
}
static inline bool fetch_wanted(const struct sm *sm)
{
    return (sm->front.want[0] | sm->front.want[1]) != 0;
}

/* All schedulers look again, and for why they do not issue. */
static inline void schedulers_look(struct sm *sm)
{
    issue_wake(sm, 0);
    for (u32 k = 0; k < sm->conf->schedulers; k++)
        scheduler_of(&sm->front.scheduler[k])->stall = NULL;
}

/* The schedulers' turns leave out so many cycles. */
static inline void turns_skip(struct sm *sm, u64 cycles) { front_of(sm)->turns_from += cycles; }

/* The step of a warp has failed. */
static inline void front_fault(struct sm *sm, const struct context *c)
{
    front_of(sm)->faulted = true;
    front_of(sm)->fault_of = c;
}

/* Its warp waits for something, see context.wait, or does no more. */
static inline void seat_waits(const struct seat *s, bool waits)
{
    seat_of(s)->waits = waits;
}

/* A result of its warp is written in cycle `at`. */
static inline void seat_written(const struct seat *s, u64 at)
{
    struct seat *own = seat_of(s);
    own->written_at = max_u64(own->written_at, at);
}

/* When its operands can be read has changed. */
static inline void seat_unsure(const struct seat *s) { seat_of(s)->sure = false; }

/* Nothing of its warp is looked at before cycle `at`. */
static inline void seat_delay(const struct seat *s, u64 at)
{
    struct seat *own = seat_of(s);
    own->not_before = max_u64(own->not_before, at);
}

/* Its warp waits for copies: it counts as one that waits for loads. */
static inline void seat_copies_wait(struct sm *sm, const struct seat *s)
{
    struct scheduler *q = scheduler_of(&sm->front.scheduler[s->scheduler]);
    q->valid |= 1ull << s->rank;
    q->loads |= 1ull << s->rank;
}

#endif

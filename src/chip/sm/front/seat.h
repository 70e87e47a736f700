/* Functions for other files to query and change warp slots and schedulers: see front.h. */
#ifndef CORUN_SM_SEAT_H
#define CORUN_SM_SEAT_H

#include "chip/sm/state.h"

/* ---- queries ---- */

/* Returns the first row of the current frame. */
static inline u32 seat_frame(const struct seat *s) { return likely(!s->called) ? 0 : s->frame_row; }

/* Returns the numbers from which the banks of an instruction's registers follow: rows, or with
 * sm.bank_of=name the numbers in the PTX names. */
static inline const u16 *bank_registers(const struct sm *sm, const struct inst *i)
{
    return unlikely(sm->conf->bank_of == BANK_OF_NAME) ? i->numbers : i->score;
}

/* Returns the pipeline of the head. */
static inline enum pipe head_pipe(const struct sm *sm, const struct seat *s)
{
    return (enum pipe)sm->common->pipe_of[s->head->unit][s->head->cost];
}

static inline struct frame_of frame_of(const struct seat *s)
{
    return (struct frame_of){s->context, seat_frame(s), unlikely(s->called) ? s->frame_pred : 0,
                             s->bank_from};
}

/* Returns the index into ready_at for a scoreboard entry of the current frame. */
static inline u32 seat_score(const struct seat *s, u32 score)
{
    if (likely(!s->called)) return score;
    return score + (score >= s->row_n ? s->frame_pred : s->frame_row);
}

/* Returns the rank in `among` that issues. Model: gto: the warp that issued last, then the oldest;
 * lrr and two-level: the next slot after the slot that issued last (machine description 2.3). */
static inline u32 scheduler_choose(const struct scheduler *q, u32 rule, u64 among)
{
    if (rule == SCHEDULER_GTO) {
        u64 same = among & (q->last < 64 ? 1ull << q->last : 0);
        return (u32)__builtin_ctzll(same ? same : among);
    }
    u64 after = q->last < 63 ? among & ~((2ull << q->last) - 1) : q->last == 63 ? 0 : among;
    return (u32)__builtin_ctzll(after ? after : among);
}

/* Returns the apps whose warps hold these ranks, a bit each. The SM must be governed. */
static inline u32 scheduler_apps(const struct scheduler *q, u64 ranks)
{
    u32 apps = 0;
    for (u32 left = ranks ? q->apps : 0; left; left &= left - 1)
        if (ranks & q->of_app[__builtin_ctz(left)]) apps |= left & -left;
    return apps;
}

/* True if the head may access global or local memory. The space of a generic address is known only
 * at execution; until then the access counts as memory. */
static inline bool head_goes_to_memory(const struct seat *s)
{
    u32 space = s->head->space;
    return space == SPACE_NONE || space == SPACE_GLOBAL || space == SPACE_LOCAL;
}

/* True if the warp waits for a load or atomic in global or local memory; loads of shared memory,
 * parameters and constants do not count. */
static inline bool seat_waits_for_load(const struct sm *sm, const struct seat *s)
{
    const struct scheduler *q = &sm->front.scheduler[s->scheduler];
    return q->loads & q->blocked & 1ull << s->rank;
}

/* ---- changes ---- */

/* Sets the frame of the head from the warp's current frame. Call after the issued instruction has
 * been timed: the issued instruction uses the old frame, and warp_step may have entered or left a
 * function. */
static inline void seat_frame_set(struct seat *s, const struct warp *w)
{
    s->called = w->depth > 0;
    struct frame f = warp_frame(w);
    s->frame_row = (u16)(f.row / ROW_BYTES);
    s->frame_pred = (u16)f.pred;
}

/* Return a warp slot and a scheduler for writing. Reserved for the front's own files. */
static inline struct seat *seat_of(const struct seat *s) { return (struct seat *)s; }
static inline struct scheduler *scheduler_of(const struct scheduler *q)
{
    return (struct scheduler *)q;
}

/* Notifies the front that a scheduler may be able to issue from cycle `at` on. */
static inline void issue_wake(struct sm *sm, u64 at)
{
    front_of(sm)->issue_at = min_u64(sm->front.issue_at, at);
}

/* Sets the timing wheel to examine the warp slot in cycle `at`, which must be after `now`. */
static inline void wheel_set(struct sm *sm, const struct seat *s, u64 at, u64 now)
{
    hard_check(at > now);
    /* A later cycle does not fit in the wheel: the slot is examined earlier and set again. */
    u64 when = at - now < WHEEL ? at : now + WHEEL - 1;
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

/* Excludes cycles without a block from the schedulers' rotation. */
static inline void turns_skip(struct sm *sm, u64 cycles) { front_of(sm)->turns_from += cycles; }

/* Records a fault of the warp. */
static inline void front_fault(struct sm *sm, const struct context *c)
{
    front_of(sm)->faulted = sm->notify = true;
    front_of(sm)->fault_of = c;
}

/* Sets whether the warp waits (context.wait) or has ended. */
static inline void seat_waits(const struct seat *s, bool waits)
{
    seat_of(s)->waits = waits;
}

/* Notes that a result of the warp is written back in cycle `at`. */
static inline void seat_written(const struct seat *s, u64 at)
{
    struct seat *own = seat_of(s);
    own->written_at = max_u64(own->written_at, at);
}

/* Notes that the ready times of the head's operands have changed. */
static inline void seat_unsure(const struct seat *s) { seat_of(s)->sure = false; }

/* Delays all actions for the warp to cycle `at` or later. */
static inline void seat_delay(const struct seat *s, u64 at)
{
    struct seat *own = seat_of(s);
    own->not_before = max_u64(own->not_before, at);
}

#endif

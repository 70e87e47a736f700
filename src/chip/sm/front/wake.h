/* Determines when the head of a warp's instruction buffer can issue: see wake.c. */
#ifndef CORUN_SM_WAKE_H
#define CORUN_SM_WAKE_H

#include "chip/sm/front/stall.h"

/* seat_arm examines a warp slot if the warp does not wait and has an instruction; before
 * not_before, seat_arm sets the timing wheel instead. May be called too early or repeatedly.
 * seat_look examines the slot without these conditions: records whether the head can issue at `now`
 * or when. */
void seat_look(struct sm *sm, const struct seat *s, u64 now);
static inline void seat_arm(struct sm *sm, const struct seat *s, u64 now)
{
    if (s->waits || !s->buffered) return;
    if (s->not_before > now) wheel_set(sm, s, s->not_before, now);
    else seat_look(sm, s, now);
}

/* Notes that a memory instruction of the warp has completed; the head may have waited for the
 * result. */
static inline void seat_load_over(struct sm *sm, const struct seat *s, u64 now)
{
    struct scheduler *q = scheduler_of(&sm->front.scheduler[s->scheduler]);
    u64 bit = 1ull << s->rank;
    if (!(q->loads & bit) || s->waits) return;
    stalls_catch_up(sm, now);
    q->loads &= ~bit;
    seat_arm(sm, s, now);
    warp_prefetch(&s->context->warp);
}

/* seat_copies_wait notes that the warp waits for copies to shared memory from cycle `from` on; for
 * statistics the warp waits for a load. seat_copies_over ends the wait. */
void seat_copies_wait(struct sm *sm, const struct seat *s, u64 from);
void seat_copies_over(struct sm *sm, const struct seat *s, u64 now);
/* Notes the end of an mbarrier phase for which try_wait has suspended the warp. The warp can issue
 * from `now` + 1 on. */
void seat_phase_over(struct sm *sm, const struct seat *s, u64 now);
/* Notes that the warp has ended: the timing wheel is set for the write-back of the last result. */
void seat_end(struct sm *sm, const struct seat *s, u64 now);

/* Returns the next cycle after `now` with a nonempty entry of the timing wheel; NEVER: none. */
u64 wheel_next(const struct sm *sm, u64 now);

#endif

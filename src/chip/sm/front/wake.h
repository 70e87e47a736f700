/* A seat looks whether the head of its buffer can issue: see wake.c. */
#ifndef CORUN_SM_WAKE_H
#define CORUN_SM_WAKE_H

#include "chip/sm/front/seat.h"

/* Looks whether its head can issue from `now` on, if it waits for nothing and has one. May be
 * called too early or twice: it looks again. seat_look: without these questions. */
void seat_look(struct sm *sm, const struct seat *s, u64 now);
static inline void seat_arm(struct sm *sm, const struct seat *s, u64 now)
{
    if (s->waits || !s->buffered) return;
    if (s->not_before > now) wheel_set(sm, s, s->not_before, now);
    else seat_look(sm, s, now);
}

/* A memory instruction of its warp is over, which its head may have waited for. */
static inline void seat_load_over(struct sm *sm, const struct seat *s, u64 now)
{
    struct scheduler *q = scheduler_of(&sm->front.scheduler[s->scheduler]);
    u64 bit = 1ull << s->rank;
    if (!(q->loads & bit) || s->waits) return;
    q->loads &= ~bit;
    seat_arm(sm, s, now);
    warp_prefetch(&s->context->warp, s->head);
}

/* Its warp waits for copies no more. */
void seat_copies_over(struct sm *sm, const struct seat *s, u64 now);
/* A phase that its warp has tried to wait for is over: it issues from `now` + 1 on. */
void seat_phase_over(struct sm *sm, const struct seat *s, u64 now);
/* Its warp has ended: what it has issued is to be written back. */
void seat_end(struct sm *sm, const struct seat *s, u64 now);

u64 wheel_next(const struct sm *sm, u64 now); /* the next cycle after `now` with one; or NEVER */

#endif

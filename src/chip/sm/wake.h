/* A seat looks whether the head of its buffer can issue: see wake.c. */
#ifndef CORUN_SM_WAKE_H
#define CORUN_SM_WAKE_H

#include "chip/sm/state.h"

/* Looks whether its head can issue from `now` on, if it waits for nothing and has one. May be
 * called too early or twice: it looks again. seat_look: without these questions. */
void seat_look(struct sm *sm, struct seat *s, u64 now);
static inline void seat_arm(struct sm *sm, struct seat *s, u64 now)
{
    if (s->waits || !s->buffered) return;
    if (s->not_before > now) wheel_set(sm, s, s->not_before, now);
    else seat_look(sm, s, now);
}

#endif

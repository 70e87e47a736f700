/* A seat looks whether the head of its buffer can issue: see wake.c. */
#ifndef CORUN_SM_WAKE_H
#define CORUN_SM_WAKE_H

#include "chip/sm/state.h"

/* Decides whether its head can issue from `now` on; seat_look: it is decoded by then. */
void seat_look(struct sm *sm, struct seat *s, u64 now);
static inline void seat_arm(struct sm *sm, struct seat *s, u64 now)
{
    if (s->waits || !s->buffered) return;
    if (s->fetch_at > now) wheel_set(sm, s, s->fetch_at, now);
    else seat_look(sm, s, now);
}

#endif

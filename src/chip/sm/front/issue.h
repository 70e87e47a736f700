/* A cycle of the schedulers and of fetch: see issue.c. */
#ifndef CORUN_SM_ISSUE_H
#define CORUN_SM_ISSUE_H

#include "chip/sm/front/seat.h"

void issue_tick(struct sm *sm, u64 now);
void fetch_tick(struct sm *sm, u64 now);
void wheel_turn(struct sm *sm, u64 now); /* seats whose time has come look again */
static inline void sm_repeats_clear(struct sm *sm) { front_of(sm)->repeats = false; } /* for gpu */

#endif

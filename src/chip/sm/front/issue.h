/* One cycle of the warp schedulers and of instruction fetch: see issue.c. */
#ifndef CORUN_SM_ISSUE_H
#define CORUN_SM_ISSUE_H

#include "chip/sm/front/seat.h"

void issue_init(struct sm *sm); /* chooses front.issue */
void issue_tick(struct sm *sm, u64 now);
void fetch_tick(struct sm *sm, u64 now);
void wheel_turn(struct sm *sm, u64 now); /* examines due warp slots */
/* called by gpu */
static inline void sm_repeats_clear(struct sm *sm) { front_of(sm)->repeats = false; }

#endif

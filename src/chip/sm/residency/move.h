/* The SM's switch engine: units of a launch change places, a pair at a time. */
#ifndef CORUN_SM_MOVE_H
#define CORUN_SM_MOVE_H

#include "chip/sm/state.h"

void move_start(struct sm *sm, u64 now); /* the next, if any can; none is under way */
void move_over(struct sm *sm, u64 now);

#endif

/* Blocks whose state is on its way off the chip or back: preempt: switch. See transfer.c; the doors
 * for gpu are in sm.h. */
#ifndef CORUN_SM_TRANSFER_H
#define CORUN_SM_TRANSFER_H

#include "chip/sm/state.h"

void transfer_add(struct sm *sm, struct block *b, u64 now); /* it is SAVING or LOADING */
void transfer_tick(struct sm *sm, u64 now); /* from sm->transfer.at on */
/* A line of the block in that slot has reached memory, or come back. */
void transfer_answered(struct sm *sm, u32 slot);

#endif

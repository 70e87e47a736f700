/* Blocks whose state is on its way off the chip or back (preempt: switch): see transfer.c. */
#ifndef CORUN_SM_TRANSFER_H
#define CORUN_SM_TRANSFER_H

#include "chip/sm/state.h"

void transfer_add(struct sm *sm, struct block *b, u64 now); /* it is SAVING or LOADING */
void transfer_tick(struct sm *sm, u64 now); /* from sm->blocks.transfer.at on */
/* A request that belongs to no pending access is over: of a line that has reached memory, or come
 * back, or of a write-back. */
void transfer_reply(struct sm *sm, u32 req_id);

/* For gpu: a block that has gone or come, once; NULL: no more. */
struct block *sm_transferred(struct sm *sm);

#endif

/* Saving and loading of block states (preemption by `switch`): see transfer.c. */
#ifndef CORUN_SM_TRANSFER_H
#define CORUN_SM_TRANSFER_H

#include "chip/sm/state.h"

void transfer_add(struct sm *sm, struct block *b, u64 now); /* block in state SAVING or LOADING */
void transfer_tick(struct sm *sm, u64 now); /* call from transfer.at on */
/* Completes a request without a pending access: a saved line has reached memory, a loaded line has
 * arrived, or a write-back is complete. */
void transfer_reply(struct sm *sm, u32 req_id);

/* Returns a block whose transfer is complete, each block once; NULL: no more. Called by gpu. */
struct block *sm_transferred(struct sm *sm);

#endif

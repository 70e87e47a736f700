/* Saving and loading of block states (preemption by `switch`): see transfer.c. */
#ifndef CORUN_SM_TRANSFER_H
#define CORUN_SM_TRANSFER_H

#include "chip/sm/state.h"

void transfer_add(struct sm *sm, struct block *b, u64 now); /* block in state SAVING or LOADING */
void transfer_tick(struct sm *sm, u64 now); /* call from transfer.at on */
/* Completes a request without a pending access: a saved line has reached memory, a loaded line has
 * arrived, or a write-back is complete. */
void transfer_reply(struct sm *sm, u32 req_id);

/* Saves, or loads, `lines` lines of state for the app: registers and shared memory of the SM that
 * belong to no block. The SM has no block. On completion sm_rest_over returns true, once. */
void sm_move_rest(struct sm *sm, u32 app_id, bool saves, u32 lines, u64 now);
bool sm_rest_over(struct sm *sm);
/* Returns a block whose transfer is complete, each block once; NULL: no more. Called by gpu. */
struct block *sm_transferred(struct sm *sm);

#endif

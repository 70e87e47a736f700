/* What an SM makes known after a tick: retired and moved blocks, finished transfers, and accesses
 * completed for warps of other SMs. Called by step.c. */
#ifndef CORUN_GPU_NOTIFY_H
#define CORUN_GPU_NOTIFY_H

#include "gpu/state.h"

/* Handles an SM's pending notifications: retired and moved blocks, finished transfers, and accesses
 * completed for contexts at other SMs, which are handed over at the next edge. */
void notifications_take(struct gpu *g, u32 id, u64 now);

/* Hands over accesses that completed in the last cycle for warps seated at another SM than the SM
 * that made the access. Order: by SM, then by completion. */
void ends_hand_over(struct gpu *g, u64 now);

#endif

/* Owners of counters. Counters of the SMs, L2, crossbars and DRAM are arrays by owner
 * (cache/req.h). Usually an app owns all counters of its launches. With by_launch in the setup each
 * launch becomes an owner with its first block, and an app's counters are the sum over EACH_OWNER
 * (chip/sm/state.h).
 *
 * Invariants: An owner keeps the counters of an ended launch until another launch becomes the
 * owner; then the app takes over the counters. Effects of a launch after its end, as a fetch of L2
 * for a store, still count for the owner, hence owners are reused in the order in which their
 * launches ended, and only after several other launches have ended. While all owners have launches,
 * the app owns the counters of a further launch. */
#ifndef CORUN_GPU_OWNER_H
#define CORUN_GPU_OWNER_H

#include "gpu/state.h"

struct gpu_stat;

void owners_init(struct owners *o, bool by_launch);
/* Returns the owner for a launch of the app: an owner of its own, or the app. */
u32 owner_take(struct gpu *g, u32 app_id);
/* The owner's launch has ended. */
void owner_give(struct gpu *g, u32 owner);
/* Corrects the sum of the counters of an app's owners: restores the counters that `app`, the owner
 * of the whole app, counts for all launches and that do not add up. */
void owner_whole_app(struct gpu_stat *sum, const struct gpu_stat *app);

#endif

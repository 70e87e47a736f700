/* Quotas, order of apps, and urgent blocks: see quota.c. Only for governed SMs. */
#ifndef CORUN_SM_QUOTA_H
#define CORUN_SM_QUOTA_H

#include "chip/sm/state.h"

/* Chooses an app by the policy's order: the first app with a warp that can issue (a rank in
 * `among`). Returns the ranks of the app, for the scheduler to choose from. Adds to *earlier the
 * ranks of the apps examined before, none of which can issue. */
u64 order_pick(struct sm *sm, const struct scheduler *q, u64 among, u64 *earlier);
/* Gives precedence to the warps of urgent blocks. If urgent ranks can issue (are in *among),
 * removes all other ranks from *among and returns the urgent ranks: the scheduler examines only
 * urgent warps in this cycle. Otherwise sets *earlier to the urgent ranks, examined first, and
 * returns all ones: the scheduler examines other warps, too. (Stale buffers are emptied on
 * examination: see flush in issue.c.) */
u64 urgent_pick(const struct scheduler *q, u64 *among, u64 *earlier);
/* Accounts for the issue of the warp at `rank`: quota and order. */
void governed_issue(struct sm *sm, const struct scheduler *q, u32 rank, u64 now);
/* Updates the quotas after a block has come or gone, for the cycles from `from` on. */
void quota_moved(struct sm *sm, u64 from);

/* Functions for gpu. */
/* Sets quotas, in warp instructions. New quotas take effect when all quotas are used up; the first
 * quota of an app takes effect at once. */
void sm_set_quota(struct sm *sm, const u32 quota[APPS_MAX], u64 now);
/* Sets the order from the next cycle on: the app with the lowest rank[app] issues first. */
void sm_set_order(struct sm *sm, const u32 rank[APPS_MAX], enum corun_rule rule, u64 now);
/* Marks the blocks in these slots as urgent from the next cycle on: their warps issue before all
 * others. */
void sm_set_urgent(struct sm *sm, u64 slots, u64 now);

#endif

/* What quotas, orders and urgent blocks have issued: see quota.c. For SMs that are governed. */
#ifndef CORUN_SM_QUOTA_H
#define CORUN_SM_QUOTA_H

#include "chip/sm/state.h"

/* The ranks, of those that could issue, among which the scheduler chooses. earlier: those that it
 * has looked at before. */
u64 order_pick(struct sm *sm, const struct scheduler *q, u64 among, u64 *earlier);
/* If warps of urgent blocks are among these ranks, only they stay. Those that are looked at before
 * any other, the rest not at all; none of them: all are. */
u64 urgent_pick(const struct scheduler *q, u64 *among, u64 *earlier);
void governed_issue(struct sm *sm, const struct scheduler *q, u32 rank); /* the warp there issues */
void quota_moved(struct sm *sm); /* a block came or went */

/* Doors for gpu. */
/* quota[app], in warp instructions: from the next time on that all are used up; an app that had
 * none has it at once */
void sm_set_quota(struct sm *sm, const u32 quota[APPS_MAX], u64 now);
/* rank[app]: the lowest issues first, from the next cycle on */
void sm_set_order(struct sm *sm, const u32 rank[APPS_MAX], enum corun_rule rule, u64 now);
/* warps of the blocks in these slots issue before all others, from the next cycle on */
void sm_set_urgent(struct sm *sm, u64 slots, u64 now);

#endif

/* Changes to an SM's L1 by launches, policies and extra blocks. */
#ifndef CORUN_SM_L1_CHANGE_H
#define CORUN_SM_L1_CHANGE_H

#include "chip/sm/state.h"

/* Called by gpu. A result of true means: a refused access must be tried again in the next cycle. */
/* Drops the app's lines when a kernel starts. */
bool sm_invalidate(struct sm *sm, u32 app_id);
/* Gives L1 the memory beside a carve-out for shared memory. Returns false while accesses are in
 * flight or dirty lines are written back: call again in the next cycle. */
bool lsu_carve(struct sm *sm, u32 carveout_bytes, u64 now);
bool sm_resize_l1(struct sm *sm, bool starts); /* see l1_resize */
/* Adds the counters of L1 and texture cache of owner `from` to those of `to`. */
void lsu_hand_over(struct sm *sm, u32 from, u32 to);
/* Limit the L1 resources of each app: see l1_set_ways and l1_set_entries. */
bool sm_set_l1_ways(struct sm *sm, const u16 ways[APPS_MAX]);
bool sm_set_l1_entries(struct sm *sm, const u16 mshrs[APPS_MAX], const u16 missq[APPS_MAX]);
/* Lets L1 observe replaced lines: see cache/victims.h. */
void sm_watch_victims(struct sm *sm, struct arena *arena);
/* See l1_watch_reuse. */
void sm_watch_reuse(struct sm *sm, struct arena *arena, u32 every, u32 app_n);
void l1_drop(struct sm *sm); /* drops all lines, as a launch does */

#endif

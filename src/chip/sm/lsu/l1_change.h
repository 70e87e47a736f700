/* What launches, policies and extra blocks change of an SM's L1. */
#ifndef CORUN_SM_L1_CHANGE_H
#define CORUN_SM_L1_CHANGE_H

#include "chip/sm/state.h"

/* Doors for gpu. */
/* a kernel of it starts; true: a refused access has to be tried again in the next cycle */
bool sm_invalidate(struct sm *sm, u32 app_id);
bool sm_resize_l1(struct sm *sm, bool starts); /* see l1_resize; true: as for sm_invalidate */
/* What an app may have of L1, see l1_set_ways and l1_set_entries; true: as for sm_invalidate. */
bool sm_set_l1_ways(struct sm *sm, const u16 ways[APPS_MAX]);
bool sm_set_l1_entries(struct sm *sm, const u16 mshrs[APPS_MAX], const u16 missq[APPS_MAX]);
/* See l1_watch_reuse. */
void sm_watch_reuse(struct sm *sm, struct arena *arena, u32 every, u32 app_n);
void l1_drop(struct sm *sm); /* all lines, as at a launch */

#endif

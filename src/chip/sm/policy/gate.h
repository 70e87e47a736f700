/* Gates: limits on memory instructions and the arbiter, see gate.c. Only for gated SMs. */
#ifndef CORUN_SM_GATE_H
#define CORUN_SM_GATE_H

#include "chip/sm/state.h"

/* Returns the apps with a memory instruction at the ranks in `among` that no gate holds back, a bit
 * each. */
u32 gate_apps(const struct sm *sm, const struct scheduler *q, u64 among);
/* If at least two bits of `apps` are set, lets the arbiter choose the app allowed to issue memory
 * instructions in this cycle; the other apps are held back. */
void gate_contest(struct sm *sm, u32 apps, u64 now);
/* Notes that a scheduler has picked the head of warp slot s to issue in this cycle; p: pipeline of
 * the head. Until the issue, gate.picked counts the instruction against the app's limit. */
void gate_pick(struct sm *sm, const struct seat *s, enum pipe p, u64 now);
/* Call after all schedulers have picked, before the picked instructions issue. Clears gate.picked,
 * because a picked instruction counts in lsu.in_flight once issued. Apps held back at the time of
 * the call stay held back for the rest of the cycle. */
void gate_picks_over(struct sm *sm, u64 now);
/* Call after all picked instructions have issued: updates the arbiter's statistics and ends the
 * holds of the cycle. */
void gate_cycle_over(struct sm *sm, u64 now);
/* Determines the apps to hold back from cycle `from` on. Call after a memory instruction has
 * ended. */
void gate_look(struct sm *sm, u64 from);

/* Functions for gpu. */
/* Limits the memory instructions in flight of app a to limit[a], from the next cycle on. */
void sm_set_limit(struct sm *sm, const u32 limit[APPS_MAX], u64 now);
/* Sets the arbiter, before the first cycle. If memory instructions of two or more apps could issue
 * in a cycle, `choose` returns the app allowed to issue. */
void sm_set_arbiter(struct sm *sm, u32 (*choose)(void *of, const struct sm *sm, u32 apps, u64 now),
                    void *of);

#endif

/* Gates of memory instructions: see gate.c. For SMs that are gated. */
#ifndef CORUN_SM_GATE_H
#define CORUN_SM_GATE_H

#include "chip/sm/state.h"

u64 gate_holds_some(const struct sm *sm, const struct scheduler *q);
/* Ranks whose head a gate holds back in this cycle; mostly none. */
static inline u64 gate_holds(const struct sm *sm, const struct scheduler *q)
{
    return sm->policy.gate.held && q->ready[PIPE_MEM] ? gate_holds_some(sm, q) : 0;
}
/* apps that have a memory instruction among these ranks */
u32 gate_apps(const struct sm *sm, const struct scheduler *q, u64 among);
void gate_contest(struct sm *sm, u32 apps, u64 now); /* these could issue one: who may? */
void gate_pick(struct sm *sm, const struct seat *s, enum pipe p); /* it issues in this cycle */
/* All schedulers have picked: what was picked counts as in flight when it issues, and who is held
 * now is held for all of the cycle. */
void gate_picks_over(struct sm *sm);
void gate_cycle_over(struct sm *sm, u64 now); /* all that was picked has issued */
void gate_look(struct sm *sm);       /* an instruction has ended: who is held may be another */

/* Doors for gpu. */
/* limit[app]: of memory instructions in flight, from the next cycle on */
void sm_set_limit(struct sm *sm, const u32 limit[APPS_MAX], u64 now);
/* Of apps with a memory instruction that could issue, two or more, it says each cycle which may. */
void sm_set_arbiter(struct sm *sm, u32 (*choose)(void *of, const struct sm *sm, u32 apps, u64 now),
                    void *of);

#endif

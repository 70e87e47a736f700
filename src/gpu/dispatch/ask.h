/* What place.c has a policy asked. Answers are checked with the SMs' ledger and used as far as they
 * fit. */
#ifndef CORUN_ASK_H
#define CORUN_ASK_H

#include "gpu/dispatch/place_state.h"

bool ask_init(struct place *p, const struct gpu_setup *setup, struct arena *arena,
              struct fail *fail);
void ask_policy(struct place *p, u64 now); /* what is due: timers, admit, share, preempt */
void ask_after(struct place *p, u64 now);  /* blocks have started: groups of SMs, timers */

#endif

/* Calls of policy hooks on behalf of dispatch.c. Answers are checked against the SMs' ledgers and
 * applied as far as blocks fit. */
#ifndef CORUN_ASK_H
#define CORUN_ASK_H

#include "gpu/dispatch/dispatch_state.h"

/* Adds the error of a policy that refuses the run, with the sentence `why`. */
void ask_refuse(const struct gpu_mechanism *by, struct fail *fail, const char *why);
/* Fills what `init` of policies gets. */
void ask_setup(const struct gpu_setup *setup, struct corun_setup *out);
bool ask_init(struct dispatch *p, const struct gpu_setup *setup, struct arena *arena,
              struct fail *fail);
void ask_policy(struct dispatch *p, u64 now); /* calls admit, share, residency and preempt */
/* Call after blocks have started. Calls the groups of SMs and partitions, reads timers. */
void ask_after(struct dispatch *p, u64 now);

/* Starts or ends the drain of a kernel on an SM, after each change of targets or blocks. */
void ask_drain(struct dispatch *p, struct kernel *k, u32 sm, u64 now);
/* Switches blocks that have drained for preempt.limit cycles. Due in cycle p->drain_ends. */
void ask_drains_end(struct dispatch *p, u64 now);

#endif

/* drain: blocks above the target run to their end. Draining is also the default without a policy of
 * the group `preempt`; this policy makes the choice explicit. Paper 004 section 3.3.4. */
#include "corun/policy.h"

static enum corun_preempt drain_preempt(void *state, const struct corun_view *view,
                                        const struct corun_block *block)
{
    (void)state, (void)view, (void)block;
    return CORUN_DRAIN;
}

const struct corun_policy corun_policy_drain = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "drain",
    .sentence = "Excess blocks on an SM run to completion; same as without a policy.",
    .source = "paper 004 section 3.3.4",
    .preempt = drain_preempt,
};

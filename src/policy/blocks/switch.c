/* switch: blocks above the target are saved, through the SM's own path to memory or in the time
 * given by preempt.latency, and loaded again on an SM with room. Paper 002 section 5 (Chimera's
 * context switch). */
#include "corun/policy.h"

static enum corun_preempt switch_preempt(void *state, const struct corun_view *view,
                                         const struct corun_block *block)
{
    (void)state, (void)view, (void)block;
    return CORUN_SWITCH;
}

const struct corun_policy corun_policy_switch = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "switch",
    .sentence = "Saves excess blocks to memory; the blocks continue on other SMs.",
    .source = "paper 002 section 5",
    .preempt = switch_preempt,
};

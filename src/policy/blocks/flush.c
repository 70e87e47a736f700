/* flush: idempotent blocks above the target are aborted and restarted elsewhere, with unchanged
 * results; other blocks run to their end. Paper 002 section 5 (Chimera's flush). */
#include "corun/policy.h"

static uint32_t flush_needs(const struct corun_value *values)
{
    (void)values;
    return CORUN_NEEDS_IDEMPOTENCE;
}

static enum corun_preempt flush_preempt(void *state, const struct corun_view *view,
                                        const struct corun_block *block)
{
    (void)state, (void)view;
    return block->idempotent ? CORUN_FLUSH : CORUN_DRAIN;
}

const struct corun_policy corun_policy_flush = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "flush",
    .sentence = "Restarts excess blocks on other SMs if a restart is correct.",
    .source = "paper 002 section 5",
    .needs = flush_needs,
    .preempt = flush_preempt,
};

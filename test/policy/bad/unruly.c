/* Ranks apps at DRAM by a rule not defined for a channel. */
#include "corun/policy.h"

static enum corun_rule unruly_rank(void *state, const struct corun_view *view, uint32_t partition,
                                   uint32_t *rank)
{
    (void)state, (void)view, (void)partition, (void)rank;
    return CORUN_LEAST_RATIO;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "unruly",
    .sentence = "DRAM serves apps by a rule of warps.",
    .dram_rank = unruly_rank,
};

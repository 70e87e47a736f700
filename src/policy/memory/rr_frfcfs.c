/* rr-frfcfs: among requests missing the open row of their bank, a channel serves the apps in turn,
 * the oldest request of each; row hits go first, whatever their app. Apps therefore open rows
 * equally often, and an app with more requests per row moves more bytes. Paper 001 sections 4.2 and
 * 8.1. */
#include "corun/policy.h"

static enum corun_rule rr_rank(void *state, const struct corun_view *view, uint32_t partition,
                               uint32_t *rank)
{
    (void)state, (void)view, (void)partition, (void)rank;
    return CORUN_ROTATE;
}

static uint32_t rr_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_SYMMETRIC;
}

const struct corun_policy corun_policy_rr_frfcfs = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "rr-frfcfs",
    .sentence = "DRAM opens rows for apps in turn.",
    .source = "paper 001 section 4.2",
    .dram_rank = rr_rank,
    .traits = rr_traits,
};

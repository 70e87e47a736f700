/* kernel-lrr: at each scheduler the kernels of an SM take turns, each with its warps in their own
 * order and the warp that it issued from last. Who has a warp that could issue gets the turn next,
 * whether it was served or not; who has none is passed over. Paper 002 section 4.3 (LRR). */
#include "corun/policy.h"

static enum corun_rule kernel_lrr_order(void *state, const struct corun_view *view, uint32_t sm,
                                        uint32_t *rank)
{
    (void)state, (void)view, (void)sm, (void)rank;
    return CORUN_ROTATE;
}

static uint32_t kernel_lrr_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_SYMMETRIC;
}

const struct corun_policy corun_policy_kernel_lrr = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "kernel-lrr",
    .sentence = "Warps of kernels issue in turns, greedy-then-oldest inside each.",
    .source = "paper 002 section 4.3",
    .order = kernel_lrr_order,
    .traits = kernel_lrr_traits,
};

/* kernel-lrr: at each scheduler the kernels of an SM take turns. Each kernel keeps its own order of
 * warps and its own last-issued warp. The turn passes to the next kernel with a warp that could
 * issue, whether the warp was issued or not; kernels without such a warp are skipped. Paper 002
 * section 4.3 (LRR). */
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

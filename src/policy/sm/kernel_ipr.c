/* kernel-ipr: each scheduler prefers the kernel that has issued the smallest fraction of its ready
 * instructions, counted as ready warps summed over cycles. Within a kernel warps keep their order.
 * Paper 002 section 5.2 (IPR, equation 3). */
#include "corun/policy.h"

static enum corun_rule kernel_ipr_order(void *state, const struct corun_view *view, uint32_t sm,
                                        uint32_t *rank)
{
    (void)state, (void)view, (void)sm, (void)rank;
    return CORUN_LEAST_RATIO;
}

static uint32_t kernel_ipr_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_SYMMETRIC;
}

const struct corun_policy corun_policy_kernel_ipr = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "kernel-ipr",
    .sentence = "The kernel with the fewest issues per ready warp goes first.",
    .source = "paper 002 section 5.2",
    .order = kernel_ipr_order,
    .traits = kernel_ipr_traits,
};

/* Answers with a block of every kernel more than an empty SM can hold. */
#include "corun/policy.h"

static void overfull_share(void *state, const struct corun_view *view, uint32_t *target)
{
    (void)state;
    for (uint32_t s = 0; s < view->sm_n; s++)
        for (uint32_t k = 0; k < view->kernel_n; k++)
            target[s * view->kernel_n + k] = view->kernels[k].full_blocks + 1;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "overfull",
    .sentence = "More blocks than an SM can hold.",
    .share = overfull_share,
};

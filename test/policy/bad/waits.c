/* The first app issues an instruction, then waits for very many of the second. */
#include "corun/policy.h"

static void waits_quota(void *state, const struct corun_view *view, uint32_t sm, uint32_t *quota)
{
    (void)state, (void)sm;
    for (uint32_t k = 0; k < view->kernel_n; k++)
        quota[k] = view->kernels[k].app_id ? 1000000000 : 1;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "waits",
    .sentence = "The first app has a quota of 1, the others of very many.",
    .quota = waits_quota,
};

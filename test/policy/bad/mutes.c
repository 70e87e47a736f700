/* Lets no memory instruction of the second app issue. */
#include "corun/policy.h"

static void mutes_limit(void *state, const struct corun_view *view, uint32_t sm, uint32_t *limit)
{
    (void)state, (void)sm;
    for (uint32_t k = 0; k < view->kernel_n; k++)
        if (view->kernels[k].app_id == 1) limit[k] = 0;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "mutes",
    .sentence = "The second app may have no memory instruction in flight.",
    .limit = mutes_limit,
};

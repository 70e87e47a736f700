/* Gives the second app no block on any SM, for ever. */
#include "corun/policy.h"

static void starves_share(void *state, const struct corun_view *view, uint32_t *target)
{
    (void)state;
    for (uint32_t s = 0; s < view->sm_n; s++)
        for (uint32_t k = 0; k < view->kernel_n; k++)
            if (view->kernels[k].app_id == 1) target[s * view->kernel_n + k] = 0;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "starves",
    .sentence = "The second app gets nothing.",
    .share = starves_share,
};

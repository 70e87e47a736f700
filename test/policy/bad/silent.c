/* Never answers: the policy admits no kernel. */
#include "corun/policy.h"

static void silent_admit(void *state, const struct corun_view *view, bool *admit)
{
    (void)state;
    for (uint32_t k = 0; k < view->kernel_n; k++) admit[k] = false;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "silent",
    .sentence = "Nobody is let in.",
    .admit = silent_admit,
};

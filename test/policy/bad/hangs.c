/* Never answers: the admit hook does not return. */
#include "corun/policy.h"

static void hangs_admit(void *state, const struct corun_view *view, bool *admit)
{
    (void)state, (void)admit;
    for (volatile uint32_t k = 0; view->kernel_n;) k = 0;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "hangs",
    .sentence = "It thinks for ever.",
    .admit = hangs_admit,
};

/* Remembers the last run in a static variable outside the policy's state. */
#include "corun/policy.h"

static uint32_t runs;

static const char *moody_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    (void)setup, (void)values, (void)stats;
    *(uint32_t *)state = ++runs;
    return NULL;
}

static void moody_share(void *state, const struct corun_view *view, uint32_t *target)
{
    for (uint32_t i = 0; i < view->sm_n * view->kernel_n; i++)
        target[i] = view->kernel_n > 1 ? *(uint32_t *)state : CORUN_TARGET_FULL;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "moody",
    .sentence = "As many blocks of each kernel as there were runs.",
    .state_bytes = sizeof(uint32_t),
    .init = moody_init,
    .share = moody_share,
};

/* Uses the group `limit`: limits the first app's memory instructions in flight on an SM. */
#include "corun/policy.h"

struct limit {
    uint32_t n;
};

enum option { N };
static const struct corun_option options[] = {
    [N] = {"n", CORUN_NUMBER, "1", 1, 1000, NULL, "instructions", "How many."},
    {0},
};

static const char *limit_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    (void)setup, (void)stats;
    ((struct limit *)state)->n = (uint32_t)values[N].number;
    return NULL;
}

static void limit_ask(void *state, const struct corun_view *view, uint32_t sm, uint32_t *limit)
{
    (void)sm;
    for (uint32_t k = 0; k < view->kernel_n; k++)
        if (!view->kernels[k].app_id) limit[k] = ((struct limit *)state)->n;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "limit",
    .sentence = "Few memory instructions of the first app are in flight.",
    .options = options,
    .state_bytes = sizeof(struct limit),
    .init = limit_init,
    .limit = limit_ask,
};

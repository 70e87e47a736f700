/* Predicts too much: a higher rate for each kernel than the kernel alone has. */
#include "corun/policy.h"

static const struct corun_policy_stat stats[] = {
    {"predicted", "thousandths", "Weighted speedup that it expects."},
    {0},
};

static const char *boasts_init(void *state, const struct corun_setup *setup,
                               const struct corun_value *values, uint64_t *counters)
{
    (void)state, (void)values;
    counters[0] = 1500 * setup->app_n + 1;
    return NULL;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "boasts",
    .sentence = "Decides nothing.",
    .stats = stats,
    .init = boasts_init,
};

/* prior-low-bw: among requests missing the open row of their bank, DRAM prefers the app with the
 * lower DRAM bandwidth in its isolated run. The order is known in advance and fixed; `weis`
 * determines an order at run time. Paper 001 section 8. */
#include "corun/policy.h"

static uint32_t prior_needs(const struct corun_value *values)
{
    (void)values;
    return CORUN_NEEDS_PROFILE;
}

static enum corun_rule prior_rank(void *state, const struct corun_view *view, uint32_t partition,
                                  uint32_t *rank)
{
    double bandwidth[CORUN_APPS_MAX];
    (void)state, (void)partition;
    for (uint32_t a = 0; a < view->app_n; a++) bandwidth[a] = view->app_alone[a].bandwidth_fraction;
    corun_rank(bandwidth, view->app_n, rank);
    return CORUN_NO_RULE;
}

const struct corun_policy corun_policy_prior_low_bw = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "prior-low-bw",
    .sentence = "DRAM serves first the app that takes less bandwidth alone.",
    .source = "paper 001 section 8",
    .needs = prior_needs,
    .dram_rank = prior_rank,
};

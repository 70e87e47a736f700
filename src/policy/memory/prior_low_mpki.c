/* prior-low-mpki: among requests missing the open row of their bank, DRAM prefers the app with
 * fewer L2 misses per thousand instructions in its isolated run. The order is known in advance and
 * fixed; `its` determines an order at run time. Paper 001 section 8. */
#include "corun/policy.h"

static uint32_t prior_needs(const struct corun_value *values)
{
    (void)values;
    return CORUN_NEEDS_PROFILE;
}

static enum corun_rule prior_rank(void *state, const struct corun_view *view, uint32_t partition,
                                  uint32_t *rank)
{
    double mpki[CORUN_APPS_MAX];
    (void)state, (void)partition;
    for (uint32_t a = 0; a < view->app_n; a++) mpki[a] = view->app_alone[a].mpki;
    corun_rank(mpki, view->app_n, rank);
    return CORUN_NO_RULE;
}

const struct corun_policy corun_policy_prior_low_mpki = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "prior-low-mpki",
    .sentence = "DRAM serves first the app with fewer misses per instruction alone.",
    .source = "paper 001 section 8",
    .needs = prior_needs,
    .dram_rank = prior_rank,
};

/* rbmi: in each cycle the memory instructions of one app may issue on an SM: of those that have one
 * ready the next after the app that issued the last. Paper 000 section 3.2 (RBMI). */
#include "corun/policy.h"

static uint32_t rbmi_arbiter(void *state, const struct corun_view *view,
                             const struct corun_contest *contest)
{
    uint32_t last = view->app_n - 1; /* nobody: the first is next */
    (void)state;
    for (uint32_t a = 0; a < view->app_n; a++)
        if (contest->issued[a] && contest->last[a] >= contest->last[last]) last = a;
    uint32_t app = (last + 1) % view->app_n;
    while (!(contest->apps >> app & 1)) app = (app + 1) % view->app_n;
    return app;
}

static uint32_t rbmi_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_SYMMETRIC;
}

const struct corun_policy corun_policy_rbmi = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "rbmi",
    .sentence = "Kernels issue memory instructions in turns.",
    .source = "paper 000 section 3.2",
    .arbiter = rbmi_arbiter,
    .traits = rbmi_traits,
};

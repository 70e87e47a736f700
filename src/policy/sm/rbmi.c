/* rbmi: in each cycle only one app may issue memory instructions on an SM: among the apps with a
 * ready memory instruction, the next app after the last issuer. Paper 000 section 3.2 (RBMI). */
#include "corun/policy.h"

static uint32_t rbmi_arbiter(void *state, const struct corun_view *view,
                             const struct corun_contest *contest)
{
    uint32_t last = view->app_n - 1; /* before any issue app 0 is next */
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

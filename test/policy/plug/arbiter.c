/* Uses the group `arbiter`: round robin over apps, starting after the app with the latest issue. */
#include "corun/policy.h"

static uint32_t turns(void *state, const struct corun_view *view,
                      const struct corun_contest *contest)
{
    uint32_t last = 0;
    (void)state;
    for (uint32_t a = 1; a < view->app_n; a++)
        if (contest->last[a] > contest->last[last]) last = a;
    for (uint32_t n = 1; n <= view->app_n; n++) {
        uint32_t a = (last + n) % view->app_n;
        if (contest->apps >> a & 1) return a;
    }
    return 0;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "arbiter",
    .sentence = "Memory instructions of apps in turns.",
    .arbiter = turns,
};

/* Gives every app more MSHR entries than L1 has. */
#include "corun/policy.h"

static const char *hoards_init(void *state, const struct corun_setup *setup,
                               const struct corun_value *values, uint64_t *stats)
{
    (void)values, (void)stats;
    *(uint32_t *)state = setup->l1_mshrs + 1;
    return NULL;
}

static void hoards_entries(void *state, const struct corun_view *view, uint32_t sm,
                           struct corun_entries *most)
{
    (void)sm;
    for (uint32_t a = 0; a < view->app_n; a++) most[a].mshrs = *(uint32_t *)state;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "hoards",
    .sentence = "An app has more MSHR entries than there are.",
    .state_bytes = sizeof(uint32_t),
    .init = hoards_init,
    .l1_entries = hoards_entries,
};

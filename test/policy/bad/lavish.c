/* Gives every app more than half of the lines of each set. */
#include "corun/policy.h"

static const char *lavish_init(void *state, const struct corun_setup *setup,
                               const struct corun_value *values, uint64_t *stats)
{
    (void)values, (void)stats;
    *(uint32_t *)state = setup->l1_ways / 2 + 1;
    return NULL;
}

static void lavish_lines(void *state, const struct corun_view *view, uint32_t at, uint32_t *ways)
{
    (void)at;
    for (uint32_t a = 0; a < view->app_n; a++) ways[a] = *(uint32_t *)state;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "lavish",
    .sentence = "Two apps have more lines than there are.",
    .state_bytes = sizeof(uint32_t),
    .init = lavish_init,
    .l1_lines = lavish_lines,
};

/* Increments a statistics counter beyond the declared rows as soon as a block ends. */
#include "corun/policy.h"

struct counts {
    uint64_t *stats;
};

static const struct corun_policy_stat stats[] = {
    {"blocks", "blocks", "Blocks that have come to their end."},
    {0},
};

static const char *counts_init(void *state, const struct corun_setup *setup,
                               const struct corun_value *values, uint64_t *counters)
{
    (void)setup, (void)values;
    ((struct counts *)state)->stats = counters;
    return NULL;
}

static void counts_watch(void *state, const struct corun_view *view,
                         const struct corun_event *event)
{
    (void)view, (void)event;
    for (uint32_t i = 0; i <= 1; i++) ((struct counts *)state)->stats[i]++;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "counts",
    .sentence = "Decides nothing.",
    .stats = stats,
    .state_bytes = sizeof(struct counts),
    .init = counts_init,
    .watch = counts_watch,
    .events = 1u << CORUN_BLOCK_END,
};

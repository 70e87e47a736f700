/* Preempts each block in a randomly drawn way: drain, ideal, switch or flush. For tests. */
#include "corun/policy.h"
#include "draw.h"

struct anyhow {
    uint64_t number; /* last random number */
};

static const char *anyhow_init(void *state, const struct corun_setup *setup,
                               const struct corun_value *values, uint64_t *stats)
{
    (void)values, (void)stats;
    ((struct anyhow *)state)->number = setup->seed;
    return NULL;
}

static uint32_t anyhow_needs(const struct corun_value *values)
{
    (void)values;
    return CORUN_NEEDS_IDEMPOTENCE;
}

static enum corun_preempt anyhow_preempt(void *state, const struct corun_view *view,
                                         const struct corun_block *block)
{
    static const enum corun_preempt ways[] = {CORUN_DRAIN, CORUN_IDEAL, CORUN_SWITCH, CORUN_FLUSH};
    enum corun_preempt how = ways[draw(&((struct anyhow *)state)->number, 4)];
    (void)view;
    return how == CORUN_FLUSH && !block->idempotent ? CORUN_SWITCH : how;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "anyhow",
    .sentence = "Each block that is too many leaves in a way of its own.",
    .source = "a test's own",
    .state_bytes = sizeof(struct anyhow),
    .init = anyhow_init,
    .needs = anyhow_needs,
    .preempt = anyhow_preempt,
};

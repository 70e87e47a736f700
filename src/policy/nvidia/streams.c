/* streams: apps as streams of one CUDA program. Left-over with priorities: pending blocks of the
 * highest priority start first, also across apps; running blocks stay. CUDA C++ programming guide,
 * stream priorities; cuStreamCreateWithPriority ("do not preempt already-running work"). */
#include "partition.h"

static const char *streams_init(void *state, const struct corun_setup *setup,
                                const struct corun_value *values, uint64_t *stats)
{
    struct partition *p = state;
    (void)values, (void)stats;
    p->by_priority = true;
    for (uint32_t app = 0; app < setup->app_n; app++) partition_give(p, app, 0, setup->sm_n);
    return NULL;
}

static void streams_admit(void *state, const struct corun_view *view, bool *admit)
{
    partition_admit(state, view, admit);
}

static void streams_share(void *state, const struct corun_view *view, uint32_t *target)
{
    partition_share(state, view, target);
}

static uint32_t streams_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_QUEUE;
}

const struct corun_policy corun_policy_streams = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "streams",
    .sentence = "As streams of one CUDA program: left-over, pending blocks of higher priority "
                "first.",
    .source = "CUDA C++ programming guide, stream priorities",
    .state_bytes = sizeof(struct partition),
    .init = streams_init,
    .admit = streams_admit,
    .share = streams_share,
    .traits = streams_traits,
};

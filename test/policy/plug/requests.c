/* Uses the event CORUN_REQUESTS: in every other interval of 50 accesses of L1 an app may have at
 * most 1 memory instruction in flight on the SM. */
#include "corun/policy.h"

enum { EVERY = 50, SMS = 256 };

struct requests {
    bool held[SMS][CORUN_APPS_MAX];
};

static void requests_watch(void *state, const struct corun_view *view, const struct corun_event *e)
{
    bool *held = &((struct requests *)state)->held[e->sm][e->app_id];
    (void)view;
    *held = !*held;
}

static void requests_limit(void *state, const struct corun_view *view, uint32_t sm,
                           uint32_t *limit)
{
    for (uint32_t k = 0; k < view->kernel_n; k++)
        if (((struct requests *)state)->held[sm][view->kernels[k].app_id]) limit[k] = 1;
}

static uint64_t requests_every(const void *state)
{
    (void)state;
    return EVERY;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "requests",
    .sentence = "Few memory instructions are in flight now and then.",
    .state_bytes = sizeof(struct requests),
    .limit = requests_limit,
    .watch = requests_watch,
    .events = 1u << CORUN_REQUESTS,
    .requests = requests_every,
};

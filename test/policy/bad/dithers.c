/* Declares the targets final after 5000 cycles, and changes targets in cycle 20000. */
#include "corun/policy.h"

enum { LATE = 20000 };

struct dithers {
    bool changed;
};

static void dithers_share(void *state, const struct corun_view *view, uint32_t *target)
{
    ((struct dithers *)state)->changed = view->now >= LATE;
    for (uint32_t i = 0; i < view->sm_n * view->kernel_n && view->kernel_n > 1; i++)
        target[i] = view->now < LATE ? 1 : 2;
}

static uint64_t dithers_timer(const void *state)
{
    return ((const struct dithers *)state)->changed ? CORUN_NEVER : LATE;
}

static uint64_t dithers_decides(const struct corun_value *values, const struct corun_view *view)
{
    (void)values, (void)view;
    return 5000;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "dithers",
    .sentence = "One block of each kernel, later two.",
    .state_bytes = sizeof(struct dithers),
    .share = dithers_share,
    .timer = dithers_timer,
    .decides_cycles = dithers_decides,
};

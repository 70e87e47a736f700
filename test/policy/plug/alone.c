/* Uses `needs`: logs the isolated profile of every kernel once all kernels are launched: app and
 * figures of struct corun_alone, in order. */
#include "corun/policy.h"

#include <stdio.h>

struct alone {
    bool told;
};

static uint32_t alone_needs(const struct corun_value *values)
{
    (void)values;
    return CORUN_NEEDS_PROFILE;
}

static void alone_watch(void *state, const struct corun_view *view, const struct corun_event *e)
{
    struct alone *a = state;
    (void)e;
    if (a->told || view->kernel_n < view->app_n) return;
    a->told = true;
    for (uint32_t k = 0; k < view->kernel_n; k++) {
        const struct corun_kernel *kernel = &view->kernels[k];
        const struct corun_alone *of = kernel->alone;
        char line[200];
        snprintf(line, sizeof line, "%u %.9g %.9g %.9g %.9g %.9g %.9g", (unsigned)kernel->app_id,
                 of->ipc, of->issue_fraction, of->resident_blocks, of->sms, of->mpki,
                 of->bandwidth_fraction);
        view->log(view, line);
    }
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "alone",
    .sentence = "Says what is known of the kernels alone.",
    .state_bytes = sizeof(struct alone),
    .watch = alone_watch,
    .events = 1u << CORUN_LAUNCH,
    .needs = alone_needs,
};

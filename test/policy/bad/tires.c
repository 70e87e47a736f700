/* Behaves well for 15000 cycles, then admits no block of the first app any more. */
#include "corun/policy.h"

enum { TIRED = 15000 };

struct tires {
    uint64_t next;
};

static const char *tires_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    (void)setup, (void)values, (void)stats;
    ((struct tires *)state)->next = TIRED;
    return NULL;
}

static void tires_admit(void *state, const struct corun_view *view, bool *admit)
{
    if (view->now < TIRED) return;
    ((struct tires *)state)->next = CORUN_NEVER;
    for (uint32_t k = 0; k < view->kernel_n; k++) admit[k] = view->kernels[k].app_id > 0;
}

static uint64_t tires_timer(const void *state) { return ((const struct tires *)state)->next; }

const struct corun_policy corun_policy_tires = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "tires",
    .sentence = "The first app gets nothing after a while.",
    .state_bytes = sizeof(struct tires),
    .init = tires_init,
    .admit = tires_admit,
    .timer = tires_timer,
};

/* Advances the timer in the watch hook, but does not subscribe to timer events. */
#include "corun/policy.h"

enum { EVERY = 2000 };

struct lingers {
    uint64_t next;
};

static const char *lingers_init(void *state, const struct corun_setup *setup,
                                const struct corun_value *values, uint64_t *stats)
{
    (void)setup, (void)values, (void)stats;
    ((struct lingers *)state)->next = EVERY;
    return NULL;
}

static void lingers_watch(void *state, const struct corun_view *view,
                          const struct corun_event *event)
{
    if (event->kind == CORUN_TIMER) ((struct lingers *)state)->next = view->now + EVERY;
}

static uint64_t lingers_timer(const void *state) { return ((const struct lingers *)state)->next; }

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "lingers",
    .sentence = "Decides nothing.",
    .state_bytes = sizeof(struct lingers),
    .init = lingers_init,
    .watch = lingers_watch,
    .events = 1u << CORUN_BLOCK_END,
    .timer = lingers_timer,
};

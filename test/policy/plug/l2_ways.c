/* Uses the group `l2_ways`: each app has an even part of each set's lines; now and then the first
 * app has a line less and the second a line more; even=off: no limits. */
#include "corun/policy.h"

#include <string.h>

enum { EVERY = 500 };
struct l2_ways {
    uint32_t each;
    uint64_t next;
};

enum option { EVEN };
static const struct corun_option options[] = {
    [EVEN] = {"even", CORUN_WORD, "on", 0, 0, "on|off", "", "Whether there are limits."},
    {0},
};

static const char *ways_init(void *state, const struct corun_setup *setup,
                             const struct corun_value *values, uint64_t *stats)
{
    struct l2_ways *w = state;
    (void)stats;
    w->next = EVERY;
    if (!strcmp(values[EVEN].word, "on")) w->each = setup->l2_ways / setup->app_n;
    return NULL;
}

static void ways_ask(void *state, const struct corun_view *view, uint32_t partition,
                     uint32_t *ways)
{
    struct l2_ways *w = state;
    uint32_t move = w->each > 1 && view->app_n > 1 && view->now / EVERY % 2;
    (void)partition;
    for (uint32_t a = 0; a < view->app_n; a++)
        ways[a] = w->each + move * (a == 1) - move * (a == 0);
    w->next = (view->now / EVERY + 1) * EVERY;
}

static uint64_t ways_timer(const void *state) { return ((const struct l2_ways *)state)->next; }

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "l2-ways",
    .sentence = "An even part of L2's lines for each app.",
    .options = options,
    .state_bytes = sizeof(struct l2_ways),
    .init = ways_init,
    .l2_ways = ways_ask,
    .timer = ways_timer,
};

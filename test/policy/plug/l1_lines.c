/* Uses the group `l1_lines`: each app has an even part of each set's lines; even=off: no limits;
 * even=all: each has all. */
#include "corun/policy.h"

#include <string.h>

struct l1_lines {
    uint32_t each;
};

enum option { EVEN };
static const struct corun_option options[] = {
    [EVEN] = {"even", CORUN_WORD, "on", 0, 0, "on|off|all", "", "Whether there are limits."},
    {0},
};

static const char *lines_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    (void)stats;
    if (!strcmp(values[EVEN].word, "on"))
        ((struct l1_lines *)state)->each = setup->l1_ways / setup->app_n;
    if (!strcmp(values[EVEN].word, "all")) ((struct l1_lines *)state)->each = setup->l1_ways;
    return NULL;
}

static void lines_ask(void *state, const struct corun_view *view, uint32_t sm, uint32_t *ways)
{
    (void)sm;
    for (uint32_t a = 0; a < view->app_n; a++) ways[a] = ((struct l1_lines *)state)->each;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "l1-lines",
    .sentence = "An even part of L1's lines for each app.",
    .options = options,
    .state_bytes = sizeof(struct l1_lines),
    .init = lines_init,
    .l1_lines = lines_ask,
};

/* Uses the group `l1_entries`: each app has an even part of the MSHRs and of the miss queue;
 * even=off: no limits. */
#include "corun/policy.h"

#include <string.h>

struct l1_entries {
    struct corun_entries each;
};

enum option { EVEN };
static const struct corun_option options[] = {
    [EVEN] = {"even", CORUN_WORD, "on", 0, 0, "on|off", "", "Whether there are limits."},
    {0},
};

static const char *entries_init(void *state, const struct corun_setup *setup,
                                const struct corun_value *values, uint64_t *stats)
{
    (void)stats;
    if (!strcmp(values[EVEN].word, "on"))
        ((struct l1_entries *)state)->each = (struct corun_entries){
            setup->l1_mshrs / setup->app_n, setup->l1_missq / setup->app_n};
    return NULL;
}

static void entries_ask(void *state, const struct corun_view *view, uint32_t sm,
                        struct corun_entries *most)
{
    (void)sm;
    for (uint32_t a = 0; a < view->app_n; a++) most[a] = ((struct l1_entries *)state)->each;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "l1-entries",
    .sentence = "An even part of L1's MSHRs and miss queue for each app.",
    .options = options,
    .state_bytes = sizeof(struct l1_entries),
    .init = entries_init,
    .l1_entries = entries_ask,
};

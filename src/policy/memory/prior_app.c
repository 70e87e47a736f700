/* prior-app: among requests missing the open row of their bank, DRAM serves the apps in a given
 * order of priority. Paper 001 section 4.2. */
#include "corun/policy.h"

#include <stdio.h>

struct prior {
    uint32_t rank[CORUN_APPS_MAX];
    char why[160];
};

enum option { ORDER };
static const struct corun_option options[] = {
    [ORDER] =
        {"order", CORUN_WHOLES, "0", 0, CORUN_APPS_MAX - 1, NULL, "apps",
         "Apps by descending priority, as in 2/0: numbered from 0 in the order given to the run. "
         "Apps not named share the last rank."},
    {0},
};

static const char *prior_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    struct prior *p = state;
    const struct corun_value *order = &values[ORDER];
    (void)stats;
    for (uint32_t a = 0; a < setup->app_n; a++) p->rank[a] = order->list_n;
    for (uint32_t i = 0; i < order->list_n; i++) {
        uint32_t app = (uint32_t)order->list[i];
        if (app >= setup->app_n) {
            snprintf(p->why, sizeof p->why, "order names app %u, the last one of the run is %u",
                     app, setup->app_n - 1);
            return p->why;
        }
        if (p->rank[app] != order->list_n) {
            snprintf(p->why, sizeof p->why, "order names app %u twice", app);
            return p->why;
        }
        p->rank[app] = i;
    }
    return NULL;
}

static enum corun_rule prior_rank(void *state, const struct corun_view *view, uint32_t partition,
                                  uint32_t *rank)
{
    const struct prior *p = state;
    (void)partition;
    memcpy(rank, p->rank, view->app_n * sizeof *rank);
    return CORUN_NO_RULE;
}

const struct corun_policy corun_policy_prior_app = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "prior-app",
    .sentence = "DRAM serves the requests of a given app first.",
    .source = "paper 001 section 4.2",
    .options = options,
    .state_bytes = sizeof(struct prior),
    .init = prior_init,
    .dram_rank = prior_rank,
};

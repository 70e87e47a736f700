/* fixed: a fixed number of blocks per app and SM, even if other apps are idle. Paper 002 section
 * 3.1 and paper 004 section 4.2.3 sweep such tables; `oracle` searches them. */
#include "corun/policy.h"

#include <stdio.h>

struct fixed {
    uint32_t blocks[CORUN_APPS_MAX];
    char why[160];
};

enum option { BLOCKS };
static const struct corun_option options[] = {
    [BLOCKS] =
        {"blocks", CORUN_WHOLES, "1", 1, 64, NULL, "blocks",
         "Blocks of each app on every SM: a number per app, as in 9/4."},
    {0},
};

static const char *fixed_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    struct fixed *f = state;
    (void)stats;
    if (values[BLOCKS].list_n != setup->app_n) {
        snprintf(f->why, sizeof f->why, "blocks names %u app%s, the run has %u: a number for each",
                 values[BLOCKS].list_n, values[BLOCKS].list_n == 1 ? "" : "s", setup->app_n);
        return f->why;
    }
    for (uint32_t a = 0; a < setup->app_n; a++) f->blocks[a] = (uint32_t)values[BLOCKS].list[a];
    return NULL;
}

/* Within an app, kernels are admitted as under left-over: the oldest with pending blocks. */
static void fixed_admit(void *state, const struct corun_view *view, bool *admit)
{
    uint32_t player[CORUN_APPS_MAX], n = corun_players(view, player);
    (void)state;
    corun_admit_only(view, player, n, admit);
}

static void fixed_share(void *state, const struct corun_view *view, uint32_t *target)
{
    const struct fixed *f = state;
    uint32_t player[CORUN_APPS_MAX], n = corun_players(view, player);
    for (uint32_t s = 0; s < view->sm_n; s++)
        for (uint32_t i = 0; i < n; i++)
            target[s * view->kernel_n + player[i]] = f->blocks[view->kernels[player[i]].app_id];
}

static uint32_t fixed_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_TABLE;
}

const struct corun_policy corun_policy_fixed = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "fixed",
    .sentence = "A fixed number of blocks per app and SM, even if other apps are idle.",
    .source = "papers 002 section 3.1, 004 section 4.2.3",
    .options = options,
    .state_bytes = sizeof(struct fixed),
    .init = fixed_init,
    .admit = fixed_admit,
    .share = fixed_share,
    .traits = fixed_traits,
};

/* smil: a fixed limit per app on memory instructions in flight on an SM. Paper 000 section 3.3.1
 * (SMIL) sweeps the limits; other mechanisms decide the order of issue. */
#include "corun/policy.h"

#include <stdio.h>

struct smil {
    uint32_t app_n, most[CORUN_APPS_MAX]; /* CORUN_NO_LIMIT: any number */
    char why[160];
};

enum option { LIMITS };
static const struct corun_option options[] = {
    [LIMITS] =
        {"limits", CORUN_WHOLES, "inf", 0, CORUN_INF, "inf", "instructions",
         "Maximum number of memory instructions of each app in flight on an SM: a number per app, "
         "as in 3/8 or 3/inf; inf or 0: no limit; inf alone: no limit for all apps."},
    {0},
};

static const char *smil_init(void *state, const struct corun_setup *setup,
                             const struct corun_value *values, uint64_t *stats)
{
    struct smil *s = state;
    const struct corun_value *v = &values[LIMITS];
    (void)stats;
    s->app_n = setup->app_n;
    if (!v->word && v->list_n != s->app_n) {
        snprintf(s->why, sizeof s->why, "limits names %u app%s, the run has %u: a number for each",
                 v->list_n, v->list_n == 1 ? "" : "s", s->app_n);
        return s->why;
    }
    for (uint32_t a = 0; a < s->app_n; a++) {
        double most = v->word ? 0 : v->list[a];
        s->most[a] = most > 0 && most < CORUN_NO_LIMIT ? (uint32_t)most : CORUN_NO_LIMIT;
    }
    return NULL;
}

static void smil_limit(void *state, const struct corun_view *view, uint32_t sm, uint32_t *limit)
{
    const struct smil *s = state;
    for (uint32_t a = 0; a < s->app_n; a++)
        if (s->most[a] != CORUN_NO_LIMIT) corun_limit_app(view, sm, a, s->most[a], limit);
}

const struct corun_policy corun_policy_smil = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "smil",
    .sentence = "A fixed limit per app on memory instructions in flight on an SM.",
    .source = "paper 000 section 3.3.1",
    .options = options,
    .state_bytes = sizeof(struct smil),
    .init = smil_init,
    .limit = smil_limit,
};

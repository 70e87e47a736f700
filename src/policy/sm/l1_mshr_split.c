/* l1-mshr-split: every app with blocks on an SM has an equal part of the MSHR entries and of the
 * miss queue of L1. An access of an app whose part is full fails. The load/store unit stays in
 * order: an access with room waits behind an access without room. Paper 000 section 4.5. */
#include "corun/policy.h"

#include <stdio.h>

struct split { /* parts of a resource */
    uint32_t all, each[CORUN_APPS_MAX]; /* each: parts if not even */
    bool even;
};
struct mshr_split {
    struct split mshrs, missq;
    char why[160];
};

enum option { MSHRS, MISSQ };
static const struct corun_option options[] = {
    [MSHRS] =
        {"mshrs", CORUN_WHOLES, "even", 1, 4096, "even", "entries",
         "MSHR entries of each app: even, among the apps with blocks on the SM, the remainder to "
         "the first app; or a number per app, as in 96/32."},
    [MISSQ] =
        {"missq", CORUN_WHOLES, "even", 1, 1024, "even", "packets",
         "Entries of the miss queue of each app: even, or a number per app."},
    {0},
};

/* Parses an option. Returns NULL, or the reason if the option is invalid. */
static const char *split_take(struct mshr_split *m, struct split *s, uint32_t all, uint32_t app_n,
                              const char *name, const struct corun_value *value)
{
    s->all = all;
    s->even = value->word;
    if (s->even) return NULL;
    for (uint32_t a = 0; a < app_n; a++) s->each[a] = (uint32_t)value->list[a];
    if (value->list_n == app_n) return NULL;
    snprintf(m->why, sizeof m->why, "%s names %u apps, the run has %u: a number for each", name,
             value->list_n, app_n);
    return m->why;
}

static const char *split_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    struct mshr_split *m = state;
    (void)stats;
    const char *why =
        split_take(m, &m->mshrs, setup->l1_mshrs, setup->app_n, "mshrs", &values[MSHRS]);
    if (why) return why;
    return split_take(m, &m->missq, setup->l1_missq, setup->app_n, "missq", &values[MISSQ]);
}

/* Returns the part of the i-th of n apps, at least 1. */
static uint32_t part_of(const struct split *s, uint32_t app, uint32_t n, uint32_t i)
{
    if (!s->even) return s->each[app];
    uint32_t part = corun_part(s->all, n, i);
    return part ? part : 1;
}

static void split_entries(void *state, const struct corun_view *view, uint32_t sm,
                          struct corun_entries *most)
{
    const struct mshr_split *m = state;
    uint32_t apps = corun_apps_on(view, sm), n = (uint32_t)__builtin_popcount(apps), i = 0;
    for (uint32_t a = 0; a < view->app_n; a++) {
        if (!(apps >> a & 1)) continue;
        most[a].mshrs = part_of(&m->mshrs, a, n, i);
        most[a].missq = part_of(&m->missq, a, n, i++);
    }
}

static uint32_t split_traits(const struct corun_value *values)
{
    return values[MSHRS].word && values[MISSQ].word ? CORUN_SYMMETRIC : CORUN_TABLE;
}

const struct corun_policy corun_policy_l1_mshr_split = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "l1-mshr-split",
    .sentence = "Equal parts of L1's MSHRs and miss queue for the apps on an SM.",
    .source = "paper 000 section 4.5",
    .options = options,
    .state_bytes = sizeof(struct mshr_split),
    .init = split_init,
    .l1_entries = split_entries,
    .traits = split_traits,
};

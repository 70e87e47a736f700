/* l2-ways: every app has an equal part of the lines of each L2 set, in every slice, and can hit in
 * all lines. An app alone has all lines. Paper 001 section 2.1. */
#include "corun/policy.h"

#include <stdio.h>

struct l2_ways {
    uint32_t all, each[CORUN_APPS_MAX];
    bool even, launched[CORUN_APPS_MAX];
    enum corun_fill fill;
    char why[160];
};

enum option { WAYS, FILL };
static const struct corun_option options[] = {
    [WAYS] =
        {"ways", CORUN_WHOLES, "even", 1, 4096, "even", "lines",
         "Lines of a set of each app: even, the remainder to the first app; or an upper limit per "
         "app, as in 10/6; the sum of the limits may exceed the lines of a set."},
    [FILL] = CORUN_FILL_OPTION,
    {0},
};

static const char *ways_init(void *state, const struct corun_setup *setup,
                             const struct corun_value *values, uint64_t *stats)
{
    struct l2_ways *w = state;
    const struct corun_value *ways = &values[WAYS];
    (void)stats;
    w->all = setup->l2_ways;
    w->even = ways->word;
    w->fill = corun_fill_of(&values[FILL]);
    if (w->even) return NULL;
    if (ways->list_n != setup->app_n) {
        snprintf(w->why, sizeof w->why, "ways names %u apps, the run has %u: a number for each",
                 ways->list_n, setup->app_n);
        return w->why;
    }
    for (uint32_t a = 0; a < setup->app_n; a++) w->each[a] = (uint32_t)ways->list[a];
    return NULL;
}

/* Fills the parts. If apps outnumber lines no parts are set. */
static void ways_ask(void *state, const struct corun_view *view, uint32_t partition,
                     uint32_t *ways)
{
    struct l2_ways *w = state;
    uint32_t n = 0, i = 0;
    (void)partition;
    corun_note_launched(view, w->launched);
    for (uint32_t a = 0; a < view->app_n; a++)
        n += corun_app_holds(view, w->fill, w->launched, a);
    for (uint32_t a = 0; a < view->app_n; a++) {
        if (!w->even) ways[a] = w->each[a];
        else if (n <= w->all && corun_app_holds(view, w->fill, w->launched, a))
            ways[a] = corun_part(w->all, n, i++);
    }
}

static uint32_t ways_traits(const struct corun_value *values)
{
    return values[WAYS].word ? CORUN_SYMMETRIC : CORUN_TABLE;
}

const struct corun_policy corun_policy_l2_ways = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "l2-ways",
    .sentence = "Equal parts of L2's lines, in every set of every slice.",
    .source = "paper 001 section 2.1",
    .options = options,
    .state_bytes = sizeof(struct l2_ways),
    .init = ways_init,
    .l2_ways = ways_ask,
    .traits = ways_traits,
};

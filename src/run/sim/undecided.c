/* Warns about policies that profile the apps and have made no decision by half of the window: most
 * of the results are then results of the profiling, not of the decision. */
#include "run/sim/internal.h"

enum { COUNTERS_MAX = 3 };

/* `counters`: above 0 after a decision; maestro.decided_at stays 0 if all decisions keep the first
 * partition. `tried`: 0 if there is nothing to profile and the policy decides at once, in cycle 0;
 * NULL: the policy always profiles. */
static const struct {
    const char *policy, *counters[COUNTERS_MAX], *tried;
} profilers[] = {
    {"warped-slicer", {"decided_at"}, NULL},
    {"mias", {"decided_at"}, "configurations"},
    {"maestro", {"spatial", "smk_even", "smk_other"}, NULL},
};

/* warped-slicer[mode=static] decides from isolated runs, at the first call. */
static bool is_static(const struct mechanism *m)
{
    const struct corun_option *o = m->policy->options;
    for (u32 i = 0; o && o[i].name; i++)
        if (!strcmp(o[i].name, "mode")) return !strcmp(m->values[i].word, "static");
    return false;
}

/* Returns the value of a counter; 0: the policy has no such counter. */
static u64 counter(const struct sim *s, u32 mechanism, const char *name)
{
    const struct corun_policy_stat *stats = s->policy.at[mechanism].policy->stats;
    for (u32 i = 0; name && stats && stats[i].name; i++)
        if (!strcmp(stats[i].name, name)) return s->policy_stats[mechanism][i];
    return 0;
}

static bool is_undecided(const struct sim *s, u32 mechanism)
{
    const struct mechanism *m = &s->policy.at[mechanism];
    for (u32 i = 0; i < COUNT_OF(profilers); i++) {
        if (m->plugin.handle || strcmp(m->policy->name, profilers[i].policy)) continue;
        if (profilers[i].tried && !counter(s, mechanism, profilers[i].tried)) return false;
        u64 sum = 0;
        for (u32 c = 0; c < COUNTERS_MAX; c++)
            sum += counter(s, mechanism, profilers[i].counters[c]);
        return !sum && !is_static(m);
    }
    return false;
}

u64 undecided_at(const struct sim *s)
{
    bool window = s->setup->until == UNTIL_WINDOW && s->app_n > 1;
    return window ? s->setup->cycles / 2 : NEVER;
}

void undecided_warn(struct sim *s)
{
    for (u32 m = 0; m < s->policy.n; m++) {
        if (!is_undecided(s, m)) continue;
        struct text where = {0}, sentence = {0};
        text_add(&where, "policy %s", s->policy.spec);
        text_add(&sentence, "%s made no decision in the first half of the window (%llu of %llu "
                 "cycles): give more --cycles",
                 s->policy.at[m].policy->name, (unsigned long long)undecided_at(s),
                 (unsigned long long)s->setup->cycles);
        warning_add(&s->warnings, where.bytes, 0, sentence.bytes);
        text_free(&where);
        text_free(&sentence);
    }
}

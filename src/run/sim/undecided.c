/* Warns about policies that have profiled the apps for half of the window without a decision: most
 * of the result is then a result of the profile. */
#include "run/sim/internal.h"

#include <string.h>

static bool is_undecided(const struct sim *s, u32 mechanism)
{
    const struct mechanism *m = &s->policy.at[mechanism];
    for (u32 i = 0; i < m->stat_n; i++)
        if (!strcmp(m->policy->stats[i].name, "undecided")) return s->policy_stats[mechanism][i];
    return false;
}

u64 undecided_at(const struct sim *s)
{
    bool window = s->setup->until == UNTIL_WINDOW && !s->setup->strict;
    return window ? s->setup->cycles / 2 : NEVER;
}

void undecided_warn(struct sim *s)
{
    for (u32 m = 0; m < s->policy.n; m++) {
        if (!is_undecided(s, m)) continue;
        struct text sentence = {0};
        text_add(&sentence, "%s has made no decision in half of the window (%llu of %llu cycles); "
                 "a longer window (--cycles) leaves more time to the decision",
                 s->policy.at[m].policy->name, (unsigned long long)undecided_at(s),
                 (unsigned long long)s->setup->cycles);
        warning_add(&s->warnings, s->policy.spec, 0, sentence.bytes);
        text_free(&sentence);
    }
}

#include "gpu/dispatch/group.h"

const struct claim_row claim_rows[] = {
#define CLAIM(id, name, words) {name, words},
#include "gpu/dispatch/group.def"
};

#define MOMENT(id, words) static const char moment_##id[] = words;
#include "gpu/dispatch/group.def"
static const char answer_LATCHED[] = "latched", answer_CALL[] = "call";

const struct group_row group_rows[] = {
#define GROUP(hook, claim, moment, answer, absent, sentence)                                       \
    {#hook, CLAIM_##claim, moment_##moment, answer_##answer, absent, sentence},
#include "gpu/dispatch/group.def"
};

bool group_has(const struct corun_policy *p, enum group g)
{
    switch (g) {
#define GROUP(hook, claim, moment, answer, absent, sentence)                                       \
    case GROUP_##hook: return p->hook != NULL;
#include "gpu/dispatch/group.def"
    case GROUP_N: break;
    }
    return false;
}

bool group_has_at(const struct corun_policy *p, enum group_moment at)
{
#define GROUP(hook, claim, when, ...)                                                              \
    if (MOMENT_##when == at && p->hook) return true;
#include "gpu/dispatch/group.def"
    return false;
}

static bool claims(const struct corun_policy *p, enum claim c)
{
    for (u32 g = 0; g < GROUP_N; g++)
        if (group_rows[g].claim == c && group_has(p, (enum group)g)) return true;
    return false;
}

const struct claim_row *group_claimed_twice(const struct corun_policy *a,
                                            const struct corun_policy *b)
{
    for (u32 c = 0; c < CLAIM_N; c++)
        if (claims(a, (enum claim)c) && claims(b, (enum claim)c)) return &claim_rows[c];
    return NULL;
}

enum claim group_claim_of(const struct corun_policy *p)
{
    u32 c = 0;
    while (c < CLAIM_N && !claims(p, (enum claim)c)) c++;
    return (enum claim)c;
}

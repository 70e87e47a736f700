/* The groups of hooks as rows (group.def): what each decides, when it is asked, what holds without
 * it. ask.c and the other askers call the hooks; `run` refuses mechanisms that decide the same, and
 * lists policies by what they decide. */
#ifndef CORUN_GROUP_H
#define CORUN_GROUP_H

#include "base/base.h"
#include "corun/policy.h"

enum claim {
#define CLAIM(id, name, words) CLAIM_##id,
#include "gpu/dispatch/group.def"
    CLAIM_N
};
enum group {
#define GROUP(hook, claim, moment, answer, absent, sentence) GROUP_##hook,
#include "gpu/dispatch/group.def"
    GROUP_N
};

struct claim_row {
    const char *name, *words;
};
struct group_row {
    const char *hook;
    enum claim claim;
    const char *moment, *answer, *absent, *sentence;
};
extern const struct claim_row claim_rows[CLAIM_N];
extern const struct group_row group_rows[GROUP_N];

bool group_has(const struct corun_policy *p, enum group g);
/* What both decide, so that a run can have only one of them; NULL: nothing. */
const struct claim_row *group_claimed_twice(const struct corun_policy *a,
                                            const struct corun_policy *b);
/* The first of what it decides; CLAIM_N: nothing. */
enum claim group_claim_of(const struct corun_policy *p);

#endif

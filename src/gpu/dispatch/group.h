/* The groups of hooks as rows (group.def): the decision of each group, when the group is called,
 * and the default without the hook. ask.c and the other callers call the hooks. `run` refuses
 * combinations of mechanisms that decide the same thing, and lists policies by their decisions. */
#ifndef CORUN_GROUP_H
#define CORUN_GROUP_H

#include "base/base.h"
#include "corun/policy.h"

enum claim {
#define CLAIM(id, name, words) CLAIM_##id,
#include "gpu/dispatch/group.def"
    CLAIM_N
};
enum group_moment {
#define MOMENT(id, words) MOMENT_##id,
#include "gpu/dispatch/group.def"
    MOMENT_N
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
/* Returns true if the policy has a hook that is called at `at`. */
bool group_has_at(const struct corun_policy *p, enum group_moment at);
/* Returns a claim of both policies, which a run therefore cannot combine; NULL: none. */
const struct claim_row *group_claimed_twice(const struct corun_policy *a,
                                            const struct corun_policy *b);
/* Returns the first claim of the policy; CLAIM_N: none. */
enum claim group_claim_of(const struct corun_policy *p);

#endif

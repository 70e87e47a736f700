/* The scenarios of the contract suite, each run in a process of its own: what was found is lines of
 * text. Used by `contract`. */
#ifndef CORUN_SCENARIO_H
#define CORUN_SCENARIO_H

#include "run/check/contract.h"

/* A finding is one of these, the property as 'a' + number, and a sentence; then a newline. */
#define FINDING_HOLDS '+'
#define FINDING_BROKEN '-'
#define FINDING_UNTESTED '?'
#define FINDING_NOT_RUN '!' /* the policy refuses so many apps, why; or nothing to see, empty */
#define FINDING_ENDED '.'   /* the last line */

struct check_job { /* of one process */
    const struct contract_setup *setup;
    struct asked *asked;
    struct text *out;
};

u32 scenario_n(void);
const char *scenario_title(u32 scenario);
void scenario_run(struct check_job *j, u32 scenario);

#endif

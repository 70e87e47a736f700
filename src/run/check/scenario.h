/* The scenarios of the contract suite. Each scenario runs in a separate process and reports its
 * findings as lines of text to contract.c. */
#ifndef CORUN_SCENARIO_H
#define CORUN_SCENARIO_H

#include "run/check/contract.h"

/* Format of a finding: a character below, the property as 'a' + number, a sentence, a newline. */
#define FINDING_HOLDS '+'
#define FINDING_BROKEN '-'
#define FINDING_UNTESTED '?'
#define FINDING_NOT_RUN '!' /* not run: the reason of the policy's refusal; empty: not applicable */
#define FINDING_ENDED '.'   /* the last line, without a property */

struct check_job { /* data of a scenario's process */
    const struct contract_setup *setup;
    struct hook_call *hook_call;
    struct text *out;
};

u32 scenario_n(void);
const char *scenario_title(u32 scenario);
void scenario_run(struct check_job *j, u32 scenario);

#endif

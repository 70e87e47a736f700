/* The scenarios of the contract suite, each run in a process of its own: what was found is lines of
 * text. Used by `contract`. */
#ifndef CORUN_TRIAL_H
#define CORUN_TRIAL_H

#include "run/check/contract.h"

/* A finding is one of these, the property as 'a' + number, and a sentence; then a newline. */
#define TRIAL_HOLDS '+'
#define TRIAL_BROKEN '-'
#define TRIAL_UNTESTED '?'
#define TRIAL_NOT_RUN '!'   /* the policy refuses so many apps, why; or nothing to see, empty */
#define TRIAL_ENDED '.'     /* the last line */

struct trial {
    const struct contract_setup *setup;
    struct gpu_asked *asked;
    struct text *out;
    u32 scenario;
};

u32 trial_n(void);
const char *trial_title(u32 scenario);
void trial_run(struct trial *t, u32 scenario);

#endif

/* Runs commands with policies from files, which may end the process or hang. The work is done in a
 * forked copy of the process (run/jobs/guard.h); if the copy fails, the policy and the hook are
 * named. */
#ifndef CORUN_GUARDED_H
#define CORUN_GUARDED_H

#include "cli/common/command.h"

struct guarded {
    const char *const *policies; /* as written by the user */
    u32 policy_n;
    int (*work)(const struct guarded *g, const struct options *o, struct console *c);
    /* Writes the JSON output for a policy that ended the copy, or that did not return in time after
     * a signal (interrupted). Returns the exit status. NULL: no JSON output. */
    int (*failed)(const struct options *o, const char *policy, u64 cycle, const char *why,
                  bool interrupted, struct console *c);
    bool others;                 /* the work can be done without failed policies: the work is
                                  * repeated, and console.failed lists the failures */
};

/* Runs the work, guarded if a policy is from a file. Returns the exit status. */
int guarded_run(const struct guarded *g, const struct options *o, struct console *c);

#endif

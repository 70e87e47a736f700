/* Commands under policies from files, which may end the process or hang: the work is done in a copy
 * of this process, and when that does not come to its end, policy and hook are named. */
#ifndef CORUN_GUARDED_H
#define CORUN_GUARDED_H

#include "cli/command.h"

struct guarded {
    const char *const *policies; /* as the user wrote them */
    u32 policy_n;
    int (*work)(const struct guarded *g, const struct options *o, struct console *c);
    /* What a program reads (--json), of the policy that took the copy along or was not left in time
     * (interrupted); the exit status. NULL: nothing does. */
    int (*failed)(const struct options *o, const char *policy, u64 cycle, const char *why,
                  bool interrupted, struct console *c);
    bool others;                 /* the work can do without the policies that failed: it is done
                                  * again, and has them in the console */
};

/* The exit status. */
int guarded_run(const struct guarded *g, const struct options *o, struct console *c);

#endif

/* Commands under policies from files, which may end the process or hang: the work is done in a copy
 * of this process, and when that does not come to its end, policy and hook are named. */
#ifndef CORUN_GUARDED_H
#define CORUN_GUARDED_H

#include "cli/command.h"

struct guarded {
    const char *const *policies; /* as the user wrote them */
    u32 policy_n;
    int (*work)(const struct guarded *g, const struct options *o, struct console *c);
    const char *schema;          /* of what a program reads (--json); NULL: nothing does */
};

/* The exit status. */
int guarded_run(const struct guarded *g, const struct options *o, struct console *c);

#endif

/* Which hook of a policy runs, in memory that another process may see: when a policy ends the
 * process, or does not come back, that one says where. Whoever calls a hook writes it. */
#ifndef CORUN_ASKED_H
#define CORUN_ASKED_H

#include <string.h>
#include "base/base.h"

struct process_state;  /* run/jobs/process_state.h */

struct asked {
    const char *hook;  /* a literal of this program, which a forked process has at the same address;
                        * NULL: none runs */
    u32 mechanism;     /* by its place in the policy */
    int thread;        /* that calls, as the system numbers it; 0: none has begun */
    u64 cycle, count;  /* count: of calls so far */
    char lost[200];    /* how the policy ended the process, a verb first; "": it did not */
    bool forked;       /* a hook came back in a process that it had made */
    const struct process_state *process; /* as it was before; of the process that calls, which alone
                        * may follow the pointer. NULL: nobody looks */
};

/* No hooks: the file is compiled; it is loaded, its constructors run; it is unloaded, its
 * destructors run. */
#define ASKED_COMPILE "compil"
#define ASKED_LOAD "load"
#define ASKED_UNLOAD "unload"
/* Whether what runs is one of these. */
static inline bool asked_file(const char *hook)
{
    return hook && (!strcmp(hook, ASKED_COMPILE) || !strcmp(hook, ASKED_LOAD) ||
                    !strcmp(hook, ASKED_UNLOAD));
}

static inline void asked_call(struct asked *a, const char *hook, u32 mechanism, u64 cycle)
{
    a->hook = hook;
    a->mechanism = mechanism;
    a->cycle = cycle;
    a->count++;
}
static inline void asked_over(struct asked *a) { a->hook = NULL; }

#endif

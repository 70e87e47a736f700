/* Record of the running policy hook, in memory shared with another process. When a policy ends its
 * process or does not return, the watchdog (run/jobs/watchdog.h) names the hook from the record.
 * Every caller of a hook updates the record. */
#ifndef CORUN_HOOK_CALL_H
#define CORUN_HOOK_CALL_H

#include <string.h>
#include "base/base.h"

struct process_state;  /* run/jobs/process_state.h */

struct hook_call {
    const char *hook;  /* name of the hook: a string literal of this program, at the same address in
                        * a forked process; NULL: no hook is running */
    u32 mechanism;     /* index within the policy specification */
    int thread;        /* thread that calls the hooks, as a Linux thread id; 0: none started */
    u64 cycle, count;  /* cycle of the call; number of calls so far */
    char lost[200];    /* why the process was ended: a phrase that begins with a verb; "": not */
    bool forked;       /* a hook forked, and the child process returned from the hook */
    /* State of the process recorded before the first hook. Only the process of the hooks may
     * dereference the pointer. NULL: the state is not monitored. */
    const struct process_state *process;
};

/* Values of `hook` outside of hooks: the file is being compiled; the file is being loaded and its
 * constructors run; the file is being unloaded and its destructors run. Messages append "ed". */
#define HOOK_CALL_COMPILE "compil"
#define HOOK_CALL_LOAD "load"
#define HOOK_CALL_UNLOAD "unload"
/* Returns true if `hook` denotes a phase of the file (compile, load, unload). */
static inline bool hook_call_is_phase(const char *hook)
{
    return hook && (!strcmp(hook, HOOK_CALL_COMPILE) || !strcmp(hook, HOOK_CALL_LOAD) ||
                    !strcmp(hook, HOOK_CALL_UNLOAD));
}

static inline void hook_call_begin(struct hook_call *a, const char *hook, u32 mechanism, u64 cycle)
{
    a->hook = hook;
    a->mechanism = mechanism;
    a->cycle = cycle;
    a->count++;
}
static inline void hook_call_end(struct hook_call *a) { a->hook = NULL; }

#endif

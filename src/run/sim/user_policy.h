/* A mechanism from a file in one simulation: after its hooks the process is as it was, or the run
 * ends; what a hook changed is a warning of the result. sim.c makes it and looks at the end; the
 * gpu looks between (struct hook_watch). */
#ifndef CORUN_USER_POLICY_H
#define CORUN_USER_POLICY_H

#include "gpu/gpu.h"
#include "run/input/mechanism.h"

struct user_policy {
    struct hook_watch watch;   /* first: the gpu knows no more of it */
    const char *file;          /* as the user named it */
    struct asked *asked;       /* NULL: only floating-point control is looked at */
    struct warnings *warnings; /* the run's */
    const char *told[COUNT_OF(((struct hook_watch *)0)->seen)]; /* hooks that have a warning */
    u32 told_n;
    u64 changed;               /* what any of its hooks changed, as in struct process_changes */
};

/* In the thread that will run the simulation. */
void user_policy_init(struct user_policy *u, const char *file, struct asked *asked,
                      struct warnings *warnings);
/* In a process that was made to go on with the simulation: nobody looks after it any more. */
void user_policy_copied(struct user_policy *u);
/* Between two hooks: restores what later calls changed; a change that has no warning yet is named
 * with the policy's spec. `users`: of its n mechanisms. Does not return when something was changed
 * for good. */
void user_policies_look(struct user_policy *users, u32 n, const char *spec, struct asked *asked,
                        struct warnings *warnings);

#endif

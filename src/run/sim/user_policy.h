/* Supervises a mechanism from a file in one simulation. Process state changed by hooks is restored;
 * if restoring is impossible, the run ends. A hook with a change adds a warning to the result.
 * sim.c creates the supervision and makes the final check; the GPU checks after hooks (struct
 * hook_watch). */
#ifndef CORUN_USER_POLICY_H
#define CORUN_USER_POLICY_H

#include "gpu/gpu.h"
#include "run/input/mechanism.h"

struct user_policy {
    struct hook_watch watch;   /* first member; the GPU knows only `watch` */
    const char *file;          /* as named by the user */
    struct hook_call *hook_call; /* in memory shared with forked processes; NULL: only
                                  * floating-point control is checked */
    /* As hook_call->process, which the parent may clear before a forked process returns from the
     * hook. */
    const struct process_state *process;
    struct warnings *warnings; /* warnings of the run */
    const char *reported[COUNT_OF(((struct hook_watch *)0)->seen)]; /* hooks with a warning */
    u32 reported_n;
    u64 changed;               /* all state changed by hooks of the mechanism, as in struct
                                * process_changes */
};

/* Call in the thread that will run the simulation. */
void user_policy_init(struct user_policy *u, const char *file, struct hook_call *hook_call,
                      struct warnings *warnings);
/* Call in a forked process that continues the simulation: ends the supervision there. */
void user_policy_copied(struct user_policy *u);
/* Call between two hooks, for the n mechanisms in `users`. Restores process state changed by later
 * calls of hooks. Adds a warning, with the policy's `spec`, for a change without a warning. Does
 * not return if a change cannot be restored. */
void user_policies_look(struct user_policy *users, u32 n, const char *spec,
                        struct hook_call *hook_call, struct warnings *warnings);

#endif

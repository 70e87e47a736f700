/* The guard: corun forks a copy of its process to do work in which policies from files run, and
 * supervises the copy. Signals that ask corun to end are passed on to the copy. The copy dies with
 * its parent. */
#ifndef CORUN_GUARD_H
#define CORUN_GUARD_H

#include "run/jobs/watchdog.h"

enum { GUARD_PARTS_MAX = 32 };

struct guard_shared {
    volatile bool done;                  /* the copy's work is finished */
    volatile int ended;                  /* exit status of the copy, set once all output is written;
                                          * < 0: not yet. Exit handlers of a policy may change the
                                          * status that waitpid reports */
    volatile bool closed;                /* the copy's initial standard output or error was closed
                                          * or replaced */
    /* watchdog record of each part of the work; parts may run in parallel threads */
    struct hook_call hook_call[GUARD_PARTS_MAX];
};

struct guard {
    u32 n;                               /* number of parts */
    double hook_seconds;                 /* limit per call of a hook, as in watchdog_expired */
    bool in_turn;                        /* parts run one after the other */
    struct guard_shared *shared;
    /* Valid in the parent after the copy has ended: */
    int status;                          /* status of the copy from waitpid */
    int end_signal;                      /* first signal to end, also sent to the copy; 0: none */
    u32 hangs;                           /* the part whose hook did not return; n: none */
    struct watchdog hook_state;          /* watchdog state of the hook's call */
    bool late;                           /* the hook did not return within the grace period after a
                                          * signal to end */
    /* Valid in the copy: */
    int out;                             /* descriptor of corun's standard output; file descriptor 1
                                          * is redirected to standard error, where output of
                                          * policies goes */
    u64 files[2][2];                     /* device and inode of `out` and of standard error */
};

enum guard_side { GUARD_NONE, GUARD_COPY, GUARD_HERE };
/* Forks the copy and returns twice: in the copy at once (GUARD_COPY), and in the parent after the
 * copy has ended (GUARD_HERE). Returns GUARD_NONE if no copy can be created. */
enum guard_side guard_start(struct guard *g);
/* Ends the guarded work; called in the copy when all code of policies has finished. Restores
 * standard output. Exits if the descriptors of standard output or error have been closed or
 * replaced. */
void guard_done(struct guard *g);
/* Called in the parent. Returns true if the copy finished, or ended with an internal error of corun
 * or out of memory, and sets *exit_status. If a signal meant for both processes ended the copy, the
 * parent dies by the same signal. */
bool guard_ended(const struct guard *g, int *exit_status);
/* Writes to `out` where in the work the copy ended, and how. `policies` has an entry for each part;
 * NULL: the part has no policy from a file. Returns the first part that may be the cause; *sure is
 * true if no other part can be the cause. */
u32 guard_show(const struct guard *g, const char *const *policies, bool *sure, struct text *out);
void guard_free(struct guard *g);

#endif

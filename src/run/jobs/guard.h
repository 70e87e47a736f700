/* A copy of this process that does the work, while this one looks after it: for work in which
 * policies from files run. Signals that ask this one to end go to the copy; it dies with this
 * one. */
#ifndef CORUN_GUARD_H
#define CORUN_GUARD_H

#include "run/jobs/hang.h"

enum { GUARD_PARTS_MAX = 32 };

struct guard_shared {
    volatile bool done;                  /* the copy's work is */
    volatile int ended;                  /* the copy's exit status, when all is written; < 0: not
                                          * yet. Exit handlers of a policy may end it otherwise */
    volatile bool closed;                /* the copy has lost the descriptors it began with */
    struct asked asked[GUARD_PARTS_MAX]; /* of each part of the work, some at a time in threads */
};

struct guard {
    u32 n;                               /* parts */
    double hook_seconds;                 /* as in asked_hangs */
    bool in_turn;                        /* one part after the other */
    struct guard_shared *shared;
    /* in this process, when the copy has ended: */
    int status;                          /* as waitpid tells it */
    int told;                            /* the signal to end, which the copy has too; 0: none */
    u32 hangs;                           /* the part whose hook did not come back; n: none */
    struct hang hang;                    /* of its call */
    bool late;                           /* it did not when it was told to end */
    /* in the copy: */
    int out;                             /* standard output; what policies write to theirs goes to
                                          * standard error */
    u64 files[2][2];                     /* what `out` and standard error are */
};

enum guard_side { GUARD_NONE, GUARD_COPY, GUARD_HERE };
/* Returns twice: at once in the copy, and here when it has ended. GUARD_NONE: none can be made. */
enum guard_side guard_start(struct guard *g);
/* In the copy: what comes now has to do with no policy, and standard output is what it was. Does
 * not return when the descriptors of standard output or error are gone. */
void guard_done(struct guard *g);
/* Here: whether the copy came to its end, or to a mistake of corun's own; its exit status. Does not
 * return when the copy was ended by a signal that was meant for both: this process ends by it. */
bool guard_ended(const struct guard *g, int *exit_status);
/* Where in the work it ended, and how. `policies`: [part]; NULL: it has none from a file. Returns
 * the part, the first that it may have been; *sure: it can have been no other. */
u32 guard_show(const struct guard *g, const char *const *policies, bool *sure, struct text *out);
void guard_free(struct guard *g);

#endif

/* Pieces of work in processes of their own, some at a time: one that crashes or is killed takes
 * nothing along. What a worker writes comes back as text, with its messages and how it ended. The
 * workers die with the process that started them. Used by `sweep` and by the oracle's
 * windows. */
#ifndef CORUN_WORKER_H
#define CORUN_WORKER_H

#include <sys/types.h>
#include "run/jobs/hang.h"

enum { WORKERS_MAX = 64 };

struct worker {
    pid_t pid;                 /* 0: free */
    u32 job;
    int out_fd, why_fd;        /* -1: at its end */
    double started;
    bool late, hangs;          /* killed for that */
    struct hang seen;
    struct text out, why;
};

struct worker_end {
    u32 job;
    bool ok;                   /* it returned true */
    bool died, late;           /* it did not return; it took longer than it may */
    struct asked asked;        /* the hook in which it ended */
    struct text out, why;      /* why: messages, and how it died; the caller's to free */
    double seconds;
};

struct workers {
    /* in the worker: what it found to `out`, messages to `why`; false: it could not. It may say in
     * `asked` which hook runs. */
    bool (*work)(void *of, u32 job, struct asked *asked, struct text *out, struct text *why);
    void *of;
    int hide_fd;               /* closed in a worker; -1: none */
    u64 limit_seconds;         /* a worker that takes longer is killed; 0: none */
    double hook_seconds;       /* one in whose hook it takes longer, of the processor; 0: none */
    struct asked *asked;       /* [n], shared; NULL: no policy from a file runs there */
    u32 n, busy;
    struct worker at[WORKERS_MAX];
};

/* false: a process cannot be made now. */
bool workers_start(struct workers *w, u32 job);
/* Waits up to `wait_ms` for one to end; false: none did. */
bool workers_wait(struct workers *w, int wait_ms, struct worker_end *end);
void workers_stop(struct workers *w);

#endif

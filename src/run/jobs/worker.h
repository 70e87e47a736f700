/* Runs jobs in worker processes, several at a time. A crashed or killed worker affects no other
 * job. The output of a worker comes back as text, together with messages and the way the process
 * ended. Workers die with the process that started them. Used by `sweep`, by `check` and by the
 * windows of the oracle. */
#ifndef CORUN_WORKER_H
#define CORUN_WORKER_H

#include <sys/types.h>
#include "run/jobs/watchdog.h"

enum { WORKERS_MAX = 64 };

struct worker {
    pid_t pid;                 /* 0: slot is free */
    u32 job;
    int out_fd, why_fd;        /* read ends of the pipes; -1: closed at end of file */
    double started;
    bool late, hangs;          /* late: killed, over limit_seconds; hangs: killed in a hook */
    struct watchdog seen;
    struct text out, why;
};

struct worker_end {
    u32 job;
    bool ok;                   /* the work function returned true */
    bool died, late;           /* died: abnormal end or inside a hook; late: over limit_seconds */
    struct hook_call hook_call;        /* the hook running at the end */
    struct text out, why;      /* caller frees both; why: messages and the cause of death */
    double seconds;
};

struct workers {
    /* Called in the worker process. Writes results to `out` and messages to `why`; returns false on
     * failure. May record the running hook in `hook_call`. */
    bool (*work)(void *of, u32 job, struct hook_call *hook_call, struct text *out,
                 struct text *why);
    void *of;
    int hide_fd;               /* descriptor to close in workers; -1: none */
    u64 limit_seconds;         /* time limit per job; 0: no limit */
    double hook_seconds;       /* limit per call of a hook, as in watchdog_expired; 0: no limit */
    struct hook_call *hook_call; /* [n] watchdog records in shared memory; NULL: no policy from a
                                  * file runs in the workers */
    u32 n, busy;
    struct worker at[WORKERS_MAX];
};

/* Starts a worker for `job`. Returns false if all n slots are busy or no process can be created. */
bool workers_start(struct workers *w, u32 job);
/* Waits up to `wait_ms` milliseconds for a worker to end and fills `*end`. Returns false if no
 * worker ended. */
bool workers_wait(struct workers *w, int wait_ms, struct worker_end *end);
void workers_stop(struct workers *w);

#endif

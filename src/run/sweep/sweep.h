/* Runs the points of a sweep file, each in a process of its own, and keeps their results in a
 * database. A point that is there is not run again; isolated runs are made once, before the points
 * that need them, and shared through the cache. `cli` asks and shows progress. */
#ifndef CORUN_SWEEP_H
#define CORUN_SWEEP_H

#include "run/sweep/store.h"
#include "run/sweep/sweep_file.h"

struct sweep_count {
    u32 points;              /* in the file */
    u32 duplicates;          /* written once more, in other words: not counted above */
    u32 there;               /* in the database before */
    u32 made;                /* now; of these and of those there: */
    u32 failed;
    u32 abnormal;            /* ended by a fault, deadlock, starvation or cycle limit */
    u32 alone, alone_made;   /* isolated runs that are needed and not in the cache */
    u32 running;
    double seconds, left_seconds; /* left: NAN while nothing has ended */
};
struct sweep_watch {
    void (*tell)(struct sweep_watch *w, const struct sweep_count *n); /* several times a second */
    /* a point ended otherwise than it should */
    void (*trouble)(struct sweep_watch *w, const struct store_run *r, const char *status,
                    const char *reason);
};
struct sweep_setup {
    const char *path, *database;
    u32 processes;
    u64 run_seconds;         /* a run that takes longer has failed; 0: none does */
    u64 hook_seconds;        /* one in whose hook it takes longer, of the processor; 0: none does */
    bool skip;               /* dead cycles */
    bool retry;              /* points that failed are run again */
    struct sweep_watch *watch;
};

/* false: the input is wrong or the database cannot be written, errors in `fail`. */
bool sweep_run(const struct sweep_setup *setup, struct sweep_count *count, struct fail *fail);

#endif

/* Runs the points of a sweep file, each in a process of its own, and keeps their results in a
 * database. A point that is there is not run again; isolated runs are made once, before the points
 * that need them, and shared through the cache. `cli` asks and shows progress. */
#ifndef CORUN_SWEEP_H
#define CORUN_SWEEP_H

#include "run/sweep/store.h"
#include "run/sweep/sweep_file.h"

struct sweep_count {
    u32 points;              /* in the file; of the shard, where there are any */
    u32 all;                 /* of all shards */
    u32 duplicates;          /* written once more, in other words: not counted above */
    u32 there;               /* in the database before */
    u32 made;                /* now; of these and of those there: */
    u32 damaged;             /* in the database, not as it was written: not counted as there */
    u32 failed;
    u32 abnormal;            /* ended by a fault, deadlock, starvation or cycle limit */
    u32 alone, alone_made;   /* isolated runs that are needed and not in the cache */
    u32 alone_there;         /* and those that were in the cache */
    u32 runs;                /* in the database, whosever points they are, as --verify found */
    bool unsound;            /* some are damaged, or the file is */
    u32 running;
    double seconds, left_seconds; /* left: NAN while nothing has ended */
};
struct sweep_watch {
    void (*tell)(struct sweep_watch *w, const struct sweep_count *n); /* several times a second */
    /* a point ended otherwise than it should */
    void (*trouble)(struct sweep_watch *w, const struct store_run *r, const char *status,
                    const char *reason);
    void (*say)(void *watch, const char *text); /* of damage, repair and machines */
};
struct sweep_setup {
    const char *path, *database; /* database NULL: only for a look, as one without runs */
    u32 processes;
    u64 run_seconds;         /* a run that takes longer has failed; 0: none does */
    u64 hook_seconds;        /* one in whose hook it takes longer, of the processor; 0: none does */
    bool skip;               /* dead cycles */
    bool quiet;              /* says nothing of the machines */
    enum app_place place;    /* where CUDA programs work */
    struct ptx_arch ptx;     /* that they take; number 0: as their device has it */
    bool retry;              /* points that failed are run again */
    struct sweep_shard {     /* parts first to last, from 1 on, of so many equal ones; 0: all */
        u32 first, last, parts;
    } shard;
    const char *known;       /* a database whose points are not made; NULL: none */
    bool verify;             /* only looks at what the database has: all of it */
    bool repair;             /* first takes out what is damaged */
    bool isolated_only;      /* the isolated runs of all points, into the cache; no database */
    struct sweep_watch *watch;
};

/* false: the input is wrong or the database cannot be written, errors in `fail`. */
bool sweep_run(const struct sweep_setup *setup, struct sweep_count *count, struct fail *fail);

/* What it would do; nothing is run. */
struct sweep_look {
    struct sweep_count count;
    u32 *missing, missing_n; /* points to be made: places in the order that shards are dealt from */
    u32 stored;              /* runs of which the database knows how long they took */
    double seconds;          /* of one, on average */
    bool alone_by_points;    /* points make isolated runs themselves, each what it finds nowhere */
};
/* note: the database is made where there is none, and told of the sweep; else nothing changes. Free
 * it in either case. */
bool sweep_look(const struct sweep_setup *setup, bool note, struct sweep_look *look,
                struct fail *fail);
void sweep_look_free(struct sweep_look *look);

#endif

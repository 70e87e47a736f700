/* Runs the points of a sweep file, each in its own process, and stores the results in a database.
 * Points already in the database are not run again. Isolated runs are made once, before the points
 * that need them, and are shared through the cache. `cli` calls sweep_run and shows progress. */
#ifndef CORUN_SWEEP_H
#define CORUN_SWEEP_H

#include "run/sweep/store.h"
#include "run/sweep/sweep_file.h"

struct sweep_count {
    u32 points;              /* points of the file or of the selected shards, without duplicates */
    u32 all;                 /* points of all shards */
    u32 duplicates;          /* points equal to an earlier point of the file; counted nowhere
                              * else */
    u32 there;               /* points found in the database */
    u32 made;                /* points run now */
    u32 damaged;             /* points in the database with damaged rows; not counted in `there` */
    u32 failed;
    u32 abnormal;            /* points ended by a fault, deadlock, starvation or cycle limit; like
                              * `failed`, counted among `there` and `made` */
    u32 alone, alone_made;   /* isolated runs needed and not in the cache; made so far */
    u32 alone_there;         /* isolated runs found in the cache */
    u32 runs;                /* with --verify: runs in the database, whether or not they are points
                              * of the sweep */
    bool unsound;            /* with --verify: runs or the database file are damaged */
    u32 running;
    double seconds, left_seconds; /* elapsed; left: estimate, NAN until a run has ended */
};
struct sweep_watch {
    /* Called several times per second. */
    void (*tell)(struct sweep_watch *w, const struct sweep_count *n);
    /* Called if a point did not complete normally. */
    void (*trouble)(struct sweep_watch *w, const struct store_run *r, const char *status,
                    const char *reason);
    /* Reports damage, repair, warnings and machines. */
    void (*say)(void *watch, const char *text);
};
struct sweep_setup {
    const char *path, *database; /* database NULL: like a database without runs; for sweep_look
                                  * only */
    u32 processes;
    u64 run_seconds;         /* time limit of a run, then the run counts as failed; 0: none */
    u64 hook_seconds;        /* limit per call of a hook, as in watchdog_expired; 0: none */
    bool skip;               /* skip dead cycles */
    bool quiet;              /* omit notes about the machines */
    enum app_folder folder;    /* working folder of CUDA programs */
    struct ptx_arch ptx;     /* PTX architecture that CUDA programs use; number 0: compute
                              * capability of the device */
    bool retry;              /* run failed points again */
    struct sweep_shard {     /* parts `first` to `last`, counted from 1, of `parts` equal parts;
                              * parts 0: all points */
        u32 first, last, parts;
    } shard;
    const char *known;       /* database with points that are not run; NULL: none */
    bool verify;             /* only check the integrity of the whole database */
    bool repair;             /* remove damaged runs first */
    bool isolated_only;      /* only make the isolated runs of all points, into the cache; no
                              * database */
    struct sweep_watch *watch;
};

/* Runs a sweep. Returns false with errors in `fail` if the input is wrong or the database cannot be
 * written. */
bool sweep_run(const struct sweep_setup *setup, struct sweep_count *count, struct fail *fail);

/* Preview of a sweep. */
struct sweep_look {
    struct sweep_count count;
    u32 *missing, missing_n; /* points to be run, as ranks in the order of keys from which shards
                              * are assigned */
    u32 stored;              /* runs with a known duration in the database */
    double seconds;          /* mean duration of a run */
    bool alone_by_points;    /* each point makes the isolated runs that are not in the cache */
};
/* Fills `look` without running anything. note: creates the database if necessary and records the
 * sweep in it; otherwise nothing changes on disk. Call sweep_look_free in either case. */
bool sweep_look(const struct sweep_setup *setup, bool note, struct sweep_look *look,
                struct fail *fail);
void sweep_look_free(struct sweep_look *look);

#endif

/* The report: an HTML page summarizing a sweep's database. For each setting (machine, options, rule
 * for the end of a run) the page shows the policies' geometric means and, for every set of apps, a
 * comparison of all policies; then a table of all points. `cli` writes the page. */
#ifndef CORUN_REPORT_H
#define CORUN_REPORT_H

#include "run/study/metric.h"
#include "run/sweep/store.h"

struct report_run {
    const char *apps, *policy, *setting, *status, *reason; /* reason: "" if none */
    const char *chosen;        /* policy chosen by the oracle; "": none */
    u64 seed, cycles;
    u32 set;                   /* index of the set (apps and seed) in the setting */
    double *metrics;           /* [metric row] NAN: undefined */
    u32 app_n;
    double np[APPS_MAX];       /* [app] normalized IPC; NAN: undefined */
};
struct report_setting {
    const char *name;
    u32 policy_n, policy_room, set_n;
    const char **policies;     /* in the order of the sweep file */
    const struct report_run **runs; /* [set][policy] NULL: no such run */
};
struct report {
    struct arena arena;
    const char *title;
    u32 run_n, run_room, setting_n, setting_room;
    u32 program_n;             /* number of different builds of corun among the runs */
    const char *database, *file, *commit; /* "": unknown */
    const char *first_day, *last_day;     /* of the ends of runs, UTC, as in 2026-05-31 */
    u32 point_n;               /* points of the whole sweep */
    u32 done_n;                /* of these points in the database, intact */
    u32 damaged_n;             /* number of damaged runs, not loaded */
    struct report_run *runs;
    struct report_setting *settings;
};

/* Loads all intact runs and appends the names of damaged runs to `damaged`, a line each. false:
 * errors in `fail`. The caller calls report_free in either case. */
bool report_load(struct report *r, struct store *s, struct text *damaged, struct fail *fail);
void report_free(struct report *r);

/* Returns a policy's geometric mean of a metric over the `n` sets in which the metric is above 0
 * for every policy. Policies that have the metric in no set are ignored. NAN: no such set. */
double report_mean(const struct report_setting *s, u32 policy, u32 metric, u32 *n);

/* Returns the number of points of the sweep that have not run. */
u32 report_missing(const struct report *r);

/* Returns the seed of a set. */
u64 report_seed(const struct report_setting *s, u32 set);
/* Like report_mean, over the sets with a seed. */
double report_seed_mean(const struct report_setting *s, u32 policy, u32 metric, u64 seed);

void report_page(const struct report *r, struct text *out);

#endif

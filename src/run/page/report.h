/* A database of results summed up as one HTML page: per setting (machine, options, rule) the
 * policies' geometric means, every set of apps with all policies side by side, and every point.
 * `cli` writes the page. */
#ifndef CORUN_REPORT_H
#define CORUN_REPORT_H

#include "run/study/metric.h"
#include "run/sweep/store.h"

struct report_run {
    const char *apps, *policy, *setting, *status, *reason; /* reason "" where there is none */
    u64 seed, cycles;
    u32 set;                   /* of apps with a seed, of its setting */
    double *metrics;           /* one per metric row; NAN: undefined */
    u32 app_n;
    double np[APPS_MAX];
};
struct report_setting {
    const char *name;
    u32 policy_n, policy_room, set_n;
    const char **policies;     /* in the order of the sweep file */
    const struct report_run **runs; /* [set][policy], NULL: there is none */
};
struct report {
    struct arena arena;
    const char *title;
    u32 run_n, run_room, setting_n, setting_room;
    u32 program_n;             /* different coruns that made the runs */
    u32 damaged_n;             /* left out */
    struct report_run *runs;
    struct report_setting *settings;
};

/* Damaged runs are left out, and `damaged` names them, a line each. false: errors in `fail`. Free
 * it in either case. */
bool report_load(struct report *r, struct store *s, struct text *damaged, struct fail *fail);
void report_free(struct report *r);

/* A policy's geometric mean of a metric over the `n` sets where every policy has it, those left
 * out that have it nowhere. NAN: there are none. */
double report_mean(const struct report_setting *s, u32 policy, u32 metric, u32 *n);

void report_page(const struct report *r, struct text *out);

#endif

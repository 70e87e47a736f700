/* Multi-program metrics of a simulation, defined by rows of metric.def, and the IPC of single apps.
 * Used by every result page. */
#ifndef CORUN_METRIC_H
#define CORUN_METRIC_H

#include "run/study/alone.h"

/* METRIC_MORE: higher is better; METRIC_LESS: lower is better. */
enum metric_best { METRIC_MORE, METRIC_LESS };

struct metric_row {
    const char *name, *unit, *sentence, *source;
    enum metric_best best;
    /* NAN: undefined */
    double (*value)(const double *np, const double *ipc, u32 n);
};
extern const struct metric_row metric_rows[];
extern const u32 metric_row_n;

double app_ipc_thread(const struct sim_app *app);   /* NAN: no cycle has passed */
double app_ipc_warp(const struct sim_app *app);
/* Return the IPC of an isolated run, and an app's IPC relative to its isolated run. NAN:
 * unknown. */
double alone_ipc_thread(const struct alone *alone);
double normalized_ipc(const struct sim_app *app, const struct alone *alone);
const struct metric_row *metric_find(const char *name); /* NULL: unknown name */
/* Returns the metric of a simulation; `alone` has an entry per app. */
double metric_of(const struct metric_row *row, const struct sim *sim, const struct alone *alone);
/* Returns the index of the best of n values, the first of equal values, or 0 if all are NAN.
 * *undefined: number of NAN values. */
u32 metric_best(const struct metric_row *row, const double *values, u32 n, u32 *undefined);

/* Returns a ratio of counters; NAN: undefined. */
double ratio_of(const struct ratio_row *row, const struct gpu_stat *s,
                const struct gpu_capacity *c);
const struct ratio_row *ratio_find(const char *name); /* the name must exist */

#endif

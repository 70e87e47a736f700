/* Multi-program metrics of one run, from rows; and an app's own IPC. Read by every result page. */
#ifndef CORUN_METRIC_H
#define CORUN_METRIC_H

#include "run/study/batch.h"

enum metric_best { METRIC_MORE, METRIC_LESS }; /* which of two values is better */

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
double app_alone_ipc(const struct batch_run *run, u32 app_id);      /* NAN: unknown */
double app_normalized_ipc(const struct batch_run *run, u32 app_id); /* NAN: unknown */
const struct metric_row *metric_find(const char *name);             /* NULL: none */
double metric_of(const struct batch_run *run, const struct metric_row *row);
/* The first of the best of n values of a metric; *undefined: how many are NAN. 0 if all are. */
u32 metric_best(const struct metric_row *row, const double *values, u32 n, u32 *undefined);

/* A ratio over counters; NAN: undefined. */
double ratio_of(const struct ratio_row *row, const struct gpu_stat *s,
                const struct gpu_capacity *c);
const struct ratio_row *ratio_find(const char *name); /* our own names only */

#endif

/* Multi-program metrics of one simulation, from rows; and an app's own IPC. Read by every result
 * page. */
#ifndef CORUN_METRIC_H
#define CORUN_METRIC_H

#include "run/study/alone.h"

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
/* By the isolated run of the same app; NAN: unknown. */
double alone_ipc_thread(const struct alone *alone);
double normalized_ipc(const struct sim_app *app, const struct alone *alone);
const struct metric_row *metric_find(const char *name); /* NULL: none */
/* `alone`: of each app. */
double metric_of(const struct metric_row *row, const struct sim *sim, const struct alone *alone);
/* The first of the best of n values of a metric; *undefined: how many are NAN. 0 if all are. */
u32 metric_best(const struct metric_row *row, const double *values, u32 n, u32 *undefined);

/* A ratio over counters; NAN: undefined. */
double ratio_of(const struct ratio_row *row, const struct gpu_stat *s,
                const struct gpu_capacity *c);
const struct ratio_row *ratio_find(const char *name); /* our own names only */

#endif

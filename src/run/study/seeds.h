/* A batch repeated with further seeds: means and confidence intervals of metrics and IPC. */
#ifndef CORUN_SEEDS_H
#define CORUN_SEEDS_H

#include "run/study/batch.h"

/* Values over seeds. half: half the width of the 95 % confidence interval of the mean, by Student's
 * t; NAN: fewer than two values. n 0: all numbers are NAN. */
struct spread {
    u32 n;
    double mean, half, least, most;
};

/* Returns the spread of the values that are not NAN. */
struct spread spread_of(const double *values, u32 n);

/* Receives each repeated batch before the memory of the batch is freed. */
struct seeds_watch {
    void (*ended)(struct seeds_watch *w, const struct batch *repeat);
};

/* Repeats a finished batch with the n - 1 seeds after the own seed, one after the other, without
 * output files, and keeps the values of all n seeds in the batch; after an interruption, those of
 * the seeds before. Returns false if the input is wrong, with errors in `fail`. */
bool seeds_run(struct batch *b, u32 n, struct seeds_watch *watch, struct fail *fail);

/* Quantities of an app, and of all apps together: a metric. */
enum seeds_app { SEEDS_NORMALIZED_IPC, SEEDS_IPC, SEEDS_REQUEST, SEEDS_APP_N =
                 SEEDS_REQUEST + REQUEST_N };
static inline enum seeds_app seeds_request(u32 quantity) /* of run/sim/request.h */
{
    return (enum seeds_app)(SEEDS_REQUEST + quantity);
}

/* Return the spread of a quantity of run `run` over the seeds with which the run completed. A batch
 * without repetitions: the single value, also of a run that did not complete. */
struct spread seeds_metric(const struct batch *b, u32 run, const struct metric_row *row);
struct spread seeds_app(const struct batch *b, u32 run, u32 app_id, enum seeds_app of);

/* Return the values of a batch with repetitions, one per seed; NAN: the run did not complete. */
const double *seeds_metric_values(const struct batch *b, u32 run, const struct metric_row *row);
const double *seeds_app_values(const struct batch *b, u32 run, u32 app_id, enum seeds_app of);

/* Returns true if a metric may have the same mean in two runs: the 95 % confidence interval of the
 * differences of each seed's values contains 0, or is unknown. */
bool seeds_alike(const struct batch *b, u32 run, u32 other, const struct metric_row *row);

#endif

/* Comparison of policies for the same apps: each policy relative to the oracle, and a
 * self-contained HTML page. Reads a finished batch. `cli` prints the table and writes the page. */
#ifndef CORUN_COMPARE_H
#define CORUN_COMPARE_H

#include "run/study/batch.h"

/* Snapshots for the page when the length of a run is unknown beforehand: initial interval in cycles
 * and maximum number of intervals. */
enum { COMPARE_INTERVAL = 100, COMPARE_INTERVAL_MOST = 160 };

/* Returns the metric optimised by the oracle `spec`; NULL if `spec` is another policy. */
const struct metric_row *compare_sought(const char *spec);
/* Returns `own` as a fraction of `best`, both values of the metric; above 1: `own` is better. NAN:
 * undefined. */
double compare_fraction(const struct metric_row *metric, double own, double best);

struct compare_oracle {
    u32 run;                       /* index in the batch */
    const struct metric_row *metric; /* metric optimised by the oracle */
};
/* Returns the metric of a run, the mean over the batch's seeds. */
double compare_value(const struct batch *b, u32 run, const struct metric_row *row);
/* Returns true if a run completed with a value of the metric. */
bool compare_has(const struct batch *b, u32 run, const struct metric_row *row);
/* Returns true if a run takes part in the choice of the best policy: compare_has, and no oracle. An
 * oracle is a reference. */
bool compare_takes_part(const struct batch *b, u32 run, const struct metric_row *row);
/* Returns the run with the best value of a metric, the first of equals; UINT32_MAX: none takes
 * part. */
u32 compare_best(const struct batch *b, const struct metric_row *row);
/* Finds the oracle's run. false: the batch has no policy `oracle`. */
bool compare_oracle(const struct batch *b, struct compare_oracle *out);
/* Appends the outcome of the oracle's search as the end of a sentence; nothing if none. */
void compare_found(const struct batch *b, const struct compare_oracle *o, struct text *out);
/* Returns a run's value of the oracle's metric as a fraction of the oracle's own value; above 1:
 * the run is better. NAN: undefined. */
double compare_of_oracle(const struct batch *b, const struct compare_oracle *o, u32 run);

/* Appends the verdict, a sentence without a full stop. The best policy has the highest weighted
 * speedup among the policies that completed; the sentence names the normalized IPC of each app, who
 * is better for an app by over 1 %, policies within 1 % of the best or, with several seeds, not
 * told apart from the best, and the oracle's value as a reference. Values are means over the
 * seeds. */
void compare_verdict(const struct batch *b, struct text *out);

/* Appends the whole page. */
void compare_page(const struct batch *b, struct text *out);

#endif

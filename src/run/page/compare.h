/* The same apps under several policies, side by side: how far each is from the oracle, and one
 * self-contained HTML page. Reads a finished batch; `cli` prints the table and writes the page. */
#ifndef CORUN_COMPARE_H
#define CORUN_COMPARE_H

#include "run/study/batch.h"

/* Snapshots for the page, when the run's length is not known beforehand. */
enum { COMPARE_INTERVAL = 100, COMPARE_INTERVAL_MOST = 160 };

/* What the oracle asked for as `spec` seeks the best of; NULL: it is another policy. */
const struct metric_row *compare_sought(const char *spec);
/* `own` as a fraction of `best`, both of a metric; above 1: better. NAN: undefined. */
double compare_fraction(const struct metric_row *metric, double own, double best);

struct compare_oracle {
    u32 run;                       /* of the batch */
    const struct metric_row *metric; /* what it sought the best of */
};
/* false: the policy `oracle` is not among them. */
bool compare_oracle(const struct batch *b, struct compare_oracle *out);
/* What the oracle came to, as the end of a sentence; nothing if it came to nothing. */
void compare_found(const struct batch *b, const struct compare_oracle *o, struct text *out);
/* A run's value of the oracle's metric as a fraction of the oracle's; above 1: better. NAN:
 * undefined. */
double compare_of_oracle(const struct batch *b, const struct compare_oracle *o, u32 run);

/* The whole page. */
void compare_page(const struct batch *b, struct text *out);

#endif

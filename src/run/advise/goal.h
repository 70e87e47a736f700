/* The goal of an advice: bounds on slowdowns of apps, and a metric to optimise. Parsed from text
 * such as 'mm<=1.2, max ws'. */
#ifndef CORUN_ADVISE_GOAL_H
#define CORUN_ADVISE_GOAL_H

#include "run/study/metric.h"

struct goal {
    const struct metric_row *metric;
    double bounds[APPS_MAX]; /* largest slowdown of each app; NAN: no bound */
    bool bounded;            /* some app has a bound */
};

/* Parses a goal for apps with these names. Returns false with errors in `fail`. */
bool goal_parse(struct goal *g, const char *text, const char *const *names, u32 n,
                struct fail *fail);

/* Returns the greatest ratio of a slowdown to its bound; above 1: the goal is not met. 0 without
 * bounds; NAN if a bounded slowdown is unknown. */
double goal_excess(const struct goal *g, const double *slowdowns, u32 n);

/* Appends the bounds, as in "mm<=1.2, bfs<=2". */
void goal_bounds(const struct goal *g, const char *const *names, u32 n, struct text *out);

/* Returns "max" or "min". */
const char *goal_direction(const struct metric_row *metric);

#endif

/* The goal of an advice: bounds on slowdowns of apps and on the 99th percentile of the latencies of
 * their requests (p99), and a metric to optimise. Parsed from text such as
 * 'mm<=1.2, decode.p99<=30us, max ws'. */
#ifndef CORUN_ADVISE_GOAL_H
#define CORUN_ADVISE_GOAL_H

#include "run/study/metric.h"

struct goal_app {
    const char *name;
    bool requests;           /* the app has requests */
    double slowdown;         /* largest slowdown; NAN: no bound */
    double p99_times;        /* largest p99, as a multiple of the p99 alone; NAN: not given so */
    double p99_us;           /* largest p99; NAN: no bound, or before goal_alone */
    bool p99_least;          /* the goal is the least p99 of the app */
};

struct goal {
    const struct metric_row *metric; /* NULL: the p99 of an app */
    struct goal_app apps[APPS_MAX];
    u32 n;
    bool bounded;            /* some app has a bound */
};

struct judged {              /* what a goal looks at: values of each app */
    const double *slowdown, *ipc, *p99;
    u32 n;
};

/* Parses a goal for apps of which names and requests are set in `g`. Returns false with errors in
 * `fail`. */
bool goal_parse(struct goal *g, const char *text, struct fail *fail);

/* True if the goal has a bound on the p99 of an app, or is its least. */
bool goal_has_p99(const struct goal *g, u32 app);
/* Takes the p99 of an isolated run, in us. */
void goal_alone(struct goal *g, u32 app, double p99_us);

/* Returns the metric, or the p99 in us; NAN: undefined. */
double goal_value(const struct goal *g, const struct judged *of);
/* True if a greater value is better. */
bool goal_more(const struct goal *g);
/* Appends the name of the metric, or "APP.p99". */
void goal_name(const struct goal *g, struct text *out);

/* Returns the greatest ratio of a slowdown or p99 to its bound; above 1: the goal is not met. 0
 * without bounds; NAN if a bounded value is unknown. */
double goal_excess(const struct goal *g, const struct judged *of);

/* Appends the bounds, as in "mm<=1.2, bfs.p99<=2". */
void goal_bounds(const struct goal *g, struct text *out);

#endif

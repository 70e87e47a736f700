/* Slowdown of an app against its number of SMs, from two isolated runs: on a few SMs, at little
 * cost in warp instructions, and on all SMs. The runs go through the cache of isolated runs. */
#ifndef CORUN_ADVISE_CURVE_H
#define CORUN_ADVISE_CURVE_H

#include "run/study/alone.h"

enum { CURVE_POINTS = 2 };

struct curve {
    u32 n;
    struct alone points[CURVE_POINTS]; /* isolated runs, by number of SMs (`sms`) */
};

struct curves {
    const struct sim_setup *sim;
    bool fresh;             /* isolated runs are simulated, not taken from the cache */
    u32 threads, cached;    /* cached: number of runs found in the cache */
    struct curve of[APPS_MAX];
};

/* Adds an isolated run of every app on `sms` SMs: first on all SMs, then on fewer for as many
 * cycles. Messages on runs that ended abnormally go to `told`. Returns false if the input is wrong,
 * with errors in `fail`. */
bool curves_add(struct curves *c, u32 sms, struct text *told, struct fail *fail);
void curves_free(struct curves *c);

/* Returns the isolated run on all SMs. */
const struct alone *curve_whole(const struct curve *c);
/* Returns the slowdown of a measured point against the run on all SMs; NAN: unknown. */
double curve_point(const struct curve *c, u32 point);
/* What a slowdown compares: IPC, or the mean service time of the app's requests. */
enum pace { PACE_IPC, PACE_SERVICE, PACE_N };

/* Returns the slowdown on `sms` SMs; NAN: unknown. Speed is linear up to the first point. From
 * there speed lies halfway between two lines to the last point: a straight one, and the first line
 * continued up to the greater of both speeds. */
double curve_slowdown(const struct curve *c, enum pace pace, double sms);
/* Returns the part of the DRAM bandwidth that an app uses on all SMs: of all cycles, or of those
 * in which a request is executed. */
double curves_dram_use(const struct curves *c, u32 app, enum pace pace);
/* Returns the 99th percentile of the latencies on all SMs in us; NAN: too few requests. */
double curves_p99(const struct curves *c, u32 app);
/* Converts SM cycles to us. */
double curves_us(const struct curves *c, double cycles);

#endif

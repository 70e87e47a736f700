/* The progress of an app: points (SM cycles, warp instructions issued so far). `sim` takes
 * a point between two advances of the GPU, hence points change no result. With WORK_POINTS points
 * every second point is dropped, and later points are twice as far apart. study/loss.h reads the
 * curve of isolated runs: the time that an app alone takes for the work done in a shared run.
 * study/cuts.h reads the curves of runs with a cut. */
#ifndef CORUN_WORK_CURVE_H
#define CORUN_WORK_CURVE_H

#include "base/base.h"

enum { WORK_POINTS = 256, WORK_EVERY = 16 /* cycles between the first points */ };

struct work_point {
    u64 cycles, warp_instructions;
};
struct work_curve {
    u64 every;     /* cycles between two points; 0: no points are taken */
    u32 n;
    struct work_point at[WORK_POINTS];
};

/* Returns the cycle of the next point. */
static inline u64 work_curve_next(const struct work_curve *c)
{
    return c->every ? (c->n + 1) * c->every : NEVER;
}
/* Adds the point of cycle work_curve_next. */
void work_curve_take(struct work_curve *c, u64 warp_instructions);
/* Returns the cycles in which the run had issued `warp_instructions`: between two points, and from
 * the last point to `end`, by integer interpolation, rounded down; behind `end` at the mean rate of
 * the run. end: cycles and instructions of the whole run. NEVER: the run issued nothing. */
u64 work_curve_cycles(const struct work_curve *c, struct work_point end, u64 warp_instructions);

#endif

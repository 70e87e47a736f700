/* A remaining time fit to be shown. Estimates of it jump; this one runs down with the clock and
 * moves towards them within some seconds, at once where it is off by more than half. */
#ifndef CORUN_LEFT_H
#define CORUN_LEFT_H

#include <math.h>
#include <stdbool.h>

#define LEFT_FIRST_SECONDS 1.0 /* neither before this time */
#define LEFT_FIRST_PART 0.02   /* nor before this part of the work is an estimate believed */
#define LEFT_SETTLE 5.0        /* seconds in which half of a small jump is followed */

struct left {
    bool known;
    double now, seconds;
};

/* now: seconds since the start; done: the part of all work, 0 to 1. NAN: nothing can be said. */
static inline double left_after(struct left *l, double now, double done)
{
    if (!l->known && (now < LEFT_FIRST_SECONDS || !(done >= LEFT_FIRST_PART))) return (double)NAN;
    double passed = now - l->now, shown = fmax(l->seconds - passed, 0);
    double estimate = done > 0 ? now * (1 - done) / done : shown;
    bool far_off = !l->known || shown > 2 * estimate || estimate > 2 * shown;
    shown = far_off ? estimate : shown + (estimate - shown) * passed / (passed + LEFT_SETTLE);
    *l = (struct left){true, now, shown};
    return shown;
}

#endif

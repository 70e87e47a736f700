/* Smooths the displayed remaining time. Raw estimates jump; the displayed time counts down with the
 * clock and approaches the estimate within some seconds, or at once if the two differ by more than
 * a factor of 2. */
#ifndef CORUN_REMAINING_H
#define CORUN_REMAINING_H

#include <math.h>
#include <stdbool.h>

#define REMAINING_FIRST_SECONDS 1.0 /* minimum seconds before an estimate is shown */
/* minimum fraction of the work done before an estimate is shown */
#define REMAINING_FIRST_PART 0.02
#define REMAINING_SETTLE 5.0        /* seconds until half of a small difference is corrected */

struct remaining {
    bool known;
    double now, seconds;
};

/* Returns the seconds to display, or NAN as long as no estimate is possible. now: seconds since the
 * start; done: fraction of the work done, 0 to 1. */
static inline double remaining_after(struct remaining *l, double now, double done)
{
    if (!l->known && (now < REMAINING_FIRST_SECONDS || !(done >= REMAINING_FIRST_PART)))
        return (double)NAN;
    double passed = now - l->now, shown = fmax(l->seconds - passed, 0);
    double estimate = done > 0 ? now * (1 - done) / done : shown;
    bool far_off = !l->known || shown > 2 * estimate || estimate > 2 * shown;
    shown = far_off ? estimate : shown + (estimate - shown) * passed / (passed + REMAINING_SETTLE);
    *l = (struct remaining){true, now, shown};
    return shown;
}

#endif

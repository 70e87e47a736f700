/* What apps that share memory bandwidth, and nothing else, get of it. Paper 001 section 5: an app's
 * performance is proportional to its bandwidth over its MPKI, MPKI stays, and when the apps ask for
 * more than there is, all of it is used. `profile` shows it for apps that are looked at together.
 * The unit is the caller's: fractions of the peak, bytes per cycle. */
#ifndef CORUN_BANDWIDTH_H
#define CORUN_BANDWIDTH_H

#include "base/base.h"

/* Each takes what it takes alone, as far as those before it in order[] have left it. */
void bandwidth_in_order(double peak, const double *alone, const u32 *order, u32 n, double *got);
/* Round robin: equal parts; what an app does not need goes to the others in equal parts. */
void bandwidth_in_turn(double peak, const double *alone, u32 n, double *got);

#endif

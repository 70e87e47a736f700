/* Division of memory bandwidth among apps that share only the bandwidth. Assumptions (paper 001
 * section 5): an app's performance is proportional to its bandwidth divided by its MPKI, sharing
 * does not change the MPKI, and the full bandwidth is used if the apps want more. The caller
 * chooses the unit: fractions of the peak, or bytes per cycle. */
#ifndef CORUN_BANDWIDTH_H
#define CORUN_BANDWIDTH_H

#include "base/base.h"

/* Divides by priority: in the order of order[], each app gets its bandwidth of an isolated run, at
 * most the remaining bandwidth. */
void bandwidth_in_order(double peak, const double *alone, const u32 *order, u32 n, double *got);
/* Divides round robin: equal parts, and bandwidth not needed by an app goes in equal parts to the
 * other apps. */
void bandwidth_in_turn(double peak, const double *alone, u32 n, double *got);

#endif

#include "run/profile/bandwidth.h"

#include <math.h>

void bandwidth_in_order(double peak, const double *alone, const u32 *order, u32 n, double *got)
{
    for (u32 i = 0; i < n; i++) {
        got[order[i]] = fmin(alone[order[i]], peak);
        peak -= got[order[i]];
    }
}

void bandwidth_in_turn(double peak, const double *alone, u32 n, double *got)
{
    for (u32 a = 0; a < n; a++) got[a] = -1; /* undecided: may need more than an equal part */
    for (u32 open = n, before = n + 1; open < before;) {
        double part = open ? peak / open : 0;
        before = open;
        for (u32 a = 0; a < n; a++) {
            if (got[a] >= 0 || alone[a] > part) continue;
            got[a] = alone[a];
            peak -= alone[a];
            open--;
        }
        if (open < before) continue;
        for (u32 a = 0; a < n; a++) got[a] = got[a] < 0 ? part : got[a];
    }
}

/* Databases of the parts of one sweep put together: the result is the database that one sweep of
 * all points makes. One transaction: all goes in, or the output stays as it was. */
#ifndef CORUN_MERGE_H
#define CORUN_MERGE_H

#include "run/sweep/store.h"

struct merge_count {
    u64 points;              /* of the sweep */
    u32 runs;                /* of them in the output now; of these: */
    u32 added, failed, abnormal;
    u32 better;              /* put in place of one that had failed */
    u32 old, foreign;        /* left out: made by another corun, before; of another sweep */
    u32 empty;               /* databases: of sweeps that were killed early */
};

/* false: nothing was changed, errors in `fail`. */
bool merge_run(const char *const *paths, u32 n, const char *output, struct merge_count *count,
               struct fail *fail);

#endif

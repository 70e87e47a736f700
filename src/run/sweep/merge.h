/* Merges the databases of a sweep's shards. The result is equal to the database of an unsharded
 * sweep. A single transaction makes all changes; on an error, the output stays unchanged. */
#ifndef CORUN_MERGE_H
#define CORUN_MERGE_H

#include "run/sweep/store.h"

struct merge_count {
    u64 points;              /* points of the sweep */
    u32 runs;                /* runs of the sweep in the output after the merge */
    u32 added, failed, abnormal;
    u32 better;              /* replaced a failed run */
    u32 old, foreign;        /* omitted: old: made by another corun; foreign: of another sweep */
    u32 empty;               /* empty databases, of sweeps killed early */
};

/* Merges n databases into `output`. Returns false with errors in `fail` and without changes. */
bool merge_run(const char *const *paths, u32 n, const char *output, struct merge_count *count,
               struct fail *fail);

#endif

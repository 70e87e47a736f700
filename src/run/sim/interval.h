/* Snapshots of every counter at every so many cycles, per app and for the GPU: taken by sim between
 * two advances of the gpu, so that a run with them has the same numbers as one without. What lies
 * between two snapshots is an interval; the intervals' sum is the run's totals, exactly. Shown as
 * CSV (--csv with --interval) and as counters of the timeline, which need only the last one. */
#ifndef CORUN_INTERVAL_H
#define CORUN_INTERVAL_H

#include "gpu/gpu.h"

struct interval {
    u64 start, end;               /* SM cycles, end exclusive */
    struct gpu_capacity capacity; /* of the whole GPU in between */
};
struct intervals {
    u64 every;                    /* 0: none are taken */
    u32 most;                     /* when there are so many, two become one; even; 0: no end */
    bool passing;                 /* of those that end only the last is kept; `most` is 0 */
    u32 app_n;
    u32 n, room, stat_room;
    struct interval *at;          /* [n], passing: [2] */
    struct gpu_stat *stats;       /* [interval][app, then what no app owns], from cycle 0 to end */
};

static inline size_t intervals_place(const struct intervals *v, size_t i) /* of i, in `at` */
{
    return v->passing ? i & 1 : i;
}

static inline u64 intervals_next(const struct intervals *v) /* the cycle of the next snapshot */
{
    return v->every ? (v->n + 1) * v->every : NEVER;
}
/* at gpu_now; false: no cycle has passed */
bool intervals_take(struct intervals *v, struct gpu *g, const struct machine *m);
/* What was counted in interval i by an app, or by the whole GPU (app_id == app_n). The most blocks
 * resident is the most so far. */
void intervals_stat(const struct intervals *v, size_t i, u32 app_id, struct gpu_stat *out);
void intervals_free(struct intervals *v);

#endif

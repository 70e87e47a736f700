/* Periodic snapshots of all counters, per app and for the GPU. sim takes snapshots between two
 * advances of the GPU, hence snapshots do not change results. An interval lies between two
 * snapshots; the sum of all intervals equals the totals of the run exactly. Intervals are written
 * as CSV (--csv with --interval) and as counters of the timeline. The timeline needs only the last
 * interval. */
#ifndef CORUN_INTERVAL_H
#define CORUN_INTERVAL_H

#include "gpu/board/board.h"

struct interval {
    u64 start, end;               /* SM cycles, end exclusive */
    struct gpu_capacity capacity; /* capacity of the whole GPU in the interval */
};
struct intervals {
    u64 every;                    /* cycles between two snapshots; 0: no snapshots */
    u32 most;                     /* at `most` intervals, pairs are merged; even; 0: no limit */
    bool passing;                 /* keep only the last completed interval; requires `most` 0 */
    u32 app_n;
    u32 n, room, stat_room;
    struct interval *at;          /* [n], if passing [2] */
    struct gpu_stat *stats;       /* counters from cycle 0 to the interval's end: [interval][app,
                                   * then counters of no app] */
};

/* Returns the index of interval i in `at`. */
static inline size_t intervals_place(const struct intervals *v, size_t i)
{
    return v->passing ? i & 1 : i;
}

/* Returns the cycle of the next snapshot. */
static inline u64 intervals_next(const struct intervals *v)
{
    return v->every ? (v->n + 1) * v->every : NEVER;
}
/* Takes a snapshot at gpu_now. Returns false if no cycle has passed since the last snapshot. */
bool intervals_take(struct intervals *v, struct board *g, const struct machine *m);
/* Returns in *out the counters of interval i, of an app or of the whole GPU (app_id == app_n). The
 * maximum of resident blocks is the maximum since cycle 0. */
void intervals_stat(const struct intervals *v, size_t i, u32 app_id, struct gpu_stat *out);
void intervals_free(struct intervals *v);

#endif

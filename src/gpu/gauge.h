/* Gauges: decisions of the policy in force, and lengths of queues, per app at gpu_now. The rows are
 * in gauge.def. `run` reads gauges between two advances, at the end of an interval. */
#ifndef CORUN_GPU_GAUGE_H
#define CORUN_GPU_GAUGE_H

#include "gpu/gpu.h"

struct gauge_row {
    const char *name, *unit, *sentence;
};
#define DECISION(...) +1
#define QUEUE(...) +1
enum {
    GAUGE_N = 0
#include "gpu/gauge.def"
};
#undef DECISION
#undef QUEUE
extern const struct gauge_row gauge_rows[GAUGE_N];

/* Fills value[gauge] of an app; not a number: no decision in force. app_id == number of apps: the
 * whole GPU, without decisions, and with the sums of the queues. Call between two advances. */
void gpu_gauges(struct gpu *g, u32 app_id, double value[GAUGE_N]);

#endif

/* Where blocks were over time, as Chrome trace JSON (opens in Perfetto): a process per SM, a thread
 * per block slot, 1 cycle = 1 us. Fed by the gpu while it runs, and written at once: events come in
 * the order of their ends. */
#ifndef CORUN_TIMELINE_H
#define CORUN_TIMELINE_H

#include "run/io/json_writer.h"
#include "run/io/writer.h"
#include "run/sim/sim.h"

struct timeline {
    struct gpu_sink sink;
    const struct sim *sim;
    struct writer writer;
    struct json_writer json;
    /* Resident blocks of each app: before `cycle`, and what changes in it. */
    u64 cycle, resident[APPS_MAX], more[APPS_MAX], less[APPS_MAX];
};

/* First, with `t` all zero. */
struct gpu_sink *timeline_sink(struct timeline *t);
/* Before cycle 0. */
void timeline_begin(struct timeline *t, const struct sim *s, const char *path);
void timeline_interval(struct timeline *t); /* the last of the simulation's has ended */
int timeline_close(struct timeline *t);     /* as writer_close */

#endif

/* The timeline: location of all blocks over time, as Chrome trace JSON (viewable with Perfetto). An
 * SM is a process of the trace, a block slot a thread, a cycle 1 us; an app is a process, too, with
 * a thread per stream for its launches, and a CUDA program a process for its calls. With samples
 * (--blame), an app has counters of its waits behind the other apps. The GPU reports
 * events during the run, in order of their ends; each event is written immediately. */
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
    struct waits *before;      /* [app] samples up to the last interval; NULL: no samples */
    struct text kernel, title; /* name of the last kernel in the PTX, and in C++ */
    /* [app] resident blocks before `cycle`, and blocks added and removed in `cycle` */
    u64 cycle, resident[APPS_MAX], more[APPS_MAX], less[APPS_MAX];
};

/* Returns the sink for the simulation. Call first, with `t` all zero. */
struct gpu_sink *timeline_sink(struct timeline *t);
/* Opens the file. Call before cycle 0. */
void timeline_begin(struct timeline *t, const struct sim *s, const char *path);
void timeline_interval(struct timeline *t); /* writes the last interval; call at its end */
void timeline_launch(struct timeline *t, const struct app_part *launch); /* that has ended */
/* An answered call of a CUDA program. */
void timeline_call(struct timeline *t, u32 app_id, const char *call, u64 start, u64 end);
int timeline_close(struct timeline *t);     /* completes the file; returns like writer_close */
void timeline_free(struct timeline *t);     /* also after an error */

#endif

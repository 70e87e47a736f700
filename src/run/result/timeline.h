/* Where blocks were over time, as Chrome trace JSON (opens in Perfetto): a process per SM, a thread
 * per block slot, 1 cycle = 1 us. Fed by the gpu while it runs; `cli` asks for the file. */
#ifndef CORUN_TIMELINE_H
#define CORUN_TIMELINE_H

#include "run/sim/sim.h"

struct timeline_block {
    const char *kernel;
    u64 block, start, end;
    u32 app, sm, slot;
};
struct timeline {
    struct gpu_sink sink;
    struct timeline_block *blocks;
    u32 n, room;
};

struct gpu_sink *timeline_start(struct timeline *t);
bool timeline_write(const struct timeline *t, const struct sim *s, const char *path,
                    struct fail *fail);
void timeline_free(struct timeline *t);

#endif

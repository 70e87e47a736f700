/* Results for parts of an app: kernels, streams or launches (--by). Each launch has counters of its
 * own (gpu/owner.h). A part sums the counters of its launches, from their start to their end. The
 * rest of the app's counters belongs to no launch: write-backs of the app's lines, and effects of
 * launches after their end. */
#ifndef CORUN_PART_H
#define CORUN_PART_H

#include "gpu/board/board.h"

#define CHOICE(id, word, sentence) id,
enum by {
#include "run/sim/by.def"
};
#undef CHOICE
const char *by_name(enum by by);

/* Launches of an app that are of the same kernel or stream, or a single launch. */
struct app_part {
    u32 app_id, stream;       /* stream: of the first launch */
    const char *kernel;       /* name of the function of the first launch */
    u32 grid[3], block[3], shared_bytes; /* of the first launch */
    u64 number;               /* of the first launch, counted from 1 over the run of the app */
    u64 launches;
    u64 uncounted;            /* launches without counters of their own */
    /* Cycles: arrival of the first launch at the GPU, start of the first block, and end of the last
     * block of all launches. NEVER: not yet. */
    u64 arrived, began, ended;
    u64 cycles;               /* sum over the launches: from the first block to the end */
    struct gpu_stat stats;
};

struct app_parts {
    enum by by;
    struct app_part *at;
    u32 n, room;
};

/* Returns the launch as a part. `ended` NEVER: the launch is at the GPU, and counts up to now. */
void part_from(struct board *g, const struct gpu_end *e, struct app_part *out);
/* Adds a launch to the part of its kernel or stream, or as a new part. */
void parts_add(struct app_parts *p, const struct app_part *launch);
/* Computes the rest: the app's counters without the counters of the parts. */
void parts_rest(const struct app_parts *p, u32 app_id, const struct gpu_stat *app,
                struct gpu_stat *out);
/* Appends the part's name, unique within the app: "launch 3", "stream 0", "kernel bfs"; a second
 * kernel of the name is "kernel bfs.2". */
void part_name(const struct app_parts *p, const struct app_part *part, struct text *out);
void parts_free(struct app_parts *p);

#endif

/* A launch run functionally: the right answers in no simulated time, so that a program comes soon
 * to the launches that are of interest. `run` does so instead of gpu_launch.
 * Model: every step of a warp is a cycle of the clocks that kernels read. A sleeping warp wakes in
 * the right cycle; time jumps to the earliest wake if no warp can go on (guess).
 * Model: caches, DRAM rows and schedulers stay as they were; nothing is counted. Blocks run in the
 * order of their ids, one at a time as long as none waits for others; those that do run in turn, as
 * many as the GPU holds. Warps of a block run in turn, each up to a barrier or its end. So answers
 * are those of a timed run wherever they do not depend on the order in which warps run. */
#ifndef CORUN_FUNCTIONAL_H
#define CORUN_FUNCTIONAL_H

#include "gpu/gpu.h"

struct functional_setup {
    const struct launch *launch;
    const struct machine *machine;
    u64 cycle;               /* at the beginning; every step adds 1 */
    const struct timer *timer; /* clocks of the app */
    u32 grid_id;
    int (*interrupted)(void); /* asked now and then; not 0: it ends. NULL: never */
};

enum functional_end {
    FUNCTIONAL_DONE,
    FUNCTIONAL_FAULT,    /* or lanes of a warp that wait for each other: trouble.deadlock */
    FUNCTIONAL_STUCK,    /* every warp waits for what no warp of the launch will do */
    FUNCTIONAL_INTERRUPTED
};
struct functional {      /* what came of it */
    u64 warp_instructions;
    u64 ns;                  /* from the beginning to the last clock read or wake; else 0 */
    struct gpu_trouble trouble;
};
enum functional_end functional_run(const struct functional_setup *s, struct functional *out);

#endif

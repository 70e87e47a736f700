/* Functional execution of a launch: computes the results in no simulated time, so that a program
 * quickly reaches the launches of interest. `run` calls functional_run instead of gpu_launch.
 * Model: every step of a warp is a cycle of the clocks read by kernels. A sleeping warp wakes in
 * the right cycle; time jumps to the earliest wake if no warp can continue (guess).
 * Model: caches, DRAM rows and schedulers keep their state; nothing is counted. Blocks run in the
 * order of their ids, one at a time as long as no block waits for others; blocks that wait for each
 * other run in turn, as many as fit on the GPU. Warps of a block run in turn, each up to a barrier
 * or its end. The results equal those of a timed run wherever they do not depend on the order in
 * which warps run. */
#ifndef CORUN_FUNCTIONAL_H
#define CORUN_FUNCTIONAL_H

#include "gpu/gpu.h"

struct functional_setup {
    const struct launch *launch;
    const struct machine *machine;
    u64 cycle;               /* cycle of the start; every step adds 1 */
    const struct timer *timer; /* clocks of the app */
    u32 grid_id;
    int (*interrupted)(void); /* polled; nonzero: ends the execution. NULL: never */
};

enum functional_end {
    FUNCTIONAL_DONE,
    FUNCTIONAL_FAULT,    /* a fault, or a deadlock between lanes of a warp: trouble.deadlock */
    FUNCTIONAL_STUCK,    /* every warp waits for an event that no warp of the launch can cause */
    FUNCTIONAL_INTERRUPTED
};
struct functional {      /* result of an execution */
    u64 warp_instructions;
    u64 ns;                  /* from the start to the last clock read or wake; 0 without either */
    /* The execution depended on the launch and contents of memory only, and changed memory only. */
    bool repeatable;
    struct gpu_trouble trouble; /* of FUNCTIONAL_FAULT and FUNCTIONAL_STUCK */
};
/* Runs the launch to its end, to a fault, or until no progress is possible. */
enum functional_end functional_run(const struct functional_setup *s, struct functional *out);

#endif

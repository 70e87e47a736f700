/* Number of blocks of a launch on an SM, and the resource limiting the number. */
#ifndef CORUN_GPU_CAPACITY_H
#define CORUN_GPU_CAPACITY_H

#include "base/text.h"
#include "corun/policy.h"
#include "exec/block/block.h"
#include "gpu/dispatch/kernel.h"
#include "gpu/machine/machine.h"

/* Returns a sentence with the reason if a launch can never run on this machine; NULL: a block fits
 * on an empty SM. */
const char *gpu_refuses(const struct machine *m, const struct launch *l, struct text *why);

/* Returns the bytes of shared memory of a block, static and dynamic. */
static inline u32 launch_shared(const struct launch *l)
{
    return l->program->shared_bytes + l->dynamic_shared_bytes;
}

/* Occupancy of a kernel on this machine. */
struct gpu_occupancy {
    u32 registers, shared_bytes, block_threads, blocks_per_sm;
    enum registers_source registers_source;
    u32 carveout_bytes;  /* shared memory of an SM, as the kernel prefers */
    const char *limiter; /* "threads", "registers", "shared", "blocks" */
    struct corun_resources need; /* needs of a block as counted by the SM's ledger */
};
void gpu_occupancy(const struct machine *m, const struct launch *l, struct gpu_occupancy *out);

/* Returns the grid of a launch on the machine. */
struct grid launch_grid(const struct launch *l, const struct machine *m, const struct timer *timer,
                        u32 grid_id);

#endif

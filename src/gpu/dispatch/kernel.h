/* A launch as the GPU runs it. `host` fills a struct launch and passes the struct to gpu_launch;
 * `dispatch` starts the blocks; gpu_ended returns the launch after its last block has retired. */
#ifndef CORUN_KERNEL_H
#define CORUN_KERNEL_H

#include "exec/warp.h"

/* Priorities of launches: lower numbers go first. Source: the range supported by CUDA devices. */
enum { PRIORITY_LEAST = 0, PRIORITY_GREATEST = -5 };

struct carveout_preference { /* of a kernel for the size of shared memory */
    bool given;
    u8 percent; /* of the SM's largest carve-out */
};

struct launch {
    const struct program *program;
    struct image *image;
    struct printer *printer;
    struct warnings *warnings; /* NULL: warnings are discarded */
    const u8 *param; /* program->param_bytes bytes; must stay valid until the launch has ended */
    u32 grid[3], block[3];
    u32 dynamic_shared_bytes;
    u32 cluster[3];      /* blocks of a cluster; 0: as the kernel says */
    bool large_clusters; /* clusters of more than 8 blocks are allowed */
    struct carveout_preference carveout;
    bool cooperative; /* blocks wait for each other: all must be on the GPU at once */
    u64 workspace;    /* cooperative launches: address of the grid barrier's memory */
    bool dependent;   /* may begin before the end of the stream's preceding launch: dependent.h */
    u32 app_id, stream;
    u64 number; /* counted from 1 over all executions of the app */
    s32 priority; /* priority of the stream or the launch, within the app; 0: default */
    u32 registers; /* per thread: an override, or program->registers */
    void *owner;   /* for use by the host */
    /* Counters by instruction, [SM][pc], kept by the owner to the end of the run; NULL: not
     * counted. Required if gpu_setup.counts_insts is set. */
    struct inst_stat *counts;
};

#endif

/* A launch as the GPU runs it. `host` fills a struct launch and hands it to gpu_launch; `place`
 * dispatches its blocks; gpu_ended gives it back when the last one has retired. */
#ifndef CORUN_KERNEL_H
#define CORUN_KERNEL_H

#include "exec/warp.h"

/* Priorities of launches: lower numbers go first. Source: the range that CUDA devices have. */
enum { PRIORITY_LEAST = 0, PRIORITY_GREATEST = -5 };

struct launch {
    const struct program *program;
    struct image *image;
    struct printer *printer;
    struct warnings *warnings; /* NULL: nobody listens */
    const u8 *param; /* program->param_bytes; stays valid until the launch has ended */
    u32 grid[3], block[3];
    u32 dynamic_shared_bytes;
    bool cooperative; /* its blocks wait for each other: all have to be on the GPU at once */
    u64 workspace;    /* of a cooperative launch: where they meet */
    u32 app_id, stream;
    s32 priority; /* of its stream, or its own, within its app; 0: nobody has said */
    u32 registers; /* per thread: an override, or program->registers */
    void *owner;   /* the host's own */
};

#endif

/* Calls of programs compiled with nvcc's --default-stream per-thread: each works like the plain
 * call, with the calling thread's own stream as default stream. */
#ifndef CORUN_PER_THREAD_H
#define CORUN_PER_THREAD_H

#include "cuda/runtime/stream_id.h"

#define PER_THREAD(name, plain, params, args)                                                      \
    cudaError_t name params;                                                                       \
    cudaError_t name params                                                                        \
    {                                                                                              \
        corun_default_stream(true);                                                                \
        cudaError_t error = plain args;                                                            \
        corun_default_stream(false);                                                               \
        return error;                                                                              \
    }
#define PTDS(name, params, args) PER_THREAD(name##_ptds, name, params, args)
#define PTSZ(name, params, args) PER_THREAD(name##_ptsz, name, params, args)

#endif

/* Handles of streams and the simulator's numbers of streams. */
#ifndef CORUN_STREAM_ID_H
#define CORUN_STREAM_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda/include/cuda_runtime_api.h"

enum { HANDLE = 256 }; /* added to a number, to avoid the special handles */

uint32_t corun_stream(cudaStream_t stream); /* the simulator's number */
/* Selects the default stream of subsequent calls: the calling thread's own stream or the legacy
 * stream. */
void corun_default_stream(bool per_thread);

#endif

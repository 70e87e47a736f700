/* Properties of streams. */
#ifndef CORUN_STREAM_H
#define CORUN_STREAM_H

#include <stdint.h>

#include "cuda/include/cuda_runtime_api.h"

/* Reads the flags and the priority of a stream. */
cudaError_t corun_stream_get(cudaStream_t stream, uint64_t *apart, int64_t *priority);

#endif

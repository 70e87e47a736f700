/* Allocations and fills for other parts of the library. */
#ifndef CORUN_RUNTIME_MEMORY_H
#define CORUN_RUNTIME_MEMORY_H

#include <stdbool.h>

#include "cuda/include/cuda_runtime_api.h"

/* Allocates device memory, even during a capture. */
cudaError_t corun_allocate(void **pointer, size_t size);
cudaError_t corun_fill(void *pointer, size_t pitch, unsigned value, unsigned value_bytes,
                       size_t width, size_t height, bool waits, cudaStream_t stream);
/* Checks the pitches and heights of the memory that takes part in a copy of `width` bytes a row. */
cudaError_t corun_pitches_fit(const struct cudaMemcpy3DParms *p, size_t width);

#endif

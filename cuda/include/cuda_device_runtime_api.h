/* Launches of kernels by kernels, as called by old versions of Thrust in branches that never run:
 * no such launch is possible. */
#ifndef CORUN_CUDA_DEVICE_RUNTIME_API_H
#define CORUN_CUDA_DEVICE_RUNTIME_API_H

#include "cuda_runtime_api.h"

#ifdef __CUDA__
static inline __host__ __device__ void *cudaGetParameterBuffer(size_t alignment, size_t size)
{
    (void)alignment, (void)size;
    return 0;
}
static inline __host__ __device__ cudaError_t cudaLaunchDevice(
    void *kernel, void *parameters, dim3 grid, dim3 block, unsigned shared, cudaStream_t stream)
{
    (void)kernel, (void)parameters, (void)grid, (void)block, (void)shared, (void)stream;
    return cudaErrorNotSupported;
}
#endif

#endif

/* Common part of corun's cuBLAS, cuFFT, cuRAND, cuSOLVER, cuSPARSE and NCCL: the kernels of a
 * library in the process, and messages about missing functions. kernel.c is compiled once per
 * library and version of CUDA. */
#ifndef CORUN_LIBRARY_H
#define CORUN_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "cuda/include/cuda_runtime_api.h"
#include "cuda/library/scalar.h"

/* Functions of corun's shared run-time library. By address: a program linked with a static run-time
 * library may export some of the names, and its kernels are unknown to the shared library. */
#define LIBRARY_RUN_TIME(F)                                                                        \
    F(cudaDeviceGetAttribute) F(cudaEventCreateWithFlags) F(cudaEventDestroy) F(cudaEventRecord)   \
    F(cudaFree) F(cudaGetDevice) F(cudaLaunchKernel) F(cudaMalloc) F(cudaMemcpy2D)                 \
    F(cudaMemcpy2DAsync) F(cudaMemcpyAsync) F(cudaMemsetAsync) F(cudaRuntimeGetVersion)            \
    F(cudaStreamCreateWithFlags) F(cudaStreamDestroy) F(cudaStreamIsCapturing)                     \
    F(cudaStreamSynchronize) F(cudaStreamWaitEvent) F(cudaThreadExchangeStreamCaptureMode)         \
    F(__cudaCorunMultipliesHalf) F(__cudaRegisterFatBinary) F(__cudaRegisterFunction)
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFunction(void **module, const char *host, char *device, const char *name,
                            int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                            int *warp_size);
int __cudaCorunMultipliesHalf(void);
#define FUNCTION(name) __typeof__(&name) name;
struct library_run_time {
    LIBRARY_RUN_TIME(FUNCTION)
};
#undef FUNCTION
/* NULL: the library is not there, or not corun's. */
const struct library_run_time *library_run_time(void);

/* Launches a kernel of the library's kernels.cu: stem_letter, with dynamic shared memory in bytes.
 * arguments: as of cudaLaunchKernel. */
cudaError_t library_launch(cudaStream_t stream, const char *stem, const char *letter, dim3 grid,
                           unsigned threads, size_t shared, void **arguments);
/* Returns a library's status for the error of a launch: 0, or one of the two given. */
static inline unsigned library_status(cudaError_t error, unsigned no_memory, unsigned failed)
{
    return !error ? 0 : error == cudaErrorMemoryAllocation ? no_memory : failed;
}
/* Reads a scalar on the host, or takes the address on the device. type: s, d, c, z, h (half) or i
 * (int32). */
struct library_scalar library_scalar(const void *at, char type, bool on_device);
/* Prints once per process and name that corun's library lacks something. */
void library_missing(const char *library, const char *what);

/* Blocks for a loop over n elements, at most `most`. */
dim3 library_blocks(long long n, unsigned threads, unsigned most);

#endif

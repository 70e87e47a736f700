/* Handles, launches, operands. */
#include <stdlib.h>

#include "cuda/solver/solver.h"

enum { THREADS = 256, BLOCKS = 1024 };

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle)
{
    if (!handle) return CUSOLVER_STATUS_INVALID_VALUE;
    int device;
    const struct library_run_time *r = library_run_time();
    if (!r || r->cudaGetDevice(&device)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t h)
{
    if (!h) return CUSOLVER_STATUS_NOT_INITIALIZED;
    free(h);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t h, cudaStream_t stream)
{
    if (!h) return CUSOLVER_STATUS_NOT_INITIALIZED;
    h->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t h, cudaStream_t *stream)
{
    if (!h) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!stream) return CUSOLVER_STATUS_INVALID_VALUE;
    *stream = h->stream;
    return CUSOLVER_STATUS_SUCCESS;
}

enum { VERSION = LIBRARY_CUDA < 13 ? 11 : 12 }; /* of cuSOLVER in each version of CUDA */

cusolverStatus_t cusolverGetVersion(int *version)
{
    if (!version) return CUSOLVER_STATUS_INVALID_VALUE;
    *version = VERSION * 1000;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value)
{
    if (!value || type > PATCH_LEVEL) return CUSOLVER_STATUS_INVALID_VALUE;
    *value = type == MAJOR_VERSION ? VERSION : 0;
    return CUSOLVER_STATUS_SUCCESS;
}

void solver_launch(struct solver_call *call, const char *stem, dim3 blocks, void **arguments)
{
    if (call->status) return;
    cudaError_t error = library_launch(call->stream, stem, call->letter, blocks, THREADS, 0,
                                       arguments);
    call->status = library_status(error, CUSOLVER_STATUS_ALLOC_FAILED,
                                  CUSOLVER_STATUS_EXECUTION_FAILED);
}

dim3 solver_blocks(long long n) { return library_blocks(n, THREADS, BLOCKS); }

void solver_clear(struct solver_call *call, void *at, size_t bytes)
{
    if (!call->status && library_run_time()->cudaMemsetAsync(at, 0, bytes, call->stream))
        call->status = CUSOLVER_STATUS_EXECUTION_FAILED;
}

void solver_read(struct solver_call *call, void *to, const void *from, size_t bytes)
{
    const struct library_run_time *r = library_run_time();
    if (!call->status &&
        (r->cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, call->stream) ||
         r->cudaStreamSynchronize(call->stream)))
        call->status = CUSOLVER_STATUS_EXECUTION_FAILED;
}

struct solver_matrix solver_matrix(const void *at, long long ld)
{
    return (struct solver_matrix){(void *)(uintptr_t)at, 1, ld, 0};
}

struct solver_matrix solver_from(const struct solver_call *call, struct solver_matrix a,
                                 long long i, long long j)
{
    a.at = (char *)a.at + (i * a.down + j * a.right) * (long long)call->bytes;
    return a;
}

struct solver_matrix solver_transposed(struct solver_matrix a)
{
    long long down = a.down;
    a.down = a.right;
    a.right = down;
    return a;
}

/* Calls of cuBLAS, for blas.c. */
#ifndef TEST_BLAS_H
#define TEST_BLAS_H

#include "cuda/include/cublas_v2.h"
#include "test/cuda/elements.h"

enum { ROOM = 1 << 16, BYTES = ROOM * 16 };
static cublasHandle_t handle;

static void ok(cublasStatus_t status, const char *what)
{
    check(!status, "%s: %s", what, cublasGetStatusName(status));
}

/* A scalar, at the place that the pointer mode wants. */
static const void *scalar(char t, Z x)
{
    static char host[8][16];
    static char *device;
    static int turn;
    turn = (turn + 1) % 8;
    put(t, host[turn], 0, x);
    cublasPointerMode_t mode;
    cublasGetPointerMode(handle, &mode);
    if (mode == CUBLAS_POINTER_MODE_HOST) return host[turn];
    if (!device) cudaMalloc((void **)&device, 8 * 16);
    cudaMemcpy(device + turn * 16, host[turn], 16, cudaMemcpyHostToDevice);
    return device + turn * 16;
}

#endif

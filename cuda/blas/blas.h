/* The part of corun's cuBLAS behind the functions: handles, launches of kernels, operands. Types of
 * elements are letters: s d c z, h (half), b (bfloat16), i (int8), e (e4m3), f (e5m2). */
#ifndef CORUN_BLAS_H
#define CORUN_BLAS_H

#include <stdbool.h>

#include "cuda/blas/kernels.h"
#include "cuda/include/cublas_api.h"
#include "cuda/library/library.h"

struct blas_scratch { /* results of the blocks of a sum; one per stream of the handle */
    cudaStream_t stream;
    void *at;
    struct blas_scratch *next;
};
struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasAtomicsMode_t atomics;
    cublasMath_t math;
    bool has_tensor; /* the machine has tensor units for half */
    struct blas_scratch *scratch;
};

/* Launches a kernel of kernels.cu: stem_letter. arguments: as of cudaLaunchKernel. */
cublasStatus_t blas_launch(cudaStream_t stream, const char *stem, const char *letter, dim3 grid,
                           unsigned threads, void **arguments);
/* Says once per process and name that corun lacks something; returns NOT_SUPPORTED. */
cublasStatus_t blas_missing(const char *what);

/* Reads a scalar of a type on the host, or takes the address on the device. */
struct library_scalar blas_scalar(const void *at, char type, cublasPointerMode_t mode);
struct blas_matrix blas_matrix(const void *at, long long ld);
/* op(A) by exchanging the steps; conjugates for 'c' and 'z'. */
struct blas_matrix blas_op(struct blas_matrix a, cublasOperation_t op);
int blas_triangle(cublasFillMode_t fill, cublasDiagType_t diag);
struct blas_vector blas_vector(const void *at, long long n, long long step);
/* True if the operation does not exchange rows and columns. */
static inline bool blas_is_plain(cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_CONJG;
}
/* The least ld of a matrix with this number of rows. */
static inline long long blas_least_ld(long long rows) { return rows > 1 ? rows : 1; }

struct blas_call { /* a matrix product with a batch */
    struct blas_gemm g;
    char in, out;       /* letters of a and b, of c and d */
    char scalars;       /* letter of alpha and beta */
    char in_b;          /* with floats of 8 bits: letter of b */
    struct blas_eight eight;
    bool pedantic;      /* no tensor units */
    long long batch;
};
cublasStatus_t blas_product(cublasHandle_t handle, struct blas_call *call);
/* Letters of a product's types, compute type and scalars; false: no such product. */
bool blas_types(cudaDataType a, cudaDataType b, cudaDataType c, cublasComputeType_t compute,
                cudaDataType scalars, struct blas_call *out);
size_t blas_bytes(char letter);

#endif

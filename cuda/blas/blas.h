/* The part of corun's cuBLAS behind the functions: handles, launches of kernels, operands. Types of
 * elements are letters: s d c z, h (half), b (bfloat16), i (int8). */
#ifndef CORUN_BLAS_H
#define CORUN_BLAS_H

#include <stdbool.h>

#include "cuda/blas/kernels.h"
#include "cuda/include/cublas_api.h"

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

/* Functions of corun's shared run-time library. By address: a program linked with a static run-time
 * library may export some of the names, and its kernels are unknown to the shared library. */
#define BLAS_RUN_TIME(F)                                                                           \
    F(cudaFree) F(cudaGetDevice) F(cudaLaunchKernel) F(cudaMalloc) F(cudaMemcpy2D)                 \
    F(cudaMemcpy2DAsync) F(cudaMemcpyAsync) F(cudaRuntimeGetVersion) F(cudaStreamSynchronize)      \
    F(__cudaCorunMultipliesHalf) F(__cudaRegisterFatBinary) F(__cudaRegisterFunction)
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFunction(void **module, const char *host, char *device, const char *name,
                            int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                            int *warp_size);
int __cudaCorunMultipliesHalf(void);
#define FUNCTION(name) __typeof__(&name) name;
struct blas_run_time {
    BLAS_RUN_TIME(FUNCTION)
};
#undef FUNCTION
/* NULL: the library is not there, or not corun's. */
const struct blas_run_time *blas_run_time(void);

/* Launches a kernel of kernels.cu: stem_letter. arguments: as of cudaLaunchKernel. */
cublasStatus_t blas_launch(cudaStream_t stream, const char *stem, const char *letter, dim3 grid,
                           unsigned threads, void **arguments);
/* Says once per process and name that corun lacks something; returns NOT_SUPPORTED. */
cublasStatus_t blas_missing(const char *what);

/* Blocks for a loop over n elements, at most `most`. */
dim3 blas_blocks(long long n, unsigned threads, unsigned most);

float blas_half(unsigned short bits);
/* Reads a scalar of a type on the host, or takes the address on the device. */
struct blas_scalar blas_scalar(const void *at, char type, cublasPointerMode_t mode);
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
    bool pedantic;      /* no tensor units */
    long long batch;
};
cublasStatus_t blas_product(cublasHandle_t handle, struct blas_call *call);
/* Letters of a product's types, compute type and scalars; false: no such product. */
bool blas_types(cudaDataType a, cudaDataType b, cudaDataType c, cublasComputeType_t compute,
                cudaDataType scalars, struct blas_call *out);
size_t blas_bytes(char letter);

#endif

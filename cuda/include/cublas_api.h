/* cuBLAS: types and functions, with the values and calling conventions of NVIDIA's library.
 * Matrices are stored by columns; ld is the distance of two columns in elements. corun's library
 * has the functions declared here and in cublas_functions.h; a call of any other function returns
 * CUBLAS_STATUS_NOT_SUPPORTED. */
#ifndef CORUN_CUBLAS_API_H
#define CORUN_CUBLAS_API_H

#include <stddef.h>
#include <stdint.h>

#include "cuComplex.h"
#include "driver_types.h"
#include "library_types.h"
#ifdef __cplusplus
#include "cuda_bf16.h"
#include "cuda_fp16.h"
extern "C" {
#else
struct __half;
typedef struct __half __half;
#endif

#define CUBLAS_VER_MAJOR 11
#define CUBLAS_VER_MINOR 2
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VER_BUILD 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11, CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14, CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum {
    CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2
} cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
    CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_HERMITAN = 2, CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum {
    CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1
} cublasAtomicsMode_t;
typedef enum { /* has no effect: corun has one algorithm per operation */
    CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_ALGO0 = 0, CUBLAS_GEMM_ALGO1 = 1,
    CUBLAS_GEMM_ALGO2 = 2, CUBLAS_GEMM_ALGO3 = 3, CUBLAS_GEMM_ALGO4 = 4, CUBLAS_GEMM_ALGO5 = 5,
    CUBLAS_GEMM_ALGO6 = 6, CUBLAS_GEMM_ALGO7 = 7, CUBLAS_GEMM_ALGO8 = 8, CUBLAS_GEMM_ALGO9 = 9,
    CUBLAS_GEMM_ALGO23 = 23, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99, CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_ALGO0_TENSOR_OP = 100, CUBLAS_GEMM_ALGO15_TENSOR_OP = 115
} cublasGemmAlgo_t;
/* float matrices are multiplied in float in every mode; matrices of half on tensor units, where the
 * machine has them, unless the mode is pedantic */
typedef enum {
    CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_16F_PEDANTIC = 65, CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69, CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72, CUBLAS_COMPUTE_32I_PEDANTIC = 73, CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75, CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;
typedef struct cublasContext *cublasHandle_t;

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);

/* Factorises n x n matrices in place; pivots: n numbers per matrix from 1, or NULL for no pivoting;
 * info[i]: 0, or the first zero pivot of matrix i. pivots and info are on the device. */
#define CUBLAS_GETRF(X, T)                                                                         \
    cublasStatus_t cublas##X##getrfBatched(cublasHandle_t handle, int n, T *const A[], int lda,    \
                                           int *pivots, int *info, int batch);
CUBLAS_GETRF(S, float)
CUBLAS_GETRF(D, double)
CUBLAS_GETRF(C, cuComplex)
CUBLAS_GETRF(Z, cuDoubleComplex)
#undef CUBLAS_GETRF

/* Least squares solutions of A X = C for m x n matrices A with m >= n, by a QR factorization in
 * place; X replaces the first n rows of C. info, on the host: 0, or minus the position of a wrong
 * parameter behind the handle. zeros, on the device, or NULL: the first zero on the diagonal of R
 * of each matrix, or 0; a matrix with a zero is not solved. */
#define CUBLAS_GELS(X, T)                                                                          \
    cublasStatus_t cublas##X##gelsBatched(cublasHandle_t handle, cublasOperation_t op, int m,      \
                                          int n, int sides, T *const A[], int lda, T *const C[],   \
                                          int ldc, int *info, int *zeros, int batch);
CUBLAS_GELS(S, float)
CUBLAS_GELS(D, double)
CUBLAS_GELS(C, cuComplex)
CUBLAS_GELS(Z, cuDoubleComplex)
#undef CUBLAS_GELS

/* The functions with sizes of 32 bits, and with sizes of 64 bits and names ending in _64. */
#define CUBLAS_INT int
#define CUBLAS_NAME(name) name
#define CUBLAS_V2(name) name##_v2
#include "cublas_functions.h"
#define CUBLAS_INT int64_t
#define CUBLAS_NAME(name) name##_64
#define CUBLAS_V2(name) name##_v2_64
#include "cublas_functions.h"
#ifdef __cplusplus
}
/* The compute type as a type of data, as before CUDA 11. */
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void *alpha, const void *A, cudaDataType Atype,
                                          int lda, const void *B, cudaDataType Btype, int ldb,
                                          const void *beta, void *C, cudaDataType Ctype, int ldc,
                                          cudaDataType computeType, cublasGemmAlgo_t algo)
{
    cublasComputeType_t compute = computeType == CUDA_R_16F ? CUBLAS_COMPUTE_16F
        : computeType == CUDA_R_32I ? CUBLAS_COMPUTE_32I
        : computeType == CUDA_R_64F || computeType == CUDA_C_64F ? CUBLAS_COMPUTE_64F
                                                                 : CUBLAS_COMPUTE_32F;
    return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta,
                        C, Ctype, ldc, compute, algo);
}
#endif

#endif

/* cuSOLVER for dense matrices: types and functions, with the values and calling conventions of
 * NVIDIA's library. corun's library has the functions declared here; a call of any other function
 * returns CUSOLVER_STATUS_NOT_SUPPORTED. Matrices are stored by columns. A workspace of the size of
 * bufferSize, in elements, is enough; info is on the device. */
#ifndef CORUN_CUSOLVER_DN_H
#define CORUN_CUSOLVER_DN_H

#include "cublas_api.h"
#include "cusolver_common.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct cusolverDnContext *cusolverDnHandle_t;

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream);

/* X: letter of the type T; R: the real type. */
#define CORUN_SOLVER(X, T, R)                                                                      \
    /* P A = L U with pivoting of rows; devIpiv = NULL: without. info: the first zero pivot */     \
    cusolverStatus_t cusolverDn##X##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n,      \
                                                     T *A, int lda, int *lwork);                   \
    cusolverStatus_t cusolverDn##X##getrf(cusolverDnHandle_t handle, int m, int n, T *A, int lda,  \
                                          T *work, int *devIpiv, int *info);                       \
    cusolverStatus_t cusolverDn##X##getrs(cusolverDnHandle_t handle, cublasOperation_t op, int n,  \
                                          int nrhs, const T *A, int lda, const int *devIpiv, T *B, \
                                          int ldb, int *info);                                     \
    /* A = L L' or U' U. info: the first pivot that is not positive */                             \
    cusolverStatus_t cusolverDn##X##potrf_bufferSize(cusolverDnHandle_t handle,                    \
                                                     cublasFillMode_t uplo, int n, T *A, int lda,  \
                                                     int *lwork);                                  \
    cusolverStatus_t cusolverDn##X##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, \
                                          T *A, int lda, T *work, int lwork, int *info);           \
    cusolverStatus_t cusolverDn##X##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, \
                                          int nrhs, const T *A, int lda, T *B, int ldb,            \
                                          int *info);                                              \
    /* A = Q R */                                                                                  \
    cusolverStatus_t cusolverDn##X##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n,      \
                                                     T *A, int lda, int *lwork);                   \
    cusolverStatus_t cusolverDn##X##geqrf(cusolverDnHandle_t handle, int m, int n, T *A, int lda,  \
                                          T *tau, T *work, int lwork, int *info);                  \
    /* A = U S VT with m >= n; jobs A (all columns), S (n columns), O (in place of A), N (none). */\
    /* info = 1: the rotations did not end. */                                                     \
    cusolverStatus_t cusolverDn##X##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n,      \
                                                     int *lwork);                                  \
    cusolverStatus_t cusolverDn##X##gesvd(cusolverDnHandle_t handle, signed char jobu,             \
                                          signed char jobvt, int m, int n, T *A, int lda, R *S,    \
                                          T *U, int ldu, T *VT, int ldvt, T *work, int lwork,      \
                                          R *rwork, int *info);
/* Products with Q, the first n columns of Q, and eigenvalues of Hermitian matrices in ascending
 * order with vectors in place of A. */
#define CORUN_SOLVER_Q(X, T, R, mqr, gqr, evd)                                                     \
    cusolverStatus_t cusolverDn##X##mqr##_bufferSize(                                              \
        cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n,   \
        int k, const T *A, int lda, const T *tau, const T *C, int ldc, int *lwork);                \
    cusolverStatus_t cusolverDn##X##mqr(cusolverDnHandle_t handle, cublasSideMode_t side,          \
                                        cublasOperation_t trans, int m, int n, int k, const T *A,  \
                                        int lda, const T *tau, T *C, int ldc, T *work, int lwork,  \
                                        int *info);                                                \
    cusolverStatus_t cusolverDn##X##gqr##_bufferSize(cusolverDnHandle_t handle, int m, int n,      \
                                                     int k, const T *A, int lda, const T *tau,     \
                                                     int *lwork);                                  \
    cusolverStatus_t cusolverDn##X##gqr(cusolverDnHandle_t handle, int m, int n, int k, T *A,      \
                                        int lda, const T *tau, T *work, int lwork, int *info);     \
    cusolverStatus_t cusolverDn##X##evd##_bufferSize(                                              \
        cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,           \
        const T *A, int lda, const R *W, int *lwork);                                              \
    cusolverStatus_t cusolverDn##X##evd(cusolverDnHandle_t handle, cusolverEigMode_t jobz,         \
                                        cublasFillMode_t uplo, int n, T *A, int lda, R *W,         \
                                        T *work, int lwork, int *info);
CORUN_SOLVER(S, float, float)
CORUN_SOLVER(D, double, double)
CORUN_SOLVER(C, cuComplex, float)
CORUN_SOLVER(Z, cuDoubleComplex, double)
CORUN_SOLVER_Q(S, float, float, ormqr, orgqr, syevd)
CORUN_SOLVER_Q(D, double, double, ormqr, orgqr, syevd)
CORUN_SOLVER_Q(C, cuComplex, float, unmqr, ungqr, heevd)
CORUN_SOLVER_Q(Z, cuDoubleComplex, double, unmqr, ungqr, heevd)
#undef CORUN_SOLVER
#undef CORUN_SOLVER_Q
#ifdef __cplusplus
}
#endif

#endif

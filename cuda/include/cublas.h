/* cuBLAS without handles: calls share a stream and pass scalars by value, and cublasGetError
 * returns the status of the calls before. Operations are letters: 'N', 'T', 'C'; 'U', 'L'; 'L',
 * 'R'; 'N', 'U'. A call of any function without a declaration here, in cublas_api.h or in
 * cublasLt.h, returns CUBLAS_STATUS_NOT_SUPPORTED. Exclude cublas_v2.h, which gives the same names
 * to functions with handles. */
#ifndef CORUN_CUBLAS_H
#define CORUN_CUBLAS_H

#ifdef CORUN_CUBLAS_V2_H
#error "include cublas.h or cublas_v2.h, not both"
#endif

#include "cublas_api.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef cublasStatus_t cublasStatus;

cublasStatus_t cublasInit(void);
cublasStatus_t cublasShutdown(void);
cublasStatus_t cublasGetError(void); /* and forgets the status */
cublasStatus_t cublasAlloc(int n, int element_bytes, void **at);
cublasStatus_t cublasFree(void *at);
cublasStatus_t cublasSetKernelStream(cudaStream_t stream);

/* Each function does what the function of cublas_functions.h with the same name does. */
#define CUBLAS_TYPE(X, x, R, T, Nrm2, Asum)                                                        \
    void cublas##X##axpy(int n, T alpha, const T *x, int incx, T *y, int incy);                    \
    void cublas##X##scal(int n, T alpha, T *x, int incx);                                          \
    void cublas##X##copy(int n, const T *x, int incx, T *y, int incy);                             \
    void cublas##X##swap(int n, T *x, int incx, T *y, int incy);                                   \
    R cublas##Nrm2(int n, const T *x, int incx);                                                   \
    R cublas##Asum(int n, const T *x, int incx);                                                   \
    int cublasI##x##amax(int n, const T *x, int incx);                                             \
    int cublasI##x##amin(int n, const T *x, int incx);                                             \
    void cublas##X##gemv(char trans, int m, int n, T alpha, const T *A, int lda, const T *x,       \
                         int incx, T beta, T *y, int incy);                                        \
    void cublas##X##trsv(char uplo, char trans, char diag, int n, const T *A, int lda, T *x,       \
                         int incx);                                                                \
    void cublas##X##gemm(char transa, char transb, int m, int n, int k, T alpha, const T *A,       \
                         int lda, const T *B, int ldb, T beta, T *C, int ldc);                     \
    void cublas##X##symm(char side, char uplo, int m, int n, T alpha, const T *A, int lda,         \
                         const T *B, int ldb, T beta, T *C, int ldc);                              \
    void cublas##X##syrk(char uplo, char trans, int n, int k, T alpha, const T *A, int lda,        \
                         T beta, T *C, int ldc);                                                   \
    void cublas##X##trmm(char side, char uplo, char trans, char diag, int m, int n, T alpha,       \
                         const T *A, int lda, T *B, int ldb);                                      \
    void cublas##X##trsm(char side, char uplo, char trans, char diag, int m, int n, T alpha,       \
                         const T *A, int lda, T *B, int ldb);
CUBLAS_TYPE(S, s, float, float, Snrm2, Sasum)
CUBLAS_TYPE(D, d, double, double, Dnrm2, Dasum)
CUBLAS_TYPE(C, c, float, cuComplex, Scnrm2, Scasum)
CUBLAS_TYPE(Z, z, double, cuDoubleComplex, Dznrm2, Dzasum)
#undef CUBLAS_TYPE

#define CUBLAS_DOT(name, T) T cublas##name(int n, const T *x, int incx, const T *y, int incy);
CUBLAS_DOT(Sdot, float)
CUBLAS_DOT(Ddot, double)
CUBLAS_DOT(Cdotu, cuComplex)
CUBLAS_DOT(Cdotc, cuComplex)
CUBLAS_DOT(Zdotu, cuDoubleComplex)
CUBLAS_DOT(Zdotc, cuDoubleComplex)
#undef CUBLAS_DOT

#define CUBLAS_GER(name, T)                                                                        \
    void cublas##name(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *A,     \
                      int lda);
CUBLAS_GER(Sger, float)
CUBLAS_GER(Dger, double)
CUBLAS_GER(Cgeru, cuComplex)
CUBLAS_GER(Cgerc, cuComplex)
CUBLAS_GER(Zgeru, cuDoubleComplex)
CUBLAS_GER(Zgerc, cuDoubleComplex)
#undef CUBLAS_GER

#ifdef __cplusplus
}
#endif
#endif

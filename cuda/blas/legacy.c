/* Functions without a handle: each calls the function with a handle of the process, made by the
 * first call. */
#include "cuda/include/cublas.h"

#include <pthread.h>

#include "cuda/blas/blas.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cublasHandle_t handle;
static cublasStatus_t error; /* of the calls since the last cublasGetError */

static void note(cublasStatus_t status)
{
    pthread_mutex_lock(&lock);
    if (status) error = status;
    pthread_mutex_unlock(&lock);
}

static cublasHandle_t the_handle(void)
{
    pthread_mutex_lock(&lock);
    if (!handle) error = cublasCreate_v2(&handle);
    pthread_mutex_unlock(&lock);
    return handle;
}

cublasStatus_t cublasInit(void)
{
    return the_handle() ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasShutdown(void)
{
    pthread_mutex_lock(&lock);
    cublasStatus_t status = handle ? cublasDestroy_v2(handle) : CUBLAS_STATUS_NOT_INITIALIZED;
    handle = NULL;
    pthread_mutex_unlock(&lock);
    return status;
}

cublasStatus_t cublasGetError(void)
{
    pthread_mutex_lock(&lock);
    cublasStatus_t status = error;
    error = CUBLAS_STATUS_SUCCESS;
    pthread_mutex_unlock(&lock);
    return status;
}

cublasStatus_t cublasAlloc(int n, int element_bytes, void **at)
{
    const struct library_run_time *r = library_run_time();
    if (n <= 0 || element_bytes <= 0 || !at) return CUBLAS_STATUS_INVALID_VALUE;
    if (!r) return CUBLAS_STATUS_NOT_INITIALIZED;
    bool failed = r->cudaMalloc(at, (size_t)n * (size_t)element_bytes);
    return failed ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasFree(void *at)
{
    const struct library_run_time *r = library_run_time();
    return !r || r->cudaFree(at) ? CUBLAS_STATUS_INTERNAL_ERROR : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetKernelStream(cudaStream_t stream)
{
    return cublasSetStream_v2(the_handle(), stream);
}

/* ---- letters; any other letter becomes an invalid operation ---- */

enum { INVALID = 99 };

static int of_letter(char letter, const char *upper, const char *lower)
{
    for (int i = 0; upper[i]; i++)
        if (letter == upper[i] || letter == lower[i]) return i;
    return INVALID;
}
static cublasOperation_t operation(char c) { return (cublasOperation_t)of_letter(c, "NTC", "ntc"); }
static cublasFillMode_t fill(char c) { return (cublasFillMode_t)of_letter(c, "LU", "lu"); }
static cublasSideMode_t side_of(char c) { return (cublasSideMode_t)of_letter(c, "LR", "lr"); }
static cublasDiagType_t diagonal(char c) { return (cublasDiagType_t)of_letter(c, "NU", "nu"); }

/* ---- vectors ---- */

/* A function that returns its result. */
#define RETURNS(R, name, parameters, ...)                                                          \
    R cublas##name parameters                                                                      \
    {                                                                                              \
        R result = {0};                                                                            \
        note(cublas##name##_v2(the_handle(), __VA_ARGS__, &result));                               \
        return result;                                                                             \
    }
#define NOTES(name, parameters, ...)                                                               \
    void cublas##name parameters { note(cublas##name##_v2(the_handle(), __VA_ARGS__)); }

#define VECTORS(X, x, R, T, Nrm2, Asum)                                                            \
    NOTES(X##axpy, (int n, T alpha, const T *x, int incx, T *y, int incy), n, &alpha, x, incx, y,  \
          incy)                                                                                    \
    NOTES(X##scal, (int n, T alpha, T *x, int incx), n, &alpha, x, incx)                           \
    NOTES(X##copy, (int n, const T *x, int incx, T *y, int incy), n, x, incx, y, incy)             \
    NOTES(X##swap, (int n, T *x, int incx, T *y, int incy), n, x, incx, y, incy)                   \
    RETURNS(R, Nrm2, (int n, const T *x, int incx), n, x, incx)                                    \
    RETURNS(R, Asum, (int n, const T *x, int incx), n, x, incx)                                    \
    RETURNS(int, I##x##amax, (int n, const T *x, int incx), n, x, incx)                            \
    RETURNS(int, I##x##amin, (int n, const T *x, int incx), n, x, incx)
VECTORS(S, s, float, float, Snrm2, Sasum)
VECTORS(D, d, double, double, Dnrm2, Dasum)
VECTORS(C, c, float, cuComplex, Scnrm2, Scasum)
VECTORS(Z, z, double, cuDoubleComplex, Dznrm2, Dzasum)

#define DOT(name, T)                                                                               \
    RETURNS(T, name, (int n, const T *x, int incx, const T *y, int incy), n, x, incx, y, incy)
DOT(Sdot, float)
DOT(Ddot, double)
DOT(Cdotu, cuComplex)
DOT(Cdotc, cuComplex)
DOT(Zdotu, cuDoubleComplex)
DOT(Zdotc, cuDoubleComplex)

/* ---- matrices ---- */

#define GER(name, T)                                                                               \
    NOTES(name, (int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *A,          \
                 int lda), m, n, &alpha, x, incx, y, incy, A, lda)
GER(Sger, float)
GER(Dger, double)
GER(Cgeru, cuComplex)
GER(Cgerc, cuComplex)
GER(Zgeru, cuDoubleComplex)
GER(Zgerc, cuDoubleComplex)

#define MATRICES(X, T)                                                                             \
    NOTES(X##gemv, (char trans, int m, int n, T alpha, const T *A, int lda, const T *x, int incx,  \
                    T beta, T *y, int incy),                                                       \
          operation(trans), m, n, &alpha, A, lda, x, incx, &beta, y, incy)                         \
    NOTES(X##trsv, (char uplo, char trans, char diag, int n, const T *A, int lda, T *x, int incx), \
          fill(uplo), operation(trans), diagonal(diag), n, A, lda, x, incx)                        \
    NOTES(X##gemm, (char transa, char transb, int m, int n, int k, T alpha, const T *A, int lda,   \
                    const T *B, int ldb, T beta, T *C, int ldc),                                   \
          operation(transa), operation(transb), m, n, k, &alpha, A, lda, B, ldb, &beta, C, ldc)    \
    NOTES(X##symm, (char side, char uplo, int m, int n, T alpha, const T *A, int lda, const T *B,  \
                    int ldb, T beta, T *C, int ldc),                                               \
          side_of(side), fill(uplo), m, n, &alpha, A, lda, B, ldb, &beta, C, ldc)                  \
    NOTES(X##syrk, (char uplo, char trans, int n, int k, T alpha, const T *A, int lda, T beta,     \
                    T *C, int ldc),                                                                \
          fill(uplo), operation(trans), n, k, &alpha, A, lda, &beta, C, ldc)                       \
    NOTES(X##trmm, (char side, char uplo, char trans, char diag, int m, int n, T alpha,            \
                    const T *A, int lda, T *B, int ldb),                                           \
          side_of(side), fill(uplo), operation(trans), diagonal(diag), m, n, &alpha, A, lda, B,    \
          ldb, B, ldb)                                                                             \
    NOTES(X##trsm, (char side, char uplo, char trans, char diag, int m, int n, T alpha,            \
                    const T *A, int lda, T *B, int ldb),                                           \
          side_of(side), fill(uplo), operation(trans), diagonal(diag), m, n, &alpha, A, lda, B, ldb)
MATRICES(S, float)
MATRICES(D, double)
MATRICES(C, cuComplex)
MATRICES(Z, cuDoubleComplex)

/* Functions of cuBLAS with sizes of type CUBLAS_INT. cublas_api.h includes this file twice. alpha,
 * beta and results are on the host or on the device, by the pointer mode; vectors and matrices are
 * on the device. op(A) has the sizes that the operation needs. Each function returns
 * CUBLAS_STATUS_INVALID_VALUE for a negative size or a too small ld. */

/* ---- all types: vectors; n elements, incx apart ---- */
#define CUBLAS_VECTORS(X, T)                                                                       \
    /* y += alpha x */                                                                             \
    cublasStatus_t CUBLAS_V2(cublas##X##axpy)(cublasHandle_t handle, CUBLAS_INT n, const T *alpha, \
                                              const T *x, CUBLAS_INT incx, T *y, CUBLAS_INT incy); \
    cublasStatus_t CUBLAS_V2(cublas##X##scal)(cublasHandle_t handle, CUBLAS_INT n, const T *alpha, \
                                              T *x, CUBLAS_INT incx);                              \
    cublasStatus_t CUBLAS_V2(cublas##X##copy)(cublasHandle_t handle, CUBLAS_INT n, const T *x,     \
                                              CUBLAS_INT incx, T *y, CUBLAS_INT incy);             \
    cublasStatus_t CUBLAS_V2(cublas##X##swap)(cublasHandle_t handle, CUBLAS_INT n, T *x,           \
                                              CUBLAS_INT incx, T *y, CUBLAS_INT incy);
CUBLAS_VECTORS(S, float)
CUBLAS_VECTORS(D, double)
CUBLAS_VECTORS(C, cuComplex)
CUBLAS_VECTORS(Z, cuDoubleComplex)
#undef CUBLAS_VECTORS

/* nrm2: Euclidean norm; asum: sum of |re| + |im|; amax, amin: index from 1 of the first element
 * with the greatest, least |re| + |im|, 0 for n = 0 */
#define CUBLAS_REDUCE(x, R, T, nrm2, asum)                                                         \
    cublasStatus_t CUBLAS_V2(cublas##nrm2)(cublasHandle_t handle, CUBLAS_INT n, const T *x,        \
                                           CUBLAS_INT incx, R *result);                            \
    cublasStatus_t CUBLAS_V2(cublas##asum)(cublasHandle_t handle, CUBLAS_INT n, const T *x,        \
                                           CUBLAS_INT incx, R *result);                            \
    cublasStatus_t CUBLAS_V2(cublasI##x##amax)(cublasHandle_t handle, CUBLAS_INT n, const T *x,    \
                                               CUBLAS_INT incx, CUBLAS_INT *result);               \
    cublasStatus_t CUBLAS_V2(cublasI##x##amin)(cublasHandle_t handle, CUBLAS_INT n, const T *x,    \
                                               CUBLAS_INT incx, CUBLAS_INT *result);
CUBLAS_REDUCE(s, float, float, Snrm2, Sasum)
CUBLAS_REDUCE(d, double, double, Dnrm2, Dasum)
CUBLAS_REDUCE(c, float, cuComplex, Scnrm2, Scasum)
CUBLAS_REDUCE(z, double, cuDoubleComplex, Dznrm2, Dzasum)
#undef CUBLAS_REDUCE

/* sum of x y; with a c at the end of the name, of conj(x) y */
#define CUBLAS_DOT(name, T)                                                                        \
    cublasStatus_t CUBLAS_V2(cublas##name)(cublasHandle_t handle, CUBLAS_INT n, const T *x,        \
                                           CUBLAS_INT incx, const T *y, CUBLAS_INT incy,           \
                                           T *result);
CUBLAS_DOT(Sdot, float)
CUBLAS_DOT(Ddot, double)
CUBLAS_DOT(Cdotu, cuComplex)
CUBLAS_DOT(Cdotc, cuComplex)
CUBLAS_DOT(Zdotu, cuDoubleComplex)
CUBLAS_DOT(Zdotc, cuDoubleComplex)
#undef CUBLAS_DOT

/* x, y = c x + s y, c y - s x */
#define CUBLAS_ROT(X, T)                                                                           \
    cublasStatus_t CUBLAS_V2(cublas##X##rot)(cublasHandle_t handle, CUBLAS_INT n, T *x,            \
                                             CUBLAS_INT incx, T *y, CUBLAS_INT incy, const T *c,   \
                                             const T *s);
CUBLAS_ROT(S, float)
CUBLAS_ROT(D, double)
#undef CUBLAS_ROT
cublasStatus_t CUBLAS_V2(cublasCsscal)(cublasHandle_t handle, CUBLAS_INT n, const float *alpha,
                                       cuComplex *x, CUBLAS_INT incx);
cublasStatus_t CUBLAS_V2(cublasZdscal)(cublasHandle_t handle, CUBLAS_INT n, const double *alpha,
                                       cuDoubleComplex *x, CUBLAS_INT incx);

/* Mixed types. x, y and the result have one type; alpha and the sums are float for 16 bits. */
cublasStatus_t CUBLAS_NAME(cublasNrm2Ex)(cublasHandle_t handle, CUBLAS_INT n, const void *x,
                                         cudaDataType xType, CUBLAS_INT incx, void *result,
                                         cudaDataType resultType, cudaDataType executionType);
cublasStatus_t CUBLAS_NAME(cublasDotEx)(cublasHandle_t handle, CUBLAS_INT n, const void *x,
                                        cudaDataType xType, CUBLAS_INT incx, const void *y,
                                        cudaDataType yType, CUBLAS_INT incy, void *result,
                                        cudaDataType resultType, cudaDataType executionType);
cublasStatus_t CUBLAS_NAME(cublasDotcEx)(cublasHandle_t handle, CUBLAS_INT n, const void *x,
                                         cudaDataType xType, CUBLAS_INT incx, const void *y,
                                         cudaDataType yType, CUBLAS_INT incy, void *result,
                                         cudaDataType resultType, cudaDataType executionType);
cublasStatus_t CUBLAS_NAME(cublasAxpyEx)(cublasHandle_t handle, CUBLAS_INT n, const void *alpha,
                                         cudaDataType alphaType, const void *x, cudaDataType xType,
                                         CUBLAS_INT incx, void *y, cudaDataType yType,
                                         CUBLAS_INT incy, cudaDataType executionType);
cublasStatus_t CUBLAS_NAME(cublasScalEx)(cublasHandle_t handle, CUBLAS_INT n, const void *alpha,
                                         cudaDataType alphaType, void *x, cudaDataType xType,
                                         CUBLAS_INT incx, cudaDataType executionType);

/* ---- all types: matrices ---- */
#define CUBLAS_MATRICES(X, T)                                                                      \
    /* y = alpha op(A) x + beta y; A: m x n */                                                     \
    cublasStatus_t CUBLAS_V2(cublas##X##gemv)(                                                     \
        cublasHandle_t handle, cublasOperation_t trans, CUBLAS_INT m, CUBLAS_INT n,                \
        const T *alpha, const T *A, CUBLAS_INT lda, const T *x, CUBLAS_INT incx, const T *beta,    \
        T *y, CUBLAS_INT incy);                                                                    \
    /* solves op(A) x = b in place; A: n x n */                                                    \
    cublasStatus_t CUBLAS_V2(cublas##X##trsv)(                                                     \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,                     \
        cublasDiagType_t diag, CUBLAS_INT n, const T *A, CUBLAS_INT lda, T *x, CUBLAS_INT incx);   \
    /* C = alpha op(A) op(B) + beta C; C: m x n, op(A): m x k */                                   \
    cublasStatus_t CUBLAS_V2(cublas##X##gemm)(                                                     \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CUBLAS_INT m,   \
        CUBLAS_INT n, CUBLAS_INT k, const T *alpha, const T *A, CUBLAS_INT lda, const T *B,        \
        CUBLAS_INT ldb, const T *beta, T *C, CUBLAS_INT ldc);                                      \
    cublasStatus_t CUBLAS_NAME(cublas##X##gemmBatched)(                                            \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CUBLAS_INT m,   \
        CUBLAS_INT n, CUBLAS_INT k, const T *alpha, const T *const A[], CUBLAS_INT lda,            \
        const T *const B[], CUBLAS_INT ldb, const T *beta, T *const C[], CUBLAS_INT ldc,           \
        CUBLAS_INT batch);                                                                         \
    cublasStatus_t CUBLAS_NAME(cublas##X##gemmStridedBatched)(                                     \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CUBLAS_INT m,   \
        CUBLAS_INT n, CUBLAS_INT k, const T *alpha, const T *A, CUBLAS_INT lda, long long strideA, \
        const T *B, CUBLAS_INT ldb, long long strideB, const T *beta, T *C, CUBLAS_INT ldc,        \
        long long strideC, CUBLAS_INT batch);                                                      \
    /* C = alpha A B + beta C, or alpha B A + beta C at the right side; A is symmetric */          \
    cublasStatus_t CUBLAS_V2(cublas##X##symm)(                                                     \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, CUBLAS_INT m,         \
        CUBLAS_INT n, const T *alpha, const T *A, CUBLAS_INT lda, const T *B, CUBLAS_INT ldb,      \
        const T *beta, T *C, CUBLAS_INT ldc);                                                      \
    /* the triangle of C = alpha op(A) op(A)' + beta C; C: n x n, op(A): n x k */                  \
    cublasStatus_t CUBLAS_V2(cublas##X##syrk)(                                                     \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, CUBLAS_INT n,       \
        CUBLAS_INT k, const T *alpha, const T *A, CUBLAS_INT lda, const T *beta, T *C,             \
        CUBLAS_INT ldc);                                                                           \
    /* C = alpha op(A) B, or alpha B op(A) at the right side; A is triangular, C may be B */       \
    cublasStatus_t CUBLAS_V2(cublas##X##trmm)(                                                     \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                       \
        cublasOperation_t trans, cublasDiagType_t diag, CUBLAS_INT m, CUBLAS_INT n,                \
        const T *alpha, const T *A, CUBLAS_INT lda, const T *B, CUBLAS_INT ldb, T *C,              \
        CUBLAS_INT ldc);                                                                           \
    /* solves op(A) X = alpha B, or X op(A) = alpha B at the right side, in place; B: m x n */     \
    cublasStatus_t CUBLAS_V2(cublas##X##trsm)(                                                     \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                       \
        cublasOperation_t trans, cublasDiagType_t diag, CUBLAS_INT m, CUBLAS_INT n,                \
        const T *alpha, const T *A, CUBLAS_INT lda, T *B, CUBLAS_INT ldb);                         \
    cublasStatus_t CUBLAS_NAME(cublas##X##trsmBatched)(                                            \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                       \
        cublasOperation_t trans, cublasDiagType_t diag, CUBLAS_INT m, CUBLAS_INT n,                \
        const T *alpha, const T *const A[], CUBLAS_INT lda, T *const B[], CUBLAS_INT ldb,          \
        CUBLAS_INT batch);                                                                         \
    /* C = alpha op(A) + beta op(B); C: m x n */                                                   \
    cublasStatus_t CUBLAS_NAME(cublas##X##geam)(                                                   \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CUBLAS_INT m,   \
        CUBLAS_INT n, const T *alpha, const T *A, CUBLAS_INT lda, const T *beta, const T *B,       \
        CUBLAS_INT ldb, T *C, CUBLAS_INT ldc);                                                     \
    /* C = diag(x) A, or A diag(x) at the right side; A: m x n */                                  \
    cublasStatus_t CUBLAS_NAME(cublas##X##dgmm)(                                                   \
        cublasHandle_t handle, cublasSideMode_t side, CUBLAS_INT m, CUBLAS_INT n, const T *A,      \
        CUBLAS_INT lda, const T *x, CUBLAS_INT incx, T *C, CUBLAS_INT ldc);
CUBLAS_MATRICES(S, float)
CUBLAS_MATRICES(D, double)
CUBLAS_MATRICES(C, cuComplex)
CUBLAS_MATRICES(Z, cuDoubleComplex)
#undef CUBLAS_MATRICES

/* A += alpha x y', with a c at the end of the name y conjugated; A: m x n */
#define CUBLAS_GER(name, T)                                                                        \
    cublasStatus_t CUBLAS_V2(cublas##name)(cublasHandle_t handle, CUBLAS_INT m, CUBLAS_INT n,      \
                                           const T *alpha, const T *x, CUBLAS_INT incx,            \
                                           const T *y, CUBLAS_INT incy, T *A, CUBLAS_INT lda);
CUBLAS_GER(Sger, float)
CUBLAS_GER(Dger, double)
CUBLAS_GER(Cgeru, cuComplex)
CUBLAS_GER(Cgerc, cuComplex)
CUBLAS_GER(Zgeru, cuDoubleComplex)
CUBLAS_GER(Zgerc, cuDoubleComplex)
#undef CUBLAS_GER

/* y = alpha A x + beta y; A: n x n, symmetric or Hermitian */
#define CUBLAS_SYMV(name, T)                                                                       \
    cublasStatus_t CUBLAS_V2(cublas##name)(                                                        \
        cublasHandle_t handle, cublasFillMode_t uplo, CUBLAS_INT n, const T *alpha, const T *A,    \
        CUBLAS_INT lda, const T *x, CUBLAS_INT incx, const T *beta, T *y, CUBLAS_INT incy);
CUBLAS_SYMV(Ssymv, float)
CUBLAS_SYMV(Dsymv, double)
CUBLAS_SYMV(Csymv, cuComplex)
CUBLAS_SYMV(Zsymv, cuDoubleComplex)
CUBLAS_SYMV(Chemv, cuComplex)
CUBLAS_SYMV(Zhemv, cuDoubleComplex)
#undef CUBLAS_SYMV

/* the triangle of A += alpha x x'; A: n x n */
#define CUBLAS_SYR(X, T)                                                                           \
    cublasStatus_t CUBLAS_V2(cublas##X##syr)(cublasHandle_t handle, cublasFillMode_t uplo,         \
                                             CUBLAS_INT n, const T *alpha, const T *x,             \
                                             CUBLAS_INT incx, T *A, CUBLAS_INT lda);
CUBLAS_SYR(S, float)
CUBLAS_SYR(D, double)
#undef CUBLAS_SYR

/* symm and syrk for Hermitian matrices */
#define CUBLAS_HERMITIAN(X, R, T)                                                                  \
    cublasStatus_t CUBLAS_V2(cublas##X##hemm)(                                                     \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, CUBLAS_INT m,         \
        CUBLAS_INT n, const T *alpha, const T *A, CUBLAS_INT lda, const T *B, CUBLAS_INT ldb,      \
        const T *beta, T *C, CUBLAS_INT ldc);                                                      \
    cublasStatus_t CUBLAS_V2(cublas##X##herk)(                                                     \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, CUBLAS_INT n,       \
        CUBLAS_INT k, const R *alpha, const T *A, CUBLAS_INT lda, const R *beta, T *C,             \
        CUBLAS_INT ldc);
CUBLAS_HERMITIAN(C, float, cuComplex)
CUBLAS_HERMITIAN(Z, double, cuDoubleComplex)
#undef CUBLAS_HERMITIAN

/* ---- matrix products of half, and of mixed types ---- */
cublasStatus_t CUBLAS_NAME(cublasHgemm)(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CUBLAS_INT m,
    CUBLAS_INT n, CUBLAS_INT k, const __half *alpha, const __half *A, CUBLAS_INT lda,
    const __half *B, CUBLAS_INT ldb, const __half *beta, __half *C, CUBLAS_INT ldc);
cublasStatus_t CUBLAS_NAME(cublasHgemmBatched)(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CUBLAS_INT m,
    CUBLAS_INT n, CUBLAS_INT k, const __half *alpha, const __half *const A[], CUBLAS_INT lda,
    const __half *const B[], CUBLAS_INT ldb, const __half *beta, __half *const C[], CUBLAS_INT ldc,
    CUBLAS_INT batch);
cublasStatus_t CUBLAS_NAME(cublasHgemmStridedBatched)(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CUBLAS_INT m,
    CUBLAS_INT n, CUBLAS_INT k, const __half *alpha, const __half *A, CUBLAS_INT lda,
    long long strideA, const __half *B, CUBLAS_INT ldb, long long strideB, const __half *beta,
    __half *C, CUBLAS_INT ldc, long long strideC, CUBLAS_INT batch);
/* Types of A and B, C, compute type: half, half or float, 16F or 32F; bf16, bf16 or float, 32F;
 * int8, int32, 32I; int8, float, 32F; one type and the compute type of this type. Sums are in float
 * at least. alpha and beta have the compute type. */
cublasStatus_t CUBLAS_NAME(cublasGemmEx)(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CUBLAS_INT m,
    CUBLAS_INT n, CUBLAS_INT k, const void *alpha, const void *A, cudaDataType Atype,
    CUBLAS_INT lda, const void *B, cudaDataType Btype, CUBLAS_INT ldb, const void *beta, void *C,
    cudaDataType Ctype, CUBLAS_INT ldc, cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t CUBLAS_NAME(cublasGemmBatchedEx)(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CUBLAS_INT m,
    CUBLAS_INT n, CUBLAS_INT k, const void *alpha, const void *const A[], cudaDataType Atype,
    CUBLAS_INT lda, const void *const B[], cudaDataType Btype, CUBLAS_INT ldb, const void *beta,
    void *const C[], cudaDataType Ctype, CUBLAS_INT ldc, CUBLAS_INT batch,
    cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t CUBLAS_NAME(cublasGemmStridedBatchedEx)(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CUBLAS_INT m,
    CUBLAS_INT n, CUBLAS_INT k, const void *alpha, const void *A, cudaDataType Atype,
    CUBLAS_INT lda, long long strideA, const void *B, cudaDataType Btype, CUBLAS_INT ldb,
    long long strideB, const void *beta, void *C, cudaDataType Ctype, CUBLAS_INT ldc,
    long long strideC, CUBLAS_INT batch, cublasComputeType_t computeType, cublasGemmAlgo_t algo);
/* GemmEx with float scalars and sums */
cublasStatus_t CUBLAS_NAME(cublasSgemmEx)(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CUBLAS_INT m,
    CUBLAS_INT n, CUBLAS_INT k, const float *alpha, const void *A, cudaDataType Atype,
    CUBLAS_INT lda, const void *B, cudaDataType Btype, CUBLAS_INT ldb, const float *beta, void *C,
    cudaDataType Ctype, CUBLAS_INT ldc);

/* Copies of n elements of a size, and of rows x columns elements, between host and device. */
cublasStatus_t CUBLAS_NAME(cublasSetVector)(CUBLAS_INT n, CUBLAS_INT size, const void *x,
                                            CUBLAS_INT incx, void *device, CUBLAS_INT incy);
cublasStatus_t CUBLAS_NAME(cublasGetVector)(CUBLAS_INT n, CUBLAS_INT size, const void *device,
                                            CUBLAS_INT incx, void *y, CUBLAS_INT incy);
cublasStatus_t CUBLAS_NAME(cublasSetMatrix)(CUBLAS_INT rows, CUBLAS_INT columns, CUBLAS_INT size,
                                            const void *A, CUBLAS_INT lda, void *device,
                                            CUBLAS_INT ldb);
cublasStatus_t CUBLAS_NAME(cublasGetMatrix)(CUBLAS_INT rows, CUBLAS_INT columns, CUBLAS_INT size,
                                            const void *device, CUBLAS_INT lda, void *B,
                                            CUBLAS_INT ldb);
cublasStatus_t CUBLAS_NAME(cublasSetVectorAsync)(CUBLAS_INT n, CUBLAS_INT size, const void *x,
                                                 CUBLAS_INT incx, void *device, CUBLAS_INT incy,
                                                 cudaStream_t stream);
cublasStatus_t CUBLAS_NAME(cublasGetVectorAsync)(CUBLAS_INT n, CUBLAS_INT size, const void *device,
                                                 CUBLAS_INT incx, void *y, CUBLAS_INT incy,
                                                 cudaStream_t stream);
cublasStatus_t CUBLAS_NAME(cublasSetMatrixAsync)(CUBLAS_INT rows, CUBLAS_INT columns,
                                                 CUBLAS_INT size, const void *A, CUBLAS_INT lda,
                                                 void *device, CUBLAS_INT ldb,
                                                 cudaStream_t stream);
cublasStatus_t CUBLAS_NAME(cublasGetMatrixAsync)(CUBLAS_INT rows, CUBLAS_INT columns,
                                                 CUBLAS_INT size, const void *device,
                                                 CUBLAS_INT lda, void *B, CUBLAS_INT ldb,
                                                 cudaStream_t stream);

#undef CUBLAS_INT
#undef CUBLAS_NAME
#undef CUBLAS_V2

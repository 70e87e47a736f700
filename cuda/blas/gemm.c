/* The matrix products of cuBLAS. */
#include <limits.h>

#include "cuda/blas/blas.h"
#include "cuda/blas/names.h"

struct shape { /* the sizes of an operation C = op(A) op(B) */
    cublasOperation_t a_op, b_op;
    long long m, n, k, lda, ldb, ldc, batch;
};


static bool is_right(const struct shape *s, const void *alpha, const void *beta)
{
    long long a_rows = blas_is_plain(s->a_op) ? s->m : s->k;
    long long b_rows = blas_is_plain(s->b_op) ? s->k : s->n;
    return s->m >= 0 && s->n >= 0 && s->k >= 0 && s->batch >= 0 &&
           s->lda >= blas_least_ld(a_rows) && s->ldb >= blas_least_ld(b_rows) &&
           s->ldc >= blas_least_ld(s->m) && alpha && beta &&
           s->a_op <= CUBLAS_OP_CONJG && s->b_op <= CUBLAS_OP_CONJG && s->m <= INT_MAX &&
           s->n <= INT_MAX && s->k <= INT_MAX;
}

/* strides: between the matrices of a batch, in elements; NULL: a, b and c are arrays of addresses
 * on the device. The types of *call are set. */
static cublasStatus_t product(cublasHandle_t h, const struct shape *s, struct blas_call *call,
                              const void *alpha, const void *a, const void *b, const void *beta,
                              void *c, const long long *strides)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!is_right(s, alpha, beta)) return CUBLAS_STATUS_INVALID_VALUE;
    struct blas_gemm *g = &call->g;
    g->m = (int)s->m, g->n = (int)s->n, g->k = (int)s->k;
    g->a = blas_op(blas_matrix(a, s->lda), s->a_op);
    g->b = blas_op(blas_matrix(b, s->ldb), s->b_op);
    g->c = blas_matrix(c, s->ldc);
    g->d = c;
    g->d_right = s->ldc;
    g->a.pointers = g->b.pointers = g->c.pointers = !strides;
    if (strides) {
        g->a.batch = strides[0], g->b.batch = strides[1];
        g->c.batch = g->d_batch = strides[2];
    }
    g->alpha = blas_scalar(alpha, call->scalars, h->pointer_mode);
    g->beta = blas_scalar(beta, call->scalars, h->pointer_mode);
    call->batch = s->batch;
    return blas_product(h, call);
}

static const long long no_strides[3];

#define GEMM(X, x, T)                                                                              \
    cublasStatus_t V2(cublas##X##gemm)(cublasHandle_t h, cublasOperation_t ta,                     \
                                       cublasOperation_t tb, INT m, INT n, INT k, const T *alpha,  \
                                       const T *a, INT lda, const T *b, INT ldb, const T *beta,    \
                                       T *c, INT ldc)                                              \
    {                                                                                              \
        struct blas_call call = {.in = #x[0], .out = #x[0], .scalars = #x[0]};                     \
        struct shape s = {ta, tb, m, n, k, lda, ldb, ldc, 1};                                      \
        return product(h, &s, &call, alpha, a, b, beta, c, no_strides);                            \
    }                                                                                              \
    BATCHED(X, x, T)
#define BATCHED(X, x, T)                                                                           \
    cublasStatus_t NAME(cublas##X##gemmBatched)(                                                   \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, INT m, INT n, INT k,         \
        const T *alpha, const T *const a[], INT lda, const T *const b[], INT ldb, const T *beta,   \
        T *const c[], INT ldc, INT batch)                                                          \
    {                                                                                              \
        struct blas_call call = {.in = #x[0], .out = #x[0], .scalars = #x[0],                      \
                                 .g.half_scalars = #x[0] == 'h'};                                  \
        struct shape s = {ta, tb, m, n, k, lda, ldb, ldc, batch};                                  \
        return product(h, &s, &call, alpha, a, b, beta, (void *)(uintptr_t)c, NULL);               \
    }                                                                                              \
    cublasStatus_t NAME(cublas##X##gemmStridedBatched)(                                            \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, INT m, INT n, INT k,         \
        const T *alpha, const T *a, INT lda, long long stride_a, const T *b, INT ldb,              \
        long long stride_b, const T *beta, T *c, INT ldc, long long stride_c, INT batch)           \
    {                                                                                              \
        struct blas_call call = {.in = #x[0], .out = #x[0], .scalars = #x[0],                      \
                                 .g.half_scalars = #x[0] == 'h'};                                  \
        struct shape s = {ta, tb, m, n, k, lda, ldb, ldc, batch};                                  \
        long long strides[] = {stride_a, stride_b, stride_c};                                      \
        return product(h, &s, &call, alpha, a, b, beta, c, strides);                               \
    }
EACH_TYPE(GEMM)
BATCHED(H, h, __half)

cublasStatus_t NAME(cublasHgemm)(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                                 INT m, INT n, INT k, const __half *alpha, const __half *a,
                                 INT lda, const __half *b, INT ldb, const __half *beta, __half *c,
                                 INT ldc)
{
    struct blas_call call = {.in = 'h', .out = 'h', .scalars = 'h', .g.half_scalars = true};
    struct shape s = {ta, tb, m, n, k, lda, ldb, ldc, 1};
    return product(h, &s, &call, alpha, a, b, beta, c, no_strides);
}

/* ---- mixed types ---- */

struct types {
    cudaDataType a, b, c;
    cublasComputeType_t compute;
};

static cublasStatus_t mixed(cublasHandle_t h, const struct shape *s, struct types t,
                            const void *alpha, const void *a, const void *b, const void *beta,
                            void *c, const long long *strides)
{
    struct blas_call call = {0};
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!blas_types(t.a, t.b, t.c, t.compute, (cudaDataType)-1, &call))
        return blas_missing("a matrix product of these types");
    return product(h, s, &call, alpha, a, b, beta, c, strides);
}

cublasStatus_t NAME(cublasGemmEx)(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                                  INT m, INT n, INT k, const void *alpha, const void *a,
                                  cudaDataType a_type, INT lda, const void *b, cudaDataType b_type,
                                  INT ldb, const void *beta, void *c, cudaDataType c_type, INT ldc,
                                  cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    struct shape s = {ta, tb, m, n, k, lda, ldb, ldc, 1};
    return mixed(h, &s, (struct types){a_type, b_type, c_type, compute}, alpha, a, b, beta, c,
                 no_strides);
}

cublasStatus_t NAME(cublasGemmBatchedEx)(
    cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, INT m, INT n, INT k,
    const void *alpha, const void *const a[], cudaDataType a_type, INT lda, const void *const b[],
    cudaDataType b_type, INT ldb, const void *beta, void *const c[], cudaDataType c_type, INT ldc,
    INT batch, cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    struct shape s = {ta, tb, m, n, k, lda, ldb, ldc, batch};
    return mixed(h, &s, (struct types){a_type, b_type, c_type, compute}, alpha, a, b, beta,
                 (void *)(uintptr_t)c, NULL);
}

cublasStatus_t NAME(cublasGemmStridedBatchedEx)(
    cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, INT m, INT n, INT k,
    const void *alpha, const void *a, cudaDataType a_type, INT lda, long long stride_a,
    const void *b, cudaDataType b_type, INT ldb, long long stride_b, const void *beta, void *c,
    cudaDataType c_type, INT ldc, long long stride_c, INT batch, cublasComputeType_t compute,
    cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    struct shape s = {ta, tb, m, n, k, lda, ldb, ldc, batch};
    long long strides[] = {stride_a, stride_b, stride_c};
    return mixed(h, &s, (struct types){a_type, b_type, c_type, compute}, alpha, a, b, beta, c,
                 strides);
}

cublasStatus_t NAME(cublasSgemmEx)(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                                   INT m, INT n, INT k, const float *alpha, const void *a,
                                   cudaDataType a_type, INT lda, const void *b,
                                   cudaDataType b_type, INT ldb, const float *beta, void *c,
                                   cudaDataType c_type, INT ldc)
{
    struct shape s = {ta, tb, m, n, k, lda, ldb, ldc, 1};
    return mixed(h, &s, (struct types){a_type, b_type, c_type, CUBLAS_COMPUTE_32F}, alpha, a, b,
                 beta, c, no_strides);
}

/* ---- products with a symmetric, Hermitian or triangular matrix ---- */

/* c = alpha a b + beta c, with the operand of m or n rows at the side; b: m x n. */
static cublasStatus_t sided(cublasHandle_t h, char type, cublasSideMode_t side,
                            struct blas_matrix a, struct blas_matrix b, const struct shape *s,
                            const void *alpha, const void *beta, void *c)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    bool left = side == CUBLAS_SIDE_LEFT;
    long long order = left ? s->m : s->n;
    if (s->m < 0 || s->n < 0 || s->lda < blas_least_ld(order) || s->ldb < blas_least_ld(s->m) ||
        s->ldc < blas_least_ld(s->m) || s->m > INT_MAX || s->n > INT_MAX || !alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    struct blas_call call = {.in = type, .out = type, .scalars = type, .batch = 1};
    struct blas_gemm *g = &call.g;
    g->m = (int)s->m, g->n = (int)s->n, g->k = (int)order;
    g->a = left ? a : b, g->b = left ? b : a;
    g->c = blas_matrix(c, s->ldc);
    g->d = c;
    g->d_right = s->ldc;
    g->alpha = blas_scalar(alpha, type, h->pointer_mode);
    if (beta) g->beta = blas_scalar(beta, type, h->pointer_mode);
    return blas_product(h, &call);
}

/* The triangle of c = alpha op(a) op(a)' + beta c. */
static cublasStatus_t rank_k(cublasHandle_t h, char type, char scalars, cublasFillMode_t fill,
                             cublasOperation_t op, bool hermitian, const struct shape *s,
                             const void *alpha, const void *a, const void *beta, void *c)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    long long rows = op == CUBLAS_OP_N ? s->n : s->k;
    if (s->n < 0 || s->k < 0 || s->lda < blas_least_ld(rows) || s->ldc < blas_least_ld(s->n) ||
        s->n > INT_MAX || s->k > INT_MAX || !alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (scalars != type && h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return blas_missing("herk with scalars on the device");
    struct blas_call call = {.in = type, .out = type, .scalars = type, .batch = 1};
    struct blas_gemm *g = &call.g;
    g->m = g->n = (int)s->n, g->k = (int)s->k;
    g->a = blas_op(blas_matrix(a, s->lda), op);
    g->b = blas_op(g->a, hermitian ? CUBLAS_OP_C : CUBLAS_OP_T);
    g->c = blas_matrix(c, s->ldc);
    if (hermitian)
        g->c.shape = fill == CUBLAS_FILL_MODE_UPPER ? BLAS_HERMITIAN_UPPER : BLAS_HERMITIAN_LOWER;
    g->d = c;
    g->d_right = s->ldc;
    g->part = fill == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L';
    g->alpha = blas_scalar(alpha, scalars, h->pointer_mode);
    g->beta = blas_scalar(beta, scalars, h->pointer_mode);
    return blas_product(h, &call);
}

/* The kernel must not read what it has written: a b in place of c is copied. */
static cublasStatus_t trmm(cublasHandle_t h, char type, cublasSideMode_t side,
                           cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diag,
                           const struct shape *s, const void *alpha, const void *a, const void *b,
                           void *c)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    struct blas_matrix of = blas_matrix(a, s->lda);
    of.shape = blas_triangle(fill, diag);
    const struct library_run_time *r = library_run_time();
    struct shape own = *s;
    void *copy = NULL;
    size_t width = (size_t)(s->m > 0 ? s->m : 0) * blas_bytes(type);
    if (b == c && s->n > 0 && width) {
        size_t pitch = (size_t)s->ldb * blas_bytes(type), columns = (size_t)s->n;
        if (r->cudaMalloc(&copy, width * columns)) return CUBLAS_STATUS_ALLOC_FAILED;
        r->cudaMemcpy2DAsync(copy, width, b, pitch, width, columns, cudaMemcpyDeviceToDevice,
                             h->stream);
        b = copy;
        own.ldb = s->m;
    }
    cublasStatus_t status = sided(h, type, side, blas_op(of, op), blas_matrix(b, own.ldb), &own,
                                  alpha, NULL, c);
    if (copy) r->cudaFree(copy); /* waits for the kernel */
    return status;
}

static struct blas_matrix shaped(const void *at, long long ld, int lower, cublasFillMode_t fill)
{
    struct blas_matrix a = blas_matrix(at, ld);
    a.shape = fill == CUBLAS_FILL_MODE_UPPER ? lower + 1 : lower;
    return a;
}

#define SYMM(name, x, T, lower)                                                                    \
    cublasStatus_t V2(cublas##name)(cublasHandle_t h, cublasSideMode_t side,                       \
                                    cublasFillMode_t fill, INT m, INT n, const T *alpha,           \
                                    const T *a, INT lda, const T *b, INT ldb, const T *beta, T *c, \
                                    INT ldc)                                                       \
    {                                                                                              \
        struct shape s = {.m = m, .n = n, .lda = lda, .ldb = ldb, .ldc = ldc};                     \
        if (!beta) return h ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;         \
        return sided(h, #x[0], side, shaped(a, lda, lower, fill), blas_matrix(b, ldb), &s, alpha,  \
                     beta, c);                                                                     \
    }
#define SYMMETRIC(X, x, T)                                                                         \
    SYMM(X##symm, x, T, BLAS_SYMMETRIC_LOWER)                                                      \
    cublasStatus_t V2(cublas##X##syrk)(cublasHandle_t h, cublasFillMode_t fill,                    \
                                       cublasOperation_t op, INT n, INT k, const T *alpha,         \
                                       const T *a, INT lda, const T *beta, T *c, INT ldc)          \
    {                                                                                              \
        struct shape s = {.n = n, .k = k, .lda = lda, .ldc = ldc};                                 \
        return rank_k(h, #x[0], #x[0], fill, op, false, &s, alpha, a, beta, c);                    \
    }
EACH_TYPE(SYMMETRIC)
SYMM(Chemm, c, cuComplex, BLAS_HERMITIAN_LOWER)
SYMM(Zhemm, z, cuDoubleComplex, BLAS_HERMITIAN_LOWER)

#define HERK(X, x, r, R, T)                                                                        \
    cublasStatus_t V2(cublas##X##herk)(cublasHandle_t h, cublasFillMode_t fill,                    \
                                       cublasOperation_t op, INT n, INT k, const R *alpha,         \
                                       const T *a, INT lda, const R *beta, T *c, INT ldc)          \
    {                                                                                              \
        struct shape s = {.n = n, .k = k, .lda = lda, .ldc = ldc};                                 \
        return rank_k(h, #x[0], #r[0], fill, op, true, &s, alpha, a, beta, c);                     \
    }
HERK(C, c, s, float, cuComplex)
HERK(Z, z, d, double, cuDoubleComplex)

#define TRMM(X, x, T)                                                                              \
    cublasStatus_t V2(cublas##X##trmm)(cublasHandle_t h, cublasSideMode_t side,                    \
                                       cublasFillMode_t fill, cublasOperation_t op,                \
                                       cublasDiagType_t diag, INT m, INT n, const T *alpha,        \
                                       const T *a, INT lda, const T *b, INT ldb, T *c, INT ldc)    \
    {                                                                                              \
        struct shape s = {.m = m, .n = n, .lda = lda, .ldb = ldb, .ldc = ldc};                     \
        return trmm(h, #x[0], side, fill, op, diag, &s, alpha, a, b, c);                           \
    }
EACH_TYPE(TRMM)

/* Operations on a matrix and vectors, sums of matrices, and solutions of triangular systems. */
#include <limits.h>

#include "cuda/blas/blas.h"
#include "cuda/blas/names.h"

enum { THREADS = 256, BLOCKS = 1024, SOLVE_THREADS = 128, FACTOR_THREADS = 256, GRID_MOST = 65535 };


/* y = alpha a x + beta y with the operation applied to a. */
static cublasStatus_t times_vector(cublasHandle_t h, const char *letter, struct blas_matrix a,
                                   struct blas_vector x, struct blas_vector y, const void *alpha,
                                   const void *beta)
{
    if (!alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
    if (!x.n || !y.n) return CUBLAS_STATUS_SUCCESS; /* as BLAS: y stays */
    struct library_scalar s = blas_scalar(alpha, letter[0], h->pointer_mode);
    struct library_scalar t = blas_scalar(beta, letter[0], h->pointer_mode);
    if (!s.at && s.re == 0 && s.im == 0) x.n = 0; /* a and x are not read */
    bool team = a.right == 1 && a.down != 1; /* as the kernel decides */
    dim3 grid = library_blocks(team ? y.n * 32 : y.n, THREADS, INT_MAX);
    return blas_launch(h->stream, "gemv", letter, grid, THREADS, (void *[]){&s, &a, &x, &t, &y});
}

static cublasStatus_t gemv(cublasHandle_t h, const char *letter, cublasOperation_t op, long long m,
                           long long n, const void *alpha, struct blas_matrix a, const void *x,
                           long long x_step, const void *beta, void *y, long long y_step)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || a.right < blas_least_ld(m) || !x_step || !y_step)
        return CUBLAS_STATUS_INVALID_VALUE;
    bool plain = blas_is_plain(op);
    return times_vector(h, letter, blas_op(a, op), blas_vector(x, plain ? n : m, x_step),
                        blas_vector(y, plain ? m : n, y_step), alpha, beta);
}

#define SYMV(name, x, T, lower)                                                                    \
    cublasStatus_t V2(cublas##name)(cublasHandle_t h, cublasFillMode_t fill, INT n,                \
                                    const T *alpha, const T *at, INT lda, const T *u, INT u_step,  \
                                    const T *beta, T *v, INT v_step)                               \
    {                                                                                              \
        struct blas_matrix a = blas_matrix(at, lda);                                               \
        a.shape = fill == CUBLAS_FILL_MODE_UPPER ? lower + 1 : lower;                              \
        return gemv(h, #x, CUBLAS_OP_N, n, n, alpha, a, u, u_step, beta, v, v_step);               \
    }
SYMV(Ssymv, s, float, BLAS_SYMMETRIC_LOWER)
SYMV(Dsymv, d, double, BLAS_SYMMETRIC_LOWER)
SYMV(Csymv, c, cuComplex, BLAS_SYMMETRIC_LOWER)
SYMV(Zsymv, z, cuDoubleComplex, BLAS_SYMMETRIC_LOWER)
SYMV(Chemv, c, cuComplex, BLAS_HERMITIAN_LOWER)
SYMV(Zhemv, z, cuDoubleComplex, BLAS_HERMITIAN_LOWER)

/* a += alpha x y', or only the triangle `part`. */
static cublasStatus_t ger(cublasHandle_t h, const char *letter, long long m, long long n,
                          const void *alpha, struct blas_vector x, struct blas_vector y,
                          int conjugated, void *at, long long ld, int part)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || ld < blas_least_ld(m) || !x.step || !y.step || !alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n) return CUBLAS_STATUS_SUCCESS;
    struct library_scalar s = blas_scalar(alpha, letter[0], h->pointer_mode);
    struct blas_matrix a = blas_matrix(at, ld);
    return blas_launch(h->stream, "ger", letter, library_blocks(m * n, THREADS, BLOCKS), THREADS,
                       (void *[]){&s, &x, &y, &conjugated, &a, &part});
}

#define GER(name, x, T, conjugated)                                                                \
    cublasStatus_t V2(cublas##name)(cublasHandle_t h, INT m, INT n, const T *alpha, const T *u,    \
                                    INT u_step, const T *v, INT v_step, T *a, INT lda)             \
    {                                                                                              \
        return ger(h, #x, m, n, alpha, blas_vector(u, m, u_step), blas_vector(v, n, v_step),       \
                   conjugated, a, lda, 0);                                                         \
    }
GER(Sger, s, float, 0)
GER(Dger, d, double, 0)
GER(Cgeru, c, cuComplex, 0)
GER(Cgerc, c, cuComplex, 1)
GER(Zgeru, z, cuDoubleComplex, 0)
GER(Zgerc, z, cuDoubleComplex, 1)

#define SYR(X, x, T)                                                                               \
    cublasStatus_t V2(cublas##X##syr)(cublasHandle_t h, cublasFillMode_t fill, INT n,              \
                                      const T *alpha, const T *u, INT step, T *a, INT lda)         \
    {                                                                                              \
        struct blas_vector v = blas_vector(u, n, step);                                            \
        return ger(h, #x, n, n, alpha, v, v, 0, a, lda,                                            \
                   fill == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L');                                    \
    }
SYR(S, s, float)
SYR(D, d, double)

/* ---- triangular systems ---- */

struct system { /* op(A) X = alpha B, or X op(A) = alpha B */
    cublasSideMode_t side;
    cublasOperation_t op;
    long long m, n, batch; /* B is m x n */
    struct blas_matrix a, b;
};

static cublasStatus_t solve(cublasHandle_t h, const char *letter, struct system s,
                            struct library_scalar alpha)
{
    bool left = s.side == CUBLAS_SIDE_LEFT;
    long long order = left ? s.m : s.n, columns = left ? s.n : s.m;
    if (s.m < 0 || s.n < 0 || s.batch < 0 || s.a.right < blas_least_ld(order) ||
        s.b.right < blas_least_ld(s.m) || order > INT_MAX || columns > INT_MAX)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!s.m || !s.n || !s.batch) return CUBLAS_STATUS_SUCCESS;
    if (s.batch > GRID_MOST) return blas_missing("trsmBatched of more than 65535 matrices");
    s.a = blas_op(s.a, s.op);
    if (!left) { /* X op(A) = B is op(A)' X' = B' */
        s.a = blas_op(s.a, CUBLAS_OP_T);
        s.b = blas_op(s.b, CUBLAS_OP_T);
    }
    int m = (int)order;
    dim3 grid = {(unsigned)columns, (unsigned)s.batch, 1};
    return blas_launch(h->stream, "trsm", letter, grid, SOLVE_THREADS,
                       (void *[]){&s.a, &s.b, &alpha, &m});
}

#define TRIANGULAR(X, x, T)                                                                        \
    cublasStatus_t V2(cublas##X##gemv)(cublasHandle_t h, cublasOperation_t op, INT m, INT n,       \
                                       const T *alpha, const T *a, INT lda, const T *u,            \
                                       INT u_step, const T *beta, T *v, INT v_step)                \
    {                                                                                              \
        return gemv(h, #x, op, m, n, alpha, blas_matrix(a, lda), u, u_step, beta, v, v_step);      \
    }                                                                                              \
    cublasStatus_t V2(cublas##X##trsm)(cublasHandle_t h, cublasSideMode_t side,                    \
                                       cublasFillMode_t fill, cublasOperation_t op,                \
                                       cublasDiagType_t diag, INT m, INT n, const T *alpha,        \
                                       const T *a, INT lda, T *b, INT ldb)                         \
    {                                                                                              \
        if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;                                              \
        if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;                                            \
        struct system s = {side, op, m, n, 1, blas_matrix(a, lda), blas_matrix(b, ldb)};           \
        s.a.shape = blas_triangle(fill, diag);                                                     \
        return solve(h, #x, s, blas_scalar(alpha, #x[0], h->pointer_mode));                        \
    }                                                                                              \
    cublasStatus_t NAME(cublas##X##trsmBatched)(                                                   \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,      \
        cublasDiagType_t diag, INT m, INT n, const T *alpha, const T *const a[], INT lda,          \
        T *const b[], INT ldb, INT batch)                                                          \
    {                                                                                              \
        if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;                                              \
        if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;                                            \
        struct system s = {side, op, m, n, batch, blas_matrix(a, lda), blas_matrix(b, ldb)};       \
        s.a.shape = blas_triangle(fill, diag);                                                     \
        s.a.pointers = s.b.pointers = 1;                                                           \
        return solve(h, #x, s, blas_scalar(alpha, #x[0], h->pointer_mode));                        \
    }                                                                                              \
    cublasStatus_t V2(cublas##X##trsv)(cublasHandle_t h, cublasFillMode_t fill,                    \
                                       cublasOperation_t op, cublasDiagType_t diag, INT n,         \
                                       const T *a, INT lda, T *u, INT step)                        \
    {                                                                                              \
        if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;                                              \
        if (n < 0 || step <= 0) return CUBLAS_STATUS_INVALID_VALUE;                                \
        struct system s = {CUBLAS_SIDE_LEFT, op, n, 1, 1, blas_matrix(a, lda),                     \
                           blas_matrix(u, (long long)n * step)};                                   \
        s.a.shape = blas_triangle(fill, diag);                                                     \
        s.b.down = step;                                                                           \
        return solve(h, #x, s, (struct library_scalar){.re = 1});                                  \
    }
EACH_TYPE(TRIANGULAR)

/* ---- sums and scaled matrices ---- */

static cublasStatus_t geam(cublasHandle_t h, const char *letter, cublasOperation_t a_op,
                           cublasOperation_t b_op, long long m, long long n, const void *alpha,
                           struct blas_matrix a, const void *beta, struct blas_matrix b,
                           struct blas_matrix c)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || m > INT_MAX || n > INT_MAX || !alpha || !beta ||
        a.right < blas_least_ld(blas_is_plain(a_op) ? m : n) ||
        b.right < blas_least_ld(blas_is_plain(b_op) ? m : n) || c.right < blas_least_ld(m))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n) return CUBLAS_STATUS_SUCCESS;
    struct library_scalar s = blas_scalar(alpha, letter[0], h->pointer_mode);
    struct library_scalar t = blas_scalar(beta, letter[0], h->pointer_mode);
    int rows = (int)m, columns = (int)n;
    a = blas_op(a, a_op);
    b = blas_op(b, b_op);
    return blas_launch(h->stream, "geam", letter, library_blocks(m * n, THREADS, BLOCKS), THREADS,
                       (void *[]){&s, &a, &t, &b, &c, &rows, &columns});
}

static cublasStatus_t dgmm(cublasHandle_t h, const char *letter, cublasSideMode_t side, long long m,
                           long long n, struct blas_matrix a, const void *x, long long step,
                           struct blas_matrix c)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || m > INT_MAX || n > INT_MAX || a.right < blas_least_ld(m) ||
        c.right < blas_least_ld(m))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n) return CUBLAS_STATUS_SUCCESS;
    int right = side == CUBLAS_SIDE_RIGHT, rows = (int)m, columns = (int)n;
    struct blas_vector v = blas_vector(x, right ? n : m, step);
    return blas_launch(h->stream, "dgmm", letter, library_blocks(m * n, THREADS, BLOCKS), THREADS,
                       (void *[]){&a, &v, &right, &c, &rows, &columns});
}

#define WHOLE(X, x, T)                                                                             \
    cublasStatus_t NAME(cublas##X##geam)(cublasHandle_t h, cublasOperation_t ta,                   \
                                         cublasOperation_t tb, INT m, INT n, const T *alpha,       \
                                         const T *a, INT lda, const T *beta, const T *b, INT ldb,  \
                                         T *c, INT ldc)                                            \
    {                                                                                              \
        return geam(h, #x, ta, tb, m, n, alpha, blas_matrix(a, lda), beta, blas_matrix(b, ldb),    \
                    blas_matrix(c, ldc));                                                          \
    }                                                                                              \
    cublasStatus_t NAME(cublas##X##dgmm)(cublasHandle_t h, cublasSideMode_t side, INT m, INT n,    \
                                         const T *a, INT lda, const T *u, INT step, T *c, INT ldc) \
    {                                                                                              \
        return dgmm(h, #x, side, m, n, blas_matrix(a, lda), u, step, blas_matrix(c, ldc));         \
    }
EACH_TYPE(WHOLE)

#ifndef BLAS_64
#define GETRF(X, x, T)                                                                             \
    cublasStatus_t cublas##X##getrfBatched(cublasHandle_t h, int n, T *const at[], int lda,        \
                                           int *pivots, int *info, int batch)                      \
    {                                                                                              \
        if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;                                              \
        if (n < 0 || batch < 0 || lda < blas_least_ld(n) || !info)                                 \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        if (!n || !batch) return CUBLAS_STATUS_SUCCESS;                                            \
        struct blas_matrix a = blas_matrix(at, lda);                                               \
        a.pointers = 1;                                                                            \
        dim3 grid = {(unsigned)batch, 1, 1};                                                       \
        return blas_launch(h->stream, "getrf", #x, grid, FACTOR_THREADS,                           \
                           (void *[]){&a, &n, &pivots, &info});                                    \
    }
EACH_TYPE(GETRF)

/* Position of the first wrong parameter, counted from behind the handle, or 0. */
static int wrong_gels(cublasOperation_t op, int m, int n, int sides, int lda, int ldc, int batch)
{
    if (op != CUBLAS_OP_N) return 1;
    if (m < 0) return 2;
    if (n < 0 || n > m) return 3;
    if (sides < 0) return 4;
    if (lda < blas_least_ld(m)) return 6;
    if (ldc < blas_least_ld(m)) return 8;
    return batch < 0 ? 11 : 0;
}

#define GELS(X, x, T)                                                                              \
    cublasStatus_t cublas##X##gelsBatched(cublasHandle_t h, cublasOperation_t op, int m, int n,    \
                                          int sides, T *const at[], int lda, T *const ct[],        \
                                          int ldc, int *info, int *zeros, int batch)               \
    {                                                                                              \
        if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;                                              \
        if (!info) return CUBLAS_STATUS_INVALID_VALUE;                                             \
        *info = -wrong_gels(op, m, n, sides, lda, ldc, batch);                                     \
        if (*info)                                                                                 \
            return *info == -1 || n > m ? CUBLAS_STATUS_NOT_SUPPORTED                              \
                                        : CUBLAS_STATUS_INVALID_VALUE;                             \
        if (!batch) return CUBLAS_STATUS_SUCCESS;                                                  \
        struct blas_matrix a = blas_matrix(at, lda), c = blas_matrix(ct, ldc);                     \
        a.pointers = c.pointers = 1;                                                               \
        dim3 grid = {(unsigned)batch, 1, 1};                                                       \
        return blas_launch(h->stream, "gels", #x, grid, FACTOR_THREADS,                            \
                           (void *[]){&a, &c, &m, &n, &sides, &zeros});                            \
    }
EACH_TYPE(GELS)
#endif

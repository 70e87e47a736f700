/* QR factors: geqrf, products with Q (ormqr, unmqr), and Q itself (orgqr, ungqr). */
#include "cuda/solver/solver.h"

enum { WARP = 32, LEAST_WORK = 1 }; /* elements of a workspace, which is not used */

static void *element_at(const struct solver_call *call, const void *a, long long place)
{
    return (char *)(uintptr_t)a + place * (long long)call->bytes;
}

/* c -= tau v (v' c) for the reflection k of a, with the rows of c from k. m: rows of c. */
static void reflect(struct solver_call *call, const void *a, long long lda, const void *tau, int k,
                    struct solver_matrix c, int m, int n, bool inverse, bool conjugated)
{
    const void *v = element_at(call, a, k + k * lda), *by = element_at(call, tau, k);
    int rows = m - k, is_inverse = inverse, is_conjugated = conjugated;
    c = solver_from(call, c, k, 0);
    if (n > 0)
        solver_launch(call, "apply", solver_blocks((long long)n * WARP),
                      (void *[]){&v, &by, &is_inverse, &rows, &c, &n, &is_conjugated});
}

void solver_qr(struct solver_call *call, void *a, long long lda, int m, int n, void *tau)
{
    for (int k = 0; k < m && k < n; k++) {
        solver_launch(call, "reflector", (dim3){1, 1, 1}, (void *[]){&a, &lda, &m, &k, &tau});
        struct solver_matrix right = solver_matrix(element_at(call, a, (k + 1) * lda), lda);
        reflect(call, a, lda, tau, k, right, m, n - k - 1, true, false);
    }
}

void solver_apply_q(struct solver_call *call, const void *a, long long lda, const void *tau, int k,
                    struct solver_matrix c, int m, int n, bool inverse, bool conjugated)
{
    for (int step = 0; step < k; step++)
        reflect(call, a, lda, tau, inverse ? step : k - 1 - step, c, m, n, inverse != conjugated,
                conjugated);
}

static cusolverStatus_t check(cusolverDnHandle_t h, int m, int n, int k, long long rows,
                              const void *a, int lda)
{
    if (!h) return CUSOLVER_STATUS_NOT_INITIALIZED;
    return m < 0 || n < 0 || k < 0 || k > rows || lda < (rows > 1 ? rows : 1) ||
                   (rows && k && !a)
               ? CUSOLVER_STATUS_INVALID_VALUE
               : CUSOLVER_STATUS_SUCCESS;
}

/* c = op(Q) c, or c op(Q): from the right, rows of c are columns for the transposed of op(Q). */
static cusolverStatus_t product(struct solver_call call, cublasSideMode_t side,
                                cublasOperation_t op, int m, int n, int k, const void *a, int lda,
                                const void *tau, void *c, int ldc, int *info)
{
    struct solver_matrix at = solver_matrix(c, ldc);
    bool right = side == CUBLAS_SIDE_RIGHT, inverse = op != CUBLAS_OP_N;
    if (right) at = solver_transposed(at);
    solver_clear(&call, info, sizeof *info);
    solver_apply_q(&call, a, lda, tau, k, at, right ? n : m, right ? m : n, inverse != right,
                   right);
    return call.status;
}

static cusolverStatus_t make_q(struct solver_call call, int m, int n, int k, void *a, int lda,
                               const void *tau, int *info)
{
    long long right = lda;
    solver_clear(&call, info, sizeof *info);
    for (int c = n; c--;) {
        struct solver_matrix after = solver_matrix(element_at(&call, a, (c + 1) * right), right);
        if (c < k) reflect(&call, a, right, tau, c, after, m, n - c - 1, false, false);
        solver_launch(&call, "q", solver_blocks(m), (void *[]){&a, &right, &m, &c, &k, &tau});
    }
    return call.status;
}

#define ORTHOGONAL(X, letter, T, R)                                                                \
    cusolverStatus_t cusolverDn##X##geqrf_bufferSize(cusolverDnHandle_t h, int m, int n, T *a,     \
                                                     int lda, int *work)                           \
    {                                                                                              \
        if (!work) return CUSOLVER_STATUS_INVALID_VALUE;                                           \
        *work = LEAST_WORK;                                                                        \
        return check(h, m, n, 0, m, a, lda);                                                       \
    }                                                                                              \
    cusolverStatus_t cusolverDn##X##geqrf(cusolverDnHandle_t h, int m, int n, T *a, int lda,       \
                                          T *tau, T *work, int work_n, int *info)                  \
    {                                                                                              \
        (void)work, (void)work_n;                                                                  \
        cusolverStatus_t status = check(h, m, n, 0, m, a, lda);                                    \
        if (status || !tau || !info) return status ? status : CUSOLVER_STATUS_INVALID_VALUE;       \
        struct solver_call call = {h->stream, letter, sizeof(T), CUSOLVER_STATUS_SUCCESS};         \
        solver_clear(&call, info, sizeof *info);                                                   \
        solver_qr(&call, a, lda, m, n, tau);                                                       \
        return call.status;                                                                        \
    }
EACH_TYPE(ORTHOGONAL)

/* transposed: the operation that is not OP_N. */
#define Q(X, multiply, generate, letter, T, transposed)                                            \
    cusolverStatus_t cusolverDn##X##multiply##_bufferSize(                                         \
        cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k,    \
        const T *a, int lda, const T *tau, const T *c, int ldc, int *work)                         \
    {                                                                                              \
        (void)op, (void)tau, (void)c, (void)ldc;                                                   \
        if (!work) return CUSOLVER_STATUS_INVALID_VALUE;                                           \
        *work = LEAST_WORK;                                                                        \
        return check(h, m, n, k, side == CUBLAS_SIDE_LEFT ? m : n, a, lda);                        \
    }                                                                                              \
    cusolverStatus_t cusolverDn##X##multiply(                                                      \
        cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k,    \
        const T *a, int lda, const T *tau, T *c, int ldc, T *work, int work_n, int *info)          \
    {                                                                                              \
        (void)work, (void)work_n;                                                                  \
        cusolverStatus_t status = check(h, m, n, k, side == CUBLAS_SIDE_LEFT ? m : n, a, lda);     \
        if (status) return status;                                                                 \
        if ((op != CUBLAS_OP_N && op != transposed) || side > CUBLAS_SIDE_RIGHT || !tau || !info ||\
            ldc < m || (m && n && !c))                                                             \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        struct solver_call call = {h->stream, letter, sizeof(T), CUSOLVER_STATUS_SUCCESS};         \
        return product(call, side, op, m, n, k, a, lda, tau, c, ldc, info);                        \
    }                                                                                              \
    cusolverStatus_t cusolverDn##X##generate##_bufferSize(cusolverDnHandle_t h, int m, int n,      \
                                                          int k, const T *a, int lda,              \
                                                          const T *tau, int *work)                 \
    {                                                                                              \
        (void)tau;                                                                                 \
        if (!work || n > m || k > n) return CUSOLVER_STATUS_INVALID_VALUE;                         \
        *work = LEAST_WORK;                                                                        \
        return check(h, m, n, k, m, a, lda);                                                       \
    }                                                                                              \
    cusolverStatus_t cusolverDn##X##generate(cusolverDnHandle_t h, int m, int n, int k, T *a,      \
                                             int lda, const T *tau, T *work, int work_n,           \
                                             int *info)                                            \
    {                                                                                              \
        (void)work, (void)work_n;                                                                  \
        cusolverStatus_t status = check(h, m, n, k, m, a, lda);                                    \
        if (status || n > m || k > n || !tau || !info)                                             \
            return status ? status : CUSOLVER_STATUS_INVALID_VALUE;                                \
        struct solver_call call = {h->stream, letter, sizeof(T), CUSOLVER_STATUS_SUCCESS};         \
        return make_q(call, m, n, k, a, lda, tau, info);                                           \
    }
Q(S, ormqr, orgqr, "s", float, CUBLAS_OP_T)
Q(D, ormqr, orgqr, "d", double, CUBLAS_OP_T)
Q(C, unmqr, ungqr, "c", cuComplex, CUBLAS_OP_C)
Q(Z, unmqr, ungqr, "z", cuDoubleComplex, CUBLAS_OP_C)

/* Linear systems: LU factors (getrf, getrs) and Cholesky factors (potrf, potrs), by panels. */
#include "cuda/solver/solver.h"

static int least(int a, int b) { return a < b ? a : b; }

void solver_triangle(struct solver_call *call, struct solver_matrix a, struct solver_matrix b,
                     int m, int n, bool lower, bool unit)
{
    int is_lower = lower, is_unit = unit;
    if (m > 0 && n > 0)
        solver_launch(call, "triangle", (dim3){(unsigned)n, 1, 1},
                      (void *[]){&a, &b, &m, &is_lower, &is_unit});
}

/* c -= a b, with a depth of at most SOLVER_PANEL. */
static void update(struct solver_call *call, struct solver_matrix a, struct solver_matrix b,
                   struct solver_matrix c, int m, int n, int depth, int lower)
{
    dim3 tiles = {(unsigned)(m + SOLVER_TILE - 1) / SOLVER_TILE,
                  (unsigned)(n + SOLVER_TILE - 1) / SOLVER_TILE, 1};
    if (m > 0 && n > 0)
        solver_launch(call, "update", tiles, (void *[]){&a, &b, &c, &m, &n, &depth, &lower});
}

/* Exchanges rows from..to-1 with their pivots in n columns. */
static void exchange(struct solver_call *call, struct solver_matrix a, int n, int from, int to,
                     const int *pivots, bool backwards)
{
    int back = backwards;
    if (n > 0)
        solver_launch(call, "rows", solver_blocks(n),
                      (void *[]){&a, &n, &from, &to, &pivots, &back});
}

static cusolverStatus_t check_lu(cusolverDnHandle_t h, int m, int n, const void *a, int lda)
{
    if (!h) return CUSOLVER_STATUS_NOT_INITIALIZED;
    return m < 0 || n < 0 || lda < (m > 1 ? m : 1) || (m && n && !a)
               ? CUSOLVER_STATUS_INVALID_VALUE
               : CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t lu(struct solver_call call, int m, int n, struct solver_matrix a,
                           int *pivots, int *info)
{
    solver_clear(&call, info, sizeof *info);
    for (int first = 0; first < least(m, n); first += SOLVER_PANEL) {
        int width = least(SOLVER_PANEL, least(m, n) - first), to = first + width;
        int rows = m - first, *of_panel = pivots ? pivots + first : NULL;
        struct solver_matrix panel = solver_from(&call, a, first, first);
        struct solver_matrix beside = solver_from(&call, a, first, to);
        solver_launch(&call, "lu", (dim3){1, 1, 1},
                      (void *[]){&panel, &rows, &width, &first, &of_panel, &info});
        if (pivots) {
            exchange(&call, a, first, first, to, pivots, false);
            exchange(&call, solver_from(&call, a, 0, to), n - to, first, to, pivots, false);
        }
        solver_triangle(&call, panel, beside, width, n - to, true, true);
        update(&call, solver_from(&call, a, to, first), beside, solver_from(&call, a, to, to),
               m - to, n - to, width, 0);
    }
    return call.status;
}

/* op(A) x = b by the factors L and U of A. */
static cusolverStatus_t lu_solve(struct solver_call call, cublasOperation_t op, int n, int columns,
                                 struct solver_matrix a, const int *pivots, struct solver_matrix b,
                                 int *info)
{
    solver_clear(&call, info, sizeof *info);
    bool across = op != CUBLAS_OP_N;
    if (across) a = solver_transposed(a), a.conjugate = op == CUBLAS_OP_C;
    else if (pivots) exchange(&call, b, columns, 0, n, pivots, false);
    solver_triangle(&call, a, b, n, columns, true, !across);
    solver_triangle(&call, a, b, n, columns, false, across);
    if (across && pivots) exchange(&call, b, columns, 0, n, pivots, true);
    return call.status;
}

/* The triangle of a Cholesky factor as L: the upper triangle is the transposed of L. */
static struct solver_matrix lower(const void *a, int lda, cublasFillMode_t fill)
{
    struct solver_matrix l = solver_matrix(a, lda);
    return fill == CUBLAS_FILL_MODE_UPPER ? solver_transposed(l) : l;
}

static cusolverStatus_t cholesky(struct solver_call call, int n, struct solver_matrix a, int *info)
{
    solver_clear(&call, info, sizeof *info);
    for (int first = 0; first < n; first += SOLVER_PANEL) {
        int width = least(SOLVER_PANEL, n - first), left = n - first - width;
        struct solver_matrix panel = solver_from(&call, a, first, first);
        struct solver_matrix below = solver_from(&call, panel, width, 0), l = panel, across;
        solver_launch(&call, "cholesky", (dim3){1, 1, 1},
                      (void *[]){&panel, &width, &first, &info});
        l.conjugate = 1; /* rows x of the factor below: conj(L) x' = a' */
        solver_triangle(&call, l, solver_transposed(below), width, left, true, false);
        across = solver_transposed(below);
        across.conjugate = 1;
        update(&call, below, across, solver_from(&call, panel, width, width), left, left, width, 1);
    }
    return call.status;
}

static cusolverStatus_t cholesky_solve(struct solver_call call, int n, int columns,
                                       struct solver_matrix l, bool upper, struct solver_matrix b,
                                       int *info)
{
    struct solver_matrix across = solver_transposed(l);
    solver_clear(&call, info, sizeof *info);
    l.conjugate = upper, across.conjugate = !upper;
    solver_triangle(&call, l, b, n, columns, true, false);
    solver_triangle(&call, across, b, n, columns, false, false);
    return call.status;
}

static cusolverStatus_t check_cholesky(cusolverDnHandle_t h, cublasFillMode_t fill, int n,
                                       const void *a, int lda)
{
    cusolverStatus_t status = check_lu(h, n, n, a, lda);
    return !status && fill > CUBLAS_FILL_MODE_UPPER ? CUSOLVER_STATUS_INVALID_VALUE : status;
}

enum { LEAST_WORK = 1 }; /* elements of a workspace, which is not used */

#define LINEAR(X, letter, T, R)                                                                    \
    cusolverStatus_t cusolverDn##X##getrf_bufferSize(cusolverDnHandle_t h, int m, int n, T *a,     \
                                                     int lda, int *work)                           \
    {                                                                                              \
        if (!work) return CUSOLVER_STATUS_INVALID_VALUE;                                           \
        *work = LEAST_WORK;                                                                        \
        return check_lu(h, m, n, a, lda);                                                          \
    }                                                                                              \
    cusolverStatus_t cusolverDn##X##getrf(cusolverDnHandle_t h, int m, int n, T *a, int lda,       \
                                          T *work, int *pivots, int *info)                         \
    {                                                                                              \
        (void)work;                                                                                \
        cusolverStatus_t status = check_lu(h, m, n, a, lda);                                       \
        if (status || !info) return status ? status : CUSOLVER_STATUS_INVALID_VALUE;               \
        struct solver_call call = {h->stream, letter, sizeof(T), CUSOLVER_STATUS_SUCCESS};         \
        return lu(call, m, n, solver_matrix(a, lda), pivots, info);                                \
    }                                                                                              \
    cusolverStatus_t cusolverDn##X##getrs(cusolverDnHandle_t h, cublasOperation_t op, int n,       \
                                          int columns, const T *a, int lda, const int *pivots,     \
                                          T *b, int ldb, int *info)                                \
    {                                                                                              \
        cusolverStatus_t status = check_lu(h, n, n, a, lda);                                       \
        if (!status) status = check_lu(h, n, columns, b, ldb);                                     \
        if (status || !info || op > CUBLAS_OP_C)                                                   \
            return status ? status : CUSOLVER_STATUS_INVALID_VALUE;                                \
        struct solver_call call = {h->stream, letter, sizeof(T), CUSOLVER_STATUS_SUCCESS};         \
        return lu_solve(call, op, n, columns, solver_matrix(a, lda), pivots,                       \
                        solver_matrix(b, ldb), info);                                              \
    }                                                                                              \
    cusolverStatus_t cusolverDn##X##potrf_bufferSize(cusolverDnHandle_t h, cublasFillMode_t fill,  \
                                                     int n, T *a, int lda, int *work)              \
    {                                                                                              \
        if (!work) return CUSOLVER_STATUS_INVALID_VALUE;                                           \
        *work = LEAST_WORK;                                                                        \
        return check_cholesky(h, fill, n, a, lda);                                                 \
    }                                                                                              \
    cusolverStatus_t cusolverDn##X##potrf(cusolverDnHandle_t h, cublasFillMode_t fill, int n,      \
                                          T *a, int lda, T *work, int work_n, int *info)           \
    {                                                                                              \
        (void)work, (void)work_n;                                                                  \
        cusolverStatus_t status = check_cholesky(h, fill, n, a, lda);                              \
        if (status || !info) return status ? status : CUSOLVER_STATUS_INVALID_VALUE;               \
        struct solver_call call = {h->stream, letter, sizeof(T), CUSOLVER_STATUS_SUCCESS};         \
        return cholesky(call, n, lower(a, lda, fill), info);                                       \
    }                                                                                              \
    cusolverStatus_t cusolverDn##X##potrs(cusolverDnHandle_t h, cublasFillMode_t fill, int n,      \
                                          int columns, const T *a, int lda, T *b, int ldb,         \
                                          int *info)                                               \
    {                                                                                              \
        cusolverStatus_t status = check_cholesky(h, fill, n, a, lda);                              \
        if (!status) status = check_lu(h, n, columns, b, ldb);                                     \
        if (status || !info) return status ? status : CUSOLVER_STATUS_INVALID_VALUE;               \
        struct solver_call call = {h->stream, letter, sizeof(T), CUSOLVER_STATUS_SUCCESS};         \
        return cholesky_solve(call, n, columns, lower(a, lda, fill),                               \
                              fill == CUBLAS_FILL_MODE_UPPER, solver_matrix(b, ldb), info);        \
    }
EACH_TYPE(LINEAR)

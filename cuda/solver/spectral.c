/* Singular values (gesvd) and eigenvalues of Hermitian matrices (syevd, heevd) by rotations of
 * columns: one-sided Jacobi. Each sweep over all pairs of columns waits for the stream. */
#include <limits.h>

#include "cuda/solver/solver.h"

enum { SWEEPS = 40, /* at most */
       WARP = 32 };

/* Parts of the workspace for n columns. */
struct work {
    char *w, *v, *spare; /* matrices of n x n elements */
    char *tau, *second_tau;
    double *norms, *whole;
    int *order, *rotated;
};

/* Sets the parts behind `at`, which may be NULL; returns the number of bytes. */
static size_t parts(struct work *p, void *at, int n, size_t bytes)
{
    size_t square = (size_t)n * (size_t)n * bytes, used = 0, count = (size_t)n;
    const struct part {
        void *to;
        size_t bytes;
    } all[] = {{&p->w, square}, {&p->v, square}, {&p->spare, square}, {&p->tau, count * bytes},
               {&p->second_tau, count * bytes}, {&p->norms, count * sizeof(double)},
               {&p->whole, sizeof(double)}, {&p->order, count * sizeof(int)},
               {&p->rotated, sizeof(int)}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        if (at) *(void **)all[i].to = (char *)at + used;
        used += (all[i].bytes + 15) / 16 * 16;
    }
    return used + 16; /* `at` is rounded up */
}

static struct work work_in(void *at, int n, size_t bytes)
{
    struct work p = {0};
    parts(&p, (void *)(((uintptr_t)at + 15) & ~(uintptr_t)15), n, bytes);
    return p;
}

static void copy(struct solver_call *call, struct solver_matrix a, struct solver_matrix to, int m,
                 int n, int part, const int *order)
{
    if (m > 0 && n > 0)
        solver_launch(call, "copy", solver_blocks((long long)m * n),
                      (void *[]){&a, &to, &m, &n, &part, &order});
}

/* Rotates the columns of w until all are orthogonal, and v alike. Returns false if they are not
 * after the last sweep. */
static bool rotate(struct solver_call *call, struct work p, int n)
{
    bool is_double = *call->letter == 'd' || *call->letter == 'z';
    double bound = is_double ? 0x1p-52 : 0x1p-23;
    for (int root = 1; root * root < n; root++) bound *= (root + 1.0) / root; /* times sqrt(n) */
    int players = n + n % 2, rotated = n > 1;
    for (int sweep = 0; sweep < SWEEPS && rotated && !call->status; sweep++) {
        solver_clear(call, p.rotated, sizeof(int));
        for (int step = 0; step < players - 1; step++)
            solver_launch(call, "rotate", (dim3){(unsigned)players / 2, 1, 1},
                          (void *[]){&p.w, &p.v, &n, &step, &bound, &p.whole, &p.rotated});
        solver_read(call, &rotated, p.rotated, sizeof rotated);
    }
    return !rotated;
}

/* Norm of the whole of w. */
static void norm(struct solver_call *call, struct work *p, int n)
{
    solver_launch(call, "norm", (dim3){1, 1, 1}, (void *[]){&p->w, &n, &n, &p->whole});
}

/* Norms of the columns of w in order, less *less, in out. */
static void rank(struct solver_call *call, struct work *p, int n, int ascending, const double *less,
                 void *out)
{
    solver_launch(call, "norms", solver_blocks((long long)n * WARP),
                  (void *[]){&p->w, &n, &p->norms});
    solver_launch(call, "rank", solver_blocks(n),
                  (void *[]){&p->norms, &n, &ascending, &less, &p->order, &out});
}

/* *info = 1 if the rotations did not end. */
static void tell(struct solver_call *call, bool ended, int *info)
{
    static const int one = 1;
    solver_clear(call, info, sizeof *info);
    if (!ended && !call->status &&
        library_run_time()->cudaMemcpyAsync(info, &one, sizeof one, cudaMemcpyHostToDevice,
                                            call->stream))
        call->status = CUSOLVER_STATUS_EXECUTION_FAILED;
}

struct svd { /* arguments of a call; the jobs are letters A, S, O, N */
    signed char u_job, v_job;
    int m, n;
    void *a, *s, *u, *v, *work;
    int lda, ldu, ldv;
};

/* The columns of U: Q of A times Q of the rotated columns, with signs. */
static void left_vectors(struct solver_call *call, const struct svd *d, struct work *p,
                         struct solver_matrix u, int columns)
{
    long long right = u.right;
    int m = d->m, n = d->n;
    copy(call, u, u, m, columns, 'I', NULL);
    solver_apply_q(call, p->w, n, p->second_tau, n, u, n, n, false, false);
    solver_launch(call, "signs", solver_blocks((long long)m * n),
                  (void *[]){&p->w, &n, &u.at, &right, &m});
    solver_apply_q(call, d->a, d->lda, p->tau, n, u, m, columns, false, false);
}

/* A = Q R; the columns of R V are orthogonal, their norms are the singular values. */
static cusolverStatus_t svd(struct solver_call call, const struct svd *d, int *info)
{
    int n = d->n;
    struct work p = work_in(d->work, n, call.bytes);
    struct solver_matrix a = solver_matrix(d->a, d->lda), w = solver_matrix(p.w, n);
    struct solver_matrix v = solver_matrix(p.v, n), spare = solver_matrix(p.spare, n);
    solver_qr(&call, d->a, d->lda, d->m, n, p.tau);
    copy(&call, a, w, n, n, 'U', NULL);
    copy(&call, v, v, n, n, 'I', NULL);
    norm(&call, &p, n);
    bool ended = rotate(&call, p, n);
    rank(&call, &p, n, 0, NULL, d->s);
    struct solver_matrix across = solver_transposed(solver_matrix(d->v, d->ldv));
    copy(&call, w, spare, n, n, 0, p.order);
    copy(&call, spare, w, n, n, 0, NULL);
    copy(&call, v, spare, n, n, 0, p.order);
    across.conjugate = 1;
    if (d->v_job == 'A' || d->v_job == 'S') copy(&call, spare, across, n, n, 0, NULL);
    solver_qr(&call, p.w, n, n, n, p.second_tau);
    char *behind = (char *)d->work + parts(&p, NULL, n, call.bytes); /* room for U */
    if (d->u_job == 'A' || d->u_job == 'S')
        left_vectors(&call, d, &p, solver_matrix(d->u, d->ldu), d->u_job == 'A' ? d->m : n);
    if (d->u_job == 'O') {
        struct solver_matrix u = solver_matrix(behind, d->m);
        left_vectors(&call, d, &p, u, n);
        copy(&call, u, a, d->m, n, 0, NULL);
    }
    across = solver_transposed(a);
    across.conjugate = 1;
    if (d->v_job == 'O') copy(&call, spare, across, n, n, 0, NULL);
    tell(&call, ended, info);
    return call.status;
}

/* A plus its norm is positive; the columns of (A + norm) V have the eigenvalues plus the norm as
 * norms. */
static cusolverStatus_t eigen(struct solver_call call, bool vectors, cublasFillMode_t fill, int n,
                              void *at, int lda, void *values, void *room, int *info)
{
    struct work p = work_in(room, n, call.bytes);
    struct solver_matrix a = solver_matrix(at, lda), w = solver_matrix(p.w, n);
    struct solver_matrix v = solver_matrix(p.v, n);
    copy(&call, a, w, n, n, fill == CUBLAS_FILL_MODE_LOWER ? 'l' : 'u', NULL);
    copy(&call, v, v, n, n, 'I', NULL);
    norm(&call, &p, n);
    solver_launch(&call, "shift", solver_blocks(n), (void *[]){&p.w, &n, &p.whole});
    bool ended = rotate(&call, p, n);
    rank(&call, &p, n, 1, p.whole, values);
    if (vectors) copy(&call, v, a, n, n, 0, p.order);
    tell(&call, ended, info);
    return call.status;
}

static bool is_job(signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; }

/* Elements of a workspace; room: further bytes. */
static cusolverStatus_t size(cusolverDnHandle_t h, int m, int n, size_t bytes, size_t room,
                             int *out)
{
    if (!h) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || m < n || !out) return CUSOLVER_STATUS_INVALID_VALUE;
    struct work p;
    size_t all = (parts(&p, NULL, n, bytes) + room) / bytes + 1;
    if (all > INT_MAX) return CUSOLVER_STATUS_INVALID_VALUE;
    *out = (int)all;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t check_svd(const struct svd *d, int given, int needed, const int *info)
{
    bool u = d->u_job == 'A' || d->u_job == 'S', v = d->v_job == 'A' || d->v_job == 'S';
    int least_m = d->m > 1 ? d->m : 1, least_n = d->n > 1 ? d->n : 1;
    if (!is_job(d->u_job) || !is_job(d->v_job) || (d->u_job == 'O' && d->v_job == 'O') ||
        d->lda < least_m || (u && (d->ldu < least_m || !d->u)) ||
        (v && (d->ldv < least_n || !d->v)) || given < needed || !info || !d->a || !d->s || !d->work)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return CUSOLVER_STATUS_SUCCESS;
}

#define SVD(X, letter, T, R)                                                                       \
    cusolverStatus_t cusolverDn##X##gesvd_bufferSize(cusolverDnHandle_t h, int m, int n,           \
                                                     int *work)                                    \
    {                                                                                              \
        return size(h, m, n, sizeof(T), m > 0 && n > 0 ? (size_t)m * (size_t)n * sizeof(T) : 0,    \
                    work);                                                                         \
    }                                                                                              \
    cusolverStatus_t cusolverDn##X##gesvd(                                                         \
        cusolverDnHandle_t h, signed char u_job, signed char v_job, int m, int n, T *a, int lda,   \
        R *s, T *u, int ldu, T *vt, int ldvt, T *work, int work_n, R *real_work, int *info)        \
    {                                                                                              \
        (void)real_work;                                                                           \
        int needed;                                                                                \
        struct svd d = {u_job, v_job, m, n, a, s, u, vt, work, lda, ldu, ldvt};                    \
        cusolverStatus_t status = cusolverDn##X##gesvd_bufferSize(h, m, n, &needed);               \
        if (!status) status = check_svd(&d, work_n, needed, info);                                 \
        struct solver_call call = {h ? h->stream : NULL, letter, sizeof(T), status};               \
        return status || !n ? status : svd(call, &d, info);                                        \
    }
EACH_TYPE(SVD)

#define EIGEN(X, name, letter, T, R)                                                               \
    cusolverStatus_t cusolverDn##X##name##_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t job, \
                                                      cublasFillMode_t fill, int n, const T *a,    \
                                                      int lda, const R *values, int *work)         \
    {                                                                                              \
        (void)job, (void)fill, (void)a, (void)lda, (void)values;                                   \
        return size(h, n, n, sizeof(T), 0, work);                                                  \
    }                                                                                              \
    cusolverStatus_t cusolverDn##X##name(cusolverDnHandle_t h, cusolverEigMode_t job,              \
                                         cublasFillMode_t fill, int n, T *a, int lda, R *values,   \
                                         T *work, int work_n, int *info)                           \
    {                                                                                              \
        int needed;                                                                                \
        cusolverStatus_t status = size(h, n, n, sizeof(T), 0, &needed);                            \
        if (status || !n) return status;                                                           \
        if (work_n < needed || lda < n || fill > CUBLAS_FILL_MODE_UPPER || !a || !values ||        \
            !work || !info || job > CUSOLVER_EIG_MODE_VECTOR)                                      \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        struct solver_call call = {h->stream, letter, sizeof(T), CUSOLVER_STATUS_SUCCESS};         \
        return eigen(call, job == CUSOLVER_EIG_MODE_VECTOR, fill, n, a, lda, values, work, info);  \
    }
EIGEN(S, syevd, "s", float, float)
EIGEN(D, syevd, "d", double, double)
EIGEN(C, heevd, "c", cuComplex, float)
EIGEN(Z, heevd, "z", cuDoubleComplex, double)

/* cuSOLVER against products on the host: prints "all right: N results", or the differences. A
 * factorization is right if the product of the factors is the matrix. */
#include <math.h>

#include "cuda/include/cusolverDn.h"
#include "test/cuda/elements.h"

enum { M = 60, N = 45, SIDES = 3, LD = M + 3 };
static cusolverDnHandle_t handle;
static int *info, *pivots; /* managed */

/* Calls the function of type t; complex: the name for complex types. */
#define CALL(t, real, complex, ...)                                                                \
    ok((t) == 's'   ? cusolverDnS##real(__VA_ARGS__)                                               \
       : (t) == 'd' ? cusolverDnD##real(__VA_ARGS__)                                               \
       : (t) == 'c' ? cusolverDnC##complex(__VA_ARGS__)                                            \
                    : cusolverDnZ##complex(__VA_ARGS__),                                           \
       #real)

static void ok(cusolverStatus_t status, const char *what)
{
    check(!status, "%s: status %d", what, (int)status);
}

/* A matrix by columns with LD rows on both sides. */
static struct array matrix(char t, int columns)
{
    struct array a = array(t, (long)LD * columns);
    for (long i = 0; i < a.n; i++) put(t, a.host, i, get(t, a.host, i) + draw(9) / 16.0);
    upload(a);
    return a;
}

static Z at(struct array a, int i, int j) { return get(a.t, a.host, i + (long)j * LD); }

static struct array copy(struct array a)
{
    struct array b = array(a.t, a.n);
    memcpy(b.host, a.host, (size_t)a.n * bytes_of(a.t));
    upload(b);
    return b;
}

static void download(struct array a)
{
    cudaMemcpy(a.host, a.device, (size_t)a.n * bytes_of(a.t), cudaMemcpyDeviceToHost);
}

static double bound(char t) { return t == 's' || t == 'c' ? 2e-5 : 5e-14; }
static bool is_complex(char t) { return t == 'c' || t == 'z'; }

/* The greatest of |x - right| so far. */
static double off;
static void compare(Z x, Z right) { off = fmax(off, cabs(x - right)); }
static void close_to(struct array a, const char *what, double size)
{
    check(off <= bound(a.t) * size, "%s, type %c: off by %g", what, a.t, off);
    off = 0;
}

static Z op_of(struct array a, cublasOperation_t op, int i, int j)
{
    Z x = op == CUBLAS_OP_N ? at(a, i, j) : at(a, j, i);
    return op == CUBLAS_OP_C ? conj(x) : x;
}

static void solved(struct array a, cublasOperation_t op, struct array b, struct array x,
                   const char *what)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < SIDES; j++) {
            Z sum = 0;
            for (int k = 0; k < N; k++) sum += op_of(a, op, i, k) * at(x, k, j);
            compare(sum, at(b, i, j));
        }
    close_to(a, what, 1e3);
}

static void *workspace(size_t bytes)
{
    void *work;
    cudaMalloc(&work, bytes + 1);
    return work;
}

/* with: without pivots. */
static void test_lu(char t, bool with)
{
    struct array a = matrix(t, N), f, b = matrix(t, SIDES);
    for (int i = 0; i < N && !with; i++) put(t, a.host, i + i * (long)LD, at(a, i, i) + 99);
    upload(a);
    int work_n, *of = with ? pivots : NULL;
    f = copy(a);
    CALL(t, getrf_bufferSize, getrf_bufferSize, handle, M, N, f.device, LD, &work_n);
    void *work = workspace((size_t)work_n * bytes_of(t));
    int rows = with ? M : N, order[M];
    CALL(t, getrf, getrf, handle, rows, N, f.device, LD, work, of, info);
    download(f);
    check(!*info, "info of getrf is %d", *info);
    for (int i = 0; i < rows; i++) order[i] = i;
    for (int i = 0; i < N && with; i++) {
        int row = pivots[i] - 1, was = order[i];
        order[i] = order[row], order[row] = was;
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++) {
            Z sum = 0;
            for (int k = 0; k <= i && k <= j; k++) sum += (k == i ? 1 : at(f, i, k)) * at(f, k, j);
            compare(sum, at(a, order[i], j));
            if (i > j && with) check(cabs(at(f, i, j)) <= 1.5, "a multiplier above 1");
        }
    close_to(a, "getrf", 1e2);
    memcpy(f.host, a.host, (size_t)a.n * bytes_of(t));
    upload(f);
    CALL(t, getrf, getrf, handle, N, N, f.device, LD, work, of, info);
    for (int op = 0; op < 3; op++) {
        struct array x = copy(b);
        CALL(t, getrs, getrs, handle, (cublasOperation_t)op, N, SIDES, f.device, LD, of, x.device,
             LD, info);
        download(x);
        solved(a, (cublasOperation_t)op, b, x, "getrs");
        end(x);
    }
    for (int i = 0; i < N; i++) put(t, a.host, i + 40 * (long)LD, at(a, i, 39)); /* singular */
    upload(a);
    CALL(t, getrf, getrf, handle, N, N, a.device, LD, work, of, info);
    cudaDeviceSynchronize();
    check(!with || *info == 0 || *info == 41, "info of a singular matrix is %d", *info);
    for (int i = 0; i < N; i++) put(t, a.host, i + 40 * (long)LD, 0);
    upload(a);
    CALL(t, getrf, getrf, handle, N, N, a.device, LD, work, of, info);
    cudaDeviceSynchronize();
    check(*info == 41, "info of a column of zeros is %d", *info);
    cudaFree(work), end(a), end(b), end(f);
}

static void test_cholesky(char t, cublasFillMode_t fill)
{
    struct array a = matrix(t, N), f, b = matrix(t, SIDES), x = copy(b);
    bool upper = fill == CUBLAS_FILL_MODE_UPPER;
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++) {
            put(t, a.host, i + j * (long)LD, i == j ? 99 : at(a, i, j));
            put(t, a.host, j + i * (long)LD, conj(at(a, i, j)));
        }
    f = copy(a);
    for (int j = 0; j < N; j++)
        for (int i = j + 1; i < N; i++)
            put(t, f.host, upper ? i + j * (long)LD : j + i * (long)LD, 7);
    upload(f);
    int work_n;
    CALL(t, potrf_bufferSize, potrf_bufferSize, handle, fill, N, f.device, LD, &work_n);
    void *work = workspace((size_t)work_n * bytes_of(t));
    CALL(t, potrf, potrf, handle, fill, N, f.device, LD, work, work_n, info);
    download(f);
    check(!*info, "info of potrf is %d", *info);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            Z sum = 0;
            for (int k = 0; k <= i && k <= j; k++)
                sum += upper ? conj(at(f, k, i)) * at(f, k, j) : at(f, i, k) * conj(at(f, j, k));
            compare(sum, at(a, i, j));
            if (upper ? i > j : i < j) check(at(f, i, j) == 7, "potrf: the other triangle");
        }
    close_to(a, "potrf", 1e2);
    CALL(t, potrs, potrs, handle, fill, N, SIDES, f.device, LD, x.device, LD, info);
    download(x);
    solved(a, CUBLAS_OP_N, b, x, "potrs");
    put(t, a.host, 37 + 37 * (long)LD, -1);
    upload(a);
    CALL(t, potrf, potrf, handle, fill, N, a.device, LD, work, work_n, info);
    cudaDeviceSynchronize();
    check(*info == 38, "info of a negative pivot is %d", *info);
    cudaFree(work), end(a), end(b), end(f), end(x);
}

/* Compares the products of columns of q with the identity. */
static void orthonormal(struct array q, int m, int n, const char *what)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Z sum = 0;
            for (int k = 0; k < m; k++) sum += conj(at(q, k, i)) * at(q, k, j);
            compare(sum, i == j);
        }
    close_to(q, what, 1e1);
}

static void test_q(char t)
{
    struct array a = matrix(t, N), f = copy(a), q, tau = array(t, M);
    int work_n;
    CALL(t, geqrf_bufferSize, geqrf_bufferSize, handle, M, N, f.device, LD, &work_n);
    void *work = workspace((size_t)work_n * bytes_of(t));
    CALL(t, geqrf, geqrf, handle, M, N, f.device, LD, tau.device, work, work_n, info);
    download(f);
    q = array(t, LD * M); /* all columns of Q: more columns than reflections */
    cudaMemcpy(q.device, f.device, (size_t)f.n * bytes_of(t), cudaMemcpyDeviceToDevice);
    CALL(t, orgqr_bufferSize, ungqr_bufferSize, handle, M, M, N, q.device, LD, tau.device, &work_n);
    CALL(t, orgqr, ungqr, handle, M, M, N, q.device, LD, tau.device, work, work_n, info);
    download(q);
    check(!*info, "info of orgqr is %d", *info);
    orthonormal(q, M, M, "orgqr");
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            Z sum = 0;
            for (int k = 0; k <= j; k++) sum += at(q, i, k) * at(f, k, j);
            compare(sum, at(a, i, j));
        }
    close_to(a, "geqrf", 1e2);
    for (int with = 0; with < 4; with++) { /* Q or Q', from the left or right */
        cublasOperation_t across = is_complex(t) ? CUBLAS_OP_C : CUBLAS_OP_T;
        cublasOperation_t op = with & 1 ? across : CUBLAS_OP_N;
        cublasSideMode_t side = with & 2 ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
        int m = with & 2 ? SIDES : M, n = with & 2 ? M : SIDES;
        struct array c = matrix(t, M), d = copy(c);
        CALL(t, ormqr_bufferSize, unmqr_bufferSize, handle, side, op, m, n, N, f.device, LD,
             tau.device, d.device, LD, &work_n);
        CALL(t, ormqr, unmqr, handle, side, op, m, n, N, f.device, LD, tau.device, d.device, LD,
             work, work_n, info);
        download(d);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                Z sum = 0;
                for (int k = 0; k < M; k++)
                    sum += with & 2 ? at(c, i, k) * op_of(q, op, k, j)
                                    : op_of(q, op, i, k) * at(c, k, j);
                compare(sum, at(d, i, j));
            }
        close_to(a, "ormqr", 1e2);
        end(c), end(d);
    }
    cudaFree(work), end(a), end(f), end(q), end(tau);
}

/* deficient: some columns repeat others, and singular values are zero. */
static void test_svd(char t, signed char u_job, signed char v_job, int m, int n, bool deficient)
{
    struct array a = matrix(t, M), u = matrix(t, M), vt = matrix(t, M), f;
    char real = t == 's' || t == 'c' ? 's' : 'd';
    struct array s = array(real, M);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < n && deficient; j += 3)
            put(t, a.host, i + j * (long)LD, j ? at(a, i, j - 1) : 0);
    upload(a);
    f = copy(a);
    int work_n;
    CALL(t, gesvd_bufferSize, gesvd_bufferSize, handle, m, n, &work_n);
    void *work = workspace((size_t)work_n * bytes_of(t));
    CALL(t, gesvd, gesvd, handle, u_job, v_job, m, n, f.device, LD, s.device, u.device, LD,
         vt.device, LD, work, work_n, NULL, info);
    download(f), download(s), download(u), download(vt);
    check(!*info, "info of gesvd is %d", *info);
    struct array left = u_job == 'O' ? f : u, right = v_job == 'O' ? f : vt;
    double squares = 0, all = 0;
    for (int j = 0; j < n; j++) {
        double x = creal(get(real, s.host, j)), next = creal(get(real, s.host, j + 1));
        check(x >= 0 && (j == n - 1 || x >= next), "singular value %d: %g, %g", j, x, next);
        squares += x * x;
        for (int i = 0; i < m; i++) all += pow(cabs(at(a, i, j)), 2);
    }
    compare(squares / all, 1);
    close_to(a, "squares of singular values", 1e1);
    if (u_job != 'N') orthonormal(left, m, u_job == 'A' ? m : n, "U of gesvd");
    for (int i = 0; i < n && v_job != 'N'; i++)
        for (int j = 0; j < n; j++) {
            Z sum = 0;
            for (int k = 0; k < n; k++) sum += at(right, i, k) * conj(at(right, j, k));
            compare(sum, i == j);
        }
    close_to(a, "VT of gesvd", 1e1);
    for (int i = 0; i < m && u_job != 'N' && v_job != 'N'; i++)
        for (int j = 0; j < n; j++) {
            Z sum = 0;
            for (int k = 0; k < n; k++)
                sum += at(left, i, k) * get(real, s.host, k) * at(right, k, j);
            compare(sum, at(a, i, j));
        }
    close_to(a, "gesvd", 1e2);
    cudaFree(work), end(a), end(f), end(u), end(vt), end(s);
}

static void test_eigen(char t, cublasFillMode_t fill, int n, bool vectors)
{
    struct array a = matrix(t, N), f;
    char real = t == 's' || t == 'c' ? 's' : 'd';
    struct array w = array(real, N);
    bool upper = fill == CUBLAS_FILL_MODE_UPPER;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            put(t, a.host, i + j * (long)LD, i == j ? creal(at(a, i, j)) : at(a, i, j));
            put(t, a.host, j + i * (long)LD, conj(at(a, i, j)));
        }
    f = copy(a);
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++)
            put(t, f.host, upper ? i + j * (long)LD : j + i * (long)LD, 7);
    upload(f);
    int work_n;
    cusolverEigMode_t job = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    CALL(t, syevd_bufferSize, heevd_bufferSize, handle, job, fill, n, f.device, LD, w.device,
         &work_n);
    void *work = workspace((size_t)work_n * bytes_of(t));
    CALL(t, syevd, heevd, handle, job, fill, n, f.device, LD, w.device, work, work_n, info);
    download(f), download(w);
    check(!*info, "info of syevd is %d", *info);
    double sum_of_values = 0, trace = 0;
    for (int j = 0; j < n; j++) {
        check(!j || creal(get(real, w.host, j)) >= creal(get(real, w.host, j - 1)), "value %d", j);
        sum_of_values += creal(get(real, w.host, j)), trace += creal(at(a, j, j));
    }
    compare(sum_of_values, trace);
    close_to(a, "trace", 1e3);
    for (int i = 0; i < n && vectors; i++)
        for (int j = 0; j < n; j++) {
            Z sum = 0;
            for (int k = 0; k < n; k++) sum += at(a, i, k) * at(f, k, j);
            compare(sum, get(real, w.host, j) * at(f, i, j));
        }
    close_to(a, "syevd", 1e2);
    if (vectors) orthonormal(f, n, n, "vectors of syevd");
    cudaFree(work), end(a), end(f), end(w);
}

static void test_rules(void)
{
    int n = 0;
    double x[4] = {0};
    cudaStream_t stream = (cudaStream_t)&n;
    ok(cusolverDnGetStream(handle, &stream), "GetStream");
    check(!stream, "a stream before SetStream");
    check(cusolverDnDgetrf_bufferSize(NULL, 2, 2, x, 2, &n) == CUSOLVER_STATUS_NOT_INITIALIZED &&
              cusolverDnDgetrf_bufferSize(handle, 2, 2, x, 1, &n) == CUSOLVER_STATUS_INVALID_VALUE,
          "getrf_bufferSize without a handle, with a short lda");
    check(cusolverDnDgesvd_bufferSize(handle, 2, 3, &n) == CUSOLVER_STATUS_INVALID_VALUE,
          "gesvd of more columns than rows");
    ok(cusolverDnDgesvd_bufferSize(handle, 2, 2, &n), "gesvd_bufferSize");
    check(cusolverDnDgesvd(handle, 'N', 'N', 2, 2, x, 2, x, NULL, 2, NULL, 2, x, n - 1, NULL,
                           info) == CUSOLVER_STATUS_INVALID_VALUE, "a short workspace");
    check(cusolverDnDgesvd(handle, 'O', 'O', 2, 2, x, 2, x, NULL, 2, NULL, 2, x, n, NULL, info) ==
              CUSOLVER_STATUS_INVALID_VALUE, "two results in place of A");
    check(cusolverDnDormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_C, 2, 2, 2, x, 2, x, x, 2, x, 4,
                           info) == CUSOLVER_STATUS_INVALID_VALUE, "ormqr with OP_C");
    cusolverStatus_t cusolverDnSsygvd(void);
    check(cusolverDnSsygvd() == CUSOLVER_STATUS_NOT_SUPPORTED &&
              cusolverDnSsygvd() == CUSOLVER_STATUS_NOT_SUPPORTED, "a missing function");
}

/* With an argument: a type of four. */
int main(int argc, char **argv)
{
    (void)argv;
    ok(cusolverDnCreate(&handle), "Create");
    cudaMallocManaged((void **)&info, sizeof *info, cudaMemAttachGlobal);
    cudaMallocManaged((void **)&pivots, M * sizeof *pivots, cudaMemAttachGlobal);
    test_rules();
    for (const char *t = argc == 1 ? "sdcz" : "z"; *t; t++) {
        test_lu(*t, true), test_lu(*t, false);
        test_cholesky(*t, CUBLAS_FILL_MODE_LOWER), test_cholesky(*t, CUBLAS_FILL_MODE_UPPER);
        test_q(*t);
        test_svd(*t, 'S', 'S', M, N, false), test_svd(*t, 'A', 'A', M, 20, true);
        test_svd(*t, 'O', 'S', M, 21, true), test_svd(*t, 'A', 'O', 21, 21, false);
        test_svd(*t, 'N', 'N', M, 8, false), test_svd(*t, 'S', 'S', 1, 1, false);
        test_eigen(*t, CUBLAS_FILL_MODE_LOWER, N, true);
        test_eigen(*t, CUBLAS_FILL_MODE_UPPER, 30, true);
        test_eigen(*t, CUBLAS_FILL_MODE_UPPER, 7, false);
        test_eigen(*t, CUBLAS_FILL_MODE_LOWER, 1, true);
    }
    ok(cusolverDnDestroy(handle), "Destroy");
    if (wrong) printf("%d of %d results are wrong\n", wrong, checks);
    else printf("all right: %d results\n", checks);
    return wrong != 0;
}

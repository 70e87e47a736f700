/* cuBLAS against sums on the host: prints "all right: N results", or the differences. Elements are
 * small integers and diagonals powers of two, so that results are exact in every type and order. */
#include <math.h>

#include "test/cuda/blas.h"

static Z op(Z x, cublasOperation_t o) { return o == CUBLAS_OP_C ? conj(x) : x; }
static Z item(struct array a, long ld, cublasOperation_t o, long i, long j)
{
    return op(get(a.t, a.host, o == CUBLAS_OP_N ? i + j * ld : j + i * ld), o);
}

/* c = alpha op(a) op(b) + beta c on the host, the matrices at the offsets. */
static void product(struct array a, long la, cublasOperation_t oa, struct array b, long lb,
                    cublasOperation_t ob, struct array c, long lc, long m, long n, long k, Z alpha,
                    Z beta)
{
    for (long j = 0; j < n; j++)
        for (long i = 0; i < m; i++) {
            Z sum = 0;
            for (long l = 0; l < k; l++) sum += item(a, la, oa, i, l) * item(b, lb, ob, l, j);
            put(c.t, c.host, i + j * lc, alpha * sum + beta * get(c.t, c.host, i + j * lc));
        }
}

static struct array at(struct array a, long offset)
{
    a.host = (char *)a.host + (size_t)offset * bytes_of(a.t);
    return a;
}

/* ---- by type: a function of the type's letter under a common signature ---- */

#define BY_TYPE(name, ...)                                                                         \
    (t == 's' ? (cublasStatus_t(*)(__VA_ARGS__))(void *)cublasS##name                              \
     : t == 'd' ? (cublasStatus_t(*)(__VA_ARGS__))(void *)cublasD##name                            \
     : t == 'c' ? (cublasStatus_t(*)(__VA_ARGS__))(void *)cublasC##name                            \
                : (cublasStatus_t(*)(__VA_ARGS__))(void *)cublasZ##name)
typedef cublasHandle_t H;
typedef const void *P;
typedef cublasOperation_t O;

static void test_gemm(char t, int with)
{
    static const int sizes[][3] = {{70, 66, 19}, {64, 64, 16}, {1, 5, 3}, {33, 1, 0}, {30, 20, 18}};
    O oa = (O)(with % 3), ob = (O)(with / 3 % 3);
    int m = sizes[with % 5][0], n = sizes[with % 5][1], k = sizes[with % 5][2], batch = 3;
    long la = (oa ? k : m) + 2, lb = (ob ? n : k) + 1, lc = m + 3;
    long sa = la * (oa ? m : k) + 5, sb = lb * (ob ? k : n) + 2, sc = lc * n + 1;
    Z alpha = 2, beta = with % 2 ? -1 : 0;
    struct array a = array(t, sa * batch), b = array(t, sb * batch), c = array(t, sc * batch);
    product(a, la, oa, b, lb, ob, c, lc, m, n, k, alpha, beta);
    ok(BY_TYPE(gemm, H, O, O, int, int, int, P, P, int, P, int, P, void *, int)(
           handle, oa, ob, m, n, k, scalar(t, alpha), a.device, (int)la, b.device, (int)lb,
           scalar(t, beta), c.device, (int)lc), "gemm");
    same(c, "gemm", with);
    for (int i = 0; i < batch; i++)
        product(at(a, i * sa), la, oa, at(b, i * sb), lb, ob, at(c, i * sc), lc, m, n, k, alpha,
                beta);
    ok(BY_TYPE(gemmStridedBatched, H, O, O, int, int, int, P, P, int, long long, P, int, long long,
               P, void *, int, long long, int)(
           handle, oa, ob, m, n, k, scalar(t, alpha), a.device, (int)la, sa, b.device, (int)lb, sb,
           scalar(t, beta), c.device, (int)lc, sc, batch), "gemmStridedBatched");
    same(c, "gemmStridedBatched", with);
    char *lists[9], **on_device;
    for (int i = 0; i < batch; i++) {
        int other = batch - 1 - i;
        lists[i] = (char *)a.device + (size_t)(sa * other) * bytes_of(t);
        lists[3 + i] = (char *)b.device + (size_t)(sb * i) * bytes_of(t);
        lists[6 + i] = (char *)c.device + (size_t)(sc * i) * bytes_of(t);
        product(at(a, other * sa), la, oa, at(b, i * sb), lb, ob, at(c, i * sc), lc, m, n, k,
                alpha, beta);
    }
    cudaMalloc((void **)&on_device, sizeof lists);
    cudaMemcpy(on_device, lists, sizeof lists, cudaMemcpyHostToDevice);
    ok(BY_TYPE(gemmBatched, H, O, O, int, int, int, P, P, int, P, int, P, P, int, int)(
           handle, oa, ob, m, n, k, scalar(t, alpha), on_device, (int)la, on_device + 3, (int)lb,
           scalar(t, beta), on_device + 6, (int)lc, batch), "gemmBatched");
    same(c, "gemmBatched", with);
    cudaFree(on_device);
    end(a), end(b), end(c);
}

/* The element of a matrix that is symmetric, Hermitian or triangular, from the stored triangle. */
enum kind { SYMMETRIC, HERMITIAN, TRIANGULAR, UNIT };
static Z shaped(struct array a, long ld, enum kind kind, bool upper, long i, long j)
{
    bool outside = upper ? i > j : i < j;
    if (i == j && kind == UNIT) return 1;
    if (i == j && kind == HERMITIAN) return creal(get(a.t, a.host, i + j * ld));
    if (!outside) return get(a.t, a.host, i + j * ld);
    if (kind >= TRIANGULAR) return 0;
    Z x = get(a.t, a.host, j + i * ld);
    return kind == HERMITIAN ? conj(x) : x;
}

/* A copy of a shaped matrix with all elements, after the operation. */
static struct array filled(struct array a, long ld, enum kind kind, bool upper, O o)
{
    struct array all = array(a.t, a.n);
    for (long i = 0; i < ld; i++)
        for (long j = 0; j < ld; j++)
            put(a.t, all.host, i + j * ld,
                o == CUBLAS_OP_N ? shaped(a, ld, kind, upper, i, j)
                                 : op(shaped(a, ld, kind, upper, j, i), o));
    return all;
}

static void test_sided(char t, int with)
{
    cublasSideMode_t side = (cublasSideMode_t)(with % 2);
    cublasFillMode_t fill = (cublasFillMode_t)(with / 2 % 2);
    O o = (O)(with / 4 % 3);
    cublasDiagType_t diag = (cublasDiagType_t)(with / 12 % 2);
    int m = with % 8 ? 9 : 70, n = 13, order = side ? n : m; /* 70: several blocks */
    struct array a = array(t, order * order), b = array(t, m * n), c = array(t, m * n);
    bool complex_type = t == 'c' || t == 'z';
    for (int h = 0; h <= complex_type; h++) {
        struct array all = filled(a, order, h ? HERMITIAN : SYMMETRIC, fill, CUBLAS_OP_N);
        if (side) product(b, m, CUBLAS_OP_N, all, n, CUBLAS_OP_N, c, m, m, n, n, 2, -1);
        else product(all, m, CUBLAS_OP_N, b, m, CUBLAS_OP_N, c, m, m, n, m, 2, -1);
        cublasStatus_t (*hemm)(H, cublasSideMode_t, cublasFillMode_t, int, int, P, P, int, P, int,
                               P, void *, int) =
            t == 'c' ? (void *)cublasChemm : (void *)cublasZhemm;
        ok((h ? hemm : BY_TYPE(symm, H, cublasSideMode_t, cublasFillMode_t, int, int, P, P, int, P,
                               int, P, void *, int))(
               handle, side, fill, m, n, scalar(t, 2), a.device, order, b.device, m,
               scalar(t, -1), c.device, m), "symm");
        same(c, h ? "hemm" : "symm", with);
        end(all);
    }
    struct array all = filled(a, order, diag ? UNIT : TRIANGULAR, fill, o);
    memset(c.host, 0, (size_t)(m * n) * bytes_of(t));
    if (side) product(b, m, CUBLAS_OP_N, all, n, CUBLAS_OP_N, c, m, m, n, n, 2, 0);
    else product(all, m, CUBLAS_OP_N, b, m, CUBLAS_OP_N, c, m, m, n, m, 2, 0);
    ok(BY_TYPE(trmm, H, cublasSideMode_t, cublasFillMode_t, O, cublasDiagType_t, int, int, P, P,
               int, P, int, void *, int)(handle, side, fill, o, diag, m, n, scalar(t, 2), a.device,
                                         order, b.device, m, c.device, m), "trmm");
    same(c, "trmm", with);
    ok(BY_TYPE(trmm, H, cublasSideMode_t, cublasFillMode_t, O, cublasDiagType_t, int, int, P, P,
               int, P, int, void *, int)(handle, side, fill, o, diag, m, n, scalar(t, 2), a.device,
                                         order, b.device, m, b.device, m), "trmm");
    memcpy(b.host, c.host, (size_t)(m * n) * bytes_of(t));
    same(b, "trmm in place", with);
    end(all), end(a), end(b), end(c);
}

/* Systems whose solution is known: b = op(a) x for a drawn x. */
static void test_solve(char t, int with)
{
    cublasSideMode_t side = (cublasSideMode_t)(with % 2);
    cublasFillMode_t fill = (cublasFillMode_t)(with / 2 % 2);
    O o = (O)(with / 4 % 3);
    cublasDiagType_t diag = (cublasDiagType_t)(with / 12 % 2);
    int m = 7, n = 5, order = side ? n : m;
    struct array a = array(t, order * order), x = array(t, m * n), b = array(t, m * n);
    for (int i = 0; i < order; i++) put(t, a.host, i + i * order, i % 2 ? 2 : -1);
    upload(a);
    struct array all = filled(a, order, diag ? UNIT : TRIANGULAR, fill, o);
    memset(b.host, 0, (size_t)(m * n) * bytes_of(t));
    if (side) product(x, m, CUBLAS_OP_N, all, n, CUBLAS_OP_N, b, m, m, n, n, 1, 0);
    else product(all, m, CUBLAS_OP_N, x, m, CUBLAS_OP_N, b, m, m, n, m, 1, 0);
    upload(b);
    for (int i = 0; i < m * n; i++) put(t, x.host, i, 2 * get(t, x.host, i));
    ok(BY_TYPE(trsm, H, cublasSideMode_t, cublasFillMode_t, O, cublasDiagType_t, int, int, P, P,
               int, void *, int)(handle, side, fill, o, diag, m, n, scalar(t, 2), a.device, order,
                                 b.device, m), "trsm");
    memcpy(b.host, x.host, (size_t)(m * n) * bytes_of(t));
    same(b, "trsm", with);
    if (!side) {
        struct array v = array(t, m * 2), w = array(t, m * 2);
        for (int i = 0; i < m; i++) {
            Z sum = 0;
            for (int j = 0; j < m; j++) sum += get(t, all.host, i + j * m) * get(t, v.host, 2 * j);
            put(t, w.host, 2 * i, sum);
        }
        upload(w);
        ok(BY_TYPE(trsv, H, cublasFillMode_t, O, cublasDiagType_t, int, P, int, void *, int)(
               handle, fill, o, diag, m, a.device, m, w.device, 2), "trsv");
        for (int i = 0; i < m; i++) put(t, w.host, 2 * i, get(t, v.host, 2 * i));
        same(w, "trsv", with);
        end(v), end(w);
    }
    end(all), end(a), end(x), end(b);
}

static void test_syrk(char t, int with)
{
    cublasFillMode_t fill = (cublasFillMode_t)(with % 2);
    O o = with / 2 % 2 ? CUBLAS_OP_T : CUBLAS_OP_N;
    int n = 67, k = 6, la = o ? k : n;
    struct array a = array(t, n * k), c = array(t, n * n), all = array(t, n * n);
    bool hermitian = (t == 'c' || t == 'z') && with / 4;
    O second = hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
    if (hermitian && o) o = CUBLAS_OP_C;
    if (hermitian) {
        cublasPointerMode_t mode;
        cublasGetPointerMode(handle, &mode);
        if (mode) goto out; /* not supported */
    }
    memcpy(all.host, c.host, (size_t)(n * n) * bytes_of(t));
    for (int i = 0; hermitian && i < n; i++)
        put(t, all.host, i + i * n, creal(get(t, all.host, i + i * n)));
    if (o) product(a, la, o, a, la, CUBLAS_OP_N, all, n, n, n, k, 2, -1);
    else product(a, la, o, a, la, second, all, n, n, n, k, 2, -1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (fill ? i <= j : i >= j) put(t, c.host, i + j * n, get(t, all.host, i + j * n));
    char real = t == 'c' ? 's' : 'd';
    cublasStatus_t (*herk)(H, cublasFillMode_t, O, int, int, P, P, int, P, void *, int) =
        t == 'c' ? (void *)cublasCherk : (void *)cublasZherk;
    if (hermitian)
        ok(herk(handle, fill, o, n, k, scalar(real, 2), a.device, la, scalar(real, -1), c.device,
                n), "herk");
    else
        ok(BY_TYPE(syrk, H, cublasFillMode_t, O, int, int, P, P, int, P, void *, int)(
               handle, fill, o, n, k, scalar(t, 2), a.device, la, scalar(t, -1), c.device, n),
           "syrk");
    same(c, hermitian ? "herk" : "syrk", with);
out:
    end(a), end(c), end(all);
}

static void test_matrix_vector(char t, int with)
{
    O o = (O)(with % 3);
    int m = 45, n = 70, sx = with % 2 ? 2 : -3, sy = with % 4 < 2 ? 1 : -2;
    int nx = o ? m : n, ny = o ? n : m, ax = abs(sx), ay = abs(sy);
    struct array a = array(t, (m + 1) * n), x = array(t, nx * ax), y = array(t, ny * ay);
    for (int i = 0; i < ny; i++) {
        Z sum = 0;
        for (int j = 0; j < nx; j++)
            sum += item(a, m + 1, o, i, j) * get(t, x.host, sx < 0 ? (nx - 1 - j) * ax : j * ax);
        long iy = sy < 0 ? (ny - 1 - i) * ay : i * ay;
        put(t, y.host, iy, 2 * sum - get(t, y.host, iy));
    }
    ok(BY_TYPE(gemv, H, O, int, int, P, P, int, P, int, P, void *, int)(
           handle, o, m, n, scalar(t, 2), a.device, m + 1, x.device, sx, scalar(t, -1), y.device,
           sy), "gemv");
    same(y, "gemv", with);
    struct array b = array(t, m * n), c = array(t, m * n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            put(t, c.host, i + j * m,
                3 * item(a, m + 1, CUBLAS_OP_N, i, j) - get(t, b.host, o ? j + i * n : i + j * m));
    ok(BY_TYPE(geam, H, O, O, int, int, P, P, int, P, P, int, void *, int)(
           handle, CUBLAS_OP_N, o == CUBLAS_OP_C ? CUBLAS_OP_T : o, m, n, scalar(t, 3), a.device,
           m + 1, scalar(t, -1), b.device, o ? n : m, c.device, m), "geam");
    same(c, "geam", with);
    cublasSideMode_t side = (cublasSideMode_t)(with % 2);
    struct array d = array(t, side ? n : m);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            put(t, c.host, i + j * m, item(a, m + 1, CUBLAS_OP_N, i, j) *
                                          get(t, d.host, side ? j : i));
    ok(BY_TYPE(dgmm, H, cublasSideMode_t, int, int, P, int, P, int, void *, int)(
           handle, side, m, n, a.device, m + 1, d.device, 1, c.device, m), "dgmm");
    same(c, "dgmm", with);
    cublasStatus_t (*ger)(H, int, int, P, P, int, P, int, void *, int) =
        t == 's'   ? (void *)cublasSger
        : t == 'd' ? (void *)cublasDger
        : t == 'c' ? (with % 2 ? (void *)cublasCgerc : (void *)cublasCgeru)
                   : (with % 2 ? (void *)cublasZgerc : (void *)cublasZgeru);
    struct array u = array(t, m), v = array(t, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            put(t, c.host, i + j * m,
                get(t, c.host, i + j * m) + 2 * get(t, u.host, i) *
                    (with % 2 ? conj(get(t, v.host, j)) : get(t, v.host, j)));
    ok(ger(handle, m, n, scalar(t, 2), u.device, 1, v.device, 1, c.device, m), "ger");
    same(c, "ger", with);
    end(a), end(x), end(y), end(b), end(c), end(d), end(u), end(v);
}

static void test_vectors(char t, int with)
{
    int n = with ? 3001 : 1, sx = with % 3 + 1, sy = with % 2 ? 1 : -2, ay = abs(sy);
    struct array x = array(t, n * sx), y = array(t, n * ay);
    for (int i = 0; i < n; i++) {
        long iy = sy < 0 ? (n - 1 - i) * ay : i * ay;
        put(t, y.host, iy, get(t, y.host, iy) + 3 * get(t, x.host, i * sx));
    }
    ok(BY_TYPE(axpy, H, int, P, P, int, void *, int)(handle, n, scalar(t, 3), x.device, sx,
                                                     y.device, sy), "axpy");
    same(y, "axpy", with);
    for (int i = 0; i < n; i++) put(t, x.host, i * sx, 2 * get(t, x.host, i * sx));
    ok(BY_TYPE(scal, H, int, P, void *, int)(handle, n, scalar(t, 2), x.device, sx), "scal");
    same(x, "scal", with);
    for (int i = 0; i < n; i++) {
        long iy = sy < 0 ? (n - 1 - i) * ay : i * ay;
        Z swap = get(t, y.host, iy);
        put(t, y.host, iy, get(t, x.host, i * sx));
        put(t, x.host, i * sx, swap);
    }
    ok(BY_TYPE(swap, H, int, void *, int, void *, int)(handle, n, x.device, sx, y.device, sy),
       "swap");
    same(x, "swap", with), same(y, "swap", with);
    for (int i = 0; i < n; i++)
        put(t, y.host, sy < 0 ? (n - 1 - i) * ay : i * ay, get(t, x.host, i * sx));
    ok(BY_TYPE(copy, H, int, P, int, void *, int)(handle, n, x.device, sx, y.device, sy), "copy");
    same(y, "copy", with);
    end(x), end(y);
}

/* A result on either side, by the pointer mode. */
static Z result(cublasStatus_t (*f)(H, int, P, int, void *), char t, struct array x, int n,
                int step)
{
    char host[16] = {0};
    void *device = NULL;
    cublasPointerMode_t mode;
    cublasGetPointerMode(handle, &mode);
    cudaMalloc(&device, 16);
    ok(f(handle, n, x.device, step, mode ? device : host), "a sum");
    if (mode) cudaMemcpy(host, device, 16, cudaMemcpyDeviceToHost);
    cudaFree(device);
    return get(t, host, 0);
}

static void test_sums(char t, int with)
{
    int n = with ? 2500 * with : 1, step = with % 2 + 1;
    struct array x = array(t, n * step), y = array(t, n);
    char real = t == 's' || t == 'c' ? 's' : 'd';
    double squares = 0, sizes = 0, most = -1, least = 1e9;
    int most_at = 0, least_at = 0;
    Z dots[2] = {0, 0};
    for (int i = 0; i < n; i++) {
        Z v = get(t, x.host, i * step), w = get(t, y.host, i);
        double size = fabs(creal(v)) + fabs(cimag(v));
        squares += creal(v) * creal(v) + cimag(v) * cimag(v);
        sizes += size;
        if (size > most) most = size, most_at = i + 1;
        if (size < least) least = size, least_at = i + 1;
        dots[0] += v * w, dots[1] += conj(v) * w;
    }
    struct { void *s, *d, *c, *z; const char *name; char t; double is; } sums[] = {
        {cublasSasum, cublasDasum, cublasScasum, cublasDzasum, "asum", real, sizes},
        {cublasSnrm2, cublasDnrm2, cublasScnrm2, cublasDznrm2, "nrm2", real, sqrt(squares)},
        {cublasIsamax, cublasIdamax, cublasIcamax, cublasIzamax, "amax", 'n', most_at},
        {cublasIsamin, cublasIdamin, cublasIcamin, cublasIzamin, "amin", 'n', least_at}};
    for (int i = 0; i < 4; i++) {
        void *f = t == 's' ? sums[i].s : t == 'd' ? sums[i].d : t == 'c' ? sums[i].c : sums[i].z;
        double found = creal(result(f, sums[i].t, x, n, step));
        double is = real == 's' && sums[i].t != 'n' ? (float)sums[i].is : sums[i].is;
        check(found == is, "%s, type %c: %.17g, not %.17g", sums[i].name, t, found, is);
    }
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    char out[16];
    for (int i = 0; i < 2; i++) {
        cublasStatus_t (*dot)(H, int, P, int, P, int, void *) =
            t == 's'   ? (void *)cublasSdot
            : t == 'd' ? (void *)cublasDdot
            : t == 'c' ? (i ? (void *)cublasCdotc : (void *)cublasCdotu)
                       : (i ? (void *)cublasZdotc : (void *)cublasZdotu);
        ok(dot(handle, n, x.device, step, y.device, 1, out), "dot");
        check(get(t, out, 0) == dots[i], "dot, type %c, case %d", t, i);
    }
    end(x), end(y);
}

/* ---- mixed types ---- */

static void test_mixed(int with)
{
    static const struct { char in, out, scalar; cudaDataType a, c; cublasComputeType_t compute; }
    of[] = {{'h', 'h', 'h', CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F},
            {'h', 'h', 's', CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F},
            {'h', 's', 's', CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
            {'h', 's', 's', CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC},
            {'b', 'b', 's', CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F},
            {'b', 's', 's', CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F},
            {'i', 'n', 'n', CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I},
            {'i', 's', 's', CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F},
            {'s', 's', 's', CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
            {'z', 'z', 'z', CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F}};
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
        O oa = (O)(with % 2), ob = (O)(with / 2 % 2);
        int m = with % 3 ? 72 : 65, n = with % 3 ? 40 : 129, k = of[i].out == 'b' ? 9 : 35;
        int batch = 2;
        long la = oa ? k : m, lb = ob ? n : k;
        struct array a = array(of[i].in, m * k * batch), b = array(of[i].in, k * n * batch);
        struct array c = array(of[i].out, m * n * batch);
        product(a, la, oa, b, lb, ob, c, m, m, n, k, 2, -1);
        ok(cublasGemmEx(handle, oa, ob, m, n, k, scalar(of[i].scalar, 2), a.device, of[i].a,
                        (int)la, b.device, of[i].a, (int)lb, scalar(of[i].scalar, -1), c.device,
                        of[i].c, m, of[i].compute, CUBLAS_GEMM_DEFAULT), "GemmEx");
        same(c, "GemmEx", (int)i);
        for (int j = 0; j < batch; j++)
            product(at(a, m * k * j), la, oa, at(b, k * n * j), lb, ob, at(c, m * n * j), m, m, n,
                    k, 1, 0);
        ok(cublasGemmStridedBatchedEx(handle, oa, ob, m, n, k, scalar(of[i].scalar, 1), a.device,
                                      of[i].a, (int)la, m * k, b.device, of[i].a, (int)lb, k * n,
                                      scalar(of[i].scalar, 0), c.device, of[i].c, m, m * n, batch,
                                      of[i].compute, CUBLAS_GEMM_DEFAULT), "GemmStridedBatchedEx");
        same(c, "GemmStridedBatchedEx", (int)i);
        end(a), end(b), end(c);
    }
}

static void test_half_vectors(char t, cudaDataType type)
{
    int n = 700;
    struct array x = array(t, n), y = array(t, n);
    Z sum = 0;
    for (int i = 0; i < n; i++) put(t, y.host, i, get(t, y.host, i) + 2 * get(t, x.host, i));
    ok(cublasAxpyEx(handle, n, scalar('s', 2), CUDA_R_32F, x.device, type, 1, y.device, type, 1,
                    CUDA_R_32F), "AxpyEx");
    same(y, "AxpyEx", 0);
    for (int i = 0; i < n; i++) put(t, y.host, i, 0.5 * get(t, y.host, i));
    ok(cublasScalEx(handle, n, scalar('s', 0.5), CUDA_R_32F, y.device, type, 1, CUDA_R_32F),
       "ScalEx");
    same(y, "ScalEx", 0);
    n = 20; /* the sum has few bits */
    for (int i = 0; i < n; i++) sum += get(t, x.host, i) * get(t, x.host, i);
    unsigned short out;
    float norm;
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    ok(cublasDotEx(handle, n, x.device, type, 1, x.device, type, 1, &out, type, CUDA_R_32F),
       "DotEx");
    check(get(t, &out, 0) == sum, "DotEx, type %c: %g, not %g", t, creal(get(t, &out, 0)),
          creal(sum));
    ok(cublasNrm2Ex(handle, n, x.device, type, 1, &norm, CUDA_R_32F, CUDA_R_32F), "Nrm2Ex");
    check(norm == (float)sqrt(creal(sum)), "Nrm2Ex, type %c", t);
    end(x), end(y);
}

static void test_factors(char t)
{
    int n = 20;
    /* L and U with small integers, the rows of A exchanged; the pivot of each column has size 8 */
    struct array l = array(t, n * n), u = array(t, n * n), a = array(t, n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Z low = i == j ? 1 : i > j ? 0.5 * (draw(1)) : 0, up = i == j ? 8 : i < j ? draw(2) : 0;
            put(t, l.host, i + j * n, low), put(t, u.host, i + j * n, up);
        }
    memset(a.host, 0, (size_t)(n * n) * bytes_of(t));
    product(l, n, CUBLAS_OP_N, u, n, CUBLAS_OP_N, a, n, n, n, n, 1, 0);
    for (int j = 0; j < n; j++) { /* rows 0 and 3 */
        Z swap = get(t, a.host, j * n);
        put(t, a.host, j * n, get(t, a.host, 3 + j * n)), put(t, a.host, 3 + j * n, swap);
    }
    upload(a);
    void **list;
    int *info, *pivots, host_info = -1, host_pivots[20];
    cudaMalloc((void **)&list, sizeof *list);
    cudaMalloc((void **)&info, sizeof *info);
    cudaMalloc((void **)&pivots, sizeof host_pivots);
    cudaMemcpy(list, &a.device, sizeof *list, cudaMemcpyHostToDevice);
    ok(BY_TYPE(getrfBatched, H, int, P, int, int *, int *, int)(handle, n, list, n, pivots, info,
                                                                1), "getrfBatched");
    cudaMemcpy(&host_info, info, sizeof host_info, cudaMemcpyDeviceToHost);
    cudaMemcpy(host_pivots, pivots, sizeof host_pivots, cudaMemcpyDeviceToHost);
    check(!host_info && host_pivots[0] == 4 && host_pivots[19] == 20,
          "getrf: info %d, pivots %d %d", host_info, host_pivots[0], host_pivots[19]);
    /* rows exchanged back by the pivots: the product of the factors is the matrix */
    struct array found = array(t, n * n);
    cudaMemcpy(found.host, a.device, (size_t)(n * n) * bytes_of(t), cudaMemcpyDeviceToHost);
    struct array low = filled(found, n, UNIT, false, CUBLAS_OP_N);
    struct array up = filled(found, n, TRIANGULAR, true, CUBLAS_OP_N);
    struct array back = array(t, n * n);
    memset(back.host, 0, (size_t)(n * n) * bytes_of(t));
    product(low, n, CUBLAS_OP_N, up, n, CUBLAS_OP_N, back, n, n, n, n, 1, 0);
    for (int i = n; i--;)
        for (int j = 0; j < n; j++) {
            Z swap = get(t, back.host, i + j * n);
            int p = host_pivots[i] - 1;
            put(t, back.host, i + j * n, get(t, back.host, p + j * n));
            put(t, back.host, p + j * n, swap);
        }
    check(!memcmp(back.host, a.host, (size_t)(n * n) * bytes_of(t)), "getrf, type %c: factors", t);
    end(l), end(u), end(a), end(found), end(low), end(up), end(back);
}

/* ---- least squares ---- */

/* Row i of a' times column j of b, of matrices with `rows` rows in columns of `ld`. */
static Z inner(struct array a, struct array b, long rows, long a_ld, long b_ld, long i, long j)
{
    Z sum = 0;
    for (long k = 0; k < rows; k++)
        sum += conj(get(a.t, a.host, k + i * a_ld)) * get(b.t, b.host, k + j * b_ld);
    return sum;
}

/* Checks A' (C - A X) = 0 and R' R = A' A, R above x's rows in `r`; `error` is relative to sums. */
static void check_least_squares(struct array a, struct array c, struct array r, struct array x,
                                int m, int n, int sides, double error)
{
    long la = m + 2, lc = m + 1;
    double most = 1, off = 0, rest = 0;
    for (long j = 0; j < sides; j++) {
        for (long i = 0; i < n; i++) most = fmax(most, cabs(get(x.t, x.host, i + j * lc)));
        for (long i = 0; i < m; i++) {
            Z left = get(c.t, c.host, i + j * lc);
            for (long k = 0; k < n; k++)
                left -= get(a.t, a.host, i + k * la) * get(x.t, x.host, k + j * lc);
            put(c.t, c.host, i + j * lc, left);
        }
        for (long i = 0; i < n; i++) rest = fmax(rest, cabs(inner(a, c, m, la, lc, i, j)));
    }
    for (long j = 0; j < n; j++)
        for (long i = 0; i <= j; i++)
            off = fmax(off, cabs(inner(r, r, i + 1, la, la, i, j) - inner(a, a, m, la, la, i, j)));
    check(rest <= error * m * most, "gels, type %c, %d x %d: the rest of %g", a.t, m, n, rest);
    check(off <= error * m, "gels, type %c, %d x %d: R is off by %g", a.t, m, n, off);
}

static void test_least_squares(char t, int with)
{
    static const int sizes[][3] = {{70, 40, 3}, {5, 5, 1}, {33, 1, 40}, {4, 0, 2}, {1, 1, 1}};
    int m = sizes[with][0], n = sizes[with][1], sides = sizes[with][2], la = m + 2, lc = m + 1;
    long size_a = la * n, size_c = lc * sides;
    struct array a = array(t, 3 * size_a), c = array(t, 3 * size_c);
    for (long k = 0; k < 3 * n; k++) /* columns; the last column of matrix 1 is zero */
        for (long i = 0; i < m; i++)
            if (k == 2 * n - 1) put(t, a.host, i + k * la, 0);
            else if (i == k % n) put(t, a.host, i + k * la, 12 + get(t, a.host, i + k * la));
    upload(a);
    struct array r = a, x = c;
    r.host = malloc((size_t)(3 * size_a) * bytes_of(t) + 1);
    x.host = malloc((size_t)(3 * size_c) * bytes_of(t) + 1);
    char *lists[6], **on_device;
    int info = 1, *zeros, found[3];
    for (int i = 0; i < 3; i++) { /* the last matrix first */
        lists[i] = (char *)a.device + (size_t)(size_a * (2 - i)) * bytes_of(t);
        lists[3 + i] = (char *)c.device + (size_t)(size_c * (2 - i)) * bytes_of(t);
    }
    cudaMalloc((void **)&on_device, sizeof lists);
    cudaMalloc((void **)&zeros, sizeof found);
    cudaMemcpy(on_device, lists, sizeof lists, cudaMemcpyHostToDevice);
    ok(BY_TYPE(gelsBatched, H, O, int, int, int, P, int, P, int, int *, int *, int)(
           handle, CUBLAS_OP_N, m, n, sides, on_device, la, on_device + 3, lc, &info, zeros, 3),
       "gelsBatched");
    cudaMemcpy(found, zeros, sizeof found, cudaMemcpyDeviceToHost);
    cudaMemcpy(r.host, a.device, (size_t)(3 * size_a) * bytes_of(t), cudaMemcpyDeviceToHost);
    cudaMemcpy(x.host, c.device, (size_t)(3 * size_c) * bytes_of(t), cudaMemcpyDeviceToHost);
    check(!info && !found[0] && found[1] == n && !found[2], "gels: info %d, zeros %d %d %d", info,
          found[0], found[1], found[2]);
    double error = t == 's' || t == 'c' ? 1e-5 : 1e-13;
    for (int i = 0; i < 3; i += 2)
        check_least_squares(at(a, i * size_a), at(c, i * size_c), at(r, i * size_a),
                            at(x, i * size_c), m, n, sides, error);
    for (int k = 0; k < 3 * n; k++)
        check(!memcmp((char *)r.host + (size_t)(k * la + m) * bytes_of(t),
                      (char *)a.host + (size_t)(k * la + m) * bytes_of(t), 2 * bytes_of(t)),
              "gels, type %c: below column %d", t, k);
    cudaFree(on_device), cudaFree(zeros), free(r.host), free(x.host);
    end(a), end(c);
}

/* The status of a call with wrong parameters, and the position of the parameter. */
static void test_wrong_gels(void)
{
    static const int wrong_calls[][8] = { /* op, m, n, sides, lda, ldc, batch, position */
        {1, 4, 4, 1, 4, 4, 1, 1}, {0, -1, 0, 1, 4, 4, 1, 2}, {0, 4, 5, 1, 4, 5, 1, 3},
        {0, 4, -1, 1, 4, 4, 1, 3}, {0, 4, 4, -1, 4, 4, 1, 4}, {0, 4, 4, 1, 3, 4, 1, 6},
        {0, 4, 4, 1, 4, 3, 1, 8}, {0, 4, 4, 1, 4, 4, -1, 11}};
    for (unsigned i = 0; i < sizeof wrong_calls / sizeof *wrong_calls; i++) {
        const int *w = wrong_calls[i];
        int info = 0;
        cublasStatus_t status = cublasSgelsBatched(handle, (O)w[0], w[1], w[2], w[3], NULL, w[4],
                                                   NULL, w[5], &info, NULL, w[6]);
        bool lacks = w[0] || w[2] > w[1];
        check(info == -w[7] && status == (lacks ? CUBLAS_STATUS_NOT_SUPPORTED
                                                : CUBLAS_STATUS_INVALID_VALUE),
              "gels, wrong call %u: %s, info %d", i, cublasGetStatusName(status), info);
    }
}

/* ---- refusals, copies, modes ---- */

static void test_rules(void)
{
    float one = 1, *x;
    int version = 0, value = -1;
    cudaMalloc((void **)&x, 4096);
    check(cublasSgemm(NULL, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, x, 1, x, 1, &one, x, 1) ==
              CUBLAS_STATUS_NOT_INITIALIZED, "no handle");
    check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, x, 3, x, 4, &one, x, 4) ==
              CUBLAS_STATUS_INVALID_VALUE, "lda below m");
    check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, -1, 4, 4, &one, x, 4, x, 4, &one, x, 4) ==
              CUBLAS_STATUS_INVALID_VALUE, "m below 0");
    check(cublasSaxpy(handle, 0, &one, x, 1, x, 1) == CUBLAS_STATUS_SUCCESS, "n = 0");
    check(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, x, CUDA_R_8F_E4M3, 4, x,
                       CUDA_R_8F_E4M3, 4, &one, x, CUDA_R_32F, 4, CUBLAS_COMPUTE_32F,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED, "floats of 8 bits");
    cublasStatus_t cublasSgetriBatched(void);
    check(cublasSgetriBatched() == CUBLAS_STATUS_NOT_SUPPORTED &&
              cublasSgetriBatched() == CUBLAS_STATUS_NOT_SUPPORTED, "a missing function");
    check(!strcmp(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE), "CUBLAS_STATUS_INVALID_VALUE"),
          "name of a status");
    ok(cublasGetVersion(handle, &version), "GetVersion");
    ok(cublasGetProperty(MAJOR_VERSION, &value), "GetProperty");
    check(version / 10000 == value, "version %d, major version %d", version, value);
    cudaStream_t stream, found = NULL;
    cudaStreamCreate(&stream);
    ok(cublasSetStream(handle, stream), "SetStream");
    ok(cublasGetStream(handle, &found), "GetStream");
    check(found == stream, "stream");
    int from[12], to[12] = {0};
    for (int i = 0; i < 12; i++) from[i] = i;
    ok(cublasSetVector(4, 4, from, 3, x, 2), "SetVector");
    ok(cublasGetVector(4, 4, x, 2, to, 1), "GetVector");
    check(to[0] == 0 && to[1] == 3 && to[3] == 9, "vectors");
    ok(cublasSetMatrix(2, 3, 4, from, 4, x, 3), "SetMatrix");
    ok(cublasGetMatrixAsync(2, 3, 4, x, 3, to, 2, stream), "GetMatrixAsync");
    cudaStreamSynchronize(stream);
    check(to[0] == 0 && to[1] == 1 && to[2] == 4 && to[5] == 9, "matrices");
    check(cublasSetMatrix(5, 3, 4, from, 4, x, 5) == CUBLAS_STATUS_INVALID_VALUE, "lda below rows");
    float sum;
    ok(cublasSetVector(4, 4, (float[]){1, 2, 3, 4}, 1, x, 1), "SetVector");
    ok(cublasSasum(handle, 4, x, 1, &sum), "asum in a stream");
    int64_t at;
    ok(cublasIsamax_64(handle, 4, x, 1, &at), "amax with 64 bits");
    check(sum == 10 && at == 4, "sums in a stream: %g, %ld", sum, (long)at);
#ifndef TEST_STATIC
    cudaGraph_t graph = NULL;
    cudaGraphExec_t again = NULL;
    float host[4], two = 2;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    ok(cublasSscal(handle, 4, &two, x, 1), "scal in a capture");
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiateWithFlags(&again, graph, 0);
    for (int i = 0; i < 3; i++) cudaGraphLaunch(again, stream);
    cudaStreamSynchronize(stream);
    ok(cublasGetVector(4, 4, x, 1, host, 1), "GetVector");
    check(host[0] == 8 && host[3] == 32, "a graph with scal: %g, %g", host[0], host[3]);
#endif
    ok(cublasSetStream(handle, NULL), "SetStream");
    cudaFree(x);
}

static void test_all(void)
{
    for (int mode = 0; mode < 2; mode++)
        for (const char *t = "sdcz"; *t; t++) {
            cublasSetPointerMode(handle, (cublasPointerMode_t)mode);
            for (int with = 0; with < 9; with++) test_gemm(*t, with);
            for (int with = 0; with < (mode ? 3 : 24); with++) test_sided(*t, with);
            for (int with = 0; with < (mode ? 3 : 24); with++) test_solve(*t, with);
            for (int with = 0; with < 6; with++) test_syrk(*t, with);
            for (int with = 0; with < 6; with++) test_matrix_vector(*t, with);
            for (int with = 0; with < 4; with++) test_vectors(*t, with);
            for (int with = 0; with < 3; with++) test_sums(*t, with);
            if (!mode) test_factors(*t);
            for (int with = 0; with < (mode ? 0 : 5); with++) test_least_squares(*t, with);
        }
    for (int mode = 0; mode < 2; mode++) {
        cublasSetPointerMode(handle, (cublasPointerMode_t)mode);
        for (int with = 0; with < 4; with++) test_mixed(with);
        test_half_vectors('h', CUDA_R_16F);
        test_half_vectors('b', CUDA_R_16BF);
    }
}

/* With an argument: a few results of each kind. */
int main(int argc, char **argv)
{
    (void)argv;
    ok(cublasCreate(&handle), "Create");
    test_rules();
    test_wrong_gels();
    if (argc == 1) test_all();
    for (int with = 0; with < 2 && argc > 1; with++) {
        test_gemm('s', with), test_solve('d', with), test_sums('c', with);
        test_least_squares('c', with);
        test_mixed(with);
    }
    ok(cublasDestroy(handle), "Destroy");
    if (wrong) printf("%d of %d results are wrong\n", wrong, checks);
    else printf("all right: %d results\n", checks);
    return wrong != 0;
}

/* Incomplete factors of cuSPARSE against factors of the dense matrix restricted to the pattern:
 * prints "all right: N results", or the differences. */
#include <math.h>

#include "cuda/include/cusparse.h"
#include "test/cuda/elements.h"

static cusparseHandle_t handle;

static void ok(cusparseStatus_t status, const char *what)
{
    check(!status, "%s: %s", what, cusparseGetErrorName(status));
}

/* A matrix in CSR on the device, and all elements by rows on the host. */
struct matrix {
    char t;
    int n, nnz;
    Z *all;
    struct array offsets, columns, values;
    cusparseMatDescr_t descr;
    int base;
};

static struct matrix matrix(char t, int n, const Z *all, const bool *in, int base)
{
    struct matrix m = {.t = t, .n = n, .base = base};
    m.all = malloc((size_t)(n * n) * sizeof *m.all);
    memcpy(m.all, all, (size_t)(n * n) * sizeof *m.all);
    for (int i = 0; i < n * n; i++) m.nnz += in[i];
    m.offsets = array('n', n + 1), m.columns = array('n', m.nnz), m.values = array(t, m.nnz);
    int e = 0;
    for (int i = 0; i < n; i++) {
        put('n', m.offsets.host, i, e + base);
        for (int j = 0; j < n; j++) {
            if (!in[i * n + j]) continue;
            put('n', m.columns.host, e, j + base);
            put(t, m.values.host, e, all[i * n + j]);
            m.all[i * n + j] = get(t, m.values.host, e++);
        }
    }
    put('n', m.offsets.host, n, e + base);
    upload(m.offsets), upload(m.columns), upload(m.values);
    ok(cusparseCreateMatDescr(&m.descr), "CreateMatDescr");
    ok(cusparseSetMatIndexBase(m.descr, (cusparseIndexBase_t)base), "SetMatIndexBase");
    return m;
}

static void matrix_end(struct matrix m)
{
    cusparseDestroyMatDescr(m.descr);
    end(m.offsets), end(m.columns), end(m.values);
    free(m.all);
}

/* All calls for a matrix. Returns the status of the analysis; structural, numerical: positions. */
#define CALLS(X, T, Name, Info)                                                                    \
    static cusparseStatus_t X##Name(struct matrix *m, Name##Info_t info, int *structural,          \
                                    int *numerical)                                                \
    {                                                                                              \
        int bytes = 0;                                                                             \
        size_t size = 0;                                                                           \
        T *values = m->values.device;                                                              \
        const int *offsets = m->offsets.device, *columns = m->columns.device;                      \
        ok(cusparse##X##Name##_bufferSize(handle, m->n, m->nnz, m->descr, values, offsets,         \
                                          columns, info, &bytes), "bufferSize");                   \
        ok(cusparse##X##Name##_bufferSizeExt(handle, m->n, m->nnz, m->descr, values, offsets,      \
                                             columns, info, &size), "bufferSizeExt");              \
        check(bytes > 0 && size == (size_t)bytes, "%d and %zu bytes", bytes, size);                \
        check(cusparse##X##Name(handle, m->n, m->nnz, m->descr, values, offsets, columns, info,    \
                                CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL) ==                          \
                  CUSPARSE_STATUS_INVALID_VALUE, "factors before the analysis");                   \
        cusparseStatus_t status = cusparse##X##Name##_analysis(                                    \
            handle, m->n, m->nnz, m->descr, values, offsets, columns, info,                        \
            CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL);                                                \
        if (status) return status;                                                                 \
        cusparseStatus_t zero = cusparseX##Name##_zeroPivot(handle, info, structural);             \
        check(zero == (*structural < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT),    \
              "structural zero: %s", cusparseGetErrorName(zero));                                  \
        ok(cusparse##X##Name(handle, m->n, m->nnz, m->descr, values, offsets, columns, info,       \
                             CUSPARSE_SOLVE_POLICY_NO_LEVEL, NULL), #Name);                        \
        zero = cusparseX##Name##_zeroPivot(handle, info, numerical);                               \
        check(zero == (*numerical < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT),     \
              "zero pivot: %s", cusparseGetErrorName(zero));                                       \
        return status;                                                                             \
    }
#define BOTH(X, T) CALLS(X, T, csrilu02, Csrilu02) CALLS(X, T, csric02, Csric02)
BOTH(S, float)
BOTH(D, double)
BOTH(C, cuComplex)
BOTH(Z, cuDoubleComplex)

static cusparseStatus_t lu(struct matrix *m, csrilu02Info_t info, int *structural, int *numerical)
{
    switch (m->t) {
    case 's': return Scsrilu02(m, info, structural, numerical);
    case 'd': return Dcsrilu02(m, info, structural, numerical);
    case 'c': return Ccsrilu02(m, info, structural, numerical);
    default: return Zcsrilu02(m, info, structural, numerical);
    }
}
static cusparseStatus_t cholesky(struct matrix *m, csric02Info_t info, int *structural,
                                 int *numerical)
{
    switch (m->t) {
    case 's': return Scsric02(m, info, structural, numerical);
    case 'd': return Dcsric02(m, info, structural, numerical);
    case 'c': return Ccsric02(m, info, structural, numerical);
    default: return Zcsric02(m, info, structural, numerical);
    }
}

/* Compares the device's values with the elements on the host. */
static void close_to(struct matrix *m, const char *what, int with)
{
    double most = 0, size = 0;
    void *found = malloc((size_t)m->nnz * bytes_of(m->t));
    cudaMemcpy(found, m->values.device, (size_t)m->nnz * bytes_of(m->t), cudaMemcpyDeviceToHost);
    const int *offsets = m->offsets.host, *columns = m->columns.host;
    for (int i = 0; i < m->n; i++)
        for (int e = offsets[i] - m->base; e < offsets[i + 1] - m->base; e++) {
            Z right = m->all[i * m->n + columns[e] - m->base];
            most = fmax(most, cabs(get(m->t, found, e) - right));
            size = fmax(size, cabs(right));
        }
    double bound = m->t == 's' || m->t == 'c' ? 1e-5 : 1e-13;
    check(most <= bound * size, "%s, type %c, case %d: off by %g of %g", what, m->t, with, most,
          size);
    free(found);
}

static void dense_lu(struct matrix *m, const bool *in)
{
    int n = m->n;
    Z *a = m->all;
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            if (!in[i * n + k]) continue;
            a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++)
                if (in[i * n + j] && in[k * n + j]) a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
}

static void dense_cholesky(struct matrix *m, const bool *in)
{
    int n = m->n;
    Z *a = m->all;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            if (!in[i * n + j]) continue;
            for (int k = 0; k < j; k++)
                if (in[i * n + k] && in[j * n + k])
                    a[i * n + j] -= a[i * n + k] * conj(a[j * n + k]);
            a[i * n + j] = i == j ? csqrt(a[i * n + j]) : a[i * n + j] / a[j * n + j];
        }
}

/* with & 1: the first index is 1; with & 2: rows depend on few of the first, hence wide levels. */
static void test(char t, int with)
{
    int n = with & 2 ? 200 : 90, structural = 7, numerical = 7;
    bool *in = calloc((size_t)(n * n), sizeof *in);
    Z *all = calloc((size_t)(n * n), sizeof *all);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            if (i != j && (with & 2 ? j > 3 && j < i - 1 - i % 7 * 20 : draw(4) != 0)) continue;
            if (i != j && with & 2 && j > 3 && i % 7 != 3) continue;
            double im = t == 'c' || t == 'z' ? draw(9) / 32.0 : 0;
            in[i * n + j] = in[j * n + i] = true;
            all[i * n + j] = i == j ? n : draw(9) / 16.0 + im * I;
            all[j * n + i] = conj(all[i * n + j]);
        }
    csric02Info_t info;
    struct matrix m = matrix(t, n, all, in, with & 1);
    ok(cusparseCreateCsric02Info(&info), "CreateCsric02Info");
    ok(cholesky(&m, info, &structural, &numerical), "csric02_analysis");
    check(structural == -1 && numerical == -1, "positions %d, %d", structural, numerical);
    dense_cholesky(&m, in);
    close_to(&m, "csric02", with);
    ok(cusparseDestroyCsric02Info(info), "DestroyCsric02Info");
    matrix_end(m);
    for (int i = 0; i < n * n; i++) /* the pattern and the values need not be symmetric */
        if (i / n != i % n && draw(4) > 2) in[i] = !in[i], all[i] = in[i] ? draw(9) / 8.0 : 0;
    csrilu02Info_t lu_info;
    m = matrix(t, n, all, in, with & 1);
    ok(cusparseCreateCsrilu02Info(&lu_info), "CreateCsrilu02Info");
    ok(lu(&m, lu_info, &structural, &numerical), "csrilu02_analysis");
    check(structural == -1 && numerical == -1, "positions %d, %d", structural, numerical);
    dense_lu(&m, in);
    close_to(&m, "csrilu02", with);
    ok(cusparseDestroyCsrilu02Info(lu_info), "DestroyCsrilu02Info");
    matrix_end(m);
    free(in), free(all);
}

/* Positions of zero pivots: of a missing element, of a difference that is zero, of a root. */
static void test_zeros(int base)
{
    const struct {
        Z all[9];
        int structural, lu, cholesky;
    } of[] = {{{4, 2, 0, 2, 1, 1, 0, 1, 5}, -1, 1, 1}, {{4, 1, 0, 1, 0, 0, 0, 0, 5}, 1, 1, 1},
              {{4, 0, 0, 0, 4, 2, 0, 2, 0}, 2, 2, 2},  {{0, 0, 0, 0, 4, 2, 0, 2, 0}, 0, 0, 0},
              {{4, 0, 0, 0, -1, 0, 0, 0, 4}, -1, -1, 1}};
    for (int i = 0; i < (int)(sizeof of / sizeof *of); i++) {
        bool in[9];
        for (int e = 0; e < 9; e++) in[e] = of[i].all[e] != 0;
        for (int kind = 0; kind < 2; kind++) {
            int structural = 7, numerical = 7, right = kind ? of[i].cholesky : of[i].lu;
            struct matrix m = matrix('d', 3, of[i].all, in, base);
            csrilu02Info_t lu_info;
            csric02Info_t info;
            ok(cusparseCreateCsrilu02Info(&lu_info), "CreateCsrilu02Info");
            ok(cusparseCreateCsric02Info(&info), "CreateCsric02Info");
            if (kind) ok(cholesky(&m, info, &structural, &numerical), "csric02");
            else ok(lu(&m, lu_info, &structural, &numerical), "csrilu02");
            check(structural == (of[i].structural < 0 ? -1 : of[i].structural + base),
                  "matrix %d: structural zero %d", i, structural);
            check(numerical == (right < 0 ? -1 : right + base), "matrix %d: zero pivot %d", i,
                  numerical);
            cusparseDestroyCsrilu02Info(lu_info), cusparseDestroyCsric02Info(info);
            matrix_end(m);
        }
    }
}

static void test_rules(void)
{
    const Z all[9] = {4, 2, 0, 2, 1, 1, 0, 1, 5};
    const bool in[9] = {1, 1, 0, 1, 1, 1, 0, 1, 1};
    csrilu02Info_t info;
    double tolerance = 0.5, boost = 8;
    int position, *there, zero = 7;
    ok(cusparseCreateCsrilu02Info(&info), "CreateCsrilu02Info");
    check(cusparseXcsrilu02_zeroPivot(handle, info, &position) == CUSPARSE_STATUS_INVALID_VALUE,
          "a position before the analysis");
    for (int mode = 0; mode < 2; mode++) { /* host, device: positions and scalars */
        struct matrix m = matrix('d', 3, all, in, 0);
        double *scalars;
        cudaMallocManaged((void **)&scalars, 2 * sizeof *scalars, cudaMemAttachGlobal);
        cudaMallocManaged((void **)&there, sizeof *there, cudaMemAttachGlobal);
        scalars[0] = tolerance, scalars[1] = boost;
        ok(cusparseDcsrilu02_numericBoost(handle, info, 0, NULL, NULL), "numericBoost");
        ok(Dcsrilu02(&m, info, &position, &zero), "csrilu02_analysis");
        check(zero == 1, "a pivot of zero at %d", zero);
        matrix_end(m);
        m = matrix('d', 3, all, in, 0);
        ok(cusparseSetPointerMode(handle, (cusparsePointerMode_t)mode), "SetPointerMode");
        ok(cusparseDcsrilu02_numericBoost(handle, info, 1, mode ? scalars : &tolerance,
                                          mode ? scalars + 1 : &boost), "numericBoost");
        ok(cusparseDcsrilu02_analysis(handle, 3, m.nnz, m.descr, m.values.device,
                                      m.offsets.device, m.columns.device, info,
                                      CUSPARSE_SOLVE_POLICY_NO_LEVEL, NULL), "analysis");
        ok(cusparseDcsrilu02(handle, 3, m.nnz, m.descr, m.values.device, m.offsets.device,
                             m.columns.device, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, NULL), "LU");
        ok(cusparseXcsrilu02_zeroPivot(handle, info, mode ? there : &zero), "no zero pivot");
        check((mode ? *there : zero) == -1, "a boosted pivot is a zero");
        const Z right[9] = {4, 2, 0, 0.5, 8, 1, 0, 0.125, 4.875};
        memcpy(m.all, right, sizeof right);
        close_to(&m, "boosted csrilu02", mode);
        ok(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST), "SetPointerMode");
        cudaFree(scalars), cudaFree(there);
        matrix_end(m);
        ok(cusparseDestroyCsrilu02Info(info), "DestroyCsrilu02Info");
        ok(cusparseCreateCsrilu02Info(&info), "CreateCsrilu02Info");
    }
    struct matrix m = matrix('d', 3, all, in, 0);
    int *columns = m.columns.host;
    columns[0] = 1, columns[1] = 0;
    upload(m.columns);
    check(Dcsrilu02(&m, info, &position, &zero) == CUSPARSE_STATUS_INVALID_VALUE,
          "columns that do not ascend");
    columns[0] = 0, columns[1] = 3;
    upload(m.columns);
    check(Dcsrilu02(&m, info, &position, &zero) == CUSPARSE_STATUS_INVALID_VALUE,
          "a column out of range");
    matrix_end(m);
    ok(cusparseDestroyCsrilu02Info(info), "DestroyCsrilu02Info");
}

int main(void)
{
    ok(cusparseCreate(&handle), "Create");
    test_rules();
    for (int base = 0; base < 2; base++) test_zeros(base);
    for (const char *t = "sdcz"; *t; t++)
        for (int with = 0; with < 4; with++) test(*t, with);
    ok(cusparseDestroy(handle), "Destroy");
    if (wrong) printf("%d of %d results are wrong\n", wrong, checks);
    else printf("all right: %d results\n", checks);
    return wrong != 0;
}

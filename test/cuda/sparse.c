/* cuSPARSE against sums on the host: prints "all right: N results", or the differences. Elements
 * are small integers; hence results are exact in every type and order. */
#include "cuda/include/cusparse.h"
#include "test/cuda/elements.h"

static cusparseHandle_t handle;

static void ok(cusparseStatus_t status, const char *what)
{
    check(!status, "%s: %s", what, cusparseGetErrorName(status));
}

static cudaDataType type_of(char t)
{
    return t == 's' ? CUDA_R_32F : t == 'd' ? CUDA_R_64F : t == 'c' ? CUDA_C_32F : CUDA_C_64F;
}

/* A scalar, at the place that the pointer mode wants. */
static const void *scalar(char t, Z x)
{
    static char host[8][16];
    static char *device;
    static int turn;
    turn = (turn + 1) % 8;
    put(t, host[turn], 0, x);
    cusparsePointerMode_t mode;
    cusparseGetPointerMode(handle, &mode);
    if (mode == CUSPARSE_POINTER_MODE_HOST) return host[turn];
    if (!device) cudaMalloc((void **)&device, 8 * 16);
    cudaMemcpy(device + turn * 16, host[turn], 16, cudaMemcpyHostToDevice);
    return device + turn * 16;
}

/* A sparse matrix on both sides, and all its elements. */
struct matrix {
    char t;
    int rows, columns, nnz;
    Z *all; /* by rows */
    struct array offsets, indices, values;
    cusparseSpMatDescr_t descr;
};

/* Rows with different numbers of elements; the second row is empty. */
static Z *drawn(char t, int rows, int columns, int *nnz)
{
    Z *all = calloc((size_t)(rows * columns), sizeof *all);
    *nnz = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            if (i == 1 || (i % 4 != 3 && draw(3) < 2)) continue;
            double re = 2 * draw(1) + 1, im = t == 'c' || t == 'z' ? draw(3) : 0;
            all[i * columns + j] = re + im * I;
            ++*nnz;
        }
    return all;
}

static struct matrix matrix_of(Z *all, int nnz, char t, cusparseFormat_t format, int rows,
                               int columns, char index, int base)
{
    struct matrix m = {t, rows, columns, nnz, all, {0}, {0}, {0}, NULL};
    bool by_columns = format == CUSPARSE_FORMAT_CSC, coo = format == CUSPARSE_FORMAT_COO;
    int n = by_columns ? columns : rows, length = by_columns ? rows : columns, e = 0;
    m.offsets = array(index, coo ? m.nnz : n + 1);
    m.indices = array(index, m.nnz);
    m.values = array(t, m.nnz);
    for (int i = 0; i < n; i++) {
        if (!coo) put(index, m.offsets.host, i, e + base);
        for (int j = 0; j < length; j++) {
            Z x = m.all[by_columns ? j * columns + i : i * columns + j];
            if (x == 0) continue;
            if (coo) put(index, m.offsets.host, e, i + base);
            put(index, m.indices.host, e, j + base);
            put(t, m.values.host, e++, x);
        }
    }
    if (!coo) put(index, m.offsets.host, n, e + base);
    upload(m.offsets), upload(m.indices), upload(m.values);
    cusparseIndexType_t wide = index == 'l' ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    cusparseIndexBase_t first = (cusparseIndexBase_t)base;
    void *at = m.offsets.device, *indices = m.indices.device, *values = m.values.device;
    if (coo)
        ok(cusparseCreateCoo(&m.descr, rows, columns, m.nnz, at, indices, values, wide, first,
                             type_of(t)), "CreateCoo");
    else
        ok((by_columns ? cusparseCreateCsc : cusparseCreateCsr)(
               &m.descr, rows, columns, m.nnz, at, indices, values, wide, wide, first, type_of(t)),
           "CreateCsr");
    return m;
}

static struct matrix matrix(char t, cusparseFormat_t format, int rows, int columns, char index,
                            int base)
{
    int nnz;
    Z *all = drawn(t, rows, columns, &nnz);
    return matrix_of(all, nnz, t, format, rows, columns, index, base);
}

static void matrix_end(struct matrix m)
{
    ok(cusparseDestroySpMat(m.descr), "DestroySpMat");
    end(m.offsets), end(m.indices), end(m.values);
    free(m.all);
}

static Z item(const struct matrix *m, cusparseOperation_t op, int i, int j)
{
    Z x = op ? m->all[j * m->columns + i] : m->all[i * m->columns + j];
    return op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conj(x) : x;
}

static void test_vector(char t, cusparseFormat_t format, cusparseOperation_t op, int with)
{
    struct matrix a = matrix(t, format, 37, with % 3 ? 50 : 700, with & 1 ? 'l' : 'n',
                             with >> 1 & 1);
    int rows = op ? a.columns : a.rows, depth = op ? a.rows : a.columns;
    struct array x = array(t, depth), y = array(t, rows);
    Z alpha = with & 1 ? 2 : -1, beta = with % 3 ? 3 : 0;
    cusparseDnVecDescr_t dx, dy;
    ok(cusparseCreateDnVec(&dx, depth, x.device, type_of(t)), "CreateDnVec");
    ok(cusparseCreateDnVec(&dy, rows, y.device, type_of(t)), "CreateDnVec");
    for (int i = 0; i < rows; i++) {
        Z sum = 0;
        for (int j = 0; j < depth; j++) sum += item(&a, op, i, j) * get(t, x.host, j);
        put(t, y.host, i, alpha * sum + beta * get(t, y.host, i));
    }
    size_t bytes = 1;
    const void *by = scalar(t, alpha), *and = scalar(t, beta);
    ok(cusparseSpMV_bufferSize(handle, op, by, a.descr, dx, and, dy, type_of(t),
                               CUSPARSE_SPMV_ALG_DEFAULT, &bytes), "SpMV_bufferSize");
    ok(cusparseSpMV_preprocess(handle, op, by, a.descr, dx, and, dy, type_of(t),
                               CUSPARSE_SPMV_ALG_DEFAULT, NULL), "SpMV_preprocess");
    ok(cusparseSpMV(handle, op, by, a.descr, dx, and, dy, type_of(t), CUSPARSE_SPMV_ALG_DEFAULT,
                    NULL), "SpMV");
    same(y, "SpMV", (int)format * 100 + (int)op * 10 + with);
    ok(cusparseDestroyDnVec(dx), "DestroyDnVec"), ok(cusparseDestroyDnVec(dy), "DestroyDnVec");
    end(x), end(y), matrix_end(a);
}

static void test_matrix(char t, cusparseFormat_t format, cusparseOperation_t op, int with)
{
    struct matrix a = matrix(t, format, 21, 18, with & 1 ? 'l' : 'n', with & 1);
    cusparseOperation_t op_b = (cusparseOperation_t)(with % 3);
    cusparseOrder_t order_b = with & 1 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    cusparseOrder_t order_c = with & 2 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    int rows = op ? a.columns : a.rows, depth = op ? a.rows : a.columns, columns = 5;
    int count = with == 4 ? 3 : 1;
    int b_rows = op_b ? columns : depth, b_columns = op_b ? depth : columns;
    int ldb = (with & 1 ? b_columns : b_rows) + 2, ldc = (with & 2 ? columns : rows) + 1;
    int size_b = ldb * (with & 1 ? b_rows : b_columns), size_c = ldc * (with & 2 ? rows : columns);
    struct array b = array(t, size_b * count), c = array(t, size_c * count);
    Z alpha = 2, beta = with % 3 ? -1 : 0;
    for (int n = 0; n < count; n++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                Z sum = 0;
                for (int k = 0; k < depth; k++) {
                    int r = op_b ? j : k, s = op_b ? k : j;
                    Z x = get(t, b.host, size_b * n + (with & 1 ? r * ldb + s : r + s * ldb));
                    if (op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE) x = conj(x);
                    sum += item(&a, op, i, k) * x;
                }
                long to = size_c * n + (with & 2 ? i * ldc + j : i + j * ldc);
                put(t, c.host, to, alpha * sum + beta * get(t, c.host, to));
            }
    cusparseDnMatDescr_t db, dc;
    ok(cusparseCreateDnMat(&db, b_rows, b_columns, ldb, b.device, type_of(t), order_b), "DnMat");
    ok(cusparseCreateDnMat(&dc, rows, columns, ldc, c.device, type_of(t), order_c), "DnMat");
    if (count > 1) {
        ok(cusparseDnMatSetStridedBatch(db, count, size_b), "DnMatSetStridedBatch");
        ok(cusparseDnMatSetStridedBatch(dc, count, size_c), "DnMatSetStridedBatch");
        ok(cusparseCsrSetStridedBatch(a.descr, count, 0, 0), "CsrSetStridedBatch");
    }
    size_t bytes = 1;
    const void *by = scalar(t, alpha), *and = scalar(t, beta);
    ok(cusparseSpMM_bufferSize(handle, op, op_b, by, a.descr, db, and, dc, type_of(t),
                               CUSPARSE_SPMM_ALG_DEFAULT, &bytes), "SpMM_bufferSize");
    ok(cusparseSpMM_preprocess(handle, op, op_b, by, a.descr, db, and, dc, type_of(t),
                               CUSPARSE_SPMM_ALG_DEFAULT, NULL), "SpMM_preprocess");
    ok(cusparseSpMM(handle, op, op_b, by, a.descr, db, and, dc, type_of(t),
                    CUSPARSE_SPMM_ALG_DEFAULT, NULL), "SpMM");
    same(c, "SpMM", (int)format * 100 + (int)op * 10 + with);
    ok(cusparseDestroyDnMat(db), "DestroyDnMat"), ok(cusparseDestroyDnMat(dc), "DestroyDnMat");
    end(b), end(c), matrix_end(a);
}

/* Systems with a known solution: b = -op(T) x, where T is a triangle of a matrix. Diagonals are
 * powers of two; hence results are exact. */
static void test_solve(char t, cusparseFormat_t format, cusparseOperation_t op, int with)
{
    int n = with < 2 ? 300 : 1500, nnz = 0, columns = 3;
    bool upper = with & 1, unit = with & 2;
    Z *all = calloc((size_t)(n * n), sizeof *all);
    for (int i = 0; i < n; i++)
        for (int e = 0; e < 4; e++) /* rows of 1500 depend on few of the first: wide levels */
            all[i * n + (with < 2 || e > 1 ? (i * (e + 7) + e) % n : (upper ? n - 1 - e : e))] = 1;
    for (int i = 0; i < n * n; i++) {
        bool diagonal = i / n == i % n;
        double re = 2 * draw(1) + 1, im = !diagonal && (t == 'c' || t == 'z') ? draw(2) : 0;
        if (diagonal) all[i] = re == 3 ? 2 : re;
        else if (all[i] != 0) all[i] = re + im * I;
        nnz += all[i] != 0;
    }
    struct matrix a = matrix_of(all, nnz, t, format, n, n, with & 1 ? 'l' : 'n', with >> 1 & 1);
    struct array x = array(t, n * columns), b = array(t, n * columns), y = array(t, n);
    Z *sums = calloc((size_t)(n * columns), sizeof *sums);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (all[i * n + j] == 0 || (upper ? j < i : j > i)) continue;
            int row = op ? j : i, column = op ? i : j;
            Z value = i == j && unit ? 1 : item(&a, op, row, column);
            for (int k = 0; k < columns; k++)
                sums[row + k * n] -= value * get(t, x.host, column + k * n);
        }
    for (int i = 0; i < n * columns; i++) put(t, b.host, i, sums[i]);
    upload(b);
    cusparseFillMode_t fill = (cusparseFillMode_t)upper;
    cusparseDiagType_t diag = (cusparseDiagType_t)unit;
    ok(cusparseSpMatSetAttribute(a.descr, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill), "fill");
    ok(cusparseSpMatSetAttribute(a.descr, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag), "diag");
    cusparseDnVecDescr_t in, out;
    cusparseDnMatDescr_t many, solved;
    ok(cusparseCreateDnVec(&in, n, b.device, type_of(t)), "CreateDnVec");
    ok(cusparseCreateDnVec(&out, n, y.device, type_of(t)), "CreateDnVec");
    ok(cusparseCreateDnMat(&many, n, columns, n, b.device, type_of(t), CUSPARSE_ORDER_COL), "B");
    ok(cusparseCreateDnMat(&solved, n, columns, n, b.device, type_of(t), CUSPARSE_ORDER_COL), "C");
    cusparseSpSVDescr_t one;
    cusparseSpSMDescr_t several;
    size_t bytes = 1;
    const void *by = scalar(t, -1);
    ok(cusparseSpSV_createDescr(&one), "SpSV_createDescr");
    ok(cusparseSpSV_bufferSize(handle, op, by, a.descr, in, out, type_of(t),
                               CUSPARSE_SPSV_ALG_DEFAULT, one, &bytes), "SpSV_bufferSize");
    check(cusparseSpSV_solve(handle, op, by, a.descr, in, out, type_of(t),
                             CUSPARSE_SPSV_ALG_DEFAULT, one) == CUSPARSE_STATUS_INVALID_VALUE,
          "a solution before the analysis");
    ok(cusparseSpSV_analysis(handle, op, by, a.descr, in, out, type_of(t),
                             CUSPARSE_SPSV_ALG_DEFAULT, one, NULL), "SpSV_analysis");
    ok(cusparseSpSV_solve(handle, op, by, a.descr, in, out, type_of(t), CUSPARSE_SPSV_ALG_DEFAULT,
                          one), "SpSV_solve");
    memcpy(y.host, x.host, (size_t)n * bytes_of(t));
    same(y, "SpSV", (int)format * 100 + (int)op * 10 + with);
    ok(cusparseSpSM_createDescr(&several), "SpSM_createDescr");
    ok(cusparseSpSM_analysis(handle, op, CUSPARSE_OPERATION_NON_TRANSPOSE, by, a.descr, many,
                             solved, type_of(t), CUSPARSE_SPSM_ALG_DEFAULT, several, NULL), "SpSM");
    ok(cusparseSpSM_solve(handle, op, CUSPARSE_OPERATION_NON_TRANSPOSE, by, a.descr, many, solved,
                          type_of(t), CUSPARSE_SPSM_ALG_DEFAULT, several), "SpSM_solve");
    memcpy(b.host, x.host, (size_t)(n * columns) * bytes_of(t));
    same(b, "SpSM in place", (int)format * 100 + (int)op * 10 + with);
    cusparseSpSV_destroyDescr(one), cusparseSpSM_destroyDescr(several);
    cusparseDestroyDnVec(in), cusparseDestroyDnVec(out);
    cusparseDestroyDnMat(many), cusparseDestroyDnMat(solved);
    free(sums);
    end(x), end(b), end(y), matrix_end(a);
}

/* CSR to COO, to CSR again, to CSC, to a dense matrix. */
static void test_conversions(char t, int base)
{
    struct matrix a = matrix(t, CUSPARSE_FORMAT_CSR, 40, 300, 'n', base);
    struct matrix c = matrix(t, CUSPARSE_FORMAT_CSC, 40, 300, 'n', base);
    cusparseIndexBase_t first = (cusparseIndexBase_t)base;
    int n = a.nnz, e = 0, *offsets = a.offsets.device, *columns = a.indices.device;
    struct array rows = array('n', n), again = array('n', a.rows + 1);
    struct array csc_offsets = array('n', a.columns + 1), csc_rows = array('n', n);
    struct array values = array(t, n), dense = array(t, 44 * 300), up = array('n', 300);
    for (int i = 0, k = 0; i < a.rows; i++)
        for (int j = 0; j < a.columns; j++)
            if (a.all[i * a.columns + j] != 0) put('n', rows.host, k++, i + base);
    for (int j = 0; j <= a.columns; j++) {
        put('n', csc_offsets.host, j, e + base);
        for (int i = 0; i < a.rows && j < a.columns; i++) {
            if (a.all[i * a.columns + j] == 0) continue;
            put('n', csc_rows.host, e, i + base);
            put(t, values.host, e++, a.all[i * a.columns + j]);
        }
    }
    memcpy(again.host, a.offsets.host, sizeof(int) * (size_t)(a.rows + 1));
    ok(cusparseXcsr2coo(handle, offsets, n, a.rows, rows.device, first), "csr2coo");
    same(rows, "csr2coo", base);
    ok(cusparseXcoo2csr(handle, rows.device, n, a.rows, again.device, first), "coo2csr");
    same(again, "coo2csr", base);
    size_t bytes = 0;
    void *buffer;
    ok(cusparseCsr2cscEx2_bufferSize(handle, a.rows, a.columns, n, a.values.device, offsets,
                                     columns, values.device, csc_offsets.device, csc_rows.device,
                                     type_of(t), CUSPARSE_ACTION_NUMERIC, first,
                                     CUSPARSE_CSR2CSC_ALG1, &bytes), "Csr2cscEx2_bufferSize");
    cudaMalloc(&buffer, bytes);
    ok(cusparseCsr2cscEx2(handle, a.rows, a.columns, n, a.values.device, offsets, columns,
                          values.device, csc_offsets.device, csc_rows.device, type_of(t),
                          CUSPARSE_ACTION_NUMERIC, first, CUSPARSE_CSR2CSC_ALG1, buffer),
       "Csr2cscEx2");
    same(csc_offsets, "csr2csc: offsets", base), same(csc_rows, "csr2csc: rows", base);
    same(values, "csr2csc: values", base);
    for (int with = 0; with < 2; with++) {
        const struct matrix *m = with ? &c : &a;
        cusparseDnMatDescr_t d;
        ok(cusparseCreateDnMat(&d, 40, 300, 44, dense.device, type_of(t), CUSPARSE_ORDER_COL),
           "CreateDnMat");
        for (int i = 0; i < 40; i++)
            for (int j = 0; j < 300; j++) put(t, dense.host, i + 44 * j, m->all[i * 300 + j]);
        ok(cusparseSparseToDense_bufferSize(handle, m->descr, d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT,
                                            &bytes), "SparseToDense_bufferSize");
        ok(cusparseSparseToDense(handle, m->descr, d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, NULL),
           "SparseToDense");
        same(dense, "SparseToDense", with);
        cusparseDestroyDnMat(d);
    }
    for (int i = 0; i < 300; i++) put('n', up.host, i, i);
    ok(cusparseCreateIdentityPermutation(handle, 300, up.device), "CreateIdentityPermutation");
    same(up, "CreateIdentityPermutation", base);
    cudaFree(buffer);
    end(rows), end(again), end(csc_offsets), end(csc_rows), end(values), end(dense), end(up);
    matrix_end(a), matrix_end(c);
}

static void test_descriptors(void)
{
    struct matrix a = matrix('s', CUSPARSE_FORMAT_CSR, 6, 9, 'n', 1);
    int64_t rows, columns, nnz, ld;
    const void *offsets, *indices, *values;
    cusparseIndexType_t wide, index;
    cusparseIndexBase_t base;
    cudaDataType type;
    ok(cusparseConstCsrGet(a.descr, &rows, &columns, &nnz, &offsets, &indices, &values, &wide,
                           &index, &base, &type), "ConstCsrGet");
    check(rows == 6 && columns == 9 && nnz == a.nnz && offsets == a.offsets.device &&
              indices == a.indices.device && values == a.values.device &&
              wide == CUSPARSE_INDEX_32I && index == wide && base == CUSPARSE_INDEX_BASE_ONE &&
              type == CUDA_R_32F, "ConstCsrGet");
    check(cusparseConstCscGet(a.descr, &rows, &columns, &nnz, &offsets, &indices, &values, &wide,
                              &index, &base, &type) == CUSPARSE_STATUS_INVALID_VALUE,
          "CscGet of a matrix in CSR");
    void *at = NULL;
    ok(cusparseSpMatSetValues(a.descr, a.indices.device), "SpMatSetValues");
    ok(cusparseSpMatGetValues(a.descr, &at), "SpMatGetValues");
    check(at == a.indices.device, "SpMatGetValues");
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_UPPER, found = CUSPARSE_FILL_MODE_LOWER;
    ok(cusparseSpMatSetAttribute(a.descr, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill), "Set");
    ok(cusparseSpMatGetAttribute(a.descr, CUSPARSE_SPMAT_FILL_MODE, &found, sizeof found), "Get");
    check(found == fill, "attribute");
    cusparseDnMatDescr_t d = NULL;
    cusparseOrder_t order;
    check(cusparseCreateDnMat(&d, 6, 9, 5, at, CUDA_R_32F, CUSPARSE_ORDER_COL) ==
              CUSPARSE_STATUS_INVALID_VALUE, "ld below the rows");
    ok(cusparseCreateDnMat(&d, 6, 9, 7, at, CUDA_R_32F, CUSPARSE_ORDER_COL), "CreateDnMat");
    ok(cusparseDnMatGet(d, &rows, &columns, &ld, &at, &type, &order), "DnMatGet");
    check(rows == 6 && columns == 9 && ld == 7 && order == CUSPARSE_ORDER_COL, "DnMatGet");
    cusparseMatDescr_t properties = NULL;
    ok(cusparseCreateMatDescr(&properties), "CreateMatDescr");
    check(cusparseGetMatType(properties) == CUSPARSE_MATRIX_TYPE_GENERAL, "type at first");
    ok(cusparseSetMatType(properties, CUSPARSE_MATRIX_TYPE_SYMMETRIC), "SetMatType");
    ok(cusparseSetMatIndexBase(properties, CUSPARSE_INDEX_BASE_ONE), "SetMatIndexBase");
    check(cusparseGetMatType(properties) == CUSPARSE_MATRIX_TYPE_SYMMETRIC &&
              cusparseGetMatIndexBase(properties) == CUSPARSE_INDEX_BASE_ONE, "MatDescr");
    ok(cusparseDestroyMatDescr(properties), "DestroyMatDescr");
    ok(cusparseDestroyDnMat(d), "DestroyDnMat");
    matrix_end(a);
}

static void test_rules(void)
{
    struct matrix a = matrix('s', CUSPARSE_FORMAT_CSR, 6, 9, 'n', 0);
    struct array x = array('s', 9);
    float one = 1;
    int version = 0, value = -1;
    cusparseDnVecDescr_t in = NULL, out = NULL;
    ok(cusparseCreateDnVec(&in, 9, x.device, CUDA_R_32F), "CreateDnVec");
    ok(cusparseCreateDnVec(&out, 5, x.device, CUDA_R_32F), "CreateDnVec");
    check(cusparseSpMV(NULL, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a.descr, in, &one, out,
                       CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL) ==
              CUSPARSE_STATUS_NOT_INITIALIZED, "no handle");
    check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a.descr, in, &one, out,
                       CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL) ==
              CUSPARSE_STATUS_INVALID_VALUE, "a result of another length");
    check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a.descr, in, &one, out,
                       CUDA_R_16F, CUSPARSE_SPMV_ALG_DEFAULT, NULL) ==
              CUSPARSE_STATUS_NOT_SUPPORTED, "sums in half");
    cusparseStatus_t cusparseScsrgeam2(void);
    check(cusparseScsrgeam2() == CUSPARSE_STATUS_NOT_SUPPORTED &&
              cusparseScsrgeam2() == CUSPARSE_STATUS_NOT_SUPPORTED, "a missing function");
    check(!strcmp(cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT), "CUSPARSE_STATUS_ZERO_PIVOT"),
          "name of a status");
    ok(cusparseGetVersion(handle, &version), "GetVersion");
    ok(cusparseGetProperty(MAJOR_VERSION, &value), "GetProperty");
    check(version / 1000 == value, "version %d, major version %d", version, value);
    cudaStream_t stream, found = NULL;
    cudaStreamCreate(&stream);
    ok(cusparseSetStream(handle, stream), "SetStream");
    ok(cusparseGetStream(handle, &found), "GetStream");
    check(found == stream, "stream");
    test_vector('d', CUSPARSE_FORMAT_CSR, CUSPARSE_OPERATION_TRANSPOSE, 0);
    ok(cusparseSetStream(handle, NULL), "SetStream");
    cusparseDestroyDnVec(in), cusparseDestroyDnVec(out);
    end(x), matrix_end(a);
}

static cusparseDnMatDescr_t column(struct array x, int count, int64_t stride)
{
    cusparseDnMatDescr_t d = NULL;
    ok(cusparseCreateDnMat(&d, 2, 1, 2, x.device, CUDA_R_32F, CUSPARSE_ORDER_COL), "CreateDnMat");
    ok(cusparseDnMatSetStridedBatch(d, count, stride), "DnMatSetStridedBatch");
    return d;
}

enum { INDICES = 3 };

/* The triangle of two rows [2 0; 1 4], with the given columns and offsets. */
static struct matrix triangle(bool coo, const int *offsets, const int *columns, int base)
{
    struct matrix m = {.offsets = array('n', INDICES), .indices = array('n', INDICES),
                       .values = array('s', INDICES)};
    for (int i = 0; i < INDICES; i++) {
        put('n', m.offsets.host, i, offsets[i]), put('n', m.indices.host, i, columns[i]);
        put('s', m.values.host, i, i == 2 ? 4 : 2 - i);
    }
    upload(m.offsets), upload(m.indices), upload(m.values);
    void *at = m.offsets.device, *indices = m.indices.device, *values = m.values.device;
    ok(coo ? cusparseCreateCoo(&m.descr, 2, 2, INDICES, at, indices, values, CUSPARSE_INDEX_32I,
                               (cusparseIndexBase_t)base, CUDA_R_32F)
           : cusparseCreateCsr(&m.descr, 2, 2, INDICES, at, indices, values, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_32I, (cusparseIndexBase_t)base, CUDA_R_32F),
       "a triangle");
    return m;
}

/* Indices and offsets out of range are refused by the analysis. */
static void test_ranges(void)
{
    static const struct {
        bool coo;
        int base, offsets[INDICES], columns[INDICES];
    } all[] = {{false, 0, {0, 1, 3}, {0, 100000000, 1}}, {false, 0, {0, 1, 3}, {0, -1, 1}},
               {false, 0, {0, 1, 3}, {0, 2, 1}},         {false, 1, {0, 1, 3}, {1, 1, 2}},
               {false, 1, {1, 2, 4}, {0, 1, 2}},         {false, 0, {0, 1, 2}, {0, 0, 1}},
               {false, 0, {0, 1, 4}, {0, 0, 1}},         {false, 0, {0, 4, 3}, {0, 0, 1}},
               {false, 0, {1, 1, 3}, {0, 0, 1}},         {true, 0, {0, 1, 2}, {0, 0, 1}},
               {true, 1, {0, 1, 2}, {1, 1, 2}},          {true, 0, {0, -9, 1}, {0, 0, 1}},
               {true, 0, {0, 1, 1}, {0, 2, 1}},          {false, 0, {0, 1, 3}, {0, 0, 1}},
               {true, 1, {1, 2, 2}, {1, 1, 2}}};
    enum { ALL = sizeof all / sizeof *all, RIGHT = 2 };
    struct array x = array('s', 2);
    float one = 1;
    for (int i = 0; i < ALL; i++) {
        struct matrix m = triangle(all[i].coo, all[i].offsets, all[i].columns, all[i].base);
        cusparseDnVecDescr_t v;
        cusparseSpSVDescr_t s;
        ok(cusparseCreateDnVec(&v, 2, x.device, CUDA_R_32F), "CreateDnVec");
        ok(cusparseSpSV_createDescr(&s), "SpSV_createDescr");
        for (int op = 0; op < 2; op++) {
            cusparseStatus_t status = cusparseSpSV_analysis(
                handle, (cusparseOperation_t)op, &one, m.descr, v, v, CUDA_R_32F,
                CUSPARSE_SPSV_ALG_DEFAULT, s, NULL);
            check(status == (i < ALL - RIGHT ? CUSPARSE_STATUS_INVALID_VALUE : 0),
                  "analysis %d: %s", i, cusparseGetErrorName(status));
        }
        cusparseSpSV_destroyDescr(s), cusparseDestroyDnVec(v), matrix_end(m);
    }
    end(x);
}

/* A solution needs the analysis of the same system. */
static void test_other_systems(void)
{
    struct matrix m = triangle(false, (int[]){0, 1, 3}, (int[]){0, 0, 1}, 0);
    struct array x = array('s', 4);
    cusparseDnMatDescr_t b = column(x, 1, 0), two = column(x, 2, 2);
    cusparseSpSMDescr_t s;
    float one = 1;
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    ok(cusparseSpSM_createDescr(&s), "SpSM_createDescr");
#define SOLVE(op, op_b, b, c)                                                                      \
    cusparseSpSM_solve(handle, op, op_b, &one, m.descr, b, c, CUDA_R_32F,                          \
                       CUSPARSE_SPSM_ALG_DEFAULT, s)
    ok(cusparseSpSM_analysis(handle, plain, plain, &one, m.descr, b, b, CUDA_R_32F,
                             CUSPARSE_SPSM_ALG_DEFAULT, s, NULL), "SpSM_analysis");
    check(cusparseSpSM_analysis(handle, plain, (cusparseOperation_t)3, &one, m.descr, b, b,
                                CUDA_R_32F, CUSPARSE_SPSM_ALG_DEFAULT, s, NULL) ==
              CUSPARSE_STATUS_INVALID_VALUE, "analysis with an unknown operation of B");
    check(SOLVE(CUSPARSE_OPERATION_TRANSPOSE, plain, b, b) == CUSPARSE_STATUS_INVALID_VALUE,
          "a solution with another operation");
    check(SOLVE(plain, (cusparseOperation_t)3, b, b) == CUSPARSE_STATUS_INVALID_VALUE,
          "a solution with an unknown operation of B");
    check(SOLVE(plain, plain, two, b) == CUSPARSE_STATUS_NOT_SUPPORTED, "a batch of B");
    check(SOLVE(plain, plain, b, two) == CUSPARSE_STATUS_NOT_SUPPORTED, "a batch of results");
    for (int attribute = 0; attribute < 2; attribute++)
        for (unsigned value = 2; value-- > 0;) {
            cusparseSpMatAttribute_t which = (cusparseSpMatAttribute_t)attribute;
            ok(cusparseSpMatSetAttribute(m.descr, which, &value, sizeof value), "SetAttribute");
            check(SOLVE(plain, plain, b, b) == (value ? CUSPARSE_STATUS_INVALID_VALUE : 0),
                  "attribute %d is %u after the analysis", attribute, value);
        }
#undef SOLVE
    cusparseSpSM_destroyDescr(s), cusparseDestroyDnMat(b), cusparseDestroyDnMat(two);
    end(x), matrix_end(m);
}

/* All products of a batch share a single matrix, also one with a distance; other functions have no
 * batches. */
static void test_batches(void)
{
    struct matrix m = triangle(false, (int[]){0, 1, 3}, (int[]){0, 0, 1}, 0);
    struct array b = array('s', 4), c = array('s', 6), dense = array('s', 4);
    float one = 1, zero = 0, x = (float)get('s', b.host, 0), y = (float)get('s', b.host, 1);
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseDnMatDescr_t in = column(b, 1, 2), out = column(c, 3, 2), square;
    ok(cusparseCsrSetStridedBatch(m.descr, 1, 1, 1), "CsrSetStridedBatch");
    for (int i = 0; i < 3; i++) {
        put('s', c.host, 2 * i, 2 * x);
        put('s', c.host, 2 * i + 1, x + 4 * y);
    }
    ok(cusparseSpMM(handle, plain, plain, &one, m.descr, in, &zero, out, CUDA_R_32F,
                    CUSPARSE_SPMM_ALG_DEFAULT, NULL), "SpMM");
    same(c, "SpMM with shared matrices", 0);
    cusparseDnVecDescr_t v;
    ok(cusparseCreateDnVec(&v, 2, b.device, CUDA_R_32F), "CreateDnVec");
    ok(cusparseCreateDnMat(&square, 2, 2, 2, dense.device, CUDA_R_32F, CUSPARSE_ORDER_COL), "D");
    ok(cusparseCsrSetStridedBatch(m.descr, 2, 0, 0), "CsrSetStridedBatch");
    check(cusparseSpMV(handle, plain, &one, m.descr, v, &zero, v, CUDA_R_32F,
                       CUSPARSE_SPMV_ALG_DEFAULT, NULL) == CUSPARSE_STATUS_NOT_SUPPORTED,
          "SpMV of a batch");
    check(cusparseSparseToDense(handle, m.descr, square, CUSPARSE_SPARSETODENSE_ALG_DEFAULT,
                                NULL) == CUSPARSE_STATUS_NOT_SUPPORTED, "SparseToDense of a batch");
    cusparseDestroyDnVec(v), cusparseDestroyDnMat(square);
    cusparseDestroyDnMat(in), cusparseDestroyDnMat(out);
    end(b), end(c), end(dense), matrix_end(m);
}

/* With an argument: a few results of each kind. */
int main(int argc, char **argv)
{
    (void)argv;
    ok(cusparseCreate(&handle), "Create");
    test_descriptors();
    test_rules();
    test_ranges();
    test_other_systems();
    test_batches();
    for (int mode = 0; mode < (argc == 1 ? 2 : 1); mode++)
        for (const char *t = argc == 1 ? "sdcz" : "d"; *t; t++) {
            cusparseSetPointerMode(handle, (cusparsePointerMode_t)mode);
            for (int format = CUSPARSE_FORMAT_CSR; format <= CUSPARSE_FORMAT_COO; format++)
                for (int op = 0; op < 3; op++)
                    for (int with = 0; with < 6; with++) {
                        test_vector(*t, (cusparseFormat_t)format, (cusparseOperation_t)op, with);
                        test_matrix(*t, (cusparseFormat_t)format, (cusparseOperation_t)op, with);
                    }
            for (int with = 0; with < (mode ? 0 : 4); with++)
                for (int format = CUSPARSE_FORMAT_CSR; format <= CUSPARSE_FORMAT_COO; format++)
                    test_solve(*t, (cusparseFormat_t)format,
                               (cusparseOperation_t)((format + with) % 3), with);
            for (int base = 0; base < 2; base++) test_conversions(*t, base);
        }
    ok(cusparseDestroy(handle), "Destroy");
    if (wrong) printf("%d of %d results are wrong\n", wrong, checks);
    else printf("all right: %d results\n", checks);
    return wrong != 0;
}

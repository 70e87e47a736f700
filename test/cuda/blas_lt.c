/* cuBLASLt against sums on the host: prints "all right: N results", or the differences. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/include/cublasLt.h"
#include "cuda/include/cuda_runtime_api.h"

enum { M = 70, N = 45, K = 33, BATCH = 2, ROOM = (M + 5) * (K + 5) * BATCH * 2 };
static cublasLtHandle_t handle;
static int checks, wrong;
static float *a, *b, *c, *d, *bias, *aux; /* managed */

static void check(bool ok, const char *what, double found, double right)
{
    checks++;
    if (!ok && wrong++ < 30) printf("%s: %g, not %g\n", what, found, right);
}

static void ok(cublasStatus_t status, const char *what)
{
    check(status == CUBLAS_STATUS_SUCCESS, what, status, CUBLAS_STATUS_SUCCESS);
}

static void draw(float *to)
{
    static unsigned seed = 1;
    for (int i = 0; i < ROOM; i++) {
        seed = seed * 1103515245u + 12345u;
        to[i] = (float)((int)(seed >> 16) % 7 - 3);
    }
}

static float gelu(float x)
{
    return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}
static float gelu_gradient(float x)
{
    double h = 1e-3;
    return (float)(((double)gelu((float)(x + h)) - gelu((float)(x - h))) / (2 * h));
}

struct product {
    cublasOperation_t a_op, b_op;
    bool rows;         /* a, b and c are stored by rows */
    cublasLtEpilogue_t epilogue;
    int batch;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, c, d;
};

static long at(const struct product *p, cublasOperation_t op, int rows, int columns, int i, int j)
{
    if (op) return at(p, CUBLAS_OP_N, columns, rows, j, i);
    return p->rows ? (long)i * (columns + 1) + j : i + (long)j * (rows + 1);
}

static cublasLtMatrixLayout_t layout(struct product *p, cublasOperation_t op, int rows, int columns,
                                     bool by_rows)
{
    cublasLtMatrixLayout_t l = NULL;
    cublasLtOrder_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
    int stored_rows = op ? columns : rows, stored_columns = op ? rows : columns;
    int64_t stride = ROOM / BATCH;
    ok(cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, (uint64_t)stored_rows, (uint64_t)stored_columns,
                                  (by_rows ? stored_columns : stored_rows) + 1), "LayoutCreate");
    ok(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order),
       "order");
    ok(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &p->batch,
                                        sizeof p->batch), "batch");
    ok(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                        sizeof stride), "stride");
    return l;
}

static void describe(struct product *p)
{
    int64_t aux_ld = M + 2, aux_stride = ROOM / BATCH;
    ok(cublasLtMatmulDescCreate(&p->desc, CUBLAS_COMPUTE_32F, CUDA_R_32F), "DescCreate");
#define SET(name, value)                                                                           \
    ok(cublasLtMatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_##name, &value, sizeof value), \
       #name)
    SET(TRANSA, p->a_op);
    SET(TRANSB, p->b_op);
    SET(EPILOGUE, p->epilogue);
    SET(BIAS_POINTER, bias);
    SET(EPILOGUE_AUX_POINTER, aux);
    SET(EPILOGUE_AUX_LD, aux_ld);
    SET(EPILOGUE_AUX_BATCH_STRIDE, aux_stride);
#undef SET
    p->a = layout(p, p->a_op, M, K, p->rows);
    p->b = layout(p, p->b_op, K, N, p->rows);
    p->c = layout(p, CUBLAS_OP_N, M, N, p->rows);
    p->d = layout(p, CUBLAS_OP_N, M, N, false);
}

static void end(struct product *p)
{
    cublasLtMatmulDescDestroy(p->desc);
    cublasLtMatrixLayoutDestroy(p->a);
    cublasLtMatrixLayoutDestroy(p->b);
    cublasLtMatrixLayoutDestroy(p->c);
    cublasLtMatrixLayoutDestroy(p->d);
}

/* The value before an activation. */
static float sum(const struct product *p, int batch, int i, int j)
{
    long skip = (long)batch * ROOM / BATCH;
    float x = 0;
    for (int k = 0; k < K; k++)
        x += a[skip + at(p, p->a_op, M, K, i, k)] * b[skip + at(p, p->b_op, K, N, k, j)];
    x = 0.25f * x - c[skip + at(p, CUBLAS_OP_N, M, N, i, j)];
    return p->epilogue & CUBLASLT_EPILOGUE_BIAS ? x + bias[i] : x;
}

static void test(struct product p)
{
    int found = 0;
    cublasLtMatmulHeuristicResult_t best;
    cublasLtMatmulPreference_t preference;
    size_t most = 1 << 20;
    float alpha = 0.25f, beta = -1, row[M] = {0}, a_rows[M] = {0}, b_columns[N] = {0};
    describe(&p);
    ok(cublasLtMatmulPreferenceCreate(&preference), "PreferenceCreate");
    ok(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                            &most, sizeof most), "workspace");
    ok(cublasLtMatmulAlgoGetHeuristic(handle, p.desc, p.a, p.b, p.c, p.d, preference, 1, &best,
                                      &found), "AlgoGetHeuristic");
    check(found == 1 && !best.state && !best.workspaceSize, "algorithms", found, 1);
    cublasLtMatmulPreferenceDestroy(preference);
    draw(aux);
    draw(bias);
    ok(cublasLtMatmul(handle, p.desc, &alpha, a, p.a, b, p.b, &beta, c, p.c, d, p.d, &best.algo,
                      NULL, 0, NULL), "Matmul");
    float *before = malloc(ROOM * sizeof *before), *biases = malloc(ROOM * sizeof *biases);
    memcpy(before, aux, ROOM * sizeof *before); /* a gradient reads aux */
    memcpy(biases, bias, ROOM * sizeof *biases);
    cudaDeviceSynchronize();
    for (int n = 0; n < p.batch; n++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < M; i++) {
                long skip = (long)n * ROOM / BATCH, aux_at = skip + j * (M + 2) + i;
                float x = sum(&p, n, i, j);
                if ((p.epilogue & ~4u) == CUBLASLT_EPILOGUE_GELU_AUX)
                    check(aux[aux_at] == x, "aux", aux[aux_at], x);
                if (p.epilogue & CUBLASLT_EPILOGUE_RELU) x = x > 0 ? x : 0;
                if (p.epilogue & CUBLASLT_EPILOGUE_GELU) x = gelu(x);
                if (p.epilogue & 64) x *= gelu_gradient(before[aux_at]);
                float is = d[skip + j * (M + 1) + i];
                check(fabsf(is - x) <= 1e-3f * (1 + fabsf(x)), "d", is, x);
                row[i] += is;
            }
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < M; i++) a_rows[i] += a[at(&p, p.a_op, M, K, i, k)];
        for (int j = 0; j < N; j++) b_columns[j] += b[at(&p, p.b_op, K, N, k, j)];
    }
    for (int i = 0; i < M; i++) {
        if (p.epilogue == CUBLASLT_EPILOGUE_DGELU_BGRAD)
            check(fabsf(bias[i] - row[i]) <= 1e-3f * (1 + fabsf(row[i])), "sum of a row of d",
                  bias[i], row[i]);
        if (p.epilogue == CUBLASLT_EPILOGUE_BGRADA)
            check(bias[i] == a_rows[i], "sum of a row of a", bias[i], a_rows[i]);
        if (p.epilogue == CUBLASLT_EPILOGUE_BGRADB && i < N)
            check(bias[i] == b_columns[i], "sum of a column of b", bias[i], b_columns[i]);
    }
    free(before), free(biases);
    end(&p);
}

static void test_rules(void)
{
    struct product p = {.epilogue = CUBLASLT_EPILOGUE_DEFAULT, .batch = 1};
    float alpha = 1, beta = 0;
    cublasLtOrder_t order = CUBLASLT_ORDER_ROW;
    uint64_t rows = 0;
    size_t written = 0;
    describe(&p);
    ok(cublasLtMatrixLayoutGetAttribute(p.b, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows,
                                        &written), "GetAttribute");
    check(rows == K && written == 8, "rows", (double)rows, K);
    check(cublasLtMatrixLayoutSetAttribute(p.b, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, 4) ==
              CUBLAS_STATUS_INVALID_VALUE, "an attribute of another size", 0, 1);
#define MATMUL                                                                                     \
    cublasLtMatmul(handle, p.desc, &alpha, a, p.a, b, p.b, &beta, c, p.c, d, p.d, NULL, NULL, 0,   \
                   NULL)
    cublasLtMatrixLayoutSetAttribute(p.d, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
    check(MATMUL == CUBLAS_STATUS_NOT_SUPPORTED, "d by rows", MATMUL, CUBLAS_STATUS_NOT_SUPPORTED);
    order = CUBLASLT_ORDER_COL;
    cublasLtMatrixLayoutSetAttribute(p.d, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
    rows = K + 1;
    cublasLtMatrixLayoutSetAttribute(p.b, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows);
    check(MATMUL == CUBLAS_STATUS_INVALID_VALUE, "sizes", MATMUL, CUBLAS_STATUS_INVALID_VALUE);
    end(&p);
    p.epilogue = CUBLASLT_EPILOGUE_RELU_AUX;
    describe(&p);
    check(MATMUL == CUBLAS_STATUS_NOT_SUPPORTED, "bits of RELU", MATMUL,
          CUBLAS_STATUS_NOT_SUPPORTED);
    end(&p);
    cublasStatus_t cublasLtMatrixTransform(void);
    check(cublasLtMatrixTransform() == CUBLAS_STATUS_NOT_SUPPORTED, "a missing function", 0, 1);
}

int main(void)
{
    ok(cublasLtCreate(&handle), "Create");
    float **all[] = {&a, &b, &c, &d, &bias, &aux};
    for (int i = 0; i < 6; i++) {
        cudaMallocManaged((void **)all[i], ROOM * sizeof(float), cudaMemAttachGlobal);
        draw(*all[i]);
    }
    test_rules();
    for (int with = 0; with < 8; with++)
        test((struct product){.a_op = (cublasOperation_t)(with & 1),
                              .b_op = (cublasOperation_t)(with >> 1 & 1), .rows = with >> 2,
                              .epilogue = CUBLASLT_EPILOGUE_DEFAULT, .batch = with % 3 ? 1 : 2});
    static const cublasLtEpilogue_t epilogues[] = {
        CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS,
        CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_AUX,
        CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DGELU, CUBLASLT_EPILOGUE_DGELU_BGRAD,
        CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB};
    for (unsigned i = 0; i < sizeof epilogues / sizeof *epilogues; i++)
        test((struct product){.a_op = CUBLAS_OP_T, .epilogue = epilogues[i],
                              .batch = epilogues[i] < CUBLASLT_EPILOGUE_DGELU ? 2 : 1});
    ok(cublasLtDestroy(handle), "Destroy");
    if (wrong) printf("%d of %d results are wrong\n", wrong, checks);
    else printf("all right: %d results\n", checks);
    return wrong != 0;
}

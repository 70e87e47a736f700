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

/* ---- floats of 8 bits: types e (e4m3), f (e5m2); h, b, s ---- */

static float wide(unsigned bits, char t)
{
    union { unsigned bits; float value; } u = {bits << 16};
    if (t == 'b') return u.value;
    int fraction = t == 'e' ? 3 : t == 'f' ? 2 : 10, of_exponent = t == 'e' ? 4 : 5;
    int zero_at = t == 'e' ? 7 : 15, sign = (int)(bits >> (fraction + of_exponent)) & 1;
    int e = (int)(bits >> fraction) & ((1 << of_exponent) - 1);
    int m = (int)bits & ((1 << fraction) - 1);
    double x = e ? ldexp(m + (1 << fraction), e - zero_at - fraction)
                 : ldexp(m, 1 - zero_at - fraction);
    return (float)(sign ? -x : x);
}

static float read_as(const void *from, long i, char t)
{
    if (t == 's') return ((const float *)from)[i];
    if (t == 'h' || t == 'b') return wide(((const unsigned short *)from)[i], t);
    return wide(((const unsigned char *)from)[i], t);
}

/* The nearest number of a type, the even one of two, the largest beyond the range. */
static float rounded(float x, char t)
{
    if (t == 's') return x;
    unsigned last = t == 'e' ? 0x7e : t == 'f' ? 0x7b : t == 'h' ? 0x7bff : 0x7f7f, best = 0;
    float size = fabsf(x);
    for (unsigned low = 0, high = last; low <= high;) { /* the last number of at most this size */
        unsigned middle = (low + high) / 2;
        if (wide(middle, t) <= size) best = middle, low = middle + 1;
        else if (!middle) break;
        else high = middle - 1;
    }
    if (best < last) {
        float below = size - wide(best, t), above = wide(best + 1, t) - size;
        if (above < below || (above == below && best & 1)) best++;
    }
    return copysignf(wide(best, t), x);
}

static cudaDataType type_of(char t)
{
    return t == 'e' ? CUDA_R_8F_E4M3 : t == 'f' ? CUDA_R_8F_E5M2 : t == 'h' ? CUDA_R_16F
         : t == 'b' ? CUDA_R_16BF : CUDA_R_32F;
}

/* Fills with whole numbers from -3 to 3. */
static void draw_as(float *to, char t)
{
    static const unsigned char e[] = {0xc4, 0xc0, 0xb8, 0, 0x38, 0x40, 0x44};
    draw(to);
    for (int i = 0; i < ROOM && t != 's'; i++) {
        union { float value; unsigned bits; } u = {to[i]};
        unsigned half = u.value == 0 ? 0 : (u.bits >> 16 & 0x8000u) |
                        ((u.bits >> 23 & 255u) - 112) << 10 | (u.bits >> 13 & 1023u);
        if (t == 'b') ((unsigned short *)to)[i] = (unsigned short)(u.bits >> 16);
        else if (t == 'h') ((unsigned short *)to)[i] = (unsigned short)half;
        else ((unsigned char *)to)[i] = t == 'f' ? (unsigned char)(half >> 8)
                                                 : e[(int)u.value + 3];
    }
}

static float *scales; /* managed: a, b, c, d, the greatest of d */
enum { SMALL = 32, SMALL_M = 20, SMALL_N = 17 }; /* with & SMALL: rows and columns of d */

/* Gives a layout other rows or columns. */
static void resize(cublasLtMatrixLayout_t l, bool rows, uint64_t n)
{
    ok(cublasLtMatrixLayoutSetAttribute(
           l, rows ? CUBLASLT_MATRIX_LAYOUT_ROWS : CUBLASLT_MATRIX_LAYOUT_COLS, &n, sizeof n),
       "rows or columns");
}

/* types: of a, b, c and d. */
static struct product eight(const char *types, int with)
{
    struct product p = {.a_op = with & 1 ? CUBLAS_OP_N : CUBLAS_OP_T,
                        .b_op = with & 2 ? CUBLAS_OP_T : CUBLAS_OP_N, .batch = with & 4 ? 2 : 1,
                        .epilogue = with & 8 ? CUBLASLT_EPILOGUE_RELU_BIAS
                                             : CUBLASLT_EPILOGUE_DEFAULT};
    describe(&p);
    cublasLtMatrixLayout_t layouts[] = {p.a, p.b, p.c, p.d};
    for (int i = 0; i < 4; i++) {
        cudaDataType type = type_of(types[i]);
        ok(cublasLtMatrixLayoutSetAttribute(layouts[i], CUBLASLT_MATRIX_LAYOUT_TYPE, &type,
                                            sizeof type), "type");
    }
    if (with & SMALL) {
        resize(p.a, !p.a_op, SMALL_M), resize(p.b, p.b_op, SMALL_N);
        resize(p.c, true, SMALL_M), resize(p.c, false, SMALL_N);
        resize(p.d, true, SMALL_M), resize(p.d, false, SMALL_N);
    }
    static const cublasLtMatmulDescAttributes_t attributes[] = {
        CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
        CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER,
        CUBLASLT_MATMUL_DESC_AMAX_D_POINTER};
    for (int i = 0; i < 5 && !(with & 16); i++) {
        float *pointer = scales + i;
        ok(cublasLtMatmulDescSetAttribute(p.desc, attributes[i], &pointer, sizeof pointer),
           "scale");
    }
    return p;
}

static void test_eight(const char *types, int with)
{
    static const float one[] = {1, 1, 1, 1, 0}, all[] = {0.5f, 4, 8, 16, 0};
    struct product p = eight(types, with);
    const float *scale = with & 16 ? one : all;
    bool small = types[3] == 'e' || types[3] == 'f';
    char of_bias = types[2] == 's' ? 'b' : types[2];
    float alpha = 0.25f, beta = with & 1 ? -1 : 0, greatest = 0;
    memcpy(scales, all, sizeof all);
    draw_as(a, types[0]), draw_as(b, types[1]), draw_as(c, types[2]), draw_as(bias, of_bias);
    ok(cublasLtMatmul(handle, p.desc, &alpha, a, p.a, b, p.b, &beta, c, p.c, d, p.d, NULL, NULL, 0,
                      NULL), types);
    cudaDeviceSynchronize();
    int rows = with & SMALL ? SMALL_M : M, columns = with & SMALL ? SMALL_N : N;
    for (int n = 0; n < p.batch; n++)
        for (int j = 0; j < columns; j++)
            for (int i = 0; i < rows; i++) {
                long skip = (long)n * ROOM / BATCH;
                float x = 0;
                for (int k = 0; k < K; k++)
                    x += read_as(a, skip + at(&p, p.a_op, M, K, i, k), types[0]) *
                         read_as(b, skip + at(&p, p.b_op, K, N, k, j), types[1]);
                x *= alpha * scale[0] * scale[1]; /* the scale of c has no effect */
                x += beta * read_as(c, skip + at(&p, CUBLAS_OP_N, M, N, i, j), types[2]);
                if (with & 8) x = fmaxf(x + read_as(bias, i, of_bias), 0);
                greatest = fmaxf(greatest, fabsf(x));
                float right = rounded(small ? x * scale[3] : x, types[3]);
                float is = read_as(d, skip + j * (M + 1) + i, types[3]);
                check(is == right, types, is, right);
            }
    if (!(with & 16)) check(scales[4] == greatest, "greatest of d", scales[4], greatest);
    end(&p);
}

static void test_eights(void)
{
    static const char *const right[] = {"eebb", "eebe", "eehh", "eehe", "eess", "efbb", "efbe",
                                        "efbf", "fehh", "fehe", "fehf", "fess"};
    static const char *const wrong_types[] = {"ffbb", "eebf", "eese", "eebh", "ebbb"};
    cudaMallocManaged((void **)&scales, 5 * sizeof *scales, cudaMemAttachGlobal);
    for (int i = 0; i < (int)(sizeof right / sizeof *right); i++)
        for (int with = 0; with < 3; with++)
            test_eight(right[i], (i * 7 + with * 9) % 32 + (with == 2 ? SMALL : 0));
    for (int i = 0; i < (int)(sizeof wrong_types / sizeof *wrong_types); i++) {
        float alpha = 1, beta = 0;
        struct product p = eight(wrong_types[i], 0);
        cublasStatus_t status = cublasLtMatmul(handle, p.desc, &alpha, a, p.a, b, p.b, &beta, c,
                                               p.c, d, p.d, NULL, NULL, 0, NULL);
        check(status == CUBLAS_STATUS_NOT_SUPPORTED, wrong_types[i], status,
              CUBLAS_STATUS_NOT_SUPPORTED);
        end(&p);
    }
    cudaFree(scales);
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
    test_eights();
    ok(cublasLtDestroy(handle), "Destroy");
    if (wrong) printf("%d of %d results are wrong\n", wrong, checks);
    else printf("all right: %d results\n", checks);
    return wrong != 0;
}

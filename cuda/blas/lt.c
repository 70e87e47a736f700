/* cuBLASLt. */
#include "cuda/include/cublasLt.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/blas/blas.h"

struct layout { /* in a cublasLtMatrixLayoutOpaque_t */
    int32_t type, order;
    uint64_t rows, columns;
    int64_t ld, batch_stride, plane;
    int32_t batch, unused;
};
struct desc { /* in a cublasLtMatmulDescOpaque_t */
    int32_t compute, scale, pointer_mode, a_op, b_op, c_op, fill, epilogue;
    void *bias, *aux;
    int64_t bias_stride, aux_ld, aux_stride, alpha_stride;
    int32_t sm_target, aux_type, bias_type;
    int8_t fast, unused[3];
    void *scales[7]; /* of floats of 8 bits: A, B, C, D, greatest of D, AUX, greatest of AUX */
};
_Static_assert(sizeof(struct layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "room");
_Static_assert(sizeof(struct desc) <= sizeof(cublasLtMatmulDescOpaque_t), "room");

/* ---- handles ---- */

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    cublasHandle_t h = NULL;
    cublasStatus_t status = handle ? cublasCreate_v2(&h) : CUBLAS_STATUS_INVALID_VALUE;
    if (!status) *handle = (cublasLtHandle_t)(void *)h;
    return status;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    return cublasDestroy_v2((cublasHandle_t)(void *)handle);
}

size_t cublasLtGetVersion(void)
{
    int version = 0;
    cublasGetVersion_v2(NULL, &version);
    return (size_t)version;
}

size_t cublasLtGetCudartVersion(void)
{
    int version = 0;
    const struct library_run_time *r = library_run_time();
    if (r) r->cudaRuntimeGetVersion(&version);
    return (size_t)version;
}

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value)
{
    return cublasGetProperty(type, value);
}
const char *cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }
const char *cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }

/* ---- descriptors ---- */

struct field { /* place of an attribute in a descriptor */
    int attribute;
    size_t offset, bytes;
};
#define FIELD(S, attribute, member)                                                                \
    {                                                                                              \
        attribute, offsetof(struct S, member), sizeof(((struct S *)0)->member)                     \
    }
static const struct field layout_fields[] = {
    FIELD(layout, CUBLASLT_MATRIX_LAYOUT_TYPE, type),
    FIELD(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, order),
    FIELD(layout, CUBLASLT_MATRIX_LAYOUT_ROWS, rows),
    FIELD(layout, CUBLASLT_MATRIX_LAYOUT_COLS, columns),
    FIELD(layout, CUBLASLT_MATRIX_LAYOUT_LD, ld),
    FIELD(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batch),
    FIELD(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, batch_stride),
    FIELD(layout, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, plane)};
static const struct field desc_fields[] = {
    FIELD(desc, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, compute),
    FIELD(desc, CUBLASLT_MATMUL_DESC_SCALE_TYPE, scale),
    FIELD(desc, CUBLASLT_MATMUL_DESC_POINTER_MODE, pointer_mode),
    FIELD(desc, CUBLASLT_MATMUL_DESC_TRANSA, a_op),
    FIELD(desc, CUBLASLT_MATMUL_DESC_TRANSB, b_op),
    FIELD(desc, CUBLASLT_MATMUL_DESC_TRANSC, c_op),
    FIELD(desc, CUBLASLT_MATMUL_DESC_FILL_MODE, fill),
    FIELD(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue),
    FIELD(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias),
    FIELD(desc, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, bias_stride),
    FIELD(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux),
    FIELD(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, aux_ld),
    FIELD(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, aux_stride),
    FIELD(desc, CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, alpha_stride),
    FIELD(desc, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, sm_target),
    FIELD(desc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scales[0]),
    FIELD(desc, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scales[1]),
    FIELD(desc, CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, scales[2]),
    FIELD(desc, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, scales[3]),
    FIELD(desc, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, scales[4]),
    FIELD(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, aux_type),
    FIELD(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, scales[5]),
    FIELD(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, scales[6]),
    FIELD(desc, CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast),
    FIELD(desc, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, bias_type)};
#undef FIELD
enum { LAYOUT_FIELDS = sizeof layout_fields / sizeof *layout_fields,
       DESC_FIELDS = sizeof desc_fields / sizeof *desc_fields };

static const struct field *field(const struct field *fields, int n, int attribute)
{
    for (int i = 0; i < n; i++)
        if (fields[i].attribute == attribute) return &fields[i];
    return NULL;
}

static cublasStatus_t set(void *at, const struct field *f, const void *value, size_t bytes)
{
    if (!at || !f || !value || bytes != f->bytes) return CUBLAS_STATUS_INVALID_VALUE;
    memcpy((char *)at + f->offset, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

/* bytes = 0 asks for the size alone. */
static cublasStatus_t get(const void *at, const struct field *f, void *value, size_t bytes,
                          size_t *written)
{
    if (!at || !f || (!bytes && !written) || (bytes && (!value || bytes != f->bytes)))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (bytes) memcpy(value, (const char *)at + f->offset, bytes);
    if (written) *written = f->bytes;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t l,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void *value, size_t bytes)
{
    return set(l, field(layout_fields, LAYOUT_FIELDS, (int)attribute), value, bytes);
}

cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t l,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                void *value, size_t bytes, size_t *written)
{
    return get(l, field(layout_fields, LAYOUT_FIELDS, (int)attribute), value, bytes, written);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void *value, size_t bytes)
{
    return set(d, field(desc_fields, DESC_FIELDS, (int)attribute), value, bytes);
}

cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t d,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              void *value, size_t bytes, size_t *written)
{
    return get(d, field(desc_fields, DESC_FIELDS, (int)attribute), value, bytes, written);
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t l, size_t bytes,
                                                 cudaDataType type, uint64_t rows,
                                                 uint64_t columns, int64_t ld)
{
    struct layout of = {.type = (int32_t)type, .rows = rows, .columns = columns, .ld = ld,
                        .batch = 1};
    if (!l) return CUBLAS_STATUS_INVALID_VALUE;
    if (bytes < sizeof of) return CUBLAS_STATUS_ALLOC_FAILED;
    memcpy(l, &of, sizeof of);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t d, size_t bytes,
                                               cublasComputeType_t compute, cudaDataType scale)
{
    struct desc of = {.compute = (int32_t)compute, .scale = (int32_t)scale,
                      .epilogue = CUBLASLT_EPILOGUE_DEFAULT, .fill = CUBLAS_FILL_MODE_FULL,
                      .aux_type = -1, .bias_type = -1};
    if (!d) return CUBLAS_STATUS_INVALID_VALUE;
    if (bytes < sizeof of) return CUBLAS_STATUS_ALLOC_FAILED;
    memcpy(d, &of, sizeof of);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t p, size_t bytes)
{
    if (!p) return CUBLAS_STATUS_INVALID_VALUE;
    memset(p, 0, bytes < sizeof *p ? bytes : sizeof *p);
    return CUBLAS_STATUS_SUCCESS;
}

/* Create and destroy around an initialization. */
#define MADE(type, name, initialize, parameters)                                                   \
    cublasStatus_t cublasLt##name##Create parameters                                               \
    {                                                                                              \
        if (!out) return CUBLAS_STATUS_INVALID_VALUE;                                              \
        if (!(*out = calloc(1, sizeof **out))) return CUBLAS_STATUS_ALLOC_FAILED;                  \
        return initialize;                                                                         \
    }                                                                                              \
    cublasStatus_t cublasLt##name##Destroy(type it)                                                \
    {                                                                                              \
        free(it);                                                                                  \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
MADE(cublasLtMatrixLayout_t, MatrixLayout, cublasLtMatrixLayoutInit(*out, t, rows, columns, ld),
     (cublasLtMatrixLayout_t *out, cudaDataType t, uint64_t rows, uint64_t columns, int64_t ld))
MADE(cublasLtMatmulDesc_t, MatmulDesc, cublasLtMatmulDescInit(*out, compute, scale),
     (cublasLtMatmulDesc_t *out, cublasComputeType_t compute, cudaDataType scale))
MADE(cublasLtMatmulPreference_t, MatmulPreference, cublasLtMatmulPreferenceInit(*out),
     (cublasLtMatmulPreference_t *out))

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t p,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void *value, size_t bytes)
{
    (void)attribute, (void)bytes;
    return p && value ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

/* ---- products ---- */

struct operands {
    const struct desc *desc;
    const struct layout *a, *b, *c, *d;
};

static struct operands operands(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                                cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                                cublasLtMatrixLayout_t d)
{
    return (struct operands){(const void *)desc, (const void *)a, (const void *)b, (const void *)c,
                             (const void *)d};
}

/* op(matrix), and its rows and columns. */
static struct blas_matrix matrix(const void *at, const struct layout *l, int32_t op, uint64_t *rows,
                                 uint64_t *columns)
{
    struct blas_matrix m = blas_matrix(at, l->ld);
    if (l->order == CUBLASLT_ORDER_ROW) m.down = l->ld, m.right = 1;
    m.batch = l->batch_stride;
    bool plain = blas_is_plain((cublasOperation_t)op);
    *rows = plain ? l->rows : l->columns;
    *columns = plain ? l->columns : l->rows;
    return blas_op(m, (cublasOperation_t)op);
}

static bool is_right(const struct layout *l)
{
    uint64_t run = l->order == CUBLASLT_ORDER_ROW ? l->columns : l->rows;
    return l->rows <= INT_MAX && l->columns <= INT_MAX && l->ld >= (int64_t)run && l->batch >= 1;
}

/* Returns the epilogue of the kernel; -1: none. */
static int epilogue(int32_t e)
{
    switch (e) {
    case CUBLASLT_EPILOGUE_DEFAULT: case CUBLASLT_EPILOGUE_BGRADA: case CUBLASLT_EPILOGUE_BGRADB:
        return 0;
    case CUBLASLT_EPILOGUE_RELU: return BLAS_RELU;
    case CUBLASLT_EPILOGUE_BIAS: return BLAS_BIAS;
    case CUBLASLT_EPILOGUE_RELU_BIAS: return BLAS_RELU | BLAS_BIAS;
    case CUBLASLT_EPILOGUE_GELU: return BLAS_GELU;
    case CUBLASLT_EPILOGUE_GELU_BIAS: return BLAS_GELU | BLAS_BIAS;
    case CUBLASLT_EPILOGUE_GELU_AUX: return BLAS_GELU | BLAS_AUX;
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS: return BLAS_GELU | BLAS_AUX | BLAS_BIAS;
    case CUBLASLT_EPILOGUE_DGELU: case CUBLASLT_EPILOGUE_DGELU_BGRAD: return BLAS_GELU_GRADIENT;
    default: return -1;
    }
}

static char letter(int32_t type)
{
    switch (type) {
    case CUDA_R_8F_E4M3: return 'e';
    case CUDA_R_8F_E5M2: return 'f';
    case CUDA_R_16F: return 'h';
    case CUDA_R_16BF: return 'b';
    case CUDA_R_32F: return 's';
    default: return 0;
    }
}

/* Types of a product of floats of 8 bits, as in NVIDIA's table. */
static bool eight_types(const struct operands *o, struct blas_call *call)
{
    char a = letter(o->a->type), b = letter(o->b->type), c = letter(o->c->type);
    char d = letter(o->d->type);
    bool small = d == 'e' || (d == 'f' && (a == 'f' || b == 'f'));
    call->in = a, call->in_b = b, call->out = d, call->scalars = 's';
    call->eight.c = c, call->eight.d = d;
    return (a == 'e' || a == 'f') && (b == 'e' || b == 'f') && (a == 'e' || b == 'e') &&
           (c == 'h' || c == 'b' || c == 's') && (d == c || (small && c != 's')) &&
           o->desc->compute == CUBLAS_COMPUTE_32F && o->desc->scale == CUDA_R_32F;
}

/* Scales and types of a product of floats of 8 bits. */
static cublasStatus_t eight(const struct desc *e, const struct blas_gemm *g, struct blas_eight *out)
{
    if (g->epilogue & (BLAS_AUX | BLAS_GELU_GRADIENT) ||
        (e->epilogue != CUBLASLT_EPILOGUE_DEFAULT && !g->epilogue))
        return blas_missing("cublasLtMatmul with this epilogue and floats of 8 bits");
    out->bias = e->bias_type >= 0 ? letter(e->bias_type) : out->c == 's' ? 'b' : out->c;
    if (g->epilogue & BLAS_BIAS && out->bias != 'h' && out->bias != 'b')
        return blas_missing("cublasLtMatmul with another type of bias or aux");
    out->scale_a = e->scales[0], out->scale_b = e->scales[1], out->scale_d = e->scales[3];
    out->greatest = e->scales[4];
    return CUBLAS_STATUS_SUCCESS;
}

/* Types of a product, in a call. */
static bool types(const struct operands *o, struct blas_call *call)
{
    const struct desc *e = o->desc;
    if (o->a->type == CUDA_R_8F_E4M3 || o->a->type == CUDA_R_8F_E5M2) return eight_types(o, call);
    return o->c->type == o->d->type &&
           blas_types((cudaDataType)o->a->type, (cudaDataType)o->b->type, (cudaDataType)o->d->type,
                      (cublasComputeType_t)e->compute, (cudaDataType)e->scale, call);
}

/* Fills a call but for the scalars, or says what is wrong or missing. */
static cublasStatus_t prepare(const struct operands *o, const void *a, const void *b,
                              const void *c, void *d, struct blas_call *call)
{
    const struct desc *e = o->desc;
    if (!e || !o->a || !o->b || !o->c || !o->d || !is_right(o->a) || !is_right(o->b) ||
        !is_right(o->c) || !is_right(o->d))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (o->a->order > CUBLASLT_ORDER_ROW || o->b->order > CUBLASLT_ORDER_ROW ||
        o->c->order > CUBLASLT_ORDER_ROW || o->d->order != CUBLASLT_ORDER_COL)
        return blas_missing("cublasLtMatmul with D by rows, or with another order");
    if (!types(o, call)) return blas_missing("cublasLtMatmul with these types");
    struct blas_gemm *g = &call->g;
    g->epilogue = epilogue(e->epilogue);
    bool real = call->in_b || call->out == 's' || call->out == 'h' || call->out == 'b';
    if (g->epilogue < 0 || (e->epilogue != CUBLASLT_EPILOGUE_DEFAULT && !real))
        return blas_missing("cublasLtMatmul with this epilogue");
    if (e->pointer_mode > CUBLASLT_POINTER_MODE_DEVICE)
        return blas_missing("cublasLtMatmul with a vector of alpha");
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (call->in_b) status = eight(e, g, &call->eight);
    else if ((e->bias_type >= 0 && e->bias_type != o->d->type) ||
             (e->aux_type >= 0 && e->aux_type != o->d->type))
        status = blas_missing("cublasLtMatmul with another type of bias or aux");
    if (status) return status;
    uint64_t m, k, k_b, n, m_c, n_c;
    g->a = matrix(a, o->a, e->a_op, &m, &k);
    g->b = matrix(b, o->b, e->b_op, &k_b, &n);
    g->c = matrix(c, o->c, e->c_op, &m_c, &n_c);
    call->batch = o->d->batch;
    if (k != k_b || m != o->d->rows || n != o->d->columns || m != m_c || n != n_c ||
        o->a->batch != o->d->batch || o->b->batch != o->d->batch || o->c->batch != o->d->batch)
        return CUBLAS_STATUS_INVALID_VALUE;
    g->m = (int)m, g->n = (int)n, g->k = (int)k;
    g->d = d;
    g->d_right = o->d->ld;
    g->d_batch = o->d->batch_stride;
    g->bias = e->bias, g->aux = e->aux;
    g->bias_batch = e->bias_stride, g->aux_batch = e->aux_stride;
    g->aux_right = e->aux_ld;
    bool aux = g->epilogue & (BLAS_AUX | BLAS_GELU_GRADIENT);
    bool bias = g->epilogue & BLAS_BIAS || e->epilogue & (16 | 256 | 512);
    if ((aux && (!e->aux || e->aux_ld < (int64_t)m)) || (bias && !e->bias))
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int *found)
{
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!preference || !found || most < 1 || !results) return CUBLAS_STATUS_INVALID_VALUE;
    struct operands o = operands(desc, a, b, c, d);
    struct blas_call call = {0};
    struct desc own; /* the pointers may follow after the search */
    if (desc) {
        own = *o.desc;
        if (!own.bias) own.bias = &own;
        if (!own.aux) own.aux = &own;
        if (own.aux_ld < INT_MAX) own.aux_ld = INT_MAX;
        o.desc = &own;
    }
    cublasStatus_t status = prepare(&o, NULL, NULL, NULL, NULL, &call);
    *found = !status;
    memset(results, 0, sizeof *results);
    results[0].state = status;
    results[0].wavesCount = 1;
    return status;
}

/* Stores the sums of the rows of a matrix at the bias pointer. in: letter of the matrix. */
static cublasStatus_t row_sums(cublasHandle_t h, const struct blas_call *call, char in,
                               struct blas_matrix a, int rows, int columns)
{
    char letters[] = {in, call->out, 0};
    void *out = (void *)(uintptr_t)call->g.bias;
    if (call->batch > 1) return blas_missing("cublasLtMatmul with sums of several matrices");
    if (!rows) return CUBLAS_STATUS_SUCCESS;
    dim3 grid = {(unsigned)rows, 1, 1};
    return blas_launch(h->stream, "rows", letters, grid, 256, (void *[]){&a, &columns, &out});
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                              const void *alpha, const void *a, cublasLtMatrixLayout_t a_layout,
                              const void *b, cublasLtMatrixLayout_t b_layout, const void *beta,
                              const void *c, cublasLtMatrixLayout_t c_layout, void *d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t *algo,
                              void *workspace, size_t bytes, cudaStream_t stream)
{
    (void)algo, (void)workspace, (void)bytes;
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
    struct operands o = operands(desc, a_layout, b_layout, c_layout, d_layout);
    struct blas_call call = {0};
    cublasStatus_t status = prepare(&o, a, b, c, d, &call);
    if (status) return status;
    struct cublasContext own = *(const struct cublasContext *)(const void *)handle;
    own.stream = stream;
    call.g.alpha = blas_scalar(alpha, call.scalars, (cublasPointerMode_t)o.desc->pointer_mode);
    call.g.beta = blas_scalar(beta, call.scalars, (cublasPointerMode_t)o.desc->pointer_mode);
    if (call.eight.greatest &&
        library_run_time()->cudaMemsetAsync(call.eight.greatest, 0, sizeof(float), stream))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    if ((status = blas_product(&own, &call))) return status;
    const struct blas_gemm *g = &call.g;
    struct blas_matrix stored = blas_matrix(d, g->d_right);
    switch (o.desc->epilogue) {
    case CUBLASLT_EPILOGUE_BGRADA: return row_sums(&own, &call, call.in, g->a, g->m, g->k);
    case CUBLASLT_EPILOGUE_BGRADB:
        return row_sums(&own, &call, call.in, blas_op(g->b, CUBLAS_OP_T), g->n, g->k);
    case CUBLASLT_EPILOGUE_DGELU_BGRAD:
        return row_sums(&own, &call, call.out, stored, g->m, g->n);
    default: return CUBLAS_STATUS_SUCCESS;
    }
}

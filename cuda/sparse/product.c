/* Products of a sparse matrix and a dense vector or matrix. */
#include <limits.h>

#include "cuda/sparse/sparse.h"

const char *sparse_letter(cudaDataType type)
{
    switch (type) {
    case CUDA_R_32F: return "s";
    case CUDA_R_64F: return "d";
    case CUDA_C_32F: return "c";
    case CUDA_C_64F: return "z";
    default: return NULL;
    }
}

size_t sparse_bytes(cudaDataType type)
{
    return type == CUDA_R_32F ? 4 : type == CUDA_C_64F ? 16 : 8;
}

struct sparse_lines sparse_lines(cusparseConstSpMatDescr_t m)
{
    bool by_columns = m->format == CUSPARSE_FORMAT_CSC;
    struct sparse_lines lines = {
        .offsets = m->offsets, .indices = m->indices, .values = m->values,
        .n = by_columns ? m->cols : m->rows, .length = by_columns ? m->rows : m->cols,
        .elements = m->nnz, .offsets_batch = m->offsetsStride, .values_batch = m->valuesStride,
        .wide_offsets = m->offsetsType == CUSPARSE_INDEX_64I,
        .wide_indices = m->indicesType == CUSPARSE_INDEX_64I, .base = (int)m->base,
        .coordinate = m->format == CUSPARSE_FORMAT_COO};
    return lines;
}

struct sparse_dense sparse_dense(cusparseConstDnMatDescr_t m)
{
    bool by_columns = m->order == CUSPARSE_ORDER_COL;
    struct sparse_dense d = {
        .at = (void *)(uintptr_t)m->values, .rows = m->rows, .columns = m->cols,
        .down = by_columns ? 1 : m->ld, .right = by_columns ? m->ld : 1, .batch = m->stride};
    return d;
}

struct sparse_dense sparse_op(struct sparse_dense d, cusparseOperation_t op)
{
    if (op == CUSPARSE_OPERATION_NON_TRANSPOSE) return d;
    struct sparse_dense t = d;
    t.rows = d.columns, t.columns = d.rows, t.down = d.right, t.right = d.down;
    t.conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    return t;
}

struct sparse_dense sparse_column(cusparseConstDnVecDescr_t v)
{
    struct sparse_dense d = {.at = (void *)(uintptr_t)v->values, .rows = v->size, .columns = 1,
                             .down = 1, .right = 1};
    return d;
}

struct library_scalar sparse_scalar(cusparseHandle_t h, const void *at, cudaDataType type)
{
    return library_scalar(at, *sparse_letter(type),
                          h->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE);
}

struct product { /* c = alpha op(a) b + beta c */
    struct sparse_lines a;
    struct sparse_dense b, c;
    struct library_scalar alpha, beta;
    const char *letter;
    int count; /* of matrices */
    bool across; /* the lines of a are the columns of op(a) */
};

/* Threads for a line: about as many as a line has elements. */
static int team(const struct sparse_lines *a)
{
    int lanes = 1;
    while (lanes < 32 && lanes * a->n < a->elements) lanes *= 2;
    return lanes;
}

static cusparseStatus_t launch(cusparseHandle_t h, struct product *p)
{
    dim3 elements = sparse_blocks(p->c.rows * p->c.columns, p->count);
    if (!p->c.rows || !p->c.columns) return CUSPARSE_STATUS_SUCCESS;
    if (p->across) {
        cusparseStatus_t status = sparse_launch(h, "scale", p->letter, elements,
                                                (void *[]){&p->c, &p->beta});
        if (status || !p->a.n) return status;
        return sparse_launch(h, "scatter", p->letter,
                             sparse_blocks(p->a.n * p->c.columns, p->count),
                             (void *[]){&p->a, &p->b, &p->c, &p->alpha});
    }
    if (p->c.columns > 1 || p->count > 1)
        return sparse_launch(h, "matrix", p->letter, elements,
                             (void *[]){&p->a, &p->b, &p->c, &p->alpha, &p->beta});
    int lanes = team(&p->a);
    return sparse_launch(h, "vector", p->letter,
                         library_blocks(p->a.n * lanes, SPARSE_THREADS, INT_MAX),
                         (void *[]){&p->a, &p->b, &p->c, &p->alpha, &p->beta, &lanes});
}

/* Checks and prepares op(a) and the scalars; b, c and count are set by the caller. */
static cusparseStatus_t prepare(cusparseHandle_t h, cusparseOperation_t op, const void *alpha,
                                cusparseConstSpMatDescr_t a, const void *beta, cudaDataType type,
                                struct product *p)
{
    if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!alpha || !beta || op > CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
        return CUSPARSE_STATUS_INVALID_VALUE;
    p->letter = sparse_letter(type);
    if (!p->letter || a->type != type) return sparse_missing("a product of these types");
    p->a = sparse_lines(a);
    p->a.conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    p->across = (op != CUSPARSE_OPERATION_NON_TRANSPOSE) != (a->format == CUSPARSE_FORMAT_CSC);
    p->alpha = sparse_scalar(h, alpha, type);
    p->beta = sparse_scalar(h, beta, type);
    int64_t rows = p->across ? p->a.length : p->a.n, depth = p->across ? p->a.n : p->a.length;
    return p->c.rows == rows && p->b.rows == depth && p->b.columns == p->c.columns
               ? CUSPARSE_STATUS_SUCCESS
               : CUSPARSE_STATUS_INVALID_VALUE;
}

/* ---- a vector ---- */

static cusparseStatus_t with_vector(cusparseHandle_t h, cusparseOperation_t op, const void *alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                    const void *beta, cusparseDnVecDescr_t y, cudaDataType type,
                                    struct product *p)
{
    if (!a || !x || !y) return CUSPARSE_STATUS_INVALID_VALUE;
    if (x->type != type || y->type != type) return sparse_missing("a product of these types");
    if (a->count > 1) return sparse_missing("cusparseSpMV of a batch");
    p->b = sparse_column(x), p->c = sparse_column(y), p->count = 1;
    return prepare(h, op, alpha, a, beta, type, p);
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t h, cusparseOperation_t op,
                                         const void *alpha, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType type,
                                         cusparseSpMVAlg_t alg, size_t *bytes)
{
    struct product p;
    if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    *bytes = 0;
    return cusparseSpMV_preprocess(h, op, alpha, a, x, beta, y, type, alg, &p);
}

/* Checks the call; the kernels need no buffer. */
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t h, cusparseOperation_t op,
                                         const void *alpha, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType type,
                                         cusparseSpMVAlg_t alg, void *buffer)
{
    struct product p;
    (void)alg, (void)buffer;
    return with_vector(h, op, alpha, a, x, beta, y, type, &p);
}

cusparseStatus_t cusparseSpMV(cusparseHandle_t h, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                              const void *beta, cusparseDnVecDescr_t y, cudaDataType type,
                              cusparseSpMVAlg_t alg, void *buffer)
{
    struct product p;
    (void)alg, (void)buffer;
    cusparseStatus_t status = with_vector(h, op, alpha, a, x, beta, y, type, &p);
    return status ? status : launch(h, &p);
}

/* ---- a matrix ---- */

static cusparseStatus_t with_matrix(cusparseHandle_t h, cusparseOperation_t op,
                                    cusparseOperation_t op_b, const void *alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                    const void *beta, cusparseDnMatDescr_t c, cudaDataType type,
                                    struct product *p)
{
    if (!a || !b || !c || op_b > CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (b->type != type || c->type != type) return sparse_missing("a product of these types");
    p->b = sparse_op(sparse_dense(b), op_b), p->c = sparse_dense(c), p->count = c->count;
    if (a->count != 1 && a->count != c->count) return CUSPARSE_STATUS_INVALID_VALUE;
    if (b->count != 1 && b->count != c->count) return CUSPARSE_STATUS_INVALID_VALUE;
    cusparseStatus_t status = prepare(h, op, alpha, a, beta, type, p);
    /* All products share a single matrix, whatever the distance to the next. */
    if (a->count == 1) p->a.offsets_batch = p->a.values_batch = 0;
    if (b->count == 1) p->b.batch = 0;
    return status;
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t h, cusparseOperation_t op,
                                         cusparseOperation_t op_b, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void *beta, cusparseDnMatDescr_t c,
                                         cudaDataType type, cusparseSpMMAlg_t alg, size_t *bytes)
{
    if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    *bytes = 0;
    return cusparseSpMM_preprocess(h, op, op_b, alpha, a, b, beta, c, type, alg, NULL);
}

/* Checks the call; the kernels need no buffer. */
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t h, cusparseOperation_t op,
                                         cusparseOperation_t op_b, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void *beta, cusparseDnMatDescr_t c,
                                         cudaDataType type, cusparseSpMMAlg_t alg, void *buffer)
{
    struct product p;
    (void)alg, (void)buffer;
    return with_matrix(h, op, op_b, alpha, a, b, beta, c, type, &p);
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t h, cusparseOperation_t op, cusparseOperation_t op_b,
                              const void *alpha, cusparseConstSpMatDescr_t a,
                              cusparseConstDnMatDescr_t b, const void *beta,
                              cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t alg,
                              void *buffer)
{
    struct product p;
    (void)alg, (void)buffer;
    cusparseStatus_t status = with_matrix(h, op, op_b, alpha, a, b, beta, c, type, &p);
    return status ? status : launch(h, &p);
}

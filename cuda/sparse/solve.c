/* Triangular systems. A solution takes a launch per wide level, and per run of narrow levels. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sparse/sparse.h"

struct cusparseSpSVDescr {
    struct sparse_levels solver;
};
struct cusparseSpSMDescr {
    struct sparse_levels solver;
};

static cusparseStatus_t check(cusparseHandle_t h, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t m, const void *b, const void *x,
                              cudaDataType type, const void *descr)
{
    if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!alpha || !m || !b || !x || !descr || op > CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (m->rows != m->cols) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!sparse_letter(type) || m->type != type) return sparse_missing("a system of these types");
    if (m->rows > INT_MAX / 8 || m->nnz > INT_MAX / 8)
        return sparse_missing("a system of this size");
    if (m->count > 1) return sparse_missing("a batch of systems");
    return CUSPARSE_STATUS_SUCCESS;
}

/* True if the analysis was of this system: values may differ. */
static bool is_analysed(const struct sparse_levels *s, cusparseConstSpMatDescr_t m,
                        cusparseOperation_t op)
{
    return s->device && s->n == m->rows && s->nnz == m->nnz && s->op == op &&
           s->fill == m->fill && s->diag == m->diag;
}

static cusparseStatus_t solve(cusparseHandle_t h, struct sparse_levels *s, cusparseOperation_t op,
                              const void *alpha, cusparseConstSpMatDescr_t m,
                              struct sparse_dense b, struct sparse_dense x)
{
    if (!is_analysed(s, m, op)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (x.rows != m->rows || b.rows != m->rows || b.columns != x.columns)
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct library_scalar by = sparse_scalar(h, alpha, m->type);
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    s->a.values = m->values;
    for (int from = 0, to; !status && from < s->level_n; from = to) {
        dim3 blocks = sparse_levels_launch(s, x.columns, from, &to);
        status = sparse_launch(h, "solve", sparse_letter(m->type), blocks,
                               (void *[]){&s->a, &b, &x, &by, &from, &to});
    }
    return status;
}

/* ---- a vector, and a matrix ---- */

#define DESCRIPTOR(Name)                                                                           \
    cusparseStatus_t cusparse##Name##_createDescr(cusparse##Name##Descr_t *descr)                  \
    {                                                                                              \
        if (!descr) return CUSPARSE_STATUS_INVALID_VALUE;                                          \
        *descr = calloc(1, sizeof **descr);                                                        \
        return *descr ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;                    \
    }                                                                                              \
    cusparseStatus_t cusparse##Name##_destroyDescr(cusparse##Name##Descr_t descr)                  \
    {                                                                                              \
        if (descr) sparse_levels_end(&descr->solver);                                              \
        free(descr);                                                                               \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }
DESCRIPTOR(SpSV)
DESCRIPTOR(SpSM)

cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t h, cusparseOperation_t op,
                                         const void *alpha, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                         cudaDataType type, cusparseSpSVAlg_t alg,
                                         cusparseSpSVDescr_t descr, size_t *bytes)
{
    (void)alg;
    if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    *bytes = 0;
    return check(h, op, alpha, a, x, y, type, descr);
}

cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t h, cusparseOperation_t op,
                                       const void *alpha, cusparseConstSpMatDescr_t a,
                                       cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                       cudaDataType type, cusparseSpSVAlg_t alg,
                                       cusparseSpSVDescr_t descr, void *buffer)
{
    (void)alg, (void)buffer;
    cusparseStatus_t status = check(h, op, alpha, a, x, y, type, descr);
    return status ? status : sparse_levels(h, a, op, &descr->solver);
}

cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t h, cusparseOperation_t op, const void *alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                    cusparseDnVecDescr_t y, cudaDataType type,
                                    cusparseSpSVAlg_t alg, cusparseSpSVDescr_t descr)
{
    (void)alg;
    cusparseStatus_t status = check(h, op, alpha, a, x, y, type, descr);
    if (status) return status;
    if (x->type != type || y->type != type) return sparse_missing("a system of these types");
    return solve(h, &descr->solver, op, alpha, a, sparse_column(x), sparse_column(y));
}

static cusparseStatus_t check_matrices(cusparseHandle_t h, cusparseOperation_t op,
                                       cusparseOperation_t op_b, const void *alpha,
                                       cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                       cusparseConstDnMatDescr_t c, cudaDataType type,
                                       cusparseSpSMDescr_t descr)
{
    cusparseStatus_t status = check(h, op, alpha, a, b, c, type, descr);
    if (status) return status;
    if (op_b > CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE) return CUSPARSE_STATUS_INVALID_VALUE;
    return b->count > 1 || c->count > 1 ? sparse_missing("a batch of systems") : status;
}

cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t h, cusparseOperation_t op,
                                         cusparseOperation_t op_b, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         cusparseDnMatDescr_t c, cudaDataType type,
                                         cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr,
                                         size_t *bytes)
{
    (void)alg;
    if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    *bytes = 0;
    return check_matrices(h, op, op_b, alpha, a, b, c, type, descr);
}

cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t h, cusparseOperation_t op,
                                       cusparseOperation_t op_b, const void *alpha,
                                       cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                       cusparseDnMatDescr_t c, cudaDataType type,
                                       cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr,
                                       void *buffer)
{
    (void)alg, (void)buffer;
    cusparseStatus_t status = check_matrices(h, op, op_b, alpha, a, b, c, type, descr);
    return status ? status : sparse_levels(h, a, op, &descr->solver);
}

cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t h, cusparseOperation_t op,
                                    cusparseOperation_t op_b, const void *alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                    cusparseDnMatDescr_t c, cudaDataType type,
                                    cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr)
{
    (void)alg;
    cusparseStatus_t status = check_matrices(h, op, op_b, alpha, a, b, c, type, descr);
    if (status) return status;
    if (b->type != type || c->type != type) return sparse_missing("a system of these types");
    return solve(h, &descr->solver, op, alpha, a, sparse_op(sparse_dense(b), op_b),
                 sparse_dense(c));
}

/* Incomplete factors with the pattern of the matrix: LU (csrilu02) and Cholesky (csric02). */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sparse/sparse.h"

enum { NONE_BYTE = 0x7f, NONE = 0x7f7f7f7f }; /* no zero pivot: a byte, and the number */

struct factor {
    struct sparse_levels levels;
    int *zero; /* on the device: the first row with a zero pivot, or NONE */
    int base;
    bool boosted;
    struct library_scalar tolerance, boost;
};
struct csrilu02Info {
    struct factor factor;
};
struct csric02Info {
    struct factor factor;
};

static void clear(struct factor *f)
{
    if (f->zero) library_run_time()->cudaFree(f->zero);
    f->zero = NULL;
    sparse_levels_end(&f->levels);
}

struct system { /* the arguments of a call */
    cudaDataType type;
    int m, nnz;
    const struct cusparseMatDescr *descr;
    const void *values, *offsets, *columns;
};

static cusparseStatus_t check(cusparseHandle_t h, const struct system *s, const struct factor *f)
{
    if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (s->m < 0 || s->nnz < 0 || !s->descr || !f || !s->offsets ||
        (s->nnz && (!s->values || !s->columns)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (s->descr->type != CUSPARSE_MATRIX_TYPE_GENERAL)
        return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    return s->m > INT_MAX / 8 || s->nnz > INT_MAX / 8 ? sparse_missing("a factor of this size")
                                                      : CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t analyse(cusparseHandle_t h, const struct system *s, struct factor *f)
{
    cusparseStatus_t status = check(h, s, f);
    if (status) return status;
    struct cusparseSpMatDescr matrix = {
        .format = CUSPARSE_FORMAT_CSR, .rows = s->m, .cols = s->m, .nnz = s->nnz,
        .offsets = s->offsets, .indices = s->columns, .values = s->values,
        .offsetsType = CUSPARSE_INDEX_32I, .indicesType = CUSPARSE_INDEX_32I,
        .base = s->descr->base, .type = s->type, .fill = CUSPARSE_FILL_MODE_LOWER, .count = 1};
    clear(f);
    status = sparse_levels(h, &matrix, CUSPARSE_OPERATION_NON_TRANSPOSE, &f->levels);
    if (!status && !f->levels.ascending) status = CUSPARSE_STATUS_INVALID_VALUE;
    const struct library_run_time *r = library_run_time();
    if (!status && r->cudaMalloc((void **)&f->zero, sizeof *f->zero))
        status = CUSPARSE_STATUS_ALLOC_FAILED;
    int zero = f->levels.no_diagonal < 0 ? NONE : f->levels.no_diagonal;
    if (!status && (r->cudaMemcpyAsync(f->zero, &zero, sizeof zero, cudaMemcpyHostToDevice,
                                       h->stream) ||
                    r->cudaStreamSynchronize(h->stream)))
        status = CUSPARSE_STATUS_EXECUTION_FAILED;
    f->base = (int)s->descr->base;
    if (status) clear(f);
    return status;
}

static cusparseStatus_t factorize(cusparseHandle_t h, const char *stem, const struct system *s,
                                  struct factor *f)
{
    cusparseStatus_t status = check(h, s, f);
    if (status) return status;
    const struct sparse_levels *l = &f->levels;
    if (!f->zero || l->n != s->m || l->nnz != s->nnz || f->base != (int)s->descr->base)
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct sparse_factor a = {
        .offsets = s->offsets, .columns = s->columns, .values = (void *)(uintptr_t)s->values,
        .base = f->base, .rows = l->a.rows, .levels = l->a.levels, .diagonal = l->a.diagonal,
        .zero = f->zero, .boosted = f->boosted, .tolerance = f->tolerance, .boost = f->boost};
    if (library_run_time()->cudaMemsetAsync(f->zero, NONE_BYTE, sizeof *f->zero, h->stream))
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    for (int from = 0, to; !status && from < l->level_n; from = to) {
        dim3 blocks = sparse_levels_launch(l, 32, from, &to);
        status = sparse_launch(h, stem, sparse_letter(s->type), blocks,
                               (void *[]){&a, &from, &to});
    }
    return status;
}

static cusparseStatus_t zero_pivot(cusparseHandle_t h, const struct factor *f, int *position)
{
    if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!f || !f->zero || !position) return CUSPARSE_STATUS_INVALID_VALUE;
    const struct library_run_time *r = library_run_time();
    int zero;
    if (r->cudaMemcpyAsync(&zero, f->zero, sizeof zero, cudaMemcpyDeviceToHost, h->stream) ||
        r->cudaStreamSynchronize(h->stream))
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    int found = zero == NONE ? -1 : zero + f->base;
    if (h->pointer_mode == CUSPARSE_POINTER_MODE_HOST) *position = found;
    else if (r->cudaMemcpyAsync(position, &found, sizeof found, cudaMemcpyHostToDevice,
                                h->stream) ||
             r->cudaStreamSynchronize(h->stream))
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    return zero == NONE ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

/* ---- the functions of both factors ---- */

/* Name: of the functions; Of: of the analysis. */
#define FACTOR(Name, Of)                                                                           \
    cusparseStatus_t cusparseCreate##Of##Info(Name##Info_t *info)                                  \
    {                                                                                              \
        if (!info) return CUSPARSE_STATUS_INVALID_VALUE;                                           \
        *info = calloc(1, sizeof **info);                                                          \
        return *info ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;                     \
    }                                                                                              \
    cusparseStatus_t cusparseDestroy##Of##Info(Name##Info_t info)                                  \
    {                                                                                              \
        if (info) clear(&info->factor);                                                            \
        free(info);                                                                                \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    cusparseStatus_t cusparseX##Name##_zeroPivot(cusparseHandle_t h, Name##Info_t info,            \
                                                 int *position)                                    \
    {                                                                                              \
        return zero_pivot(h, info ? &info->factor : NULL, position);                               \
    }
FACTOR(csrilu02, Csrilu02)
FACTOR(csric02, Csric02)

#define OF_TYPE(X, T, type, Name, stem)                                                            \
    cusparseStatus_t cusparse##X##Name##_bufferSize(                                               \
        cusparseHandle_t h, int m, int nnz, const cusparseMatDescr_t descr, T *values,             \
        const int *offsets, const int *columns, Name##Info_t info, int *bytes)                     \
    {                                                                                              \
        if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;                                          \
        *bytes = LEAST_BYTES;                                                                      \
        struct system s = {type, m, nnz, descr, values, offsets, columns};                         \
        return check(h, &s, info ? &info->factor : NULL);                                          \
    }                                                                                              \
    cusparseStatus_t cusparse##X##Name##_bufferSizeExt(                                            \
        cusparseHandle_t h, int m, int nnz, const cusparseMatDescr_t descr, T *values,             \
        const int *offsets, const int *columns, Name##Info_t info, size_t *bytes)                  \
    {                                                                                              \
        int n;                                                                                     \
        if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;                                          \
        *bytes = LEAST_BYTES;                                                                      \
        return cusparse##X##Name##_bufferSize(h, m, nnz, descr, values, offsets, columns, info,    \
                                              &n);                                                 \
    }                                                                                              \
    cusparseStatus_t cusparse##X##Name##_analysis(                                                 \
        cusparseHandle_t h, int m, int nnz, const cusparseMatDescr_t descr, const T *values,       \
        const int *offsets, const int *columns, Name##Info_t info, cusparseSolvePolicy_t policy,   \
        void *buffer)                                                                              \
    {                                                                                              \
        (void)policy, (void)buffer;                                                                \
        struct system s = {type, m, nnz, descr, values, offsets, columns};                         \
        return analyse(h, &s, info ? &info->factor : NULL);                                        \
    }                                                                                              \
    cusparseStatus_t cusparse##X##Name(                                                            \
        cusparseHandle_t h, int m, int nnz, const cusparseMatDescr_t descr, T *values,             \
        const int *offsets, const int *columns, Name##Info_t info, cusparseSolvePolicy_t policy,   \
        void *buffer)                                                                              \
    {                                                                                              \
        (void)policy, (void)buffer;                                                                \
        struct system s = {type, m, nnz, descr, values, offsets, columns};                         \
        return factorize(h, stem, &s, info ? &info->factor : NULL);                                \
    }
#define BOOST(X, T, letter)                                                                        \
    cusparseStatus_t cusparse##X##csrilu02_numericBoost(cusparseHandle_t h, csrilu02Info_t info,   \
                                                        int enable, double *tolerance, T *boost)   \
    {                                                                                              \
        if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;                                            \
        if (!info || (enable && (!tolerance || !boost))) return CUSPARSE_STATUS_INVALID_VALUE;     \
        struct factor *f = &info->factor;                                                          \
        f->boosted = enable;                                                                       \
        if (!enable) return CUSPARSE_STATUS_SUCCESS;                                               \
        f->tolerance = sparse_scalar(h, tolerance, CUDA_R_64F);                                    \
        f->boost = sparse_scalar(h, boost, letter);                                                \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }
#define EACH(X, T, type)                                                                           \
    OF_TYPE(X, T, type, csrilu02, "ilu")                                                           \
    OF_TYPE(X, T, type, csric02, "ic")                                                             \
    BOOST(X, T, type)
enum { LEAST_BYTES = 16 }; /* of a buffer, which is not used: programs may refuse an empty one */
EACH(S, float, CUDA_R_32F)
EACH(D, double, CUDA_R_64F)
EACH(C, cuComplex, CUDA_C_32F)
EACH(Z, cuDoubleComplex, CUDA_C_64F)

/* Descriptors of vectors and matrices. */
#include <stdlib.h>

#include "cuda/sparse/sparse.h"

#define INVALID CUSPARSE_STATUS_INVALID_VALUE
#define SUCCESS CUSPARSE_STATUS_SUCCESS

/* Allocates a descriptor with the given contents. */
#define MAKE(out, ...)                                                                             \
    do {                                                                                           \
        __typeof__(**(out)) *made = malloc(sizeof *made);                                          \
        if (!made) return CUSPARSE_STATUS_ALLOC_FAILED;                                            \
        *made = (__typeof__(*made)){__VA_ARGS__};                                                  \
        *(out) = made;                                                                             \
        return SUCCESS;                                                                            \
    } while (0)

/* Destroy, and the getters and setters of the values. */
#define VALUES(Kind)                                                                               \
    cusparseStatus_t cusparseDestroy##Kind(cusparseConst##Kind##Descr_t d)                         \
    {                                                                                              \
        free((void *)(uintptr_t)d);                                                                \
        return SUCCESS;                                                                            \
    }                                                                                              \
    cusparseStatus_t cusparse##Kind##GetValues(cusparse##Kind##Descr_t d, void **values)           \
    {                                                                                              \
        return cusparseConst##Kind##GetValues(d, (const void **)values);                           \
    }                                                                                              \
    cusparseStatus_t cusparseConst##Kind##GetValues(cusparseConst##Kind##Descr_t d,                \
                                                    const void **values)                           \
    {                                                                                              \
        if (!d || !values) return INVALID;                                                         \
        *values = d->values;                                                                       \
        return SUCCESS;                                                                            \
    }                                                                                              \
    cusparseStatus_t cusparse##Kind##SetValues(cusparse##Kind##Descr_t d, void *values)            \
    {                                                                                              \
        if (!d || !values) return INVALID;                                                         \
        d->values = values;                                                                        \
        return SUCCESS;                                                                            \
    }
VALUES(DnVec)
VALUES(DnMat)
VALUES(SpMat)

/* ---- dense ---- */

cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *v, int64_t size,
                                          const void *values, cudaDataType type)
{
    return cusparseCreateDnVec((cusparseDnVecDescr_t *)v, size, (void *)(uintptr_t)values, type);
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *v, int64_t size, void *values,
                                     cudaDataType type)
{
    if (!v || size < 0 || (size && !values)) return INVALID;
    MAKE(v, size, values, type);
}

cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t v, int64_t *size, void **values,
                                  cudaDataType *type)
{
    return cusparseConstDnVecGet(v, size, (const void **)values, type);
}

cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t v, int64_t *size,
                                       const void **values, cudaDataType *type)
{
    if (!v || !size || !values || !type) return INVALID;
    *size = v->size, *values = v->values, *type = v->type;
    return SUCCESS;
}

cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *m, int64_t rows, int64_t cols,
                                          int64_t ld, const void *values, cudaDataType type,
                                          cusparseOrder_t order)
{
    return cusparseCreateDnMat((cusparseDnMatDescr_t *)m, rows, cols, ld,
                               (void *)(uintptr_t)values, type, order);
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *m, int64_t rows, int64_t cols,
                                     int64_t ld, void *values, cudaDataType type,
                                     cusparseOrder_t order)
{
    if (!m || rows < 0 || cols < 0 || (rows && cols && !values)) return INVALID;
    if (order != CUSPARSE_ORDER_COL && order != CUSPARSE_ORDER_ROW) return INVALID;
    if (ld < (order == CUSPARSE_ORDER_COL ? rows : cols)) return INVALID;
    MAKE(m, rows, cols, ld, values, type, order, 1, 0);
}

cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t m, int64_t *rows, int64_t *cols,
                                  int64_t *ld, void **values, cudaDataType *type,
                                  cusparseOrder_t *order)
{
    return cusparseConstDnMatGet(m, rows, cols, ld, (const void **)values, type, order);
}

cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t m, int64_t *rows, int64_t *cols,
                                       int64_t *ld, const void **values, cudaDataType *type,
                                       cusparseOrder_t *order)
{
    if (!m || !rows || !cols || !ld || !values || !type || !order) return INVALID;
    *rows = m->rows, *cols = m->cols, *ld = m->ld, *values = m->values;
    *type = m->type, *order = m->order;
    return SUCCESS;
}

cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int count, int64_t stride)
{
    if (!m || count < 1 || stride < 0) return INVALID;
    m->count = count, m->stride = stride;
    return SUCCESS;
}

cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t m, int *count,
                                              int64_t *stride)
{
    if (!m || !count || !stride) return INVALID;
    *count = m->count, *stride = m->stride;
    return SUCCESS;
}

/* ---- sparse ---- */

static bool is_index(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I;
}

static cusparseStatus_t create(cusparseSpMatDescr_t *m, cusparseFormat_t format, int64_t rows,
                               int64_t cols, int64_t nnz, const void *offsets, const void *indices,
                               const void *values, cusparseIndexType_t offsets_type,
                               cusparseIndexType_t indices_type, cusparseIndexBase_t base,
                               cudaDataType type)
{
    if (!m || rows < 0 || cols < 0 || nnz < 0 || base > CUSPARSE_INDEX_BASE_ONE) return INVALID;
    if (nnz && (!indices || !values)) return INVALID;
    if (!offsets && (format != CUSPARSE_FORMAT_COO || nnz)) return INVALID;
    if (!is_index(offsets_type) || !is_index(indices_type))
        return sparse_missing("indices of 16 bits");
    MAKE(m, format, rows, cols, nnz, offsets, indices, values, offsets_type, indices_type, base,
         type, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_NON_UNIT, 1, 0, 0);
}

static cusparseStatus_t set_pointers(cusparseSpMatDescr_t m, cusparseFormat_t format,
                                     const void *offsets, const void *indices, const void *values)
{
    if (!m || m->format != format || !offsets || !indices || !values) return INVALID;
    m->offsets = offsets, m->indices = indices, m->values = values;
    return SUCCESS;
}

#define COMPRESSED(Format, kind)                                                                   \
    cusparseStatus_t cusparseCreate##Format(                                                       \
        cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz, void *offsets,           \
        void *indices, void *values, cusparseIndexType_t offsets_type,                             \
        cusparseIndexType_t indices_type, cusparseIndexBase_t base, cudaDataType type)             \
    {                                                                                              \
        return create(m, kind, rows, cols, nnz, offsets, indices, values, offsets_type,            \
                      indices_type, base, type);                                                   \
    }                                                                                              \
    cusparseStatus_t cusparseCreateConst##Format(                                                  \
        cusparseConstSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz,                     \
        const void *offsets, const void *indices, const void *values,                              \
        cusparseIndexType_t offsets_type, cusparseIndexType_t indices_type,                        \
        cusparseIndexBase_t base, cudaDataType type)                                               \
    {                                                                                              \
        return create((cusparseSpMatDescr_t *)m, kind, rows, cols, nnz, offsets, indices,          \
                      values, offsets_type, indices_type, base, type);                             \
    }                                                                                              \
    cusparseStatus_t cusparse##Format##Get(                                                        \
        cusparseSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz, void **offsets,        \
        void **indices, void **values, cusparseIndexType_t *offsets_type,                          \
        cusparseIndexType_t *indices_type, cusparseIndexBase_t *base, cudaDataType *type)          \
    {                                                                                              \
        return cusparseConst##Format##Get(m, rows, cols, nnz, (const void **)offsets,              \
                                          (const void **)indices, (const void **)values,           \
                                          offsets_type, indices_type, base, type);                 \
    }                                                                                              \
    cusparseStatus_t cusparseConst##Format##Get(                                                   \
        cusparseConstSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz,                   \
        const void **offsets, const void **indices, const void **values,                           \
        cusparseIndexType_t *offsets_type, cusparseIndexType_t *indices_type,                      \
        cusparseIndexBase_t *base, cudaDataType *type)                                             \
    {                                                                                              \
        if (!m || m->format != (kind) || !rows || !cols || !nnz || !offsets || !indices ||         \
            !values || !offsets_type || !indices_type || !base || !type)                           \
            return INVALID;                                                                        \
        *rows = m->rows, *cols = m->cols, *nnz = m->nnz, *offsets = m->offsets;                    \
        *indices = m->indices, *values = m->values, *offsets_type = m->offsetsType;                \
        *indices_type = m->indicesType, *base = m->base, *type = m->type;                          \
        return SUCCESS;                                                                            \
    }                                                                                              \
    cusparseStatus_t cusparse##Format##SetPointers(cusparseSpMatDescr_t m, void *offsets,          \
                                                   void *indices, void *values)                    \
    {                                                                                              \
        return set_pointers(m, kind, offsets, indices, values);                                    \
    }
COMPRESSED(Csr, CUSPARSE_FORMAT_CSR)
COMPRESSED(Csc, CUSPARSE_FORMAT_CSC)

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz,
                                   void *row, void *column, void *values, cusparseIndexType_t index,
                                   cusparseIndexBase_t base, cudaDataType type)
{
    return create(m, CUSPARSE_FORMAT_COO, rows, cols, nnz, row, column, values, index, index, base,
                  type);
}

cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *m, int64_t rows, int64_t cols,
                                        int64_t nnz, const void *row, const void *column,
                                        const void *values, cusparseIndexType_t index,
                                        cusparseIndexBase_t base, cudaDataType type)
{
    return create((cusparseSpMatDescr_t *)m, CUSPARSE_FORMAT_COO, rows, cols, nnz, row, column,
                  values, index, index, base, type);
}

cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz,
                                void **row, void **column, void **values,
                                cusparseIndexType_t *index, cusparseIndexBase_t *base,
                                cudaDataType *type)
{
    return cusparseConstCooGet(m, rows, cols, nnz, (const void **)row, (const void **)column,
                               (const void **)values, index, base, type);
}

cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t m, int64_t *rows, int64_t *cols,
                                     int64_t *nnz, const void **row, const void **column,
                                     const void **values, cusparseIndexType_t *index,
                                     cusparseIndexBase_t *base, cudaDataType *type)
{
    if (!m || m->format != CUSPARSE_FORMAT_COO || !rows || !cols || !nnz || !row || !column ||
        !values || !index || !base || !type)
        return INVALID;
    *rows = m->rows, *cols = m->cols, *nnz = m->nnz, *row = m->offsets, *column = m->indices;
    *values = m->values, *index = m->indicesType, *base = m->base, *type = m->type;
    return SUCCESS;
}

cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t m, void *row, void *column,
                                        void *values)
{
    return set_pointers(m, CUSPARSE_FORMAT_COO, row, column, values);
}

cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t m, cusparseFormat_t *format)
{
    if (!m || !format) return INVALID;
    *format = m->format;
    return SUCCESS;
}

cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t m, cusparseIndexBase_t *base)
{
    if (!m || !base) return INVALID;
    *base = m->base;
    return SUCCESS;
}

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t m, int64_t *rows, int64_t *cols,
                                      int64_t *nnz)
{
    if (!m || !rows || !cols || !nnz) return INVALID;
    *rows = m->rows, *cols = m->cols, *nnz = m->nnz;
    return SUCCESS;
}

cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t m, int *count)
{
    if (!m || !count) return INVALID;
    *count = m->count;
    return SUCCESS;
}

cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t m, int count,
                                            int64_t offsets_stride, int64_t values_stride)
{
    if (!m || count < 1 || offsets_stride < 0 || values_stride < 0) return INVALID;
    m->count = count, m->offsetsStride = offsets_stride, m->valuesStride = values_stride;
    return SUCCESS;
}

cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t stride)
{
    return cusparseCsrSetStridedBatch(m, count, stride, stride);
}

/* The attribute in the descriptor; NULL: no such attribute, or another size. */
static unsigned *attribute_of(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t attribute,
                              size_t size)
{
    if (!m || size != sizeof(unsigned) || attribute > CUSPARSE_SPMAT_DIAG_TYPE) return NULL;
    return attribute == CUSPARSE_SPMAT_FILL_MODE ? (unsigned *)&m->fill : (unsigned *)&m->diag;
}

cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t m,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t size)
{
    const unsigned *at = attribute_of((cusparseSpMatDescr_t)(uintptr_t)m, attribute, size);
    if (!at || !data) return INVALID;
    *(unsigned *)data = *at;
    return SUCCESS;
}

cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t m,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t size)
{
    unsigned *at = attribute_of(m, attribute, size);
    if (!at || !data || *(const unsigned *)data > 1) return INVALID;
    *at = *(const unsigned *)data;
    return SUCCESS;
}

/* Handles, properties of matrices, texts of errors, launches. */
#include <stdlib.h>

#include "cuda/sparse/sparse.h"

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    if (!handle) return CUSPARSE_STATUS_INVALID_VALUE;
    int device;
    const struct library_run_time *r = library_run_time();
    if (!r || r->cudaGetDevice(&device)) return CUSPARSE_STATUS_NOT_INITIALIZED;
    struct cusparseContext *h = calloc(1, sizeof *h);
    if (!h) return CUSPARSE_STATUS_ALLOC_FAILED;
    *handle = h;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t h)
{
    free(h);
    return CUSPARSE_STATUS_SUCCESS;
}

/* A getter and a setter of a property of a handle. */
#define PROPERTY(Set, Get, T, member, known)                                                       \
    cusparseStatus_t Set(cusparseHandle_t h, T value)                                              \
    {                                                                                              \
        if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;                                            \
        if (!(known)) return CUSPARSE_STATUS_INVALID_VALUE;                                        \
        h->member = value;                                                                         \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    cusparseStatus_t Get(cusparseHandle_t h, T *value)                                             \
    {                                                                                              \
        if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;                                            \
        if (!value) return CUSPARSE_STATUS_INVALID_VALUE;                                          \
        *value = h->member;                                                                        \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }
PROPERTY(cusparseSetStream, cusparseGetStream, cudaStream_t, stream, true)
PROPERTY(cusparseSetPointerMode, cusparseGetPointerMode, cusparsePointerMode_t, pointer_mode,
         value <= CUSPARSE_POINTER_MODE_DEVICE)

/* CUDA 13 has the version of CUDA 12. */
enum { VERSION = (LIBRARY_CUDA < 12 ? 11 : 12) * 1000 };

cusparseStatus_t cusparseGetVersion(cusparseHandle_t h, int *version)
{
    if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!version) return CUSPARSE_STATUS_INVALID_VALUE;
    *version = VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
    if (!value || type > PATCH_LEVEL) return CUSPARSE_STATUS_INVALID_VALUE;
    *value = type == MAJOR_VERSION ? VERSION / 1000 : 0;
    return CUSPARSE_STATUS_SUCCESS;
}

#define STATUSES(F)                                                                                \
    F(SUCCESS, "the operation succeeded")                                                          \
    F(NOT_INITIALIZED, "the library was not initialized")                                          \
    F(ALLOC_FAILED, "out of memory")                                                               \
    F(INVALID_VALUE, "an unsupported value or parameter")                                          \
    F(ARCH_MISMATCH, "the device lacks a required feature")                                        \
    F(MAPPING_ERROR, "an access to device memory failed")                                          \
    F(EXECUTION_FAILED, "a kernel failed")                                                         \
    F(INTERNAL_ERROR, "an internal operation failed")                                              \
    F(MATRIX_TYPE_NOT_SUPPORTED, "the type of the matrix is not supported")                        \
    F(ZERO_PIVOT, "an element of the diagonal is zero")                                            \
    F(NOT_SUPPORTED, "the operation is not supported")                                             \
    F(INSUFFICIENT_RESOURCES, "not enough resources")

const char *cusparseGetErrorName(cusparseStatus_t status)
{
    switch (status) {
#define CASE(name, sentence) case CUSPARSE_STATUS_##name: return "CUSPARSE_STATUS_" #name;
        STATUSES(CASE)
#undef CASE
    }
    return "unknown status";
}

const char *cusparseGetErrorString(cusparseStatus_t status)
{
    switch (status) {
#define CASE(name, sentence) case CUSPARSE_STATUS_##name: return sentence;
        STATUSES(CASE)
#undef CASE
    }
    return "unknown status";
}

/* ---- properties of a matrix ---- */

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr)
{
    if (!descr) return CUSPARSE_STATUS_INVALID_VALUE;
    *descr = calloc(1, sizeof **descr);
    return *descr ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr)
{
    free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}

#define MAT_PROPERTY(Name, T, member, most)                                                        \
    cusparseStatus_t cusparseSetMat##Name(cusparseMatDescr_t descr, T value)                       \
    {                                                                                              \
        if (!descr || value > (most)) return CUSPARSE_STATUS_INVALID_VALUE;                        \
        descr->member = value;                                                                     \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    T cusparseGetMat##Name(const cusparseMatDescr_t descr)                                         \
    {                                                                                              \
        return descr ? descr->member : (T)0;                                                       \
    }
MAT_PROPERTY(Type, cusparseMatrixType_t, type, CUSPARSE_MATRIX_TYPE_TRIANGULAR)
MAT_PROPERTY(FillMode, cusparseFillMode_t, fill, CUSPARSE_FILL_MODE_UPPER)
MAT_PROPERTY(DiagType, cusparseDiagType_t, diag, CUSPARSE_DIAG_TYPE_UNIT)
MAT_PROPERTY(IndexBase, cusparseIndexBase_t, base, CUSPARSE_INDEX_BASE_ONE)

/* ---- launches ---- */

cusparseStatus_t sparse_launch(cusparseHandle_t h, const char *stem, const char *letter,
                               dim3 blocks, void **arguments)
{
    cudaError_t error = library_launch(h->stream, stem, letter, blocks, SPARSE_THREADS, 0,
                                       arguments);
    return library_status(error, CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_EXECUTION_FAILED);
}

dim3 sparse_blocks(int64_t n, int count)
{
    dim3 blocks = library_blocks(n, SPARSE_THREADS, SPARSE_BLOCKS);
    blocks.z = (unsigned)count;
    return blocks;
}

cusparseStatus_t sparse_clear(cusparseHandle_t h, void *at, size_t bytes)
{
    cudaError_t error = library_run_time()->cudaMemsetAsync(at, 0, bytes, h->stream);
    return error ? CUSPARSE_STATUS_EXECUTION_FAILED : CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t sparse_missing(const char *what)
{
    library_missing("cuSPARSE", what);
    return CUSPARSE_STATUS_NOT_SUPPORTED;
}

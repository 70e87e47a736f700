/* The part of corun's cuSPARSE behind the functions: handles, descriptors, launches of kernels.
 * Types of elements are letters: s d c z. */
#ifndef CORUN_SPARSE_H
#define CORUN_SPARSE_H

#include <stdbool.h>

#include "cuda/include/cusparse.h"
#include "cuda/library/library.h"
#include "cuda/sparse/kernels.h"

struct cusparseContext {
    cudaStream_t stream;
    cusparsePointerMode_t pointer_mode;
};

struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diag;
    cusparseIndexBase_t base;
};

/* The members are named as by the functions that read them. */
struct cusparseDnVecDescr {
    int64_t size;
    const void *values;
    cudaDataType type;
};
struct cusparseDnMatDescr {
    int64_t rows, cols, ld;
    const void *values;
    cudaDataType type;
    cusparseOrder_t order;
    int count; /* of matrices */
    int64_t stride;
};
struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, cols, nnz;
    const void *offsets, *indices, *values; /* COO: rows, columns, values */
    cusparseIndexType_t offsetsType, indicesType;
    cusparseIndexBase_t base;
    cudaDataType type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diag;
    int count;
    int64_t offsetsStride, valuesStride;
};

/* A triangle of a square matrix, with its rows in the order of levels. */
struct sparse_levels {
    struct sparse_triangle a; /* in `device` */
    int *device;
    int n, nnz, level_n;
    cusparseOperation_t op;
    cusparseFillMode_t fill;
    cusparseDiagType_t diag;
    int *levels;     /* on the host */
    int no_diagonal; /* first row without an element on the diagonal; -1: none */
    bool ascending;  /* the positions in each line ascend; false for COO */
};
/* Finds the levels of op(m) after waiting for the stream. INVALID_VALUE: offsets or indices are out
 * of range. */
cusparseStatus_t sparse_levels(cusparseHandle_t handle, cusparseConstSpMatDescr_t m,
                               cusparseOperation_t op, struct sparse_levels *out);
void sparse_levels_end(struct sparse_levels *levels);
/* Blocks of a launch for the levels from..to-1, with `each` threads per row. A run of narrow levels
 * has a single block. */
dim3 sparse_levels_launch(const struct sparse_levels *levels, long long each, int from, int *to);

/* Launches a kernel of kernels.cu: stem_letter. blocks: grid.z is the number of matrices. */
cusparseStatus_t sparse_launch(cusparseHandle_t handle, const char *stem, const char *letter,
                               dim3 blocks, void **arguments);
enum { SPARSE_THREADS = 256, SPARSE_BLOCKS = 1024 };
/* Blocks for a loop over n elements of each of `count` matrices. */
dim3 sparse_blocks(int64_t n, int count);
/* Sets bytes of the device to zero, in the handle's stream. */
cusparseStatus_t sparse_clear(cusparseHandle_t handle, void *at, size_t bytes);
/* Prints once per process and name that corun lacks something; returns NOT_SUPPORTED. */
cusparseStatus_t sparse_missing(const char *what);

/* Returns the letter of a type of elements as a text; NULL: no kernels for the type. */
const char *sparse_letter(cudaDataType type);
size_t sparse_bytes(cudaDataType type);
struct sparse_lines sparse_lines(cusparseConstSpMatDescr_t matrix);
struct sparse_dense sparse_dense(cusparseConstDnMatDescr_t matrix);
struct sparse_dense sparse_column(cusparseConstDnVecDescr_t vector);
struct sparse_dense sparse_op(struct sparse_dense matrix, cusparseOperation_t op);
/* Reads a scalar on the host, or takes the address on the device. */
struct library_scalar sparse_scalar(cusparseHandle_t handle, const void *at, cudaDataType type);

#endif

/* Parameters of the kernels, for both sides. */
#ifndef CORUN_SPARSE_KERNELS_H
#define CORUN_SPARSE_KERNELS_H

#include "../library/scalar.h"

/* A sparse matrix by lines: the rows of CSR and COO, the columns of CSC. */
struct sparse_lines {
    const void *offsets; /* of each line, or with `coordinate` the line of each element */
    const void *indices; /* position of each element in its line */
    const void *values;
    long long n, length, elements; /* lines, positions in a line, stored elements */
    long long offsets_batch, values_batch; /* from a matrix of a batch to the next */
    int wide_offsets, wide_indices; /* numbers of 64 bits */
    int base;                       /* number of the first line and position: 0, 1 */
    int coordinate;                 /* COO: elements in the order of lines */
    int conjugate;
};

struct sparse_dense { /* element (i, j): at[i * down + j * right] */
    void *at;
    long long rows, columns, down, right, batch;
    int conjugate;
};

/* A triangular matrix for solving: rows in the order of levels. A row depends on rows of earlier
 * levels only. */
struct sparse_triangle {
    const int *rows, *levels;   /* levels[l]: the first place in `rows` of level l */
    const int *starts;          /* of each row, in columns and places */
    const int *columns, *places; /* places: in the values of the matrix */
    const int *diagonal;        /* place of the element of each row; -1: none */
    const void *values;
    int conjugate;
    int unit; /* ones on the diagonal */
};

struct sparse_factor { /* a square matrix in CSR with a pattern that stays; columns ascend */
    const int *offsets, *columns;
    void *values;
    int base;
    const int *rows, *levels, *diagonal; /* as of sparse_triangle */
    int *zero;           /* the first row with a zero pivot is stored, if less */
    int boosted;         /* a pivot up to the tolerance is replaced by `boost` */
    struct library_scalar tolerance, boost;
};

#endif

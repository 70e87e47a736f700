/* Parameters of the kernels, for both sides. A matrix is an address, steps between neighbours of a
 * row and of a column in elements, and a shape. */
#ifndef CORUN_BLAS_KERNELS_H
#define CORUN_BLAS_KERNELS_H

#include "../library/scalar.h"

enum blas_shape { /* elements of a matrix that are stored; the others follow from the shape */
    BLAS_GENERAL,
    BLAS_SYMMETRIC_LOWER,
    BLAS_SYMMETRIC_UPPER,
    BLAS_HERMITIAN_LOWER,
    BLAS_HERMITIAN_UPPER,
    BLAS_LOWER, /* zero above the diagonal */
    BLAS_UPPER,
    BLAS_UNIT_LOWER, /* and one on the diagonal */
    BLAS_UNIT_UPPER
};

struct blas_matrix {
    const void *at;
    long long down, right; /* from (i, j) to (i + 1, j), and to (i, j + 1) */
    long long batch;       /* to the same element of the next matrix */
    int pointers;          /* `at` is an array of addresses, one per matrix */
    int conjugate;
    int shape;
};

enum blas_epilogue {
    BLAS_BIAS = 1, /* bias[i] is added to row i */
    BLAS_RELU = 2,
    BLAS_GELU = 4,     /* 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) */
    BLAS_AUX = 8,      /* the values before the activation are stored in aux */
    BLAS_GELU_GRADIENT = 16 /* multiplied by the derivative of GELU at aux */
};

struct blas_gemm { /* d = alpha a b + beta c */
    int m, n, k;
    struct blas_matrix a, b, c;
    void *d;
    long long d_right, d_batch;
    struct library_scalar alpha, beta;
    int half_scalars; /* scalars on the device have 16 bits */
    int part;         /* 0: all of d is written; 'L', 'U': only the triangle */
    int epilogue;
    const void *bias;
    void *aux;
    long long aux_right, bias_batch, aux_batch;
};

/* Of a product of floats of 8 bits. Types are letters: e (e4m3), f (e5m2), s, h (half), b
 * (bfloat16). Scales are on the device; NULL: 1. */
struct blas_eight {
    char c, d, bias;
    const float *scale_a, *scale_b, *scale_d; /* scale_d: of d with 8 bits */
    int *greatest; /* bits of the greatest size in d before scale_d, at first 0; or NULL */
};

struct blas_vector {
    const void *at;
    long long n, step, batch;
    int pointers;
};

#endif

/* Functions of cuBLAS without an implementation: each ignores its arguments. */
#include "cuda/blas/blas.h"

#define MISSING(name)                                                                              \
    cublasStatus_t name(void);                                                                     \
    cublasStatus_t name(void) { return blas_missing(#name); }
#include "cuda/blas/missing.def"

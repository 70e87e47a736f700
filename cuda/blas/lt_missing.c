/* Functions of cuBLASLt without an implementation. */
#include "cuda/blas/blas.h"

#define MISSING(name)                                                                              \
    cublasStatus_t name(void);                                                                     \
    cublasStatus_t name(void) { return blas_missing(#name); }
#include "cuda/blas/lt_missing.def"

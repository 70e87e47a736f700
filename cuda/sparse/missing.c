/* Functions of cuSPARSE without an implementation: each ignores its arguments. */
#include "cuda/sparse/sparse.h"

#define MISSING(name)                                                                              \
    cusparseStatus_t name(void);                                                                   \
    cusparseStatus_t name(void) { return sparse_missing(#name); }
#include "cuda/sparse/missing.def"

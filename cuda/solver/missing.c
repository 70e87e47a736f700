/* Functions of cuSOLVER without an implementation: each ignores its arguments. */
#include "cuda/solver/solver.h"

#define MISSING(name)                                                                              \
    cusolverStatus_t name(void);                                                                   \
    cusolverStatus_t name(void)                                                                    \
    {                                                                                              \
        library_missing("cuSOLVER", #name);                                                        \
        return CUSOLVER_STATUS_NOT_SUPPORTED;                                                      \
    }
#include "cuda/solver/missing.def"

/* Functions of NCCL without an implementation: each ignores its arguments. */
#include "cuda/nccl/own.h"

#define MISSING(name)                                                                              \
    ncclResult_t name(void);                                                                       \
    ncclResult_t name(void)                                                                        \
    {                                                                                              \
        library_missing("NCCL", #name);                                                            \
        return ncclInvalidUsage;                                                                   \
    }
#include "cuda/nccl/missing.def"

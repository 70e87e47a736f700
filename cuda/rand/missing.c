/* Functions of cuRAND without an implementation: each ignores its arguments. */
#include "cuda/include/curand.h"
#include "cuda/library/library.h"

#define MISSING(name)                                                                              \
    curandStatus_t name(void);                                                                     \
    curandStatus_t name(void)                                                                      \
    {                                                                                              \
        library_missing("cuRAND", #name);                                                          \
        return CURAND_STATUS_TYPE_ERROR;                                                           \
    }
#include "cuda/rand/missing.def"

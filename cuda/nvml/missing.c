/* Functions of NVML without an implementation: each ignores its arguments. */
#include "cuda/connection/error.h"

enum { NOT_SUPPORTED = 3 }; /* NVML_ERROR_NOT_SUPPORTED; nvml.h declares some of the functions */

#define MISSING(name)                                                                              \
    int name(void);                                                                                \
    int name(void)                                                                                 \
    {                                                                                              \
        corun_missing(#name);                                                                      \
        return NOT_SUPPORTED;                                                                      \
    }
#include "cuda/nvml/missing.def"

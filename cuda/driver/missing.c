/* Calls without an implementation: each ignores its arguments. */
#include "cuda/driver/driver.h"

#define MISSING(name)                                                                              \
    CUresult name(void);                                                                           \
    CUresult name(void) { return corun_missing(#name); }
#include "cuda/driver/missing.def"
#undef MISSING

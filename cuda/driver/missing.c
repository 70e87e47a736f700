/* Calls that are not there yet: whatever their arguments. */
#include "cuda/driver/driver.h"

#define MISSING(name)                                                                              \
    CUresult name(void);                                                                           \
    CUresult name(void) { return corun_missing(#name); }
#include "cuda/driver/missing.def"
#undef MISSING

/* Functions of cuFFT without an implementation: each ignores its arguments. */
#include "cuda/fft/fft.h"

#define MISSING(name)                                                                              \
    cufftResult name(void);                                                                        \
    cufftResult name(void) { return fft_missing(#name); }
#include "cuda/fft/missing.def"

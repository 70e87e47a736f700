/* Calls without an implementation: each ignores its arguments. */
#include "cuda/connection/error.h"

#define MISSING(name)                                                                              \
    cudaError_t name(void);                                                                        \
    cudaError_t name(void) { return corun_missing(#name); }
#include "cuda/runtime/missing.def"
#undef MISSING

#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
/* Texture and surface references of a module: no call uses references any more. */
void __cudaRegisterTexture(void);
void __cudaRegisterTexture(void) {}
void __cudaRegisterSurface(void);
void __cudaRegisterSurface(void) {}
#endif

/* All device code: clang's own CUDA headers define the CUDA names and call `__nv_` functions,
 * implemented by corun. Functions without an `__nv_` name are defined here. */
#ifndef CORUN_DEVICE_DEVICE_H
#define CORUN_DEVICE_DEVICE_H

#include <__clang_cuda_builtin_vars.h>

#define CORUN_VARIABLE(name)                                                                       \
    __device__ __forceinline__ __cuda_builtin_##name##_t::operator uint3() const                   \
    {                                                                                              \
        return make_uint3(x, y, z);                                                                \
    }                                                                                              \
    __device__ __forceinline__ __cuda_builtin_##name##_t::operator dim3() const                    \
    {                                                                                              \
        return dim3(x, y, z);                                                                      \
    }
CORUN_VARIABLE(threadIdx)
CORUN_VARIABLE(blockIdx)
CORUN_VARIABLE(blockDim)
CORUN_VARIABLE(gridDim)
#undef CORUN_VARIABLE

#include "arithmetic.h"
#include "parts.h"
#include "math_float.h"
#include "missing.h"

/* ---- provided by the host or directly by the simulator ---- */
extern "C" {
__device__ int vprintf(const char *format, const char *values);
__device__ int printf(const char *format, ...); /* compiled to vprintf by clang */
__device__ void *malloc(size_t size) noexcept;
__device__ void free(void *pointer) noexcept;
__device__ void __assertfail(const char *what, const char *file, unsigned line,
                             const char *function, size_t size);
static __device__ __inline__ void __assert_fail(const char *what, const char *file, unsigned line,
                                                const char *function)
{
    __assertfail(what, file, line, function, sizeof(char));
}
}

#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include <__clang_cuda_cmath.h>
#include <new> /* clang's header, also for the device */

#include "barrier.h"
#include "warp.h"
#include "intrinsics.h"
#include "atomics.h"
#include "overloads.h"
#include "texture.h"
#include "surface.h"
#include "dynamic.h"

#endif

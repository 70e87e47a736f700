/* CUDA C++ for clang, without NVIDIA's toolkit: the run-time API, and for .cu files the keywords,
 * variables and functions of device code. `corun cc` includes this header before all others. */
#ifndef CORUN_CUDA_RUNTIME_H
#define CORUN_CUDA_RUNTIME_H

#if defined(__CUDA__) && (!defined(__clang__) || __clang_major__ < 14)
#error "corun cc needs clang 14 or later"
#endif
#ifdef __CUDA__
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1 /* programs for several languages test the name to find CUDA */
#endif
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 2
#define __CUDACC_VER_BUILD__ 0
/* Must precede <cmath>; otherwise its constexpr functions become device functions, too. */
#include <__clang_cuda_math_forward_declares.h>
#endif

/* Programs test these names for the inclusion of CUDA's headers. */
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__

#include "cuda.h"
#include <assert.h>
#ifdef __cplusplus
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>
#endif
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host_defines.h"
#include "vector_functions.h"
#ifdef __cplusplus /* before the API's declaration: <<<grid, block>>> needs the defaults */
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
extern "C" unsigned int corun_push_configuration(
    dim3 grid, dim3 block, size_t shared,
    struct CUstream_st *stream) __asm__("__cudaPushCallConfiguration");
static inline unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                       struct CUstream_st *stream = 0)
{
    return corun_push_configuration(grid, block, shared,
                                    stream ? stream : (struct CUstream_st *)2);
}
#else
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                    struct CUstream_st *stream = 0);
#endif
#endif
#include "cuda_runtime_api.h"
#include "cuda_device_runtime_api.h"
#include "driver_functions.h"
#include "texture_types.h"
#ifdef __cplusplus
#include "cuda_runtime_templates.h"
#endif
#ifdef __CUDA__
#include "device/device.h"
#endif

#endif

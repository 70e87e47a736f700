/* Keywords of CUDA C++ as attributes of clang. */
#ifndef CORUN_HOST_DEFINES_H
#define CORUN_HOST_DEFINES_H
#define __HOST_DEFINES_H__ /* Thrust then keeps the keywords */

#if defined(__CUDACC__) || defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ _Pragma("GCC error \"corun cc: no __managed__ variables; cudaMallocManaged\"")
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#if !defined(__clang_major__) || __clang_major__ < 15 /* later versions have the keyword */
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI

#endif

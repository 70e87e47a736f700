/* Functions of the CUDA math API without an implementation: a kernel that calls such a function is
 * rejected when loaded; the message names the function. */
#ifndef CORUN_DEVICE_MISSING_H
#define CORUN_DEVICE_MISSING_H

#include "define.h"

#define CORUN_MISSING(name)                                                                        \
    extern "C" __device__ double __nv_##name(double x);                                            \
    extern "C" __device__ float __nv_##name##f(float x);
#define CORUN_MISSING_ORDER(name)                                                                  \
    extern "C" __device__ double __nv_##name(int n, double x);                                     \
    extern "C" __device__ float __nv_##name##f(int n, float x);
CORUN_MISSING(j0)
CORUN_MISSING(j1)
CORUN_MISSING(y0)
CORUN_MISSING(y1)
CORUN_MISSING_ORDER(jn)
CORUN_MISSING_ORDER(yn)
CORUN_MISSING(cyl_bessel_i0)
CORUN_MISSING(cyl_bessel_i1)
#undef CORUN_MISSING
#undef CORUN_MISSING_ORDER

#endif

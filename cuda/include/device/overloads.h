/* min, max and the float versions of what C does not have, for every type and both sides. */
#ifndef CORUN_DEVICE_OVERLOADS_H
#define CORUN_DEVICE_OVERLOADS_H

#include "define.h"

#define CORUN_MIN_MAX_AS(where, A, B, T)                                                           \
    static where __forceinline__ T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; }             \
    static where __forceinline__ T max(A a, B b) { return (T)a > (T)b ? (T)a : (T)b; }
#define CORUN_MIN_MAX(A, B, T) CORUN_MIN_MAX_AS(__host__ __device__, A, B, T)
CORUN_MIN_MAX_AS(__host__, int, int, int) /* the device's is clang's */
CORUN_MIN_MAX(corun_u32, corun_u32, corun_u32)
CORUN_MIN_MAX(int, corun_u32, corun_u32)
CORUN_MIN_MAX(corun_u32, int, corun_u32)
CORUN_MIN_MAX(long, long, long)
CORUN_MIN_MAX(unsigned long, unsigned long, unsigned long)
CORUN_MIN_MAX(long, unsigned long, unsigned long)
CORUN_MIN_MAX(unsigned long, long, unsigned long)
CORUN_MIN_MAX(long long, long long, long long)
CORUN_MIN_MAX(corun_u64, corun_u64, corun_u64)
CORUN_MIN_MAX(long long, corun_u64, corun_u64)
CORUN_MIN_MAX(corun_u64, long long, corun_u64)
#undef CORUN_MIN_MAX
#undef CORUN_MIN_MAX_AS

#define CORUN_MIN_MAX(A, B, T, f)                                                                  \
    static __host__ __device__ __forceinline__ T min(A a, B b) { return __builtin_fmin##f(a, b); } \
    static __host__ __device__ __forceinline__ T max(A a, B b) { return __builtin_fmax##f(a, b); }
CORUN_MIN_MAX(float, float, float, f)
CORUN_MIN_MAX(double, double, double, )
CORUN_MIN_MAX(float, double, double, )
CORUN_MIN_MAX(double, float, double, )
#undef CORUN_MIN_MAX

#define CORUN_FLOAT(name)                                                                          \
    CORUN_FN float name(float x) { return name##f(x); }
CORUN_FLOAT(rsqrt)
CORUN_FLOAT(rcbrt)
CORUN_FLOAT(sinpi)
CORUN_FLOAT(cospi)
CORUN_FLOAT(exp10)
CORUN_FLOAT(erfinv)
CORUN_FLOAT(erfcinv)
CORUN_FLOAT(erfcx)
CORUN_FLOAT(normcdf)
CORUN_FLOAT(normcdfinv)
#undef CORUN_FLOAT
CORUN_FN void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
CORUN_FN void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
CORUN_FN float rhypot(float x, float y) { return rhypotf(x, y); }

static __host__ __forceinline__ float rsqrtf(float x) { return 1 / sqrtf(x); }
static __host__ __forceinline__ float rsqrt(float x) { return 1 / sqrtf(x); }
static __host__ __forceinline__ double rsqrt(double x) { return 1 / sqrt(x); }

namespace std {
CORUN_FN void *malloc(size_t size) { return ::malloc(size); }
CORUN_FN void free(void *pointer) { ::free(pointer); }
}

#endif

/* min and max for all types on host and device, and in device code float overloads of C and CUDA
 * functions under the name of the double function. clang provides the integer overloads, and in
 * <__clang_cuda_cmath.h> the float overloads of some functions. */
#ifndef CORUN_DEVICE_OVERLOADS_H
#define CORUN_DEVICE_OVERLOADS_H

#include "define.h"

#define CORUN_MIN_MAX_AS(where, A, B, T)                                                           \
    static where __forceinline__ T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; }             \
    static where __forceinline__ T max(A a, B b) { return (T)a > (T)b ? (T)a : (T)b; }
#define CORUN_MIN_MAX(A, B, T) CORUN_MIN_MAX_AS(__host__ __device__, A, B, T)
CORUN_MIN_MAX_AS(__host__, int, int, int) /* clang provides the device function */
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
/* clang declares these and the following functions in <__clang_cuda_math_forward_declares.h>. */
CORUN_FLOAT(acosh)
CORUN_FLOAT(asinh)
CORUN_FLOAT(atanh)
CORUN_FLOAT(cbrt)
CORUN_FLOAT(erf)
CORUN_FLOAT(erfc)
CORUN_FLOAT(exp2)
CORUN_FLOAT(expm1)
CORUN_FLOAT(lgamma)
CORUN_FLOAT(log1p)
CORUN_FLOAT(log2)
CORUN_FLOAT(logb)
CORUN_FLOAT(nearbyint)
CORUN_FLOAT(rint)
CORUN_FLOAT(round)
CORUN_FLOAT(tgamma)
CORUN_FLOAT(trunc)
#undef CORUN_FLOAT
#define CORUN_FLOAT(name)                                                                          \
    CORUN_FN float name(float x, float y) { return name##f(x, y); }
CORUN_FLOAT(rhypot)
CORUN_FLOAT(copysign)
CORUN_FLOAT(fdim)
CORUN_FLOAT(fmax)
CORUN_FLOAT(fmin)
CORUN_FLOAT(hypot)
CORUN_FLOAT(nextafter)
CORUN_FLOAT(remainder)
#undef CORUN_FLOAT
CORUN_FN float fma(float x, float y, float z) { return fmaf(x, y, z); }
CORUN_FN float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }
CORUN_FN float scalbn(float x, int n) { return scalbnf(x, n); }
CORUN_FN float scalbln(float x, long n) { return scalblnf(x, n); }
CORUN_FN int ilogb(float x) { return ilogbf(x); }
CORUN_FN long lrint(float x) { return lrintf(x); }
CORUN_FN long lround(float x) { return lroundf(x); }
CORUN_FN long long llrint(float x) { return llrintf(x); }
CORUN_FN long long llround(float x) { return llroundf(x); }
CORUN_FN void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
CORUN_FN void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }

/* Returns the number written in `tag` in decimal, octal or hexadecimal; 0 for any other text. */
CORUN_FAR corun_u64 corun_nan_tag(const char *tag)
{
    corun_u64 value = 0;
    unsigned base = *tag == '0' ? 8 : 10;
    if (base == 8 && (tag[1] | 0x20) == 'x') {
        base = 16;
        tag += 2;
    }
    for (; *tag; tag++) {
        unsigned letter = (*tag | 0x20) - 'a', digit = *tag - '0';
        if (base == 16 && letter < 6) digit = letter + 10;
        if (digit >= base) return 0;
        value = value * base + digit;
    }
    return value;
}
/* Returns a quiet NaN with the number of the tag in its lower fraction bits. */
CORUN_FN double nan(const char *tag)
{
    corun_u64 value = *tag ? corun_nan_tag(tag) & 0xfffffffffffff : 0;
    return __nv_longlong_as_double((long long)(value | 0x7ff8000000000000));
}
CORUN_FN float nanf(const char *tag)
{
    corun_u32 value = *tag ? (corun_u32)corun_nan_tag(tag) & 0x7fffff : 0;
    return __nv_uint_as_float(value | 0x7fc00000);
}

static __host__ __forceinline__ float rsqrtf(float x) { return 1 / sqrtf(x); }
static __host__ __forceinline__ float rsqrt(float x) { return 1 / sqrtf(x); }
static __host__ __forceinline__ double rsqrt(double x) { return 1 / sqrt(x); }

namespace std {
CORUN_FN void *malloc(size_t size) { return ::malloc(size); }
CORUN_FN void free(void *pointer) { ::free(pointer); }
}

#endif

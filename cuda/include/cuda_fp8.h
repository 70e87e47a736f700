/* Floats of 8 bits, e4m3 and e5m2: types, and conversions computed from the bits on host and
 * device. Code 0x7f is NaN in both formats. e4m3 has no infinity, and 448 as largest number; e5m2
 * has the exponents of half, and 57344 as largest number. */
#ifndef CORUN_CUDA_FP8_H
#define CORUN_CUDA_FP8_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
/* Conversion of a number beyond the range: NaN in e4m3, infinity in e5m2; or the largest number. */
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#define CORUN_BOTH_SIDES static __host__ __device__ __forceinline__

/* ---- one value ---- */
CORUN_BOTH_SIDES __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t kind)
{
    unsigned b, fraction = kind == __NV_E4M3 ? 3 : 2, shift = 23 - fraction;
    unsigned last = kind == __NV_E4M3 ? 0x7e : 0x7b, beyond = kind == __NV_E4M3 ? 0x7f : 0x7c;
    int least = kind == __NV_E4M3 ? 1 - 7 : 1 - 15; /* exponent of the least normal number */
    __builtin_memcpy(&b, &x, sizeof b);
    unsigned sign = b >> 31 << 7, code = beyond;
    b &= 0x7fffffff;
    if (b > 0x7f800000) return 0x7f;
    int e = (int)(b >> 23) - 127;
    if (e <= 16) {
        unsigned m = (b & 0x7fffff) | (b >> 23 ? 0x800000u : 0);
        if (e < least) {
            unsigned more = (unsigned)(least - e);
            shift += more < 31 - shift ? more : 31 - shift;
            e = least;
        }
        unsigned rest = m & ((1u << shift) - 1), half = 1u << shift >> 1;
        code = m >> shift;
        code += rest > half || (rest == half && (code & 1));
        code += (unsigned)(e - least) << fraction;
        if (code > last) code = beyond;
    }
    if (code == beyond && saturate == __NV_SATFINITE) code = last;
    return (__nv_fp8_storage_t)(sign | code);
}
CORUN_BOTH_SIDES __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(corun_to_odd(x, -0.0), saturate, kind);
}
CORUN_BOTH_SIDES __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x,
                                                            __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(corun_wide(__half(x)), saturate, kind);
}
CORUN_BOTH_SIDES __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                                __nv_saturation_t saturate,
                                                                __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(corun_wide(__nv_bfloat16(x)), saturate, kind);
}
/* Exact: both formats are subsets of half. */
CORUN_BOTH_SIDES __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                                    __nv_fp8_interpretation_t kind)
{
    unsigned sign = (x & 0x80u) << 8, code = x & 0x7fu, e = code >> 3, m = code & 7, bits;
    if (kind == __NV_E5M2) {
        bits = code > 0x7c ? 0x7fff : sign | code << 8;
    } else if (code == 0x7f) {
        bits = 0x7fff;
    } else if (e) {
        bits = sign | (e + 8) << 10 | m << 7;
    } else { /* m * 2^-9; the leading bit of m becomes implicit */
        unsigned top = m >> 2 ? 2 : m >> 1 ? 1 : 0;
        bits = m ? sign | (top + 6) << 10 | (m << (10 - top) & 0x3ff) : sign;
    }
    __half_raw r = {(unsigned short)bits};
    return r;
}
CORUN_BOTH_SIDES float corun_fp8_wide(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    return corun_wide(__half(__nv_cvt_fp8_to_halfraw(x, kind)));
}

/* ---- two values: the first in the low byte ---- */
CORUN_BOTH_SIDES __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x,
                                                               __nv_saturation_t saturate,
                                                               __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, saturate, kind) |
                                  __nv_cvt_float_to_fp8(x.y, saturate, kind) << 8);
}
CORUN_BOTH_SIDES __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x,
                                                                __nv_saturation_t saturate,
                                                                __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, kind) |
                                  __nv_cvt_double_to_fp8(x.y, saturate, kind) << 8);
}
CORUN_BOTH_SIDES __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x,
                                                                 __nv_saturation_t saturate,
                                                                 __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturate, kind);
}
CORUN_BOTH_SIDES __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(
    __nv_bfloat162_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)), saturate, kind);
}
CORUN_BOTH_SIDES __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                        __nv_fp8_interpretation_t kind)
{
    __half2_raw r = {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x,
                     __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x};
    return r;
}

/* ---- types: constructors saturate; conversions to whole numbers drop the fraction, give a limit
 * beyond the range, and 0 for NaN ---- */
#define CORUN_FP8_TO(T, low, high)                                                                 \
    __host__ __device__ explicit operator T() const                                                \
    {                                                                                              \
        return corun_whole<T>(float(*this), 'z', low, high);                                       \
    }
#define CORUN_FP8(F, kind)                                                                         \
    struct F {                                                                                     \
        __nv_fp8_storage_t __x;                                                                    \
        F() = default;                                                                             \
        __host__ __device__ explicit F(float a)                                                    \
            : __x(__nv_cvt_float_to_fp8(a, __NV_SATFINITE, kind)) {}                               \
        __host__ __device__ explicit F(double a) : F(corun_to_odd(a, -0.0)) {}                     \
        __host__ __device__ explicit F(__half a) : F(corun_wide(a)) {}                             \
        __host__ __device__ explicit F(__nv_bfloat16 a) : F(corun_wide(a)) {}                      \
        __host__ __device__ explicit F(short a) : F((float)a) {}                                   \
        __host__ __device__ explicit F(unsigned short a) : F((float)a) {}                          \
        __host__ __device__ explicit F(int a) : F((float)a) {}                                     \
        __host__ __device__ explicit F(unsigned a) : F((float)a) {}                                \
        __host__ __device__ explicit F(long a) : F((float)a) {}                                    \
        __host__ __device__ explicit F(unsigned long a) : F((float)a) {}                           \
        __host__ __device__ explicit F(long long a) : F((float)a) {}                               \
        __host__ __device__ explicit F(unsigned long long a) : F((float)a) {}                      \
        __host__ __device__ explicit operator float() const { return corun_fp8_wide(__x, kind); }  \
        __host__ __device__ explicit operator double() const { return float(*this); }              \
        __host__ __device__ explicit operator __half() const                                       \
        {                                                                                          \
            return __half(__nv_cvt_fp8_to_halfraw(__x, kind));                                     \
        }                                                                                          \
        __host__ __device__ explicit operator __nv_bfloat16() const                                \
        {                                                                                          \
            return __nv_bfloat16(float(*this));                                                    \
        }                                                                                          \
        __host__ __device__ explicit operator bool() const { return (__x & 0x7f) != 0; }           \
        CORUN_FP8_TO(char, CHAR_MIN, CHAR_MAX)                                                     \
        CORUN_FP8_TO(signed char, -128, 127)                                                       \
        CORUN_FP8_TO(unsigned char, 0, 255)                                                        \
        CORUN_FP8_TO(short, -32768, 32767)                                                         \
        CORUN_FP8_TO(unsigned short, 0, 65535)                                                     \
        CORUN_FP8_TO(int, INT_MIN, INT_MAX)                                                        \
        CORUN_FP8_TO(unsigned, 0, UINT_MAX)                                                        \
        CORUN_FP8_TO(long, LONG_MIN, LONG_MAX)                                                     \
        CORUN_FP8_TO(unsigned long, 0, ULONG_MAX)                                                  \
        CORUN_FP8_TO(long long, LLONG_MIN, LLONG_MAX)                                              \
        CORUN_FP8_TO(unsigned long long, 0, ULLONG_MAX)                                            \
    };
CORUN_FP8(__nv_fp8_e4m3, __NV_E4M3)
CORUN_FP8(__nv_fp8_e5m2, __NV_E5M2)

#define CORUN_FP8X2(F, kind)                                                                       \
    struct __attribute__((aligned(2))) F {                                                         \
        __nv_fp8x2_storage_t __x;                                                                  \
        F() = default;                                                                             \
        __host__ __device__ explicit F(float2 a)                                                   \
            : __x(__nv_cvt_float2_to_fp8x2(a, __NV_SATFINITE, kind)) {}                            \
        __host__ __device__ explicit F(double2 a)                                                  \
            : __x(__nv_cvt_double2_to_fp8x2(a, __NV_SATFINITE, kind)) {}                           \
        __host__ __device__ explicit F(__half2 a) : F(__half22float2(a)) {}                        \
        __host__ __device__ explicit F(__nv_bfloat162 a) : F(__bfloat1622float2(a)) {}             \
        __host__ __device__ explicit operator __half2() const                                      \
        {                                                                                          \
            return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind));                                 \
        }                                                                                          \
        __host__ __device__ explicit operator float2() const                                       \
        {                                                                                          \
            return __half22float2(__half2(*this));                                                 \
        }                                                                                          \
        __host__ __device__ explicit operator __nv_bfloat162() const                               \
        {                                                                                          \
            return __float22bfloat162_rn(float2(*this));                                           \
        }                                                                                          \
    };
CORUN_FP8X2(__nv_fp8x2_e4m3, __NV_E4M3)
CORUN_FP8X2(__nv_fp8x2_e5m2, __NV_E5M2)

#define CORUN_FP8X4(F, F2, kind)                                                                   \
    struct __attribute__((aligned(4))) F {                                                         \
        __nv_fp8x4_storage_t __x;                                                                  \
        F() = default;                                                                             \
        __host__ __device__ explicit F(F2 low, F2 high)                                            \
            : __x(low.__x | (__nv_fp8x4_storage_t)high.__x << 16) {}                               \
        __host__ __device__ explicit F(__half2 low, __half2 high) : F(F2(low), F2(high)) {}        \
        __host__ __device__ explicit F(__nv_bfloat162 low, __nv_bfloat162 high)                    \
            : F(F2(low), F2(high)) {}                                                              \
        __host__ __device__ explicit F(float4 a)                                                   \
            : F(F2(make_float2(a.x, a.y)), F2(make_float2(a.z, a.w))) {}                           \
        __host__ __device__ explicit F(double4 a)                                                  \
            : F(F2(make_double2(a.x, a.y)), F2(make_double2(a.z, a.w))) {}                         \
        __host__ __device__ explicit operator float4() const                                       \
        {                                                                                          \
            return make_float4(corun_fp8_wide((__nv_fp8_storage_t)__x, kind),                      \
                               corun_fp8_wide((__nv_fp8_storage_t)(__x >> 8), kind),               \
                               corun_fp8_wide((__nv_fp8_storage_t)(__x >> 16), kind),              \
                               corun_fp8_wide((__nv_fp8_storage_t)(__x >> 24), kind));             \
        }                                                                                          \
    };
CORUN_FP8X4(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3, __NV_E4M3)
CORUN_FP8X4(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2, __NV_E5M2)
#undef CORUN_FP8
#undef CORUN_FP8X2
#undef CORUN_FP8X4
#undef CORUN_FP8_TO
#undef CORUN_BOTH_SIDES

#endif

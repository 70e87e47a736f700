/* half and half2: conversions, arithmetic, comparison, functions, as in the CUDA math API. */
#ifndef CORUN_CUDA_FP16_H
#define CORUN_CUDA_FP16_H

#include "cuda_runtime.h"
#include "device/small_type.h"

CORUN_SMALL_TYPE(__half, __half2, __half_raw, __half2_raw)
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#ifdef __CUDA_ARCH__
#define CORUN_F16(host, device, ...)                                                               \
    {                                                                                              \
        unsigned short r;                                                                          \
        asm(device : "=h"(r) : __VA_ARGS__);                                                       \
        return __half(corun_raw(r));                                                               \
    }
#else
#define CORUN_F16(host, device, ...) { return host; }
#endif
static __host__ __device__ __forceinline__ float corun_wide(__half a)
{
#ifdef __CUDA_ARCH__
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a.bits()));
    return r;
#else
    unsigned s = (a.bits() & 0x8000u) << 16, e = a.bits() >> 10 & 31u, m = a.bits() & 1023u;
    if (e == 31) return corun_float_of(s | 0x7f800000u | m << 13);
    if (e) return corun_float_of(s | (e + 112) << 23 | m << 13);
    float r = (float)m * 0x1p-24f;
    return s ? -r : r;
#endif
}
/* mode, as in PTX: n nearest, z towards zero, m down, p up */
static __host__ __device__ __forceinline__ __half corun_half(float a, char mode)
{
#ifdef __CUDA_ARCH__
    unsigned short r;
    switch (mode) {
    case 'z': asm("cvt.rz.f16.f32 %0, %1;" : "=h"(r) : "f"(a)); break;
    case 'm': asm("cvt.rm.f16.f32 %0, %1;" : "=h"(r) : "f"(a)); break;
    case 'p': asm("cvt.rp.f16.f32 %0, %1;" : "=h"(r) : "f"(a)); break;
    default: asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a));
    }
    return __half(corun_raw(r));
#else
    return __half(corun_raw(corun_round_bits(a, mode, 10, 5)));
#endif
}
static __host__ __device__ __forceinline__ __half corun_narrow(float a, __half)
{
    return corun_half(a, 'n');
}
static __host__ __device__ __forceinline__ __half corun_add(__half a, __half b)
CORUN_F16(corun_half(corun_wide(a) + corun_wide(b), 'n'), "add.rn.f16 %0, %1, %2;", "h"(a.bits()),
          "h"(b.bits()))
static __host__ __device__ __forceinline__ __half corun_mul(__half a, __half b)
CORUN_F16(corun_half(corun_wide(a) * corun_wide(b), 'n'), "mul.rn.f16 %0, %1, %2;", "h"(a.bits()),
          "h"(b.bits()))
/* On the host computed in double: the product is exact, the sum is exact or rounded to odd. */
static __host__ __device__ __forceinline__ __half corun_fma(__half a, __half b, __half c)
CORUN_F16(corun_half(corun_to_odd((double)corun_wide(a) * (double)corun_wide(b),
                                  (double)corun_wide(c)), 'n'),
          "fma.rn.f16 %0, %1, %2, %3;", "h"(a.bits()), "h"(b.bits()), "h"(c.bits()))
#undef CORUN_F16

#define _H __half
#define _H2 __half2
#include "device/small_float.h"
#undef _H
#undef _H2

/* ---- conversions ---- */
#define CORUN_BOTH_SIDES static __host__ __device__ __forceinline__
CORUN_BOTH_SIDES float __half2float(__half a) { return corun_wide(a); }
CORUN_BOTH_SIDES __half __float2half(float a) { return corun_half(a, 'n'); }
CORUN_BOTH_SIDES __half __float2half_rn(float a) { return corun_half(a, 'n'); }
CORUN_BOTH_SIDES __half __float2half_rz(float a) { return corun_half(a, 'z'); }
CORUN_BOTH_SIDES __half __float2half_rd(float a) { return corun_half(a, 'm'); }
CORUN_BOTH_SIDES __half __float2half_ru(float a) { return corun_half(a, 'p'); }
CORUN_BOTH_SIDES __half __double2half(double a) { return corun_half(corun_to_odd(a, -0.0), 'n'); }
CORUN_BOTH_SIDES __half2 __half2half2(__half a) { return __half2(a, a); }
CORUN_BOTH_SIDES __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
CORUN_BOTH_SIDES __half2 make_half2(__half a, __half b) { return __half2(a, b); }
CORUN_BOTH_SIDES __half2 __float2half2_rn(float a) { return __half2half2(__float2half(a)); }
CORUN_BOTH_SIDES __half2 __floats2half2_rn(float a, float b)
{
    return __half2(__float2half(a), __float2half(b));
}
CORUN_BOTH_SIDES __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
CORUN_BOTH_SIDES float2 __half22float2(__half2 a)
{
    return make_float2(corun_wide(a.x), corun_wide(a.y));
}
CORUN_BOTH_SIDES short __half_as_short(__half a) { return (short)a.bits(); }
CORUN_BOTH_SIDES unsigned short __half_as_ushort(__half a) { return a.bits(); }
CORUN_BOTH_SIDES __half __short_as_half(short a) { return __half(corun_raw((unsigned short)a)); }
CORUN_BOTH_SIDES __half __ushort_as_half(unsigned short a) { return __half(corun_raw(a)); }
#undef CORUN_BOTH_SIDES
#ifdef __CUDACC__
#define CORUN_FROM_HALF(name, T, as, letter, end)                                                  \
    CORUN_FROM_HALF_BY(name##_rn, T, as, letter, "cvt.rni" end)                                    \
    CORUN_FROM_HALF_BY(name##_rz, T, as, letter, "cvt.rzi" end)                                    \
    CORUN_FROM_HALF_BY(name##_rd, T, as, letter, "cvt.rmi" end)                                    \
    CORUN_FROM_HALF_BY(name##_ru, T, as, letter, "cvt.rpi" end)
#define CORUN_FROM_HALF_BY(name, T, as, letter, op)                                                \
    static __device__ __forceinline__ T name(__half a)                                             \
    {                                                                                              \
        as r;                                                                                      \
        asm(op " %0, %1;" : "=" letter(r) : "h"(a.bits()));                                        \
        return (T)r;                                                                               \
    }
#define CORUN_TO_HALF(name, T, letter, end)                                                        \
    CORUN_TO_HALF_BY(name##_rn, T, letter, "cvt.rn" end)                                           \
    CORUN_TO_HALF_BY(name##_rz, T, letter, "cvt.rz" end)                                           \
    CORUN_TO_HALF_BY(name##_rd, T, letter, "cvt.rm" end)                                           \
    CORUN_TO_HALF_BY(name##_ru, T, letter, "cvt.rp" end)
#define CORUN_TO_HALF_BY(name, T, letter, op)                                                      \
    static __device__ __forceinline__ __half name(T a)                                             \
    {                                                                                              \
        unsigned short r;                                                                          \
        asm(op " %0, %1;" : "=h"(r) : letter(a));                                                  \
        return __half(corun_raw(r));                                                               \
    }
CORUN_FROM_HALF(__half2int, int, int, "r", ".s32.f16")
CORUN_FROM_HALF(__half2uint, unsigned, unsigned, "r", ".u32.f16")
CORUN_FROM_HALF(__half2short, short, short, "h", ".s16.f16")
CORUN_FROM_HALF(__half2ushort, unsigned short, unsigned short, "h", ".u16.f16")
CORUN_FROM_HALF(__half2ll, long long, long long, "l", ".s64.f16")
CORUN_FROM_HALF(__half2ull, unsigned long long, unsigned long long, "l", ".u64.f16")
CORUN_TO_HALF(__int2half, int, "r", ".f16.s32")
CORUN_TO_HALF(__uint2half, unsigned, "r", ".f16.u32")
CORUN_TO_HALF(__short2half, short, "h", ".f16.s16")
CORUN_TO_HALF(__ushort2half, unsigned short, "h", ".f16.u16")
CORUN_TO_HALF(__ll2half, long long, "l", ".f16.s64")
CORUN_TO_HALF(__ull2half, unsigned long long, "l", ".f16.u64")
#undef CORUN_FROM_HALF
#undef CORUN_FROM_HALF_BY
#undef CORUN_TO_HALF
#undef CORUN_TO_HALF_BY

static __device__ __forceinline__ __half atomicAdd(__half *p, __half v)
{
    unsigned short r;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v.bits()) : "memory");
    return __half(corun_raw(r));
}
static __device__ __forceinline__ __half2 atomicAdd(__half2 *p, __half2 v)
{
    unsigned r, bits = v.x.bits() | (unsigned)v.y.bits() << 16;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(bits) : "memory");
    return __half2(__half(corun_raw((unsigned short)r)),
                   __half(corun_raw((unsigned short)(r >> 16))));
}
#endif

#endif

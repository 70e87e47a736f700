/* bfloat16: conversions, arithmetic and comparison, computed in float as on GPUs below sm_80. */
#ifndef CORUN_CUDA_BF16_H
#define CORUN_CUDA_BF16_H

#include "cuda_runtime.h"
#include "device/small_type.h"

CORUN_SMALL_TYPE(__nv_bfloat16, __nv_bfloat162, __nv_bfloat16_raw, __nv_bfloat162_raw)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CORUN_BOTH_SIDES static __host__ __device__ __forceinline__
CORUN_BOTH_SIDES float corun_wide(__nv_bfloat16 a)
{
    return corun_float_of((unsigned)a.bits() << 16);
}
CORUN_BOTH_SIDES __nv_bfloat16 corun_narrow(float a, __nv_bfloat16)
{
    return __nv_bfloat16(corun_raw(corun_round_bits(a, 'n', 7, 8)));
}
CORUN_BOTH_SIDES __nv_bfloat16 corun_add(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return corun_narrow(corun_to_odd((double)corun_wide(a), (double)corun_wide(b)), a);
}
CORUN_BOTH_SIDES __nv_bfloat16 corun_mul(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return corun_narrow(corun_wide(a) * corun_wide(b), a);
}
CORUN_BOTH_SIDES __nv_bfloat16 corun_fma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    double product = (double)corun_wide(a) * (double)corun_wide(b);
    return corun_narrow(corun_to_odd(product, (double)corun_wide(c)), a);
}

#define _H __nv_bfloat16
#define _H2 __nv_bfloat162
#include "device/small_float.h"
#undef _H
#undef _H2

#define CORUN_BOTH_SIDES static __host__ __device__ __forceinline__
CORUN_BOTH_SIDES float __bfloat162float(__nv_bfloat16 a) { return corun_wide(a); }
CORUN_BOTH_SIDES __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
CORUN_BOTH_SIDES __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
CORUN_BOTH_SIDES __nv_bfloat16 __float2bfloat16_rz(float a)
{
    return __nv_bfloat16(corun_raw(corun_round_bits(a, 'z', 7, 8)));
}
CORUN_BOTH_SIDES __nv_bfloat16 __float2bfloat16_rd(float a)
{
    return __nv_bfloat16(corun_raw(corun_round_bits(a, 'm', 7, 8)));
}
CORUN_BOTH_SIDES __nv_bfloat16 __float2bfloat16_ru(float a)
{
    return __nv_bfloat16(corun_raw(corun_round_bits(a, 'p', 7, 8)));
}
CORUN_BOTH_SIDES __nv_bfloat16 __double2bfloat16(double a)
{
    return __nv_bfloat16(corun_to_odd(a, -0.0));
}
CORUN_BOTH_SIDES __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a)
{
    return __nv_bfloat162(a, a);
}
CORUN_BOTH_SIDES __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
CORUN_BOTH_SIDES __nv_bfloat162 __float2bfloat162_rn(float a)
{
    return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a));
}
CORUN_BOTH_SIDES __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
CORUN_BOTH_SIDES __nv_bfloat162 __float22bfloat162_rn(float2 a)
{
    return __floats2bfloat162_rn(a.x, a.y);
}
CORUN_BOTH_SIDES float2 __bfloat1622float2(__nv_bfloat162 a)
{
    return make_float2(corun_wide(a.x), corun_wide(a.y));
}
CORUN_BOTH_SIDES short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.bits(); }
CORUN_BOTH_SIDES unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.bits(); }
CORUN_BOTH_SIDES __nv_bfloat16 __short_as_bfloat16(short a)
{
    return __nv_bfloat16(corun_raw((unsigned short)a));
}
CORUN_BOTH_SIDES __nv_bfloat16 __ushort_as_bfloat16(unsigned short a)
{
    return __nv_bfloat16(corun_raw(a));
}
CORUN_BOTH_SIDES __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}

/* ---- whole numbers ---- */

#define CORUN_WHOLE_BY(name, T, mode, low, high)                                                   \
    CORUN_BOTH_SIDES T name(__nv_bfloat16 a)                                                       \
    {                                                                                              \
        return corun_whole<T>(corun_wide(a), mode, low, high);                                     \
    }
#define CORUN_BF16_BY(name, T, odd, mode)                                                          \
    CORUN_BOTH_SIDES __nv_bfloat16 name(T a)                                                       \
    {                                                                                              \
        return __nv_bfloat16(corun_raw(corun_round_bits(odd, mode, 7, 8)));                        \
    }
#define CORUN_WHOLE(name, T, low, high, odd)                                                       \
    CORUN_WHOLE_BY(__bfloat162##name##_rn, T, 'n', low, high)                                      \
    CORUN_WHOLE_BY(__bfloat162##name##_rz, T, 'z', low, high)                                      \
    CORUN_WHOLE_BY(__bfloat162##name##_rd, T, 'm', low, high)                                      \
    CORUN_WHOLE_BY(__bfloat162##name##_ru, T, 'p', low, high)                                      \
    CORUN_BF16_BY(__##name##2bfloat16_rn, T, odd, 'n')                                             \
    CORUN_BF16_BY(__##name##2bfloat16_rz, T, odd, 'z')                                             \
    CORUN_BF16_BY(__##name##2bfloat16_rd, T, odd, 'm')                                             \
    CORUN_BF16_BY(__##name##2bfloat16_ru, T, odd, 'p')
CORUN_WHOLE(short, short, -32768, 32767, (float)a)
CORUN_WHOLE(ushort, unsigned short, 0, 65535, (float)a)
CORUN_WHOLE(int, int, -2147483647 - 1, 2147483647, corun_to_odd((double)a, -0.0))
CORUN_WHOLE(uint, unsigned, 0, 4294967295u, corun_to_odd((double)a, -0.0))
CORUN_WHOLE(ll, long long, -9223372036854775807ll - 1, 9223372036854775807ll, corun_odd_of(a))
CORUN_WHOLE(ull, unsigned long long, 0, 18446744073709551615ull, corun_odd_of(a))
CORUN_WHOLE_BY(__bfloat162char_rz, signed char, 'z', -128, 127)
CORUN_WHOLE_BY(__bfloat162uchar_rz, unsigned char, 'z', 0, 255)
#undef CORUN_WHOLE
#undef CORUN_WHOLE_BY
#undef CORUN_BF16_BY
#undef CORUN_BOTH_SIDES

#ifdef __CUDACC__
/* Adds by compare and swap, as below sm_90. Returns the word before the addition. */
template<class _F> static __device__ __forceinline__ unsigned corun_swap_word(unsigned *p, _F next)
{
    unsigned before = *(volatile unsigned *)p, expected;
    do {
        expected = before;
        before = atomicCAS(p, expected, next(expected));
    } while (before != expected);
    return before;
}
static __device__ __forceinline__ __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v)
{
    unsigned before = corun_swap_word((unsigned *)p, [=](unsigned word) {
        __nv_bfloat162_raw r = {(unsigned short)word, (unsigned short)(word >> 16)};
        r = __hadd2(__nv_bfloat162(r), v);
        return r.x | (unsigned)r.y << 16;
    });
    __nv_bfloat162_raw r = {(unsigned short)before, (unsigned short)(before >> 16)};
    return __nv_bfloat162(r);
}
static __device__ __forceinline__ __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v)
{
    unsigned shift = 8 * ((unsigned)(unsigned long long)p & 2);
    unsigned *around = (unsigned *)((unsigned long long)p & ~3ull);
    unsigned before = corun_swap_word(around, [=](unsigned word) {
        __nv_bfloat16 sum = __hadd(__nv_bfloat16(corun_raw((unsigned short)(word >> shift))), v);
        return (word & ~(0xffffu << shift)) | (unsigned)sum.bits() << shift;
    });
    return __nv_bfloat16(corun_raw((unsigned short)(before >> shift)));
}
#endif

#endif

/* bfloat16: conversions, arithmetic and comparison, computed in float as on GPUs below sm_80. */
#ifndef CORUN_CUDA_BF16_H
#define CORUN_CUDA_BF16_H

#include "cuda_runtime.h"
#include "device/small_type.h"

CORUN_SMALL_TYPE(__nv_bfloat16, __nv_bfloat162)
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
    return __nv_bfloat16(corun_to_odd(a, 0));
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
CORUN_BOTH_SIDES __nv_bfloat16 __ushort_as_bfloat16(unsigned short a)
{
    return __nv_bfloat16(corun_raw(a));
}
#undef CORUN_BOTH_SIDES

#endif

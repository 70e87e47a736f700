// Floats of 16 bits as bits, and sums and maxima of a warp.
#ifndef LLM_LAYER_BF16_H
#define LLM_LAYER_BF16_H

typedef uint16_t u16;

__device__ static float float_of(u16 bits) { return __uint_as_float((u32)bits << 16); }

__device__ static float2 pair_of(u32 bits)
{
    return make_float2(__uint_as_float(bits << 16), __uint_as_float(bits & 0xffff0000));
}

__device__ static u16 bits_of(float x)
{
    u16 bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

__device__ static u32 bits_of(float low, float high)
{
    u32 bits;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
    return bits;
}

__device__ static float warp_sum(float x)
{
    for (int d = 16; d; d /= 2) x += __shfl_xor_sync(~0u, x, d);
    return x;
}

__device__ static float warp_max(float x)
{
    for (int d = 16; d; d /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, d));
    return x;
}

#endif

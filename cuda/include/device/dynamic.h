/* Functions for dynamic programming: maxima and minima of two or three numbers or of a sum, of 32
 * bits or of both halves of a word, for host and device. */
#ifndef CORUN_DEVICE_DYNAMIC_H
#define CORUN_DEVICE_DYNAMIC_H

#include "define.h"

#define CORUN_BOTH_SIDES static __host__ __device__ __forceinline__
template<class _T> CORUN_BOTH_SIDES _T corun_max(_T a, _T b) { return a < b ? b : a; }
template<class _T> CORUN_BOTH_SIDES _T corun_min(_T a, _T b) { return b < a ? b : a; }
/* n: 0 low half, 1 high half */
template<class _T> CORUN_BOTH_SIDES _T corun_half_of(corun_u32 a, int n)
{
    return (_T)(unsigned short)(a >> 16 * n);
}
template<class _T> CORUN_BOTH_SIDES corun_u32 corun_of_halves(_T high, _T low)
{
    return (corun_u32)(unsigned short)high << 16 | (unsigned short)low;
}

/* of: max or min; test: true if a is the result; T: 32 bits; H: 16 bits */
#define CORUN_HALVES_OF(H)                                                                         \
    H ah = corun_half_of<H>(a, 1), al = corun_half_of<H>(a, 0);                                    \
    H bh = corun_half_of<H>(b, 1), bl = corun_half_of<H>(b, 0);
#define CORUN_HALVES_OF_C(H) H ch = corun_half_of<H>(c, 1), cl = corun_half_of<H>(c, 0);
#define CORUN_DYNAMIC(of, test, T, type, H, half)                                                  \
    CORUN_BOTH_SIDES T __vi##of##3_##type(T a, T b, T c)                                           \
    {                                                                                              \
        return corun_##of(corun_##of(a, b), c);                                                    \
    }                                                                                              \
    CORUN_BOTH_SIDES T __viadd##of##_##type(T a, T b, T c)                                         \
    {                                                                                              \
        return corun_##of((T)((corun_u32)a + (corun_u32)b), c);                                    \
    }                                                                                              \
    CORUN_BOTH_SIDES T __vib##of##_##type(T a, T b, bool *pred)                                    \
    {                                                                                              \
        *pred = a test b;                                                                          \
        return corun_##of(a, b);                                                                   \
    }                                                                                              \
    CORUN_BOTH_SIDES corun_u32 __vi##of##3_##half(corun_u32 a, corun_u32 b, corun_u32 c)           \
    {                                                                                              \
        CORUN_HALVES_OF(H)                                                                         \
        CORUN_HALVES_OF_C(H)                                                                       \
        return corun_of_halves(corun_##of(corun_##of(ah, bh), ch),                                 \
                               corun_##of(corun_##of(al, bl), cl));                                \
    }                                                                                              \
    CORUN_BOTH_SIDES corun_u32 __viadd##of##_##half(corun_u32 a, corun_u32 b, corun_u32 c)         \
    {                                                                                              \
        CORUN_HALVES_OF(H)                                                                         \
        CORUN_HALVES_OF_C(H)                                                                       \
        return corun_of_halves(corun_##of((H)(ah + bh), ch), corun_##of((H)(al + bl), cl));        \
    }                                                                                              \
    CORUN_BOTH_SIDES corun_u32 __vib##of##_##half(corun_u32 a, corun_u32 b, bool *high, bool *low) \
    {                                                                                              \
        CORUN_HALVES_OF(H)                                                                         \
        *high = ah test bh;                                                                        \
        *low = al test bl;                                                                         \
        return corun_of_halves(corun_##of(ah, bh), corun_##of(al, bl));                            \
    }
CORUN_DYNAMIC(max, >=, int, s32, short, s16x2)
CORUN_DYNAMIC(max, >=, corun_u32, u32, unsigned short, u16x2)
CORUN_DYNAMIC(min, <=, int, s32, short, s16x2)
CORUN_DYNAMIC(min, <=, corun_u32, u32, unsigned short, u16x2)

/* ---- relu: negative results become 0 ---- */
CORUN_BOTH_SIDES corun_u32 corun_relu_halves(corun_u32 a)
{
    return corun_of_halves(corun_max(corun_half_of<short>(a, 1), (short)0),
                           corun_max(corun_half_of<short>(a, 0), (short)0));
}
#define CORUN_RELU(of)                                                                             \
    CORUN_BOTH_SIDES int __vi##of##_s32_relu(int a, int b)                                         \
    {                                                                                              \
        return corun_max(corun_##of(a, b), 0);                                                     \
    }                                                                                              \
    CORUN_BOTH_SIDES int __vi##of##3_s32_relu(int a, int b, int c)                                 \
    {                                                                                              \
        return corun_max(__vi##of##3_s32(a, b, c), 0);                                             \
    }                                                                                              \
    CORUN_BOTH_SIDES int __viadd##of##_s32_relu(int a, int b, int c)                               \
    {                                                                                              \
        return corun_max(__viadd##of##_s32(a, b, c), 0);                                           \
    }                                                                                              \
    CORUN_BOTH_SIDES corun_u32 __vi##of##_s16x2_relu(corun_u32 a, corun_u32 b)                     \
    {                                                                                              \
        return corun_relu_halves(__vi##of##3_s16x2(a, b, b));                                      \
    }                                                                                              \
    CORUN_BOTH_SIDES corun_u32 __vi##of##3_s16x2_relu(corun_u32 a, corun_u32 b, corun_u32 c)       \
    {                                                                                              \
        return corun_relu_halves(__vi##of##3_s16x2(a, b, c));                                      \
    }                                                                                              \
    CORUN_BOTH_SIDES corun_u32 __viadd##of##_s16x2_relu(corun_u32 a, corun_u32 b, corun_u32 c)     \
    {                                                                                              \
        return corun_relu_halves(__viadd##of##_s16x2(a, b, c));                                    \
    }
CORUN_RELU(max)
CORUN_RELU(min)
#undef CORUN_RELU
#undef CORUN_DYNAMIC
#undef CORUN_HALVES_OF
#undef CORUN_HALVES_OF_C
#undef CORUN_BOTH_SIDES

#endif

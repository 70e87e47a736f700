/* Vectors of 16 and 32 bytes, and the AVX2 operations without an operator. <immintrin.h> has the
 * same operations, but takes longer to compile than most files of the cycle path. */
#ifndef CORUN_VECTOR_H
#define CORUN_VECTOR_H

#include "base/base.h"

typedef u16 u16x8 __attribute__((vector_size(16)));
typedef s16 s16x8 __attribute__((vector_size(16)));
typedef u16 u16x16 __attribute__((vector_size(32)));
typedef s16 s16x16 __attribute__((vector_size(32)));
typedef u32 u32x8 __attribute__((vector_size(32)));
typedef s32 s32x8 __attribute__((vector_size(32)));
typedef s64 s64x4 __attribute__((vector_size(32)));
typedef u64 u64x4 __attribute__((vector_size(32)));
typedef float f32x8 __attribute__((vector_size(32)));

#ifdef __AVX2__
/* The builtins for bytes take vectors of plain char, whose sign is the compiler's. */
#define CHARS(n) __attribute__((vector_size(n))) char

#ifdef __clang__
INLINED s16x16 least_s16(s16x16 a, s16x16 b) { return __builtin_elementwise_min(a, b); }
INLINED s16x16 greatest_s16(s16x16 a, s16x16 b) { return __builtin_elementwise_max(a, b); }
INLINED s16x16 least_u16(s16x16 a, s16x16 b)
{
    return (s16x16)__builtin_elementwise_min((u16x16)a, (u16x16)b);
}
INLINED s16x8 half_least_u16(s16x8 a, s16x8 b)
{
    return (s16x8)__builtin_elementwise_min((u16x8)a, (u16x8)b);
}
INLINED s16x16 spread_first(s16x8 a)
{
    return __builtin_shufflevector(a, a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
#else
INLINED s16x16 least_s16(s16x16 a, s16x16 b) { return __builtin_ia32_pminsw256(a, b); }
INLINED s16x16 greatest_s16(s16x16 a, s16x16 b) { return __builtin_ia32_pmaxsw256(a, b); }
INLINED s16x16 least_u16(s16x16 a, s16x16 b) { return __builtin_ia32_pminuw256(a, b); }
INLINED s16x8 half_least_u16(s16x8 a, s16x8 b) { return __builtin_ia32_pminuw128(a, b); }
INLINED s16x16 spread_first(s16x8 a) { return __builtin_ia32_pbroadcastw256(a); }
#endif

INLINED s16x8 low_half(s16x16 a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7); }
INLINED s16x8 high_half(s16x16 a)
{
    return __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Returns the least unsigned element as element 0. */
INLINED s16x8 least_of_all(s16x16 a)
{
    return __builtin_ia32_phminposuw128(half_least_u16(low_half(a), high_half(a)));
}

/* Moves bytes within each half of `a`: byte k is the byte of `a` that byte k of `from` numbers. */
INLINED s16x16 shuffle_bytes(s16x16 a, s16x16 from)
{
    return (s16x16)__builtin_ia32_pshufb256((CHARS(32))a, (CHARS(32))from);
}

/* Returns the sign bit of each byte. */
INLINED u32 byte_signs(s16x16 a) { return (u32)__builtin_ia32_pmovmskb256((CHARS(32))a); }

/* Returns the sign bit of each element. */
INLINED u32 signs(s16x16 a)
{
    CHARS(16) packed = __builtin_ia32_packsswb128(low_half(a), high_half(a));
    return (u32)__builtin_ia32_pmovmskb128(packed);
}
#endif

/* The builtin for tests takes vectors of long long. */
#define LONGS __attribute__((vector_size(32))) long long

/* True if all bits are zero. */
INLINED bool is_zero(u32x8 a)
{
#ifdef __AVX2__
    return __builtin_ia32_ptestz256((LONGS)a, (LONGS)a);
#else
    u32 any = 0;
    for (u32 k = 0; k < 8; k++) any |= a[k];
    return !any;
#endif
}

#endif

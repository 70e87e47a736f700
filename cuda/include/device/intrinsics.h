/* Intrinsics of CUDA C++ missing in clang's headers, which rely on NVIDIA's: loads and stores with
 * a cache hint, dot products of bytes, sleeping, address spaces. */
#ifndef CORUN_DEVICE_INTRINSICS_H
#define CORUN_DEVICE_INTRINSICS_H

#include "define.h"

/* ---- loads and stores with a hint ---- */
#define CORUN_LOAD(name, hint, T, as, letter, type)                                                \
    CORUN_FN T name(const T *p)                                                                    \
    {                                                                                              \
        as x;                                                                                      \
        asm volatile("ld.global." hint "." type " %0, [%1];" : "=" letter(x) : "l"(p) : "memory"); \
        return (T)x;                                                                               \
    }
#define CORUN_LOAD2(name, hint, T, as, letter, type)                                               \
    CORUN_FN T name(const T *p)                                                                    \
    {                                                                                              \
        as x, y;                                                                                   \
        asm volatile("ld.global." hint ".v2." type " {%0, %1}, [%2];"                              \
                     : "=" letter(x), "=" letter(y) : "l"(p) : "memory");                          \
        return T{(decltype(T::x))x, (decltype(T::x))y};                                            \
    }
#define CORUN_LOAD4(name, hint, T, as, letter, type)                                               \
    CORUN_FN T name(const T *p)                                                                    \
    {                                                                                              \
        as x, y, z, w;                                                                             \
        asm volatile("ld.global." hint ".v4." type " {%0, %1, %2, %3}, [%4];"                      \
                     : "=" letter(x), "=" letter(y), "=" letter(z), "=" letter(w)                  \
                     : "l"(p) : "memory");                                                         \
        return T{(decltype(T::x))x, (decltype(T::x))y, (decltype(T::x))z, (decltype(T::x))w};      \
    }
#define CORUN_STORE(name, hint, T, as, letter, type)                                               \
    CORUN_FN void name(T *p, T v)                                                                  \
    {                                                                                              \
        asm volatile("st.global." hint "." type " [%0], %1;" :: "l"(p), letter((as)v) : "memory"); \
    }
#define CORUN_STORE2(name, hint, T, as, letter, type)                                              \
    CORUN_FN void name(T *p, T v)                                                                  \
    {                                                                                              \
        asm volatile("st.global." hint ".v2." type " [%0], {%1, %2};"                              \
                     :: "l"(p), letter((as)v.x), letter((as)v.y) : "memory");                      \
    }
#define CORUN_STORE4(name, hint, T, as, letter, type)                                              \
    CORUN_FN void name(T *p, T v)                                                                  \
    {                                                                                              \
        asm volatile("st.global." hint ".v4." type " [%0], {%1, %2, %3, %4};"                      \
                     :: "l"(p), letter((as)v.x), letter((as)v.y), letter((as)v.z),                 \
                     letter((as)v.w) : "memory");                                                  \
    }
/* kind: LOAD or STORE */
#define CORUN_HINTED(kind, name, hint)                                                             \
    CORUN_##kind(name, hint, char, short, "h", "s8")                                               \
    CORUN_##kind(name, hint, signed char, short, "h", "s8")                                        \
    CORUN_##kind(name, hint, unsigned char, unsigned short, "h", "u8")                             \
    CORUN_##kind(name, hint, short, short, "h", "s16")                                             \
    CORUN_##kind(name, hint, unsigned short, unsigned short, "h", "u16")                           \
    CORUN_##kind(name, hint, int, int, "r", "s32")                                                 \
    CORUN_##kind(name, hint, unsigned int, unsigned int, "r", "u32")                               \
    CORUN_##kind(name, hint, long, long, "l", "s64")                                               \
    CORUN_##kind(name, hint, unsigned long, unsigned long, "l", "u64")                             \
    CORUN_##kind(name, hint, long long, long long, "l", "s64")                                     \
    CORUN_##kind(name, hint, unsigned long long, unsigned long long, "l", "u64")                   \
    CORUN_##kind(name, hint, float, float, "f", "f32")                                             \
    CORUN_##kind(name, hint, double, double, "d", "f64")                                           \
    CORUN_##kind##2(name, hint, char2, short, "h", "s8")                                           \
    CORUN_##kind##2(name, hint, uchar2, unsigned short, "h", "u8")                                 \
    CORUN_##kind##2(name, hint, short2, short, "h", "s16")                                         \
    CORUN_##kind##2(name, hint, ushort2, unsigned short, "h", "u16")                               \
    CORUN_##kind##2(name, hint, int2, int, "r", "s32")                                             \
    CORUN_##kind##2(name, hint, uint2, unsigned int, "r", "u32")                                   \
    CORUN_##kind##2(name, hint, longlong2, long long, "l", "s64")                                  \
    CORUN_##kind##2(name, hint, ulonglong2, unsigned long long, "l", "u64")                        \
    CORUN_##kind##2(name, hint, float2, float, "f", "f32")                                         \
    CORUN_##kind##2(name, hint, double2, double, "d", "f64")                                       \
    CORUN_##kind##4(name, hint, char4, short, "h", "s8")                                           \
    CORUN_##kind##4(name, hint, uchar4, unsigned short, "h", "u8")                                 \
    CORUN_##kind##4(name, hint, short4, short, "h", "s16")                                         \
    CORUN_##kind##4(name, hint, ushort4, unsigned short, "h", "u16")                               \
    CORUN_##kind##4(name, hint, int4, int, "r", "s32")                                             \
    CORUN_##kind##4(name, hint, uint4, unsigned int, "r", "u32")                                   \
    CORUN_##kind##4(name, hint, float4, float, "f", "f32")
CORUN_HINTED(LOAD, __ldg, "nc")
CORUN_HINTED(LOAD, __ldca, "ca")
CORUN_HINTED(LOAD, __ldcg, "cg")
CORUN_HINTED(LOAD, __ldcs, "cs")
CORUN_HINTED(LOAD, __ldlu, "lu")
CORUN_HINTED(LOAD, __ldcv, "cv")
CORUN_HINTED(STORE, __stwb, "wb")
CORUN_HINTED(STORE, __stcg, "cg")
CORUN_HINTED(STORE, __stcs, "cs")
CORUN_HINTED(STORE, __stwt, "wt")

/* ---- dot products of bytes and halves ---- */
#define CORUN_DOT(name, T, A, B, op)                                                               \
    CORUN_FN T name(A a, B b, T c)                                                                 \
    {                                                                                              \
        T r;                                                                                       \
        asm(op " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                             \
        return r;                                                                                  \
    }
CORUN_DOT(__dp4a, int, int, int, "dp4a.s32.s32")
CORUN_DOT(__dp4a, corun_u32, corun_u32, corun_u32, "dp4a.u32.u32")
CORUN_DOT(__dp2a_lo, int, int, int, "dp2a.lo.s32.s32")
CORUN_DOT(__dp2a_lo, corun_u32, corun_u32, corun_u32, "dp2a.lo.u32.u32")
CORUN_DOT(__dp2a_hi, int, int, int, "dp2a.hi.s32.s32")
CORUN_DOT(__dp2a_hi, corun_u32, corun_u32, corun_u32, "dp2a.hi.u32.u32")
#undef CORUN_DOT
CORUN_FN corun_u32 corun_bits(char4 v) { return *(const corun_u32 *)&v; }
CORUN_FN corun_u32 corun_bits(uchar4 v) { return *(const corun_u32 *)&v; }
CORUN_FN int __dp4a(char4 a, char4 b, int c)
{
    return __dp4a((int)corun_bits(a), (int)corun_bits(b), c);
}
CORUN_FN corun_u32 __dp4a(uchar4 a, uchar4 b, corun_u32 c)
{
    return __dp4a(corun_bits(a), corun_bits(b), c);
}

/* ---- sleeping and address spaces ---- */
CORUN_FN void __nanosleep(corun_u32 ns)
{
    asm volatile("nanosleep.u32 %0;" :: "r"(ns) : "memory");
}

#define CORUN_IS_SPACE(name, space)                                                                \
    CORUN_FN corun_u32 name(const void *p)                                                         \
    {                                                                                              \
        corun_u32 r;                                                                               \
        asm("{ .reg .pred %%q; isspacep." space " %%q, %1; selp.u32 %0, 1, 0, %%q; }"              \
            : "=r"(r) : "l"(p));                                                                   \
        return r;                                                                                  \
    }
CORUN_IS_SPACE(__isGlobal, "global")
CORUN_IS_SPACE(__isShared, "shared")
CORUN_IS_SPACE(__isConstant, "const")
CORUN_IS_SPACE(__isLocal, "local")
#undef CORUN_IS_SPACE

#define CORUN_SPACE(name, space)                                                                   \
    CORUN_FN size_t __cvta_generic_to_##name(const void *p)                                        \
    {                                                                                              \
        size_t r;                                                                                  \
        asm("cvta.to." space ".u64 %0, %1;" : "=l"(r) : "l"(p));                                   \
        return r;                                                                                  \
    }                                                                                              \
    CORUN_FN void *__cvta_##name##_to_generic(size_t p)                                            \
    {                                                                                              \
        void *r;                                                                                   \
        asm("cvta." space ".u64 %0, %1;" : "=l"(r) : "l"(p));                                      \
        return r;                                                                                  \
    }
CORUN_SPACE(global, "global")
CORUN_SPACE(shared, "shared")
CORUN_SPACE(constant, "const")
CORUN_SPACE(local, "local")
#undef CORUN_SPACE

#endif

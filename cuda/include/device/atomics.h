/* Atomic functions under the names of CUDA C++, at the scopes of device, block and system. */
#ifndef CORUN_DEVICE_ATOMICS_H
#define CORUN_DEVICE_ATOMICS_H

#include "define.h"

/* For device scope, clang treats most of its own atomics as sequentially consistent; the others are
 * intrinsics. */
#define CORUN_INTRINSIC(name, T, of, scope)                                                        \
    CORUN_FN T atomic##name##scope(T *p, T v)                                                      \
    {                                                                                              \
        corun_ordered all;                                                                         \
        return __##of##Atomic##name##scope(p, v);                                                  \
    }
#define CORUN_ATOMIC(name, T, of)                                                                  \
    CORUN_FN T atomic##name(T *p, T v) { return __##of##Atomic##name(p, v); }                      \
    CORUN_INTRINSIC(name, T, of, _block)                                                           \
    CORUN_INTRINSIC(name, T, of, _system)
#define CORUN_COUNTER(name)                                                                        \
    CORUN_INTRINSIC(name, corun_u32, u, )                                                          \
    CORUN_INTRINSIC(name, corun_u32, u, _block)                                                    \
    CORUN_INTRINSIC(name, corun_u32, u, _system)
CORUN_ATOMIC(Add, int, i)
CORUN_ATOMIC(Add, corun_u32, u)
CORUN_ATOMIC(Add, corun_u64, ull)
CORUN_ATOMIC(Add, float, f)
CORUN_ATOMIC(Add, double, d)
CORUN_ATOMIC(Exch, int, i)
CORUN_ATOMIC(Exch, corun_u32, u)
CORUN_ATOMIC(Exch, corun_u64, ull)
CORUN_ATOMIC(Exch, float, f)
CORUN_ATOMIC(Min, int, i)
CORUN_ATOMIC(Min, corun_u32, u)
CORUN_ATOMIC(Min, long long, ill)
CORUN_ATOMIC(Min, corun_u64, ull)
CORUN_ATOMIC(Max, int, i)
CORUN_ATOMIC(Max, corun_u32, u)
CORUN_ATOMIC(Max, long long, ill)
CORUN_ATOMIC(Max, corun_u64, ull)
CORUN_COUNTER(Inc)
CORUN_COUNTER(Dec)
CORUN_ATOMIC(And, int, i)
CORUN_ATOMIC(And, corun_u32, u)
CORUN_ATOMIC(And, long long, ll)
CORUN_ATOMIC(And, corun_u64, ull)
CORUN_ATOMIC(Or, int, i)
CORUN_ATOMIC(Or, corun_u32, u)
CORUN_ATOMIC(Or, long long, ll)
CORUN_ATOMIC(Or, corun_u64, ull)
CORUN_ATOMIC(Xor, int, i)
CORUN_ATOMIC(Xor, corun_u32, u)
CORUN_ATOMIC(Xor, long long, ll)
CORUN_ATOMIC(Xor, corun_u64, ull)
#undef CORUN_COUNTER
#undef CORUN_ATOMIC
#undef CORUN_INTRINSIC

#define CORUN_ATOMIC_SUB(scope)                                                                    \
    CORUN_FN int atomicSub##scope(int *p, int v)                                                   \
    {                                                                                              \
        return (int)atomicAdd##scope((corun_u32 *)p, 0u - (corun_u32)v);                           \
    }                                                                                              \
    CORUN_FN corun_u32 atomicSub##scope(corun_u32 *p, corun_u32 v)                                 \
    {                                                                                              \
        return atomicAdd##scope(p, 0u - v);                                                        \
    }
CORUN_ATOMIC_SUB()
CORUN_ATOMIC_SUB(_block)
CORUN_ATOMIC_SUB(_system)
#undef CORUN_ATOMIC_SUB

#define CORUN_CAS_INTRINSIC(T, of, scope)                                                          \
    CORUN_FN T atomicCAS##scope(T *p, T c, T v)                                                    \
    {                                                                                              \
        corun_ordered all;                                                                         \
        return __##of##AtomicCAS##scope(p, c, v);                                                  \
    }
#define CORUN_CAS(T, of)                                                                           \
    CORUN_FN T atomicCAS(T *p, T c, T v) { return __##of##AtomicCAS(p, c, v); }                    \
    CORUN_CAS_INTRINSIC(T, of, _block)                                                             \
    CORUN_CAS_INTRINSIC(T, of, _system)
CORUN_CAS(int, i)
CORUN_CAS(corun_u32, u)
CORUN_CAS(corun_u64, ull)
#undef CORUN_CAS
#undef CORUN_CAS_INTRINSIC

CORUN_FN unsigned short atomicCAS(unsigned short *p, unsigned short c, unsigned short v)
{
    unsigned short r;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(c), "h"(v) : "memory");
    return r;
}

#endif

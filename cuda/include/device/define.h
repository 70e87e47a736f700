/* Building blocks for the functions of this folder, which replace NVIDIA's libdevice below clang's
 * own CUDA headers; clang's headers add the names of CUDA C++. An operation with a specified
 * instruction is written as inline PTX, to prevent contraction and folding. Sources: CUDA C++
 * programming guide, CUDA math API, PTX ISA manual. */
#ifndef CORUN_DEVICE_DEFINE_H
#define CORUN_DEVICE_DEFINE_H

#include "host_defines.h"

#define CORUN_FN static __device__ __forceinline__
/* For long, rarely called functions. */
#define CORUN_FAR static __device__ __attribute__((noinline))

/* A function of a single instruction with one, two or three operands; ct, cf: constraint letters of
 * the types. */
#define CORUN_OP1(name, to, ct, from, cf, op)                                                      \
    CORUN_FN to name(from a)                                                                       \
    {                                                                                              \
        to r;                                                                                      \
        asm(op " %0, %1;" : "=" ct(r) : cf(a));                                                    \
        return r;                                                                                  \
    }
#define CORUN_OP2(name, to, ct, from, cf, op)                                                      \
    CORUN_FN to name(from a, from b)                                                               \
    {                                                                                              \
        to r;                                                                                      \
        asm(op " %0, %1, %2;" : "=" ct(r) : cf(a), cf(b));                                         \
        return r;                                                                                  \
    }
#define CORUN_OP3(name, to, ct, from, cf, op)                                                      \
    CORUN_FN to name(from a, from b, from c)                                                       \
    {                                                                                              \
        to r;                                                                                      \
        asm(op " %0, %1, %2, %3;" : "=" ct(r) : cf(a), cf(b), cf(c));                              \
        return r;                                                                                  \
    }

/* The function in all four rounding modes, named differently by CUDA and PTX. */
#define CORUN_ROUNDED(kind, name, to, ct, from, cf, op, end)                                       \
    kind(name##_rn, to, ct, from, cf, op ".rn" end)                                                \
    kind(name##_rz, to, ct, from, cf, op ".rz" end)                                                \
    kind(name##_rd, to, ct, from, cf, op ".rm" end)                                                \
    kind(name##_ru, to, ct, from, cf, op ".rp" end)
#define CORUN_TO_INTEGER(name, to, ct, from, cf, end)                                              \
    CORUN_OP1(name##_rn, to, ct, from, cf, "cvt.rni" end)                                          \
    CORUN_OP1(name##_rz, to, ct, from, cf, "cvt.rzi" end)                                          \
    CORUN_OP1(name##_rd, to, ct, from, cf, "cvt.rmi" end)                                          \
    CORUN_OP1(name##_ru, to, ct, from, cf, "cvt.rpi" end)

typedef unsigned int corun_u32;
typedef unsigned long long corun_u64;

/* Prevents clang from moving memory accesses across the beginning or end of the object's lifetime.
 * LLVM 14 assumes that the intrinsics of barriers and atomics write no variable except their
 * operand, and that the intrinsics of shuffles and votes access no memory. */
struct corun_ordered {
    __device__ __forceinline__ corun_ordered() { asm volatile("" ::: "memory"); }
    __device__ __forceinline__ ~corun_ordered() { asm volatile("" ::: "memory"); }
};

#endif

/* How the functions of this folder are written: they are what NVIDIA's libdevice is to clang's own
 * CUDA headers, which give them the names of CUDA C++. An instruction is written as such, so that
 * nothing is contracted or folded around it. Sources: CUDA C++ programming guide, CUDA math API,
 * PTX ISA manual. */
#ifndef CORUN_DEVICE_DEFINE_H
#define CORUN_DEVICE_DEFINE_H

#include "host_defines.h"

#define CORUN_FN static __device__ __forceinline__
#define CORUN_FAR static __device__ __attribute__((noinline)) /* rarely needed, long */

/* one instruction of one, two and three operands; c: the constraint letter of a type */
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

/* the same in the four ways of rounding, which CUDA and PTX name differently */
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

/* While an object of this type lives, clang moves no access to memory over its ends. LLVM takes the
 * intrinsics of barriers and atomics for calls that write no variable but their operand (version
 * 14), and those of shuffles and votes for calls that touch no memory. */
struct corun_ordered {
    __device__ __forceinline__ corun_ordered() { asm volatile("" ::: "memory"); }
    __device__ __forceinline__ ~corun_ordered() { asm volatile("" ::: "memory"); }
};

#endif

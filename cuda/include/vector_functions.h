/* make_int4 and related functions. */
#ifndef CORUN_VECTOR_FUNCTIONS_H
#define CORUN_VECTOR_FUNCTIONS_H

#include "host_defines.h"
#include "vector_types.h"

#define CORUN_MAKE(type, name)                                                                     \
    static __inline__ __host__ __device__ name##1 make_##name##1(type x)                           \
    {                                                                                              \
        name##1 v = {x};                                                                           \
        return v;                                                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y)                   \
    {                                                                                              \
        name##2 v = {x, y};                                                                        \
        return v;                                                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z)           \
    {                                                                                              \
        name##3 v = {x, y, z};                                                                     \
        return v;                                                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w)   \
    {                                                                                              \
        name##4 v = {x, y, z, w};                                                                  \
        return v;                                                                                  \
    }
CORUN_MAKE(signed char, char)
CORUN_MAKE(unsigned char, uchar)
CORUN_MAKE(short, short)
CORUN_MAKE(unsigned short, ushort)
CORUN_MAKE(int, int)
CORUN_MAKE(unsigned int, uint)
CORUN_MAKE(long, long)
CORUN_MAKE(unsigned long, ulong)
CORUN_MAKE(long long, longlong)
CORUN_MAKE(unsigned long long, ulonglong)
CORUN_MAKE(float, float)
CORUN_MAKE(double, double)
#undef CORUN_MAKE

#endif

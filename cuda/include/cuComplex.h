/* Complex numbers of CUDA in C, for host and device. */
#ifndef CORUN_CUCOMPLEX_H
#define CORUN_CUCOMPLEX_H

#include "cuda_runtime.h"

#define CORUN_COMPLEX(C, V, T, f, suffix)                                                          \
    typedef V C;                                                                                   \
    CORUN_BOTH_SIDES C make_##C(T re, T im)                                                        \
    {                                                                                              \
        C r = {re, im};                                                                            \
        return r;                                                                                  \
    }                                                                                              \
    CORUN_BOTH_SIDES T cuCreal##suffix(C a) { return a.x; }                                        \
    CORUN_BOTH_SIDES T cuCimag##suffix(C a) { return a.y; }                                        \
    CORUN_BOTH_SIDES C cuConj##suffix(C a) { return make_##C(a.x, -a.y); }                         \
    CORUN_BOTH_SIDES C cuCadd##suffix(C a, C b) { return make_##C(a.x + b.x, a.y + b.y); }         \
    CORUN_BOTH_SIDES C cuCsub##suffix(C a, C b) { return make_##C(a.x - b.x, a.y - b.y); }         \
    CORUN_BOTH_SIDES C cuCmul##suffix(C a, C b)                                                    \
    {                                                                                              \
        return make_##C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                             \
    }                                                                                              \
    /* scaled to keep intermediate results in range */                                             \
    CORUN_BOTH_SIDES C cuCdiv##suffix(C a, C b)                                                    \
    {                                                                                              \
        T s = 1 / (fabs##f(b.x) + fabs##f(b.y));                                                   \
        T ax = a.x * s, ay = a.y * s, bx = b.x * s, by = b.y * s;                                  \
        T d = 1 / (bx * bx + by * by);                                                             \
        return make_##C((ax * bx + ay * by) * d, (ay * bx - ax * by) * d);                         \
    }                                                                                              \
    CORUN_BOTH_SIDES T cuCabs##suffix(C a) { return hypot##f(a.x, a.y); }                          \
    CORUN_BOTH_SIDES C cuCfma##suffix(C a, C b, C c)                                               \
    {                                                                                              \
        return make_##C(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);                 \
    }
#define CORUN_BOTH_SIDES static __inline__ __host__ __device__
CORUN_COMPLEX(cuFloatComplex, float2, float, f, f)
CORUN_COMPLEX(cuDoubleComplex, double2, double, , )
#undef CORUN_COMPLEX

typedef cuFloatComplex cuComplex;
CORUN_BOTH_SIDES cuComplex make_cuComplex(float re, float im)
{
    return make_cuFloatComplex(re, im);
}
CORUN_BOTH_SIDES cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a)
{
    return make_cuDoubleComplex(a.x, a.y);
}
CORUN_BOTH_SIDES cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a)
{
    return make_cuFloatComplex((float)a.x, (float)a.y);
}
#undef CORUN_BOTH_SIDES

#endif

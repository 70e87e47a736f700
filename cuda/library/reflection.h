// Householder reflections, for kernels of corun's libraries.
#ifndef CORUN_LIBRARY_REFLECTION_H
#define CORUN_LIBRARY_REFLECTION_H

#include "block.h"

template<class T> __device__ complex<double> doubles(T x) { return {double(x), 0}; }
template<class T> __device__ complex<double> doubles(complex<T> x) { return {x.x, x.y}; }

// Finds the reflection 1 - tau v v' of m elements into the first element, as LAPACK's larfg. The
// new element replaces x[0], v replaces the others; v[0] is 1. Returns tau conjugated.
template<class T> __device__ T reflection(T *x, int m)
{
    double rest = 0;
    for (int i = 1 + threadIdx.x; i < m; i += blockDim.x) rest += square(x[i]);
    rest = of_first(block_sum(rest));
    T first = x[0];
    complex<double> wide_first = doubles(first);
    __syncthreads();
    if (rest == 0 && wide_first.y == 0) return zero<T>();
    T left = made<T>(-copysign(sqrt(square(first) + rest), wide_first.x), 0);
    T distance = plus(first, minus(left));
    for (int i = 1 + threadIdx.x; i < m; i += blockDim.x) x[i] = over(x[i], distance);
    if (!threadIdx.x) x[0] = left;
    __syncthreads();
    return conjugate(over(minus(distance), left));
}

// x -= tau v (v' x) for each column x, a warp per column; v[0] is 1 and not stored.
template<class T>
__device__ void reflect(const T *v, T tau, int m, T *at, long long right, int columns)
{
    int lane = threadIdx.x % 32;
    for (int j = threadIdx.x / 32; j < columns; j += blockDim.x / 32) {
        T *x = at + j * right;
        T sum = lane ? zero<T>() : x[0];
        for (int i = 1 + lane; i < m; i += 32) sum = madd(conjugate(v[i]), x[i], sum);
        sum = minus(times(tau, warp_sum(sum)));
        if (!lane) x[0] = plus(x[0], sum);
        for (int i = 1 + lane; i < m; i += 32) x[i] = madd(sum, v[i], x[i]);
    }
}

#endif

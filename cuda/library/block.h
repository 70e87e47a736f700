// Sums and choices over a block or a warp, for kernels of corun's libraries.
#ifndef CORUN_LIBRARY_BLOCK_H
#define CORUN_LIBRARY_BLOCK_H

#include "number.h"

enum { SUM_THREADS = 256 };

// The sum over a block, in thread 0.
template<class R> __device__ R block_sum(R x)
{
    __shared__ R part[SUM_THREADS];
    part[threadIdx.x] = x;
    for (int n = SUM_THREADS / 2; n; n /= 2) {
        __syncthreads();
        if (threadIdx.x < n) part[threadIdx.x] = plus(part[threadIdx.x], part[threadIdx.x + n]);
    }
    return part[0];
}

// The value of thread 0, in every thread. A barrier must follow before the next call.
template<class R> __device__ R of_first(R x)
{
    __shared__ R value;
    if (!threadIdx.x) value = x;
    __syncthreads();
    return value;
}

template<class T> __device__ double square(T x) { return double(x) * double(x); }
template<class T> __device__ double square(complex<T> x) { return square(x.x) + square(x.y); }
template<class T> __device__ double size(T x) { return fabs(double(x)); }
template<class T> __device__ double size(complex<T> x) { return size(x.x) + size(x.y); }

struct found {
    double size;
    long long at; // -1: none
};
__device__ found better(found a, found b, bool least)
{
    if (b.at < 0) return a;
    if (a.at < 0) return b;
    bool second = a.size == b.size ? b.at < a.at : (b.size < a.size) == least;
    return second ? b : a;
}
// The best of a block, in thread 0.
__device__ found block_best(found x, bool least)
{
    __shared__ found part[SUM_THREADS];
    part[threadIdx.x] = x;
    for (int n = SUM_THREADS / 2; n; n /= 2) {
        __syncthreads();
        if (threadIdx.x < n)
            part[threadIdx.x] = better(part[threadIdx.x], part[threadIdx.x + n], least);
    }
    return part[0];
}

template<class T> __device__ T exchanged(T x, int lanes)
{
    return __shfl_xor_sync(~0u, x, lanes);
}
template<class T> __device__ complex<T> exchanged(complex<T> x, int lanes)
{
    return {exchanged(x.x, lanes), exchanged(x.y, lanes)};
}

// The sum over a warp, in every lane.
template<class R> __device__ R warp_sum(R x)
{
    for (int n = 16; n; n /= 2) x = plus(x, exchanged(x, n));
    return x;
}

#endif

// Kernels of corun's NCCL. `corun cc -ptx -arch=sm_75 kernels.cu` writes kernels.ptx.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels.h"

// The type of intermediate results: half and bfloat16 are rounded once, at the end.
template<class T> struct of { typedef T type; };
template<> struct of<__half> { typedef float type; };
template<> struct of<__nv_bfloat16> { typedef float type; };
template<class T> __device__ T wide(T x) { return x; }
static __device__ float wide(__half x) { return __half2float(x); }
static __device__ float wide(__nv_bfloat16 x) { return __bfloat162float(x); }
template<class T, class R> __device__ T narrow(R x) { return T(x); }
template<> inline __device__ __half narrow(float x) { return __float2half(x); }
template<> inline __device__ __nv_bfloat16 narrow(float x) { return __float2bfloat16(x); }

template<class R> __device__ R greater(R a, R b) { return a > b ? a : b; }
static __device__ float greater(float a, float b) { return fmaxf(a, b); }
static __device__ double greater(double a, double b) { return fmax(a, b); }
template<class R> __device__ R less(R a, R b) { return a < b ? a : b; }
static __device__ float less(float a, float b) { return fminf(a, b); }
static __device__ double less(double a, double b) { return fmin(a, b); }

// Means of floating-point numbers are sums of products with 1 / n, means of integers are quotients.
template<class R> __device__ R part(R x, int) { return x; }
static __device__ float part(float x, int n) { return x * (1.0f / n); }
static __device__ double part(double x, int n) { return x * (1.0 / n); }
template<class R> __device__ R whole(R x, int n) { return x / R(n); }
static __device__ float whole(float x, int) { return x; }
static __device__ double whole(double x, int) { return x; }

template<class R> __device__ R both(int op, R a, R b)
{
    switch (op) {
    case NCCL_PROD: return a * b;
    case NCCL_MAX: return greater(a, b);
    case NCCL_MIN: return less(a, b);
    default: return a + b;
    }
}

template<class T> __device__ T factor(const nccl_scale &s)
{
    if (s.at) return *(const T *)s.at;
    unsigned long long bits = s.bits;
    asm("" : "+l"(bits)); // in a register: clang would choose between two addresses
    T x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

// The i-th element of a rank, multiplied as `op` asks.
template<class T>
__device__ typename of<T>::type element(const nccl_work &w, int rank, long long i)
{
    typename of<T>::type x = wide(((const T *)w.in[rank])[i]);
    if (w.op == NCCL_AVG) x = part(x, w.in_n);
    if (w.op == NCCL_SCALED_SUM) x = x * wide(factor<T>(w.scale[rank]));
    return x;
}

template<class T> __device__ __forceinline__ void store(const nccl_work &w, long long i, T x)
{
#pragma unroll
    for (int r = 0; r < NCCL_RANKS; r++)
        if (r < w.out_n) ((T *)w.out[r])[i] = x;
}

template<class T> __device__ __forceinline__ void reduce(const nccl_work &w)
{
    const long long step = gridDim.x * blockDim.x;
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < w.n; i += step) {
        typename of<T>::type x = element<T>(w, 0, i);
#pragma unroll
        for (int r = 1; r < NCCL_RANKS; r++)
            if (r < w.in_n) x = both(w.op, x, element<T>(w, r, i));
        if (w.op == NCCL_AVG) x = whole(x, w.in_n);
        store(w, i, narrow<T>(x));
    }
}

template<class T> __device__ __forceinline__ void copy(const nccl_work &w)
{
    const long long step = gridDim.x * blockDim.x;
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < w.n; i += step)
        store(w, i, ((const T *)w.in[0])[i]);
}

#define REDUCE(name, T) extern "C" __global__ void reduce_##name(nccl_work w) { reduce<T>(w); }
REDUCE(i8, signed char)
REDUCE(u8, unsigned char)
REDUCE(i32, int)
REDUCE(u32, unsigned)
REDUCE(i64, long long)
REDUCE(u64, unsigned long long)
REDUCE(f16, __half)
REDUCE(f32, float)
REDUCE(f64, double)
REDUCE(bf16, __nv_bfloat16)

// By the bytes of a word.
#define COPY(bytes, T) extern "C" __global__ void copy_##bytes(nccl_work w) { copy<T>(w); }
typedef unsigned quad __attribute__((ext_vector_type(4)));
COPY(1, unsigned char)
COPY(4, unsigned)
COPY(16, quad)

// Kernels of corun's cuFFT. `corun cc -ptx -arch=sm_75 kernels.cu` writes kernels.ptx.
#include "../library/number.h"
#include "kernels.h"

template<class T> __device__ complex<T> minus(complex<T> a, complex<T> b)
{
    return {a.x - b.x, a.y - b.y};
}

// The first element of a line at a side.
__device__ long long start(const fft_pass &p, const fft_side &side, long long line)
{
    long long last = line % p.lines[2], rest = line / p.lines[2];
    return rest / p.lines[1] * side.outer[0] + rest % p.lines[1] * side.outer[1] +
           last * side.outer[2];
}

__device__ fft_item item_of(const fft_pass &p, long long item)
{
    long long groups = p.n / p.radix, line = item / groups, group = item % groups;
    long long before = group % p.before;
    return {start(p, p.in, line), start(p, p.out, line), group, before * (groups / p.before),
            (group - before) * p.radix + before};
}

template<class T> __device__ complex<T> fetch(const fft_pass &p, long long line, long long k)
{
    bool mirrored = p.in.kind == FFT_HERMITIAN && k > p.present / 2;
    long long at = line + (mirrored ? p.present - k : k) * p.in.step;
    if (p.in.kind == FFT_REAL) return {((const T *)p.in.at)[at], 0};
    complex<T> x = ((const complex<T> *)p.in.at)[at];
    return mirrored ? conjugate(x) : x;
}

// Element q of an item: elements of a line at a distance of n / radix, multiplied by roots.
template<class T>
__device__ complex<T> load(const fft_pass &p, const fft_item &item, int q, long long groups)
{
    long long k = item.group + q * groups;
    if (k >= p.present) return {0, 0};
    complex<T> x = fetch<T>(p, item.in, k);
    if (p.conjugate_in) x = conjugate(x);
    if (p.in_factors) x = times(x, ((const complex<T> *)p.in_factors)[k]);
    return item.turn ? times(x, ((const complex<T> *)p.roots)[item.turn * q]) : x;
}

template<class T>
__device__ void store(const fft_pass &p, const fft_item &item, int s, complex<T> x)
{
    long long k = item.first + s * p.before;
    if (k >= p.kept) return;
    if (p.conjugate_product) x = conjugate(x);
    if (p.out_factors) x = times(x, ((const complex<T> *)p.out_factors)[k]);
    if (p.conjugate_out) x = conjugate(x);
    long long at = item.out + k * p.out.step;
    if (p.out.kind == FFT_REAL) ((T *)p.out.at)[at] = x.x;
    else ((complex<T> *)p.out.at)[at] = x;
}

// ---- transforms of r elements, in place ----

template<class T> __device__ void transform(complex<T> (&v)[2], const complex<T> *, long long)
{
    complex<T> a = v[0];
    v[0] = plus(a, v[1]), v[1] = minus(a, v[1]);
}

template<class T> __device__ void transform(complex<T> (&v)[4], const complex<T> *, long long)
{
    complex<T> a = plus(v[0], v[2]), b = minus(v[0], v[2]);
    complex<T> c = plus(v[1], v[3]), d = minus(v[1], v[3]), e = {d.y, -d.x};
    v[0] = plus(a, c), v[1] = plus(b, e), v[2] = minus(a, c), v[3] = minus(b, e);
}

// step: from a root of unity of order r to the next.
template<int r, class T>
__device__ void transform(complex<T> (&v)[r], const complex<T> *roots, long long step)
{
    complex<T> w[r], sum[r];
#pragma unroll
    for (int q = 1; q < r; q++) w[q] = roots[q * step];
#pragma unroll
    for (int s = 0; s < r; s++) {
        sum[s] = v[0];
#pragma unroll
        for (int q = 1; q < r; q++)
            sum[s] = q * s % r ? madd(v[q], w[q * s % r], sum[s]) : plus(sum[s], v[q]);
    }
#pragma unroll
    for (int s = 0; s < r; s++) v[s] = sum[s];
}

// A pass over `count` items in shared memory.
template<int r, class T>
__device__ __forceinline__ void butterflies(const fft_pass &p, const complex<T> *from,
                                            complex<T> *to, int count, int before)
{
    const complex<T> *roots = (const complex<T> *)p.roots;
    int groups = p.radix / r;
    long long turn = p.n / (before * r);
    for (int e = threadIdx.x; e < count * groups; e += blockDim.x) {
        int item = e / groups * p.radix, group = e % groups, k = group % before;
        complex<T> v[r];
#pragma unroll
        for (int q = 0; q < r; q++) {
            v[q] = from[item + group + q * groups];
            if (k && q) v[q] = times(v[q], roots[k * q * turn]);
        }
        transform(v, roots, p.n / r);
        int at = item + group / before * before * r + k;
#pragma unroll
        for (int s = 0; s < r; s++) to[at + s * before] = v[s];
    }
}

extern __shared__ double memory[];

template<class T> __device__ __forceinline__ void pass(const fft_pass &p)
{
    complex<T> *from = (complex<T> *)memory, *to = from + p.together * p.radix;
    fft_item *all = (fft_item *)(to + p.together * p.radix);
    long long groups = p.n / p.radix, items = p.lines[0] * p.lines[1] * p.lines[2] * groups;
    long long first = blockIdx.x * (long long)p.together;
    int count = items - first < p.together ? int(items - first) : p.together;
    for (int i = threadIdx.x; i < count; i += blockDim.x) all[i] = item_of(p, first + i);
    __syncthreads();
    for (int e = threadIdx.x; e < count * p.radix; e += blockDim.x) {
        int item = p.in.along ? e / p.radix : e % count, q = p.in.along ? e % p.radix : e / count;
        from[item * p.radix + q] = load<T>(p, all[item], q, groups);
    }
    int before = 1;
    for (int i = 0; i < p.radix_n; i++) {
        __syncthreads();
        int r = p.radices[i];
        if (r == 4) butterflies<4>(p, from, to, count, before);
        else if (r == 2) butterflies<2>(p, from, to, count, before);
        else if (r == 3) butterflies<3>(p, from, to, count, before);
        else if (r == 5) butterflies<5>(p, from, to, count, before);
        else butterflies<7>(p, from, to, count, before);
        before *= r;
        complex<T> *other = from;
        from = to, to = other;
    }
    __syncthreads();
    for (int e = threadIdx.x; e < count * p.radix; e += blockDim.x) {
        int item = p.out.along ? e / p.radix : e % count;
        int s = p.out.along ? e % p.radix : e / count;
        store(p, all[item], s, from[item * p.radix + s]);
    }
}

extern "C" __global__ void __launch_bounds__(256) pass_s(fft_pass p) { pass<float>(p); }
extern "C" __global__ void __launch_bounds__(256) pass_d(fft_pass p) { pass<double>(p); }

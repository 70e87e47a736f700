/* memory spaces, conversions, warp operations, atomics, inline PTX */
#include <cuda_fp16.h>
__constant__ int ctab[5] = {1, 2, 3, 4, 5};
__device__ int gtab[3][2] = {{1, 2}, {3, 4}, {5, 6}};
__device__ const char *names[2] = {"alpha", "beta\n"};
__device__ int *gp = &gtab[1][1];
extern __shared__ float dyn[];
extern "C" __global__ void spaces(float *o, int n)
{
    __shared__ float st[33];
    int a[16];
    for (int i = 0; i < 16; i++) a[i] = o[i];
    dyn[threadIdx.x] = o[threadIdx.x];
    st[threadIdx.x] = n;
    __syncthreads();
    int s = 0;
    for (int i = 0; i < n; i++) s += a[(s + i) & 15];
    o[threadIdx.x] = dyn[threadIdx.x ^ 1] + st[31 - threadIdx.x] + s + ctab[n] + *gp + names[n][0];
    if (__syncthreads_or(n > 3)) o[40] = 1;
}
extern "C" __global__ void warps(int *o, float *f)
{
    int v = o[threadIdx.x];
    v += __shfl_xor_sync(~0u, v, 1) + __shfl_up_sync(~0u, v, 2) + __shfl_sync(~0u, v, 3, 8);
    unsigned b = __ballot_sync(~0u, v > 3);
    if (__any_sync(~0u, v == 2)) v++;
    o[threadIdx.x] = v + b + __match_any_sync(~0u, v) + __activemask();
    int p;
    o[40] = __match_all_sync(~0u, v, &p) + p;
    __syncwarp();
    f[0] = __shfl_xor_sync(~0u, f[0], 16);
}
extern "C" __global__ void atomics(unsigned *u, unsigned long long *l, float *f, double *d)
{
    __shared__ unsigned sh[32];
    int i = threadIdx.x;
    sh[i] = i;
    __syncthreads();
    atomicAdd(u, 1);
    atomicInc(u + 3, 6);
    atomicCAS(u + 5, 8, 9);
    atomicAdd(l, 1ull);
    atomicAdd(f, 1.f);
    atomicAdd(d, 1.0);
    u[20] = atomicAdd(&sh[i & 3], 1) + atomicExch(&sh[3], 1);
    l[4] = atomicMax(l + 2, 3ull);
    atomicAdd_block(u + 9, 1);
}
extern "C" __global__ void halves(half *h, half2 *h2, float f)
{
    int i = threadIdx.x;
    h[i] = h[i] * __float2half(f) + h[i + 1];
    h2[i] = __hfma2(h2[i], h2[i + 1], h2[i + 2]);
    if (__hlt(h[i], h[i + 2])) h[i] = hsqrt(h[i]);
}
extern "C" __global__ void sine(float *o, float x)
{
    o[threadIdx.x] = sinf(x * threadIdx.x) + x / threadIdx.x;
}
extern "C" __global__ void wide(long long *a, unsigned long long *b, short *c, signed char *d)
{
    int i = threadIdx.x;
    long long v = d[i];
    v += c[i];
    a[i] = v * (int)b[i] + (a[i + 1] >> (c[i] & 63));
    a[i + 3] = (signed char)a[i + 4];
    a[i + 5] = (int)a[i + 6];
    ((unsigned char *)b)[i] = b[7];
    a[7] = a[8] / b[9];
}
extern "C" __global__ void choose(int *o, int k)
{
    int r;
    switch (o[threadIdx.x]) {
    case 0: r = k; break;
    case 1: r = k * k; break;
    case 2: r = k + 7; break;
    case 3: r = k / 3; break;
    case 4: r = k % 5; break;
    case 5: r = k ^ 0x55; break;
    default:
        while (atomicAdd(o, 1) < k) {
        }
        r = -1;
    }
    o[threadIdx.x] = r;
}
extern "C" __global__ void inline_ptx(int *o)
{
    int i = threadIdx.x;
    asm volatile(
        "{ .reg .pred p, q; .reg .b16 lo, hi; .reg .b32 t; mov.b32 {lo, hi}, %1; mov.b32 t, {hi, "
        "lo}; setp.lt.and.s32 p|q, %1, 3, !p; @!q bra L; add.s32 t, t, 1; L: mov.b32 %0, t; }"
        : "=r"(o[i])
        : "r"(o[i + 1]));
    asm volatile("add.cc.u32 %0,%0,1; addc.u32 %0,%0,0;" : "+r"(o[2]));
}

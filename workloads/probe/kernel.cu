// nvcc: -arch=sm_80
// Kernels with pressure on one resource of a GPU each: block slots (sleep), L2 and DRAM (copy), L1
// (region), issue slots and pipes (chains of arithmetic), tensor units, shared memory. The programs
// of test/silicon run the same kernels on real GPUs.
// Algorithm: the interference kernels of "Understanding GPU Resource Interference One Level Deeper"
// (Elvinger et al., SoCC 2025), written from the descriptions of the experiments.
//
// Every kernel writes a `record`: first start and last end of its blocks in nanoseconds
// (%globaltimer), clocks and nanoseconds of block 0 (so the SM clock), the number of blocks hosted
// by each SM and, if requested, SM, start and end of every block.
//
// Loops have runtime trip counts and inline PTX where a compiler could remove work. Loads of the
// copies bypass L1 (ld.global.cg); loads of the L1 probe allocate in L1 (ld.global.ca). Stores have
// the default operator.
#include "clock.h"

enum { SMS = 192 };

struct span {
    u32 sm, pad;
    u64 start, end;
};

struct record {
    u64 start, end;  /* ns */
    u64 clocks, ns;  /* of block 0 */
    span *spans;     /* device memory, a span per block, or null */
    u32 blocks[SMS]; /* hosted by each SM */
};

struct stamp {
    u64 ns;
    long long clock;
};

__device__ inline stamp begin(record *r)
{
    stamp s = {0, 0};
    if (threadIdx.x != 0) return s;
    s.ns = now_ns();
    s.clock = clock64();
    atomicMin(&r->start, s.ns);
    u32 sm = this_sm();
    if (sm < SMS) atomicAdd(&r->blocks[sm], 1u);
    return s;
}

__device__ inline void finish(record *r, stamp s)
{
    __syncthreads();
    if (threadIdx.x != 0) return;
    u64 end = now_ns();
    long long clock = clock64();
    atomicMax(&r->end, end);
    if (blockIdx.x == 0) {
        r->clocks = (u64)(clock - s.clock);
        r->ns = end - s.ns;
    }
    if (r->spans) {
        span at = {this_sm(), 0, s.ns, end};
        r->spans[blockIdx.x] = at;
    }
}

__device__ inline u32 thread_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

/* Occupies slots for `ns`; threads sleep `nap` ns between looks at the clock, 0: they spin. */
extern "C" __global__ void probe_sleep(record *r, u64 ns, u32 nap)
{
    stamp s = begin(r);
    u64 until = now_ns() + ns;
    while (now_ns() < until)
        if (nap) asm volatile("nanosleep.u32 %0;" ::"r"(nap));
    finish(r, s);
}

/* Copies `n` floats, grid stride, `passes` times; a load in flight per thread. */
extern "C" __global__ void probe_copy(record *r, const float *in, float *out, u32 n, u32 passes)
{
    stamp s = begin(r);
    u32 stride = gridDim.x * blockDim.x;
#pragma unroll 1
    for (u32 p = 0; p < passes; p++)
#pragma unroll 1
        for (u32 i = thread_id(); i < n; i += stride) {
            float v;
            asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(in + i) : "memory");
            asm volatile("st.global.f32 [%0], %1;" ::"l"(out + i), "f"(v) : "memory");
        }
    finish(r, s);
}

/* The same with 16 bytes an access; `n` counts accesses. */
extern "C" __global__ void probe_copy4(record *r, const float4 *in, float4 *out, u32 n, u32 passes)
{
    stamp s = begin(r);
    u32 stride = gridDim.x * blockDim.x;
#pragma unroll 1
    for (u32 p = 0; p < passes; p++)
#pragma unroll 1
        for (u32 i = thread_id(); i < n; i += stride) {
            float4 v;
            asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "l"(in + i)
                         : "memory");
            asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out + i), "f"(v.x),
                         "f"(v.y), "f"(v.z), "f"(v.w)
                         : "memory");
        }
    finish(r, s);
}

/* Each block copies a region of `n` floats repeatedly. */
extern "C" __global__ void probe_region(record *r, const float *in, float *out, u32 n, u32 passes)
{
    stamp s = begin(r);
    const float *from = in + (size_t)blockIdx.x * n;
    float *to = out + (size_t)blockIdx.x * n;
#pragma unroll 1
    for (u32 p = 0; p < passes; p++)
#pragma unroll 1
        for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
            float v;
            asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(from + i) : "memory");
            asm volatile("st.global.f32 [%0], %1;" ::"l"(to + i), "f"(v) : "memory");
        }
    finish(r, s);
}

/* CHAINS independent chains of FP32 multiplies, 16 of each a repetition. `m` just below 1. */
template <int CHAINS> __device__ void fmul(record *r, float *sink, float m, u32 reps)
{
    stamp s = begin(r);
    float x[CHAINS], sum = 0;
    for (int k = 0; k < CHAINS; k++) x[k] = 1.5f + k + 0.001f * threadIdx.x;
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 16; step++)
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                asm volatile("mul.f32 %0, %0, %1;" : "+f"(x[k]) : "f"(m));
    for (int k = 0; k < CHAINS; k++) sum += x[k];
    sink[thread_id()] = sum;
    finish(r, s);
}
extern "C" __global__ void probe_fmul4(record *r, float *sink, float m, u32 reps)
{
    fmul<4>(r, sink, m, reps);
}

/* The same with fused multiply-add. */
template <int CHAINS> __device__ void ffma(record *r, float *sink, float m, u32 reps)
{
    stamp s = begin(r);
    float x[CHAINS], sum = 0, c = 1.0f - m;
    for (int k = 0; k < CHAINS; k++) x[k] = 1.5f + k + 0.001f * threadIdx.x;
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 16; step++)
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[k]) : "f"(m), "f"(c));
    for (int k = 0; k < CHAINS; k++) sum += x[k];
    sink[thread_id()] = sum;
    finish(r, s);
}
extern "C" __global__ void probe_ffma8(record *r, float *sink, float m, u32 reps)
{
    ffma<8>(r, sink, m, reps);
}

/* The same with FP64 fused multiply-add. */
template <int CHAINS> __device__ void dfma(record *r, float *sink, double m, u32 reps)
{
    stamp s = begin(r);
    double x[CHAINS], sum = 0, c = 1.0 - m;
    for (int k = 0; k < CHAINS; k++) x[k] = 1.5 + k + 0.001 * threadIdx.x;
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 16; step++)
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x[k]) : "d"(m), "d"(c));
    for (int k = 0; k < CHAINS; k++) sum += x[k];
    sink[thread_id()] = (float)sum;
    finish(r, s);
}
extern "C" __global__ void probe_dfma1(record *r, float *sink, double m, u32 reps)
{
    dfma<1>(r, sink, m, reps);
}
extern "C" __global__ void probe_dfma2(record *r, float *sink, double m, u32 reps)
{
    dfma<2>(r, sink, m, reps);
}

/* The same with 32-bit integer multiply-add. */
template <int CHAINS> __device__ void imad(record *r, float *sink, u32 m, u32 reps)
{
    stamp s = begin(r);
    u32 x[CHAINS], sum = 0, c = m >> 3;
    for (int k = 0; k < CHAINS; k++) x[k] = 977u * k + threadIdx.x + 1;
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 16; step++)
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x[k]) : "r"(m), "r"(c));
    for (int k = 0; k < CHAINS; k++) sum ^= x[k];
    sink[thread_id()] = (float)sum;
    finish(r, s);
}
extern "C" __global__ void probe_imad4(record *r, float *sink, u32 m, u32 reps)
{
    imad<4>(r, sink, m, reps);
}

/* Chains of special functions: 2^x and log2 alternately, to keep x in range; 8 pairs each. */
template <int CHAINS> __device__ void sfu(record *r, float *sink, u32 reps)
{
    stamp s = begin(r);
    float x[CHAINS], sum = 0;
    for (int k = 0; k < CHAINS; k++) x[k] = 1.5f + k + 0.001f * threadIdx.x;
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 8; step++) {
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[k]));
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                asm volatile("lg2.approx.ftz.f32 %0, %0;" : "+f"(x[k]));
        }
    for (int k = 0; k < CHAINS; k++) sum += x[k];
    sink[thread_id()] = sum;
    finish(r, s);
}
extern "C" __global__ void probe_sfu4(record *r, float *sink, u32 reps)
{
    sfu<4>(r, sink, reps);
}

/* Two halves of magnitude 0.06 to 0.13, sign and size by `seed`. */
__device__ inline u32 two_halves(u32 seed)
{
    u32 h = (seed + 1) * 2654435761u;
    return (h & 0x83ff83ffu) | 0x2c002c00u;
}

/* Four independent accumulators a warp of mma m16n8k16, f16 with f32 sums; 4 rounds a repetition.
 */
extern "C" __global__ void probe_tensor(record *r, float *sink, u32 reps)
{
    stamp s = begin(r);
    u32 a[4], b[2];
    float d[4][4], sum = 0;
    for (int k = 0; k < 4; k++) a[k] = two_halves(threadIdx.x * 4 + k);
    for (int k = 0; k < 2; k++) b[k] = two_halves(threadIdx.x * 2 + k + 7777);
    for (int k = 0; k < 16; k++) d[k / 4][k % 4] = 0.01f * (k + 1);
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 4; step++)
#pragma unroll
            for (int k = 0; k < 4; k++)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                             "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                             : "+f"(d[k][0]), "+f"(d[k][1]), "+f"(d[k][2]), "+f"(d[k][3])
                             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int k = 0; k < 16; k++) sum += d[k / 4][k % 4];
    sink[thread_id()] = sum;
    finish(r, s);
}

/* Conflict-free loads and stores of shared memory: 4 loads, 4 stores, twice a repetition. The block
 * needs 16 bytes of shared memory per thread at least. */
extern "C" __global__ void probe_shared(record *r, float *sink, u32 reps)
{
    extern __shared__ float shared_floats[];
    stamp s = begin(r);
    volatile float *mine = shared_floats + threadIdx.x;
    u32 n = blockDim.x;
    for (u32 k = 0; k < 4; k++) mine[k * n] = 1.5f + k + 0.001f * threadIdx.x;
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 2; step++) {
            float a = mine[0], b = mine[n], c = mine[2 * n], d = mine[3 * n];
            mine[0] = b;
            mine[n] = c;
            mine[2 * n] = d;
            mine[3 * n] = a;
        }
    sink[thread_id()] = mine[0];
    finish(r, s);
}

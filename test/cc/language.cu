// Device code of every kind compared with results of the host: prints "ok" or "not ok" for each.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <device_launch_parameters.h>
#include <math_constants.h>

typedef unsigned long long u64;

// EACH(name, device expression of the lane i, host expression of i): both a u64.
#define LANES 32
static __host__ __device__ u64 bits(float x) { unsigned b; memcpy(&b, &x, 4); return b; }
static __host__ __device__ u64 bits(double x) { u64 b; memcpy(&b, &x, 8); return b; }
static u64 lanes(bool (*of)(int))
{
    u64 r = 0;
    for (int i = 0; i < LANES; i++) r |= (u64)of(i) << i;
    return r;
}
#define ALL 0xffffffffu
#define ROWS                                                                                       \
    EACH(threadIdx, threadIdx.x + 100 * threadIdx.y, i)                                            \
    EACH(blockDim, blockDim.x * 100 + gridDim.x + warpSize, 3233)                                  \
    EACH(dim3, dim3(blockIdx).x + uint3(blockDim).y, 1)                                            \
    EACH(vectors, make_int3(1, 2, 3).z + make_uchar4(1, 2, 3, 4).w + sizeof(float3), 19)           \
    EACH(shfl, __shfl_sync(ALL, i * 3, 5), 15)                                                     \
    EACH(shfl_up, __shfl_up_sync(ALL, i, 1), i ? i - 1 : 0)                                        \
    EACH(shfl_down, __shfl_down_sync(ALL, i, 2, 16), i % 16 < 14 ? i + 2 : i)                      \
    EACH(shfl_xor, bits(__shfl_xor_sync(ALL, (double)i, 4)), bits((double)(i ^ 4)))                \
    EACH(shfl_64, __shfl_sync(ALL, 1ull << i, i ^ 1), 1ull << (i ^ 1))                             \
    EACH(ballot, __ballot_sync(ALL, i % 3 == 1), lanes([](int j) { return j % 3 == 1; }))          \
    EACH(any, __any_sync(ALL, i == 7) + 2 * __all_sync(ALL, i < 31), 1)                            \
    EACH(match_any, __match_any_sync(ALL, i / 8), 0xffu << i / 8 * 8)                              \
    EACH(match_64, __match_any_sync(ALL, (u64)i << 40), 1u << i)                                   \
    EACH(activemask, __activemask(), ALL)                                                          \
    EACH(barrier_count, __syncthreads_count(i & 1), 16)                                            \
    EACH(barrier_and, __syncthreads_and(1) + 2 * __syncthreads_or(i == 3), 3)                      \
    EACH(popc, __popc(i * 77) + __popcll(~0ull << i), __builtin_popcount(i * 77) + 64 - i)         \
    EACH(clz, __clz(i) + __clzll(1ull << i), (i ? __builtin_clz(i) : 32) + 63 - i)                 \
    EACH(ffs, __ffs(i) + __ffsll((u64)i << 33), __builtin_ffs(i) + __builtin_ffsll((u64)i << 33))  \
    EACH(brev, __brev(1u << i), 1u << (31 - i))                                                    \
    EACH(brevll, __brevll(1ull << i), 1ull << (63 - i))                                            \
    EACH(byte_perm, __byte_perm(0x33221100, 0x77665544, 0x7250), 0x77225500)                       \
    EACH(funnel, __funnelshift_l(0x12345678, 0x9abcdef0, 8), 0xbcdef012)                           \
    EACH(funnel_r, __funnelshift_rc(0x12345678, 0x9abcdef0, 40), 0x9abcdef0)                       \
    EACH(mulhi, (unsigned)__mulhi(-i * 99999, 77777),                                              \
         (unsigned)((long long)(-i * 99999) * 77777 >> 32))                                        \
    EACH(umulhi, __umulhi(ALL - i, ALL), (u64)(ALL - i) * ALL >> 32)                               \
    EACH(mul64hi, __umul64hi(~0ull - i, 1ull << 60), (~0ull - i) >> 4)                             \
    EACH(mul24, __mul24(i, 1000), i * 1000)                                                        \
    EACH(sad, __sad(i, 10, 5), abs(i - 10) + 5)                                                    \
    EACH(hadd, __hadd(i, 7) + __rhadd(i, 8), (i + 7) / 2 + (i + 9) / 2)                            \
    EACH(dp4a, __dp4a(0x01020304, 0x01010101, i), 10 + i)                                          \
    EACH(vadd4, __vadd4(0xff010203, 0x01010101), 0x00020304)                                       \
    EACH(vmaxu2, __vmaxu2(0x00051000, 0x00060fff), 0x00061000)                                     \
    EACH(vcmpeq4, __vcmpeq4(0x01020304, 0x01ff0304), 0xff00ffff)                                   \
    EACH(vabsdiffu4, __vabsdiffu4(0x01050904, 0x02030a04), 0x01020100)                             \
    EACH(as_int, __float_as_int(i * 0.5f), bits(i * 0.5f))                                         \
    EACH(hiloint, bits(__hiloint2double(0x3ff00000, i)), 0x3ff0000000000000ull + i)                \
    EACH(to_int, __float2int_rn(i + 0.5f) * 100 + __float2int_ru(i + 0.1f),                        \
         (i + i % 2) * 100 + i + 1)                                                                \
    EACH(to_ll, (u64)__double2ll_rd(-i - 0.5), (u64)-(long long)(i + 1))                           \
    EACH(to_float, bits(__int2float_rz(16777217 + 2 * i)), bits((float)(16777216 + 2 * i)))        \
    EACH(add_rz, bits(__fadd_rz(1, 0x1.8p-24f)), bits(1.0f))                                       \
    EACH(add_ru, bits(__fadd_ru(1, 0x1p-30f)), bits(1 + 0x1p-23f))                                 \
    EACH(fma_rd, bits(__fmaf_rd(1, 1, -0x1p-30f)), bits(1 - 0x1p-24f))                             \
    EACH(dadd_rd, bits(__dadd_rd(1, -0x1p-60)), bits(1 - 0x1p-53))                                 \
    EACH(ddiv, bits(__ddiv_rn(i, 3)), bits(i / 3.0))                                               \
    EACH(rcp, bits(__frcp_rn(i + 1)), bits(1.0f / (float)(i + 1)))                                 \
    EACH(saturate, bits(__saturatef(i - 1.0f)), bits(i > 1 ? 1.0f : 0.0f))                        \
    EACH(fdividef, __fdividef(6, 3) == 2, 1)                                                       \
    EACH(fast, fabsf(__expf(1) - 2.7182818f) < 1e-5f && fabsf(__sinf(1) - 0.841471f) < 1e-5f, 1)   \
    EACH(fast_pow, fabsf(__powf(i, 2) - (float)(i * i)) < 1e-2f, 1)                                \
    EACH(std, std::max(i, 5) + std::min(i, 3) + (int)std::abs(-2.0f) + (int)std::sqrt(16.0f),      \
         std::max(i, 5) + std::min(i, 3) + 6)                                                      \
    EACH(min_max, max(i, 3u) + min(2.5f, (float)i) * 2 + min(i, 7),                                \
         std::max(i, 3) + (u64)(std::min(2.5f, (float)i) * 2) + std::min(i, 7))                    \
    EACH(classes, isnan(CUDART_NAN_F) + 2 * std::isinf(CUDART_INF) + 4 * isfinite(1.0f) +          \
         8 * signbit(-0.0), 15)                                                                    \
    EACH(pow_int, (u64)pow((double)i, 3), (u64)i * i * i)                                          \
    EACH(float_by_name, bits(sqrt(2.0f)) == bits(sqrtf(2.0f)) && sizeof(exp(1.0f)) == 4, 1)        \
    EACH(half, __half_as_ushort(__hadd(__float2half(i), __float2half(0.5f))),                      \
         __half((float)i + 0.5f).bits())                                                           \
    EACH(half_fma, __hfma(__half(3), __half(i), __half(0.25f)).bits(),                             \
         __half(3.0f * i + 0.25f).bits())                                                          \
    EACH(half_cmp, __hgt(__half(i), __half(3)) + 2 * (__half(i) == __half(4)),                     \
         (i > 3) + 2 * (i == 4))                                                                   \
    EACH(half_rounding, __float2half_rz(1.0009f).bits() + 65536 * __float2half_ru(1.0001f).bits(), \
         0x3c00 + 65536 * 0x3c01)                                                                  \
    EACH(half_shfl, __shfl_sync(ALL, __half(i), 9).bits(), __half(9).bits())                       \
    EACH(bfloat, (__nv_bfloat16(i) * __nv_bfloat16(3)).bits(), __nv_bfloat16(i * 3.0f).bits())     \
    EACH(ldg, __ldg(&table[i]) + __ldcg(&table[1]) + __ldg((const int2 *)table).y, i * 5 + 10)     \
    EACH(cached, (__stcg(&scratch[i], i * 9), __threadfence(), __ldcv(&scratch[i])), i * 9)        \
    EACH(constant, constant[i % 4], i % 4 + 40)                                                    \
    EACH(shared, __isShared(shared) + 2 * __isGlobal(scratch), 3)                                  \
    EACH(clock, clock64() <= clock64() && clock() != -1, 1)                                        \
    EACH(sleep, (__nanosleep(20), __syncwarp(), 1), 1)                                             \
    EACH(int128, (u64)((unsigned __int128)~0ull * (unsigned)(i + 1) >> 64), i)                     \
    EACH(heap, on_heap(i), (u64)i + 7)                                                             \
    EACH(local, recursive(i), (u64)i * (i + 1) / 2)

__constant__ int constant[4] = {40, 41, 42, 43};
__device__ int scratch[LANES];
__device__ u64 recursive(int i) { return i ? i + recursive(i - 1) : 0; }

struct boxed {
    int value;
    __device__ explicit boxed(int v) : value(v) {}
};
__device__ int on_heap(int i)
{
    boxed *b = new boxed(i);
    int *p = (int *)malloc(64), sum;
    p[5] = 7;
    sum = b->value + p[5];
    free(p);
    delete b;
    return sum;
}

__global__ void rows(const int *table, u64 *out)
{
    __shared__ int shared[LANES];
    int i = threadIdx.x;
    shared[i] = 0;
#define EACH(name, device, host) out[i] = (u64)(device); out += LANES;
    ROWS
#undef EACH
}

// ATOMIC(function call on the T *p by each lane, start, end): all lanes use the same address.
#define ATOMICS                                                                                    \
    ATOMIC(int, atomicAdd(p, i), 5, 501)                                                           \
    ATOMIC(int, atomicSub(p, i), 0, -496)                                                          \
    ATOMIC(unsigned, atomicAdd_block(p, 2u), 1, 65)                                                \
    ATOMIC(u64, atomicAdd(p, 1ull << 40), 0, 32ull << 40)                                          \
    ATOMIC(float, atomicAdd(p, 0.5f), 1, 17)                                                       \
    ATOMIC(double, atomicAdd(p, 0.25), 0, 8)                                                       \
    ATOMIC(double, atomicAdd_system(p, 0.25), 0, 8)                                                \
    ATOMIC(int, atomicMin(p, 20 - i), 99, -11)                                                     \
    ATOMIC(unsigned, atomicMax(p, (unsigned)i), 3, 31)                                             \
    ATOMIC(long long, atomicMin(p, -(long long)i << 40), 0, -(31ll << 40))                         \
    ATOMIC(u64, atomicMax(p, (u64)i << 40), 0, 31ull << 40)                                        \
    ATOMIC(unsigned, atomicInc(p, 9), 0, 2)                                                        \
    ATOMIC(unsigned, atomicDec(p, 9), 5, 3)                                                        \
    ATOMIC(unsigned, atomicAnd(p, ~(1u << i)), 0xffffffffu, 0)                                     \
    ATOMIC(int, atomicOr(p, 1 << i % 8), 0, 255)                                                   \
    ATOMIC(u64, atomicXor(p, 1ull << (i + 8)), 0, 0xffffffffull << 8)                              \
    ATOMIC(int, atomicCAS(p, i, i + 1), 0, 32)                                                     \
    ATOMIC(u64, atomicCAS_system(p, (u64)i, i + 1ull), 0, 32)                                      \
    ATOMIC(float, atomicExch(p, 7.0f), 0, 7)

#define ATOMIC(T, call, start, end)                                                                \
    {                                                                                              \
        T *p = (T *)place++;                                                                       \
        if (i == 0) *p = start;                                                                    \
        __syncthreads();                                                                           \
        for (int turn = 0; turn < LANES; turn++)                                                   \
            if (i == turn) call;                                                                   \
        __syncthreads();                                                                           \
    }
__global__ void atomics(u64 *place)
{
    int i = threadIdx.x;
    ATOMICS
}
#undef ATOMIC

template <class T, int n> __global__ void __launch_bounds__(64, 2) reversed(T *a)
{
    extern __shared__ __align__(16) unsigned char room[];
    T *dynamic = (T *)room;
    dynamic[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = dynamic[n - 1 - threadIdx.x];
    assert(threadIdx.x < n);
}

static int bad;
static void say(bool ok, const char *name)
{
    bad += !ok;
    std::cout << (ok ? "ok " : "not ok ") << name << std::endl;
}

int main()
{
    std::vector<int> table(LANES);
    for (int i = 0; i < LANES; i++) table[i] = 5 * i;
    int *device_table, count = 0;
    u64 *out, *place;
#define EACH(name, device, host) count++;
    ROWS
#undef EACH
    cudaMalloc(&device_table, LANES * sizeof(int));
    cudaMalloc(&out, count * LANES * sizeof(u64));
    cudaMallocManaged(&place, 64 * sizeof(u64));
    cudaMemcpy(device_table, table.data(), LANES * sizeof(int), cudaMemcpyHostToDevice);
    rows<<<1, LANES>>>(device_table, out);
    std::vector<u64> got(count * LANES);
    cudaMemcpy(got.data(), out, count * LANES * sizeof(u64), cudaMemcpyDeviceToHost);
    say(cudaGetLastError() == cudaSuccess, "no error");
    cudaFuncAttributes of;
    cudaFuncGetAttributes(&of, rows);
    say(of.ptxVersion == 75, "the architecture");
    const u64 *at = got.data();
#define EACH(name, device, host)                                                                   \
    {                                                                                              \
        bool ok = true;                                                                            \
        for (int i = 0; i < LANES; i++) ok &= at[i] == (u64)(host);                                \
        say(ok, #name);                                                                            \
        at += LANES;                                                                               \
    }
    ROWS
#undef EACH
    atomics<<<dim3(1, 1, 1), dim3(LANES)>>>(place);
    cudaDeviceSynchronize();
#define ATOMIC(T, call, start, end)                                                                \
    {                                                                                              \
        T value;                                                                                   \
        memcpy(&value, place++, sizeof value);                                                     \
        say(value == (T)(end), #T " " #call);                                                      \
    }
    ATOMICS
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(out, got.data(), 64 * sizeof(u64), cudaMemcpyHostToDevice, stream);
    reversed<u64, 64><<<1, 64, 64 * sizeof(u64), stream>>>(out);
    std::vector<u64> back(64);
    cudaMemcpyAsync(back.data(), out, 64 * sizeof(u64), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    std::reverse(back.begin(), back.end());
    say(std::equal(back.begin(), back.end(), got.begin()), "dynamic shared memory");
    printf("%s\n", bad ? "FAILED" : "PASSED");
    return bad != 0;
}

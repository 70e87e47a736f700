// nvcc: -arch=sm_89
// A layer of a language model, a kernel per step: embedding, RMSnorm or layernorm, products with
// weights of bf16 (prefill) or bf16, int8 and e4m3 (decode), rotary positions, attention with a
// cache of keys and values in pages, SwiGLU or experts, logits, sampling. Activations between
// products are bf16, sums f32.
// Algorithm: the layer of Llama (Touvron et al., LLaMA, 2023), written from the description:
// RMSnorm (Zhang and Sennrich, 2019), rotary positions (Su et al., RoFormer, 2021), SwiGLU
// (Shazeer, GLU Variants Improve Transformer, 2020). attention.h, experts.h and ../gemm_tensor have
// the rest.
#include "../gemm_tensor/gemm.h"
#include "bf16.h"
#include "attention.h"
#include "experts.h"

enum { WIDE = 256, WARPS = WIDE / 32, BATCH_MAX = 8, TOP = 8 };
static constexpr float EPSILON = 1e-5f;

// ---- sums and maxima of a block of 256 threads ----

__device__ static float block_sum(float x)
{
    __shared__ float part[WARPS];
    x = warp_sum(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    float sum = 0;
    for (u32 w = 0; w < WARPS; w++) sum += part[w];
    return sum;
}

// ---- embedding, norms, SwiGLU: a block per token ----

extern "C" __global__ void embed(const u32 *tokens, const u16 *table, float *out, u32 hidden)
{
    const u16 *from = table + (u64)tokens[blockIdx.x] * hidden;
    for (u32 i = threadIdx.x * 2; i < hidden; i += 2 * WIDE)
        *(float2 *)&out[(u64)blockIdx.x * hidden + i] = pair_of(*(const u32 *)&from[i]);
}

template <bool CENTRED>
__device__ static void norm(const float *x, const u16 *gain, u16 *out, u32 hidden)
{
    x += (u64)blockIdx.x * hidden;
    out += (u64)blockIdx.x * hidden;
    float mean = 0, squares = 0;
    if (CENTRED) {
        for (u32 i = threadIdx.x; i < hidden; i += WIDE) mean += x[i];
        mean = block_sum(mean) / hidden;
    }
    for (u32 i = threadIdx.x; i < hidden; i += WIDE) squares += (x[i] - mean) * (x[i] - mean);
    float factor = rsqrtf(block_sum(squares) / hidden + EPSILON);
    for (u32 i = threadIdx.x; i < hidden; i += WIDE)
        out[i] = bits_of((x[i] - mean) * factor * float_of(gain[i]));
}

extern "C" __global__ void rmsnorm(const float *x, const u16 *gain, u16 *out, u32 hidden)
{
    norm<false>(x, gain, out, hidden);
}

extern "C" __global__ void layernorm(const float *x, const u16 *gain, u16 *out, u32 hidden)
{
    norm<true>(x, gain, out, hidden);
}

// Rows of `x` hold the gate, then the other factor.
extern "C" __global__ void swiglu(const float *x, u16 *out, u32 inner)
{
    x += (u64)blockIdx.x * 2 * inner;
    for (u32 i = threadIdx.x; i < inner; i += WIDE)
        out[(u64)blockIdx.x * inner + i] = bits_of(x[i] / (1 + __expf(-x[i])) * x[inner + i]);
}

extern "C" __global__ void softmax(const float *x, float *out, u32 n)
{
    __shared__ float largest[WARPS];
    x += (u64)blockIdx.x * n;
    float top = -INFINITY, sum = 0;
    for (u32 i = threadIdx.x; i < n; i += WIDE) top = fmaxf(top, x[i]);
    top = warp_max(top);
    if (threadIdx.x % 32 == 0) largest[threadIdx.x / 32] = top;
    __syncthreads();
    for (u32 w = 0; w < WARPS; w++) top = fmaxf(top, largest[w]);
    for (u32 i = threadIdx.x; i < n; i += WIDE) sum += __expf(x[i] - top);
    float factor = 1 / block_sum(sum);
    for (u32 i = threadIdx.x; i < n; i += WIDE)
        out[(u64)blockIdx.x * n + i] = __expf(x[i] - top) * factor;
}

// ---- products ----

extern "C" __global__ void __launch_bounds__(THREADS, 1)
gemm_bf16(const unsigned char *a, const unsigned char *b, const float *old, float *out, u32 n,
          u32 pitch)
{
    gemm<BF16>(a, b, old, out, n, pitch);
}

// The matrix of the expert of a tile of rows; no expert: the tile is not used.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
gemm_grouped(const unsigned char *a, const unsigned char *b, float *out, u32 n, u32 pitch,
             const u32 *expert_of_tile)
{
    u32 expert = expert_of_tile[blockIdx.x];
    if (expert != NO_EXPERT)
        gemm<BF16>(a, b + (u64)expert * n * pitch, nullptr, out, n, pitch);
}

// 16 bytes of weights as floats.
struct bf16_weights {
    enum { EACH = 8 };
    __device__ static void open(uint4 w, float (&to)[EACH])
    {
        const u32 words[4] = {w.x, w.y, w.z, w.w};
        for (int k = 0; k < 4; k++) {
            float2 pair = pair_of(words[k]);
            to[2 * k] = pair.x, to[2 * k + 1] = pair.y;
        }
    }
};
struct int8_weights {
    enum { EACH = 16 };
    __device__ static void open(uint4 w, float (&to)[EACH])
    {
        const u32 words[4] = {w.x, w.y, w.z, w.w};
        for (int k = 0; k < EACH; k++) to[k] = (float)(int)(signed char)(words[k / 4] >> k % 4 * 8);
    }
};
struct e4m3_weights {
    enum { EACH = 16 };
    __device__ static void open(uint4 w, float (&to)[EACH])
    {
        const u32 words[4] = {w.x, w.y, w.z, w.w};
        for (int k = 0; k < EACH; k += 2)
            asm("{\n.reg .b32 pair;\n.reg .f16 lo, hi;\ncvt.rn.f16x2.e4m3x2 pair, %2;\n"
                "mov.b32 {lo, hi}, pair;\ncvt.f32.f16 %0, lo;\ncvt.f32.f16 %1, hi;\n}"
                : "=f"(to[k]), "=f"(to[k + 1]) : "h"((u16)(words[k / 4] >> k % 4 * 8)));
    }
};

// out[b][row] = scale * weights[row] . x[b], plus old[b][row] if given; a warp per row, for up to
// eight vectors `pitch` elements apart.
template <class W> __device__ static void
gemv(const unsigned char *weights, const u16 *x, const float *old, float *out, u32 rows, u32 k,
     u32 batch, u32 pitch, float scale)
{
    u32 row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum[BATCH_MAX] = {0};
    const uint4 *from = (const uint4 *)(weights + (u64)row * k * 16 / W::EACH);
    for (u32 i = lane * W::EACH; i < k; i += 32 * W::EACH) {
        float w[W::EACH], v[8];
        W::open(from[i / W::EACH], w);
#pragma unroll
        for (u32 b = 0; b < BATCH_MAX; b++) {
            if (b >= batch) break;
            for (int part = 0; part < W::EACH; part += 8) {
                bf16_weights::open(*(const uint4 *)&x[(u64)b * pitch + i + part], v);
                for (int j = 0; j < 8; j++) sum[b] = fmaf(w[part + j], v[j], sum[b]);
            }
        }
    }
#pragma unroll
    for (u32 b = 0; b < BATCH_MAX; b++) {
        if (b >= batch) break;
        float all = warp_sum(sum[b]) * scale;
        u64 at = (u64)b * rows + row;
        if (lane == 0) out[at] = old ? old[at] + all : all;
    }
}

#define GEMV(name, type) \
    extern "C" __global__ void \
    name(const unsigned char *weights, const u16 *x, const float *old, float *out, u32 rows, \
         u32 k, u32 batch, u32 pitch, float scale) \
    { \
        gemv<type>(weights, x, old, out, rows, k, batch, pitch, scale); \
    }
GEMV(gemv_bf16, bf16_weights)
GEMV(gemv_int8, int8_weights)
GEMV(gemv_e4m3, e4m3_weights)

// ---- sampling: a block per sequence ----

// The eight largest logits (of equal logits the first), and one of these, drawn with the
// probabilities of their softmax by a number from 0 to 1.
extern "C" __global__ void
sample(const float *logits, const float *draw, u32 *top, u32 *chosen, u32 n)
{
    __shared__ u64 best[WARPS];
    __shared__ float values[TOP];
    logits += (u64)blockIdx.x * n;
    u64 below = ~0ull;
    for (u32 k = 0; k < TOP; k++) {
        u64 mine = 0;
        for (u32 i = threadIdx.x; i < n; i += WIDE) {
            int bits = __float_as_int(logits[i]);
            u64 key = (u64)(u32)(bits ^ (bits < 0 ? -1 : 1 << 31)) << 32 | ~i;
            if (key < below && key > mine) mine = key;
        }
        for (int d = 16; d; d /= 2) {
            u64 other = __shfl_xor_sync(~0u, mine, d);
            if (other > mine) mine = other;
        }
        if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = mine;
        __syncthreads();
        for (u32 w = 0; w < WARPS; w++)
            if (best[w] > mine) mine = best[w];
        __syncthreads();
        below = mine;
        if (threadIdx.x == 0) {
            top[blockIdx.x * TOP + k] = ~(u32)mine;
            values[k] = logits[~(u32)mine];
        }
    }
    if (threadIdx.x) return;
    float sum = 0, passed = 0;
    u32 k = 0;
    for (u32 j = 0; j < TOP; j++) sum += __expf(values[j] - values[0]);
    while (k < TOP - 1 && (passed += __expf(values[k] - values[0])) < draw[blockIdx.x] * sum) k++;
    chosen[blockIdx.x] = top[blockIdx.x * TOP + k];
}

// ---- all-reduce: few blocks ----

// Adds the buffers of all ranks into the buffer of each, four floats at a time.
extern "C" __global__ void all_reduce(float4 *buffers, u32 ranks, u32 n)
{
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 sum = buffers[i];
        for (u32 r = 1; r < ranks; r++) {
            float4 x = buffers[(u64)r * n + i];
            sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w;
        }
        for (u32 r = 0; r < ranks; r++) buffers[(u64)r * n + i] = sum;
    }
}

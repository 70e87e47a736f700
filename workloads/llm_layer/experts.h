// Experts: each token goes to the two experts of the largest scores (Shazeer et al., Outrageously
// Large Neural Networks, 2017; Fedus et al., Switch Transformers, 2021), written from the
// descriptions. Rows of an expert follow each other, padded to whole tiles of the grouped product.
#ifndef LLM_LAYER_EXPERTS_H
#define LLM_LAYER_EXPERTS_H

enum { EXPERTS_MAX = 16, NO_EXPERT = 0xffffffff };

// A warp per token: scores of all experts, the two best and their weights (softmax of the two).
extern "C" __global__ void
experts_route(const u16 *x, const u16 *router, u32 *expert, float *weight, u32 tokens, u32 hidden,
              u32 experts)
{
    u32 token = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (token >= tokens) return;
    float best[2] = {-INFINITY, -INFINITY};
    u32 who[2] = {0, 0};
    for (u32 e = 0; e < experts; e++) {
        float sum = 0;
        for (u32 i = lane * 2; i < hidden; i += 64) {
            float2 a = pair_of(*(const u32 *)&x[(u64)token * hidden + i]);
            float2 b = pair_of(*(const u32 *)&router[(u64)e * hidden + i]);
            sum = fmaf(a.x, b.x, fmaf(a.y, b.y, sum));
        }
        sum = warp_sum(sum);
        if (sum > best[0]) {
            best[1] = best[0], who[1] = who[0];
            best[0] = sum, who[0] = e;
        } else if (sum > best[1]) {
            best[1] = sum, who[1] = e;
        }
    }
    if (lane) return;
    float second = __expf(best[1] - best[0]);
    for (u32 k = 0; k < 2; k++) {
        expert[2 * token + k] = who[k];
        weight[2 * token + k] = (k ? second : 1) / (1 + second);
    }
}

// One block, a warp per expert: the rows of the expert's tokens, in their order, and the expert of
// each tile of 128 rows.
extern "C" __global__ void
experts_place(const u32 *expert, u32 *row, u32 *expert_of_tile, u32 tokens, u32 experts, u32 tiles)
{
    __shared__ u32 counts[EXPERTS_MAX];
    u32 e = threadIdx.x / 32, lane = threadIdx.x % 32, n = 2 * tokens, before = 0;
    for (u32 t = threadIdx.x; t < tiles; t += blockDim.x) expert_of_tile[t] = NO_EXPERT;
    for (u32 i = lane; i < n + lane; i += 32)
        before += __popc(__ballot_sync(~0u, i < n && expert[i] == e));
    if (lane == 0 && e < experts) counts[e] = before;
    __syncthreads();
    if (e >= experts) return;
    u32 tile = 0;
    for (u32 k = 0; k < e; k++) tile += (counts[k] + ROWS - 1) / ROWS;
    for (u32 t = lane; t * ROWS < counts[e]; t += 32) expert_of_tile[tile + t] = e;
    u32 at = tile * ROWS;
    for (u32 i = lane; i < n + lane; i += 32) {
        u32 own = __ballot_sync(~0u, i < n && expert[i] == e);
        if (own >> lane & 1) row[i] = at + __popc(own & ((1u << lane) - 1));
        at += __popc(own);
    }
}

// A block per token and expert: copies the token to its row.
extern "C" __global__ void experts_gather(const u16 *x, const u32 *row, u16 *out, u32 hidden)
{
    const uint4 *from = (const uint4 *)(x + (u64)(blockIdx.x / 2) * hidden);
    uint4 *to = (uint4 *)(out + (u64)row[blockIdx.x] * hidden);
    for (u32 i = threadIdx.x; i < hidden / 8; i += blockDim.x) to[i] = from[i];
}

// A block per token: adds the two experts' rows by weight.
extern "C" __global__ void experts_combine(const float *y, const u32 *row, const float *weight,
                                           const float *old, float *out, u32 hidden)
{
    u32 t = blockIdx.x;
    const float *a = y + (u64)row[2 * t] * hidden, *b = y + (u64)row[2 * t + 1] * hidden;
    for (u32 i = threadIdx.x; i < hidden; i += blockDim.x)
        out[(u64)t * hidden + i] =
            old[(u64)t * hidden + i] + (weight[2 * t] * a[i] + weight[2 * t + 1] * b[i]);
}

#endif

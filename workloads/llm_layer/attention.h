// Rotary positions and attention over a cache of keys and values in pages of 64 tokens (Kwon et
// al., PagedAttention, 2023): [page][head][token][128]. Prefill multiplies by mma with a running
// softmax (Dao, FlashAttention-2, 2023); written from the descriptions.
#ifndef LLM_LAYER_ATTENTION_H
#define LLM_LAYER_ATTENTION_H

enum { DIM = 128, PAGE = 64, PAGE_BYTES = PAGE * DIM * 2, KEYS_AT_ONCE = 4, PARTS = 4 };
static constexpr float SCALE = 0.08838834764831845f * 1.4426950408889634f; // 128^-0.5 log2(e)

struct place_of { // of tokens in the cache
    const u32 *pages; // of all sequences
    u32 per_sequence; // pages
    u32 heads;

    // First element of a head's page.
    __device__ u64 page(u32 sequence, u32 number, u32 head) const
    {
        return ((u64)pages[sequence * per_sequence + number] * heads + head) * PAGE * DIM;
    }
};

// Turns queries and keys of a token, and stores keys and values into the cache. A block per token;
// `each` tokens of a sequence, from position `first`.
extern "C" __global__ void rope(const float *qkv, const float2 *turns, u16 *q, u16 *keys,
                                u16 *values, const u32 *pages, u32 per_sequence, u32 heads,
                                u32 each, u32 first)
{
    u32 token = blockIdx.x, sequence = token / each, at = first + token % each;
    u32 hidden = heads * DIM;
    place_of place = {pages, per_sequence, heads};
    qkv += (u64)token * 3 * hidden;
    for (u32 i = threadIdx.x; i < hidden / 2; i += blockDim.x) {
        u32 head = i / (DIM / 2), low = head * DIM + i % (DIM / 2), high = low + DIM / 2;
        float2 turn = turns[(u64)at * (DIM / 2) + i % (DIM / 2)];
        u64 to = place.page(sequence, at / PAGE, head) + at % PAGE * DIM + i % (DIM / 2);
        float a = qkv[low], b = qkv[high], c = qkv[hidden + low], d = qkv[hidden + high];
        q[(u64)token * hidden + low] = bits_of(a * turn.x - b * turn.y);
        q[(u64)token * hidden + high] = bits_of(b * turn.x + a * turn.y);
        keys[to] = bits_of(c * turn.x - d * turn.y);
        keys[to + DIM / 2] = bits_of(d * turn.x + c * turn.y);
        values[to] = bits_of(qkv[2 * hidden + low]);
        values[to + DIM / 2] = bits_of(qkv[2 * hidden + high]);
    }
}

// ---- prefill: 64 queries of a head, 16 per warp ----

// Pieces of 16 bytes of a page in shared memory, exchanged within groups of eight.
__device__ static u32 page_place(u32 row, u32 piece)
{
    return row * (DIM * 2) + (piece ^ row % 8) * 16;
}

__device__ static void page_load(u32 to, const u16 *from)
{
    for (u32 i = threadIdx.x; i < PAGE_BYTES / 16; i += blockDim.x)
        piece_load(to + page_place(i / 16, i % 16), (const unsigned char *)from + i * 16, 16);
}

__device__ static void matrices_read_turned(u32 (&m)[4], u32 at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3]) : "r"(at) : "memory");
}

// The running softmax of two rows of a thread: maximum, sum, and the weighted values.
struct rows_state {
    float top[2], sum[2], out[DIM / 8][4];
};

// s: scores of 16 queries x 64 keys. Makes the weights, as fragments of A.
__device__ static void weigh(rows_state &r, float (&s)[PAGE / 8][4], u32 (&p)[PAGE / 16][4])
{
    for (int h = 0; h < 2; h++) {
        float top = r.top[h], sum = 0;
        for (auto &x : s) top = fmaxf(top, fmaxf(x[2 * h], x[2 * h + 1]));
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
        float factor = exp2f(r.top[h] - top);
        r.top[h] = top;
        for (auto &x : s)
            for (int k = 2 * h; k < 2 * h + 2; k++) sum += x[k] = exp2f(x[k] - top);
        r.sum[h] = r.sum[h] * factor + sum;
        for (auto &x : r.out) x[2 * h] *= factor, x[2 * h + 1] *= factor;
    }
    for (int k = 0; k < PAGE / 16; k++)
        for (int m = 0; m < 4; m++)
            p[k][m] = bits_of(s[2 * k + m / 2][m % 2 * 2], s[2 * k + m / 2][m % 2 * 2 + 1]);
}

// Scores of a warp's queries with the page's keys, times SCALE; of keys behind the query none.
__device__ static void score(float (&s)[PAGE / 8][4], const u32 (&q)[DIM / 16][4], u32 page,
                             u32 first_key, u32 first_query)
{
    u32 lane = threadIdx.x % 32;
    for (auto &x : s)
        for (float &y : x) y = 0;
    for (u32 k = 0; k < DIM / 16; k++)
        for (u32 pair = 0; pair < PAGE / 16; pair++) {
            u32 m[4];
            matrices_read(m, page + page_place(pair * 16 + lane / 16 * 8 + lane % 8,
                                               k * 2 + lane / 8 % 2));
            product<BF16>(s[2 * pair], q[k], m[0], m[1]);
            product<BF16>(s[2 * pair + 1], q[k], m[2], m[3]);
        }
    for (u32 j = 0; j < PAGE / 8; j++)
        for (u32 k = 0; k < 4; k++) {
            u32 key = first_key + j * 8 + lane % 4 * 2 + k % 2;
            u32 query = first_query + lane / 4 + k / 2 * 8;
            s[j][k] = key > query ? -INFINITY : s[j][k] * SCALE;
        }
}

__device__ static void values_add(rows_state &r, const u32 (&p)[PAGE / 16][4], u32 page)
{
    u32 lane = threadIdx.x % 32;
    for (u32 k = 0; k < PAGE / 16; k++)
        for (u32 pair = 0; pair < DIM / 16; pair++) {
            u32 m[4];
            matrices_read_turned(m, page + page_place(k * 16 + lane % 16, pair * 2 + lane / 16));
            product<BF16>(r.out[2 * pair], p[k], m[0], m[1]);
            product<BF16>(r.out[2 * pair + 1], p[k], m[2], m[3]);
        }
}

// Grid: 64 queries, heads, sequences; 128 threads; shared memory for two pages of keys and values.
extern "C" __global__ void __launch_bounds__(128)
attention_prefill(const u16 *q, const u16 *keys, const u16 *values, u16 *out, const u32 *pages,
                  u32 per_sequence, u32 heads, u32 each)
{
    u32 tile = gridDim.x - 1 - blockIdx.x, head = blockIdx.y, sequence = blockIdx.z;
    u32 lane = threadIdx.x % 32, first = tile * PAGE + threadIdx.x / 32 * 16;
    u32 base = (u32)__cvta_generic_to_shared(stages), hidden = heads * DIM;
    place_of place = {pages, per_sequence, heads};
    u64 row = ((u64)sequence * each + first + lane / 4) * hidden + head * DIM + lane % 4 * 2;
    u32 a[DIM / 16][4];
    for (u32 k = 0; k < DIM / 16; k++)
        for (u32 m = 0; m < 4; m++)
            a[k][m] = *(const u32 *)&q[row + (u64)(m % 2 * 8) * hidden + k * 16 + m / 2 * 8];
    rows_state r = {{-INFINITY, -INFINITY}};
    for (u32 i = 0; i <= tile + 1; i++) {
        if (i <= tile) {
            u64 at = place.page(sequence, i, head);
            page_load(base + i % 2 * 2 * PAGE_BYTES, keys + at);
            page_load(base + i % 2 * 2 * PAGE_BYTES + PAGE_BYTES, values + at);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (!i) continue;
        u32 page = base + (i - 1) % 2 * 2 * PAGE_BYTES, p[PAGE / 16][4];
        float s[PAGE / 8][4];
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        score(s, a, page, (i - 1) * PAGE, first);
        weigh(r, s, p);
        values_add(r, p, page + PAGE_BYTES);
        __syncthreads();
    }
    for (u32 h = 0; h < 2; h++) {
        float sum = r.sum[h];
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        for (u32 j = 0; j < DIM / 8 && first + lane / 4 + h * 8 < each; j++)
            *(u32 *)&out[row + (u64)(h * 8) * hidden + j * 8] =
                bits_of(r.out[j][2 * h] / sum, r.out[j][2 * h + 1] / sum);
    }
}

// ---- decode: the query of a sequence and head, keys shared among four warps ----

extern "C" __global__ void __launch_bounds__(128)
attention_decode(const u16 *q, const u16 *keys, const u16 *values, u16 *out, const u32 *pages,
                 u32 per_sequence, u32 heads, u32 length)
{
    __shared__ float tops[PARTS], sums[PARTS], parts[PARTS][DIM];
    u32 head = blockIdx.x, sequence = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    place_of place = {pages, per_sequence, heads};
    u64 row = ((u64)sequence * heads + head) * DIM;
    uint2 mine = *(const uint2 *)&q[row + lane * 4];
    float2 a = pair_of(mine.x), b = pair_of(mine.y);
    float top = -INFINITY, sum = 0, o[4] = {0};
    for (u32 key = warp * KEYS_AT_ONCE; key < length; key += PARTS * KEYS_AT_ONCE) {
        u64 at = place.page(sequence, key / PAGE, head) + key % PAGE * DIM + lane * 4;
        float s[KEYS_AT_ONCE], most = top;
        uint2 v[KEYS_AT_ONCE];
#pragma unroll
        for (u32 j = 0; j < KEYS_AT_ONCE; j++) {
            uint2 k = *(const uint2 *)&keys[at + j * DIM];
            v[j] = *(const uint2 *)&values[at + j * DIM];
            float2 c = pair_of(k.x), d = pair_of(k.y);
            s[j] = a.x * c.x + a.y * c.y + b.x * d.x + b.y * d.y;
        }
#pragma unroll
        for (u32 j = 0; j < KEYS_AT_ONCE; j++) {
            s[j] = key + j < length ? warp_sum(s[j]) * SCALE : -INFINITY;
            most = fmaxf(most, s[j]);
        }
        float factor = exp2f(top - most);
        top = most;
        sum *= factor;
        for (float &x : o) x *= factor;
#pragma unroll
        for (u32 j = 0; j < KEYS_AT_ONCE; j++) {
            float p = exp2f(s[j] - top);
            float2 c = pair_of(v[j].x), d = pair_of(v[j].y);
            sum += p;
            o[0] += p * c.x, o[1] += p * c.y, o[2] += p * d.x, o[3] += p * d.y;
        }
    }
    for (int k = 0; k < 4; k++) parts[warp][lane * 4 + k] = o[k];
    if (lane == 0) tops[warp] = top, sums[warp] = sum;
    __syncthreads();
    float most = tops[0], all = 0, total = 0;
    for (int w = 1; w < PARTS; w++) most = fmaxf(most, tops[w]);
    for (int w = 0; w < PARTS; w++) {
        float factor = exp2f(tops[w] - most);
        all += sums[w] * factor;
        total += parts[w][threadIdx.x] * factor;
    }
    out[row + threadIdx.x] = bits_of(total / all);
}

#endif

// Functions for dynamic programming, on host and device, against arithmetic of 64 bits; atomic sums
// of bfloat16: prints "N values, 0 wrong".
#include <algorithm>
#include <cstdio>
#include <cuda_bf16.h>

enum { WORDS = 8, N = 36 };

struct made { unsigned at[N]; };

#define BOTH(of, base)                                                                             \
    m->at[base] = (unsigned)__vi##of##3_s32((int)a, (int)b, (int)c);                               \
    m->at[base + 1] = __vi##of##3_u32(a, b, c);                                                    \
    m->at[base + 2] = (unsigned)__viadd##of##_s32((int)a, (int)b, (int)c);                         \
    m->at[base + 3] = __viadd##of##_u32(a, b, c);                                                  \
    m->at[base + 4] = (unsigned)__vi##of##_s32_relu((int)a, (int)b);                               \
    m->at[base + 5] = (unsigned)__vi##of##3_s32_relu((int)a, (int)b, (int)c);                      \
    m->at[base + 6] = (unsigned)__viadd##of##_s32_relu((int)a, (int)b, (int)c);                    \
    m->at[base + 7] = __vi##of##3_s16x2(a, b, c);                                                  \
    m->at[base + 8] = __vi##of##3_u16x2(a, b, c);                                                  \
    m->at[base + 9] = __viadd##of##_s16x2(a, b, c);                                                \
    m->at[base + 10] = __viadd##of##_u16x2(a, b, c);                                               \
    m->at[base + 11] = __vi##of##_s16x2_relu(a, b);                                                \
    m->at[base + 12] = __vi##of##3_s16x2_relu(a, b, c);                                            \
    m->at[base + 13] = __viadd##of##_s16x2_relu(a, b, c);                                          \
    m->at[base + 14] = (unsigned)__vib##of##_s32((int)a, (int)b, &p) ^ p;                          \
    m->at[base + 15] = __vib##of##_u32(a, b, &p) ^ p;                                              \
    m->at[base + 16] = __vib##of##_s16x2(a, b, &p, &q) ^ (p << 16 | q);                            \
    m->at[base + 17] = __vib##of##_u16x2(a, b, &p, &q) ^ (p << 16 | q);

__host__ __device__ void make(unsigned a, unsigned b, unsigned c, made *m)
{
    bool p, q;
    BOTH(max, 0)
    BOTH(min, 18)
}

__global__ void make_all(const unsigned *w, made *m)
{
    int i = threadIdx.x, j = threadIdx.y, k = blockIdx.x;
    make(w[i], w[j], w[k], m + (i * WORDS + j) * WORDS + k);
}

// One number of the given kind in bits from `shift` on.
static long long number(unsigned w, bool is_signed, int bits, int shift)
{
    unsigned long long mask = (1ull << bits) - 1, v = w >> shift & mask;
    return is_signed && v >> (bits - 1) ? (long long)v - (1ll << bits) : (long long)v;
}

// form: 0 of three, 1 of a sum and c, 2 of two, 3 of two and whether a is the result.
static unsigned want(unsigned a, unsigned b, unsigned c, bool max, int form, bool is_signed,
                     int bits, bool relu)
{
    unsigned long long r = 0, chosen = 0;
    for (int shift = 0; shift < 32; shift += bits) {
        long long x = number(a, is_signed, bits, shift), y = number(b, is_signed, bits, shift);
        long long z = number(c, is_signed, bits, shift);
        long long sum = number((unsigned)(x + y), is_signed, bits, 0);
        long long first = form == 1 ? sum : max ? std::max(x, y) : std::min(x, y);
        if (form < 2) first = max ? std::max(first, z) : std::min(first, z);
        if (relu) first = std::max(first, 0ll);
        r |= ((unsigned long long)first & ((1ull << bits) - 1)) << shift;
        chosen |= (unsigned long long)(max ? x >= y : x <= y) << shift;
    }
    return (unsigned)(form == 3 ? r ^ chosen : r);
}

static int wrong_in(unsigned a, unsigned b, unsigned c, const made &m)
{
    static const struct { int form, bits; bool is_signed, relu; } kind[] = {
        {0, 32, true, false}, {0, 32, false, false}, {1, 32, true, false}, {1, 32, false, false},
        {2, 32, true, true}, {0, 32, true, true}, {1, 32, true, true}, {0, 16, true, false},
        {0, 16, false, false}, {1, 16, true, false}, {1, 16, false, false}, {2, 16, true, true},
        {0, 16, true, true}, {1, 16, true, true}, {3, 32, true, false}, {3, 32, false, false},
        {3, 16, true, false}, {3, 16, false, false}};
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        auto k = kind[i % 18];
        wrong += m.at[i] != want(a, b, c, i < 18, k.form, k.is_signed, k.bits, k.relu);
    }
    return wrong;
}

__global__ void sums(__nv_bfloat16 *one, __nv_bfloat162 *pair)
{
    atomicAdd(one + threadIdx.x % 3, __nv_bfloat16(1.f));
    atomicAdd(pair, __nv_bfloat162(1.f, 0.5f));
}

int main()
{
    static const unsigned words[WORDS] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fff8000,
                                          0x12345678, 0xfffe0003};
    unsigned *w;
    made *m, host;
    __nv_bfloat16 *one;
    __nv_bfloat162 *pair;
    int wrong = 0, n = WORDS * WORDS * WORDS;
    cudaMallocManaged(&w, sizeof words);
    cudaMallocManaged(&m, (size_t)n * sizeof *m);
    cudaMallocManaged(&one, 4 * sizeof *one);
    cudaMallocManaged(&pair, sizeof *pair);
    std::copy(words, words + WORDS, w);
    for (int i = 0; i < 4; i++) one[i] = __nv_bfloat16(2.f);
    *pair = __nv_bfloat162(0.f, 0.f);
    make_all<<<WORDS, dim3(WORDS, WORDS)>>>(w, m);
    sums<<<1, 96>>>(one, pair);
    if (cudaDeviceSynchronize()) return 2;
    for (int i = 0; i < n; i++) {
        unsigned a = w[i / WORDS / WORDS], b = w[i / WORDS % WORDS], c = w[i % WORDS];
        make(a, b, c, &host);
        wrong += wrong_in(a, b, c, m[i]) + wrong_in(a, b, c, host);
    }
    for (int i = 0; i < 4; i++) wrong += (float)one[i] != (i < 3 ? 34 : 2);
    wrong += (float)pair->x != 96 || (float)pair->y != 48;
    printf("%d values, %d wrong\n", 2 * n * N + 5, wrong);
    return wrong != 0;
}

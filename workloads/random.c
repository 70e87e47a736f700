#include "workloads/random.h"

#include <string.h>
#include "base/vector.h"

/* Philox needs no intrinsics; their header takes most of the compile time. */
#define R123_USE_X86INTRIN_H 0
#define R123_USE_SSE 0
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <Random123/philox.h>
#pragma GCC diagnostic pop

void random_words(u64 seed, u32 stream, u32 round, u64 index, u32 words[4])
{
    philox4x32_ctr_t counter = {{(u32)index, (u32)(index >> 32), stream, round}};
    philox4x32_key_t key = {{(u32)seed, (u32)(seed >> 32)}};
    philox4x32_ctr_t drawn = philox4x32(counter, key);
    for (u32 i = 0; i < 4; i++) words[i] = drawn.v[i];
}

u32 random_below(u64 seed, u32 stream, u64 index, u32 n)
{
    u32 words[4];
    random_words(seed, stream, 0, index, words);
    return (u32)(((u64)words[0] * n) >> 32);
}

/* ---- vectors ---- */

enum { DRAWN = 16 }; /* floats made at a time */

/* Returns the products of the low 32 bits of each element. */
INLINED u64x4 product(u64x4 a, u64x4 b)
{
#if defined __AVX2__ && __has_builtin(__builtin_ia32_pmuludq256)
    return (u64x4)__builtin_ia32_pmuludq256((s32x8)a, (s32x8)b);
#else
    return (a & UINT32_MAX) * (b & UINT32_MAX);
#endif
}

/* Draws the words of counters first to first + 3, as random_words does for round 0. Within the
 * rounds an element of x[k] has word k of a counter in its low 32 bits, and arbitrary high bits. */
INLINED void draw(u64 seed, u32 stream, u64 first, u32x8 words[2])
{
    const u64x4 one = {1, 1, 1, 1};
    u64x4 x[4] = {first + (u64x4){0, 1, 2, 3}, {0}, one * stream, {0}};
    x[1] = x[0] >> 32;
    u32 key[2] = {(u32)seed, (u32)(seed >> 32)};
    for (u32 round = 0; round < PHILOX4x32_DEFAULT_ROUNDS; round++) {
        u64x4 even = product(x[0], one * PHILOX_M4x32_0), odd = product(x[2], one * PHILOX_M4x32_1);
        x[0] = (odd >> 32) ^ x[1] ^ key[0];
        x[1] = odd;
        x[2] = (even >> 32) ^ x[3] ^ key[1];
        x[3] = even;
        key[0] += PHILOX_W32_0;
        key[1] += PHILOX_W32_1;
    }
    u64x4 front = (x[0] & UINT32_MAX) | x[1] << 32, back = (x[2] & UINT32_MAX) | x[3] << 32;
    words[0] = (u32x8)__builtin_shufflevector(front, back, 0, 4, 1, 5);
    words[1] = (u32x8)__builtin_shufflevector(front, back, 2, 6, 3, 7);
}

/* Makes the DRAWN elements of random_floats from element `first` on, a multiple of DRAWN. */
static void make_floats(u64 seed, u32 stream, float low, float high, u64 first, f32x8 made[2])
{
    u32x8 words[2];
    draw(seed, stream, first / 4, words);
    for (u32 i = 0; i < 2; i++) {
        f32x8 part = __builtin_convertvector((s32x8)(words[i] >> 8), f32x8) * 0x1p-24f;
        made[i] = low + (high - low) * part;
    }
}

void random_floats(u64 seed, u32 stream, float low, float high, u64 first, float *to, u64 n)
{
    f32x8 made[2];
    for (u64 done = 0, count; done < n; done += count) {
        u64 skip = (first + done) % DRAWN;
        count = min_u64(DRAWN - skip, n - done);
        make_floats(seed, stream, low, high, first + done - skip, made);
        memcpy(to + done, (float *)made + skip, count * sizeof *to);
    }
}

void random_labels(u64 seed, u32 stream, u32 window, u32 *label, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        u32 first = i - i % window, j = first + random_below(seed, stream, i, i - first + 1);
        label[i] = label[j];
        label[j] = i;
    }
}

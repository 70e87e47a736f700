#include "workloads/random.h"

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

void random_floats(u64 seed, u32 stream, float low, float high, u64 first, float *to, u64 n)
{
    u32 words[4] = {0};
    for (u64 i = 0; i < n; i++) {
        u64 at = first + i;
        if (i == 0 || at % 4 == 0) random_words(seed, stream, 0, at / 4, words);
        to[i] = low + (high - low) * ((float)(words[at % 4] >> 8) * 0x1p-24f);
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

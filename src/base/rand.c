#include "base/rand.h"

/* Philox needs no intrinsics; their header takes most of the compile time. */
#define R123_USE_X86INTRIN_H 0
#define R123_USE_SSE 0
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <Random123/philox.h>
#pragma GCC diagnostic pop

static u32 philox_first(u64 seed, u64 low, u64 high)
{
    philox4x32_ctr_t counter = {{(u32)low, (u32)(low >> 32), (u32)high, (u32)(high >> 32)}};
    philox4x32_key_t key = {{(u32)seed, (u32)(seed >> 32)}};
    return philox4x32(counter, key).v[0];
}

u32 rand_word(u64 seed, u64 counter) { return philox_first(seed, counter, 0); }

u32 rand_below(u64 seed, u64 place, u64 time, u32 n)
{
    return (u32)(((u64)philox_first(seed, time, place) * n) >> 32);
}

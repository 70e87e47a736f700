#include "base/rand.h"

/* Philox needs no intrinsics; their header takes most of the compile time. */
#define R123_USE_X86INTRIN_H 0
#define R123_USE_SSE 0
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <Random123/philox.h>
#pragma GCC diagnostic pop

static philox4x32_ctr_t philox(u64 seed, u64 low, u64 high)
{
    philox4x32_ctr_t counter = {{(u32)low, (u32)(low >> 32), (u32)high, (u32)(high >> 32)}};
    philox4x32_key_t key = {{(u32)seed, (u32)(seed >> 32)}};
    return philox4x32(counter, key);
}

static u32 philox_first(u64 seed, u64 low, u64 high) { return philox(seed, low, high).v[0]; }

u32 rand_word(u64 seed, u64 counter) { return philox_first(seed, counter, 0); }

u32 rand_below(u64 seed, u64 place, u64 time, u32 n)
{
    return (u32)(((u64)philox_first(seed, time, place) * n) >> 32);
}

/* Returns the binary logarithm of r > 0 in units of 2^-LOG_BITS, by repeated squaring of the
 * mantissa: each square that reaches 2 gives a bit of the fraction. */
enum { LOG_BITS = 40 };
static u64 log_two(u64 r)
{
    u32 whole = 63 - (u32)__builtin_clzll(r);
    u64 log = whole, mantissa = r << (63 - whole); /* in units of 2^-63: 1 to 2 */
    for (u32 bit = 0; bit < LOG_BITS; bit++) {
        u128 square = (u128)mantissa * mantissa >> 63;
        bool reached = square >> 64 != 0;
        log = log << 1 | reached;
        mantissa = (u64)(square >> reached);
    }
    return log;
}

/* -ln(r / 2^64) for an odd 64-bit word r, which is never 0. */
u64 rand_exponential(u64 seed, u64 place, u64 time)
{
    static const u64 ln_two = 0xb17217f7d1cf79ac; /* ln 2 in units of 2^-64 */
    philox4x32_ctr_t word = philox(seed, time, place);
    u64 r = ((u64)word.v[1] << 32 | word.v[0]) | 1;
    u64 log = ((u64)64 << LOG_BITS) - log_two(r);
    return (u64)((u128)log * ln_two >> (64 + LOG_BITS - 32));
}

#include "gpu/machine/clock.h"

static bool multiple(u64 a, u64 b, u64 *out)
{
    return !__builtin_mul_overflow(a / common_divisor(a, b), b, out);
}

bool clocks_init(struct clocks *c, const struct rational mhz[DOMAIN_N])
{
    u64 den = 1, all = 1, f[DOMAIN_N];
    for (u32 d = 0; d < DOMAIN_N; d++)
        if (!mhz[d].num || !multiple(den, mhz[d].den, &den)) return false;
    for (u32 d = 0; d < DOMAIN_N; d++) {
        if (__builtin_mul_overflow(mhz[d].num, den / mhz[d].den, &f[d])) return false;
        if (!multiple(all, f[d], &all)) return false;
    }
    for (u32 d = 0; d < DOMAIN_N; d++) {
        c->period[d] = all / f[d];
        if (c->period[d] >> 30) return false; /* 2^34 cycles must fit 64 bits */
    }
    return true;
}

/* Clock domains as exact integer ratios. All domains start together at tick 0; edge k of a domain
 * falls at tick k * period. A tick has no fixed length: a tick is the largest step of time of which
 * every period is a whole multiple. */
#ifndef CORUN_CLOCK_H
#define CORUN_CLOCK_H

#include "base/base.h"
#include "table/conf.h"

enum domain { DOMAIN_SM, DOMAIN_XBAR, DOMAIN_L2, DOMAIN_DRAM, DOMAIN_N };

struct clocks {
    u64 period[DOMAIN_N];
};

/* Computes the periods. Returns false if the periods do not fit, because the frequencies have too
 * small a common divisor. */
bool clocks_init(struct clocks *c, const struct rational mhz[DOMAIN_N]);

/* Return the first cycle of a domain whose edge is at tick t or later, and strictly after t. */
static inline u64 clock_at_or_after(const struct clocks *c, enum domain d, u64 t)
{
    return (t + c->period[d] - 1) / c->period[d];
}
static inline u64 clock_after(const struct clocks *c, enum domain d, u64 t)
{
    return t / c->period[d] + 1;
}

/* Returns the whole cycles of a clock within `ns` nanoseconds. */
static inline u64 clock_cycles(struct rational mhz, u64 ns)
{
    return (u64)((unsigned __int128)ns * mhz.num / ((unsigned __int128)mhz.den * 1000));
}

#endif

/* Clock domains as exact integer ratios. All start together at tick 0; edge k of a domain falls at
 * tick k * period. A tick has no length of its own: it is the largest step in which every period is
 * whole. */
#ifndef CORUN_CLOCK_H
#define CORUN_CLOCK_H

#include "base/base.h"
#include "table/conf.h"

enum domain { DOMAIN_SM, DOMAIN_XBAR, DOMAIN_L2, DOMAIN_DRAM, DOMAIN_N };

struct clocks {
    u64 period[DOMAIN_N];
};

/* false: no tick short enough to hold every period (the frequencies have too little in common) */
bool clocks_init(struct clocks *c, const struct rational mhz[DOMAIN_N]);

/* the first cycle of a domain whose edge is at tick t or later, and strictly after t */
static inline u64 clock_at_or_after(const struct clocks *c, enum domain d, u64 t)
{
    return (t + c->period[d] - 1) / c->period[d];
}
static inline u64 clock_after(const struct clocks *c, enum domain d, u64 t)
{
    return t / c->period[d] + 1;
}

#endif

/* Random choices as pure functions of (seed, place, time), from the counter-based generator Philox
 * 4x32-10 of Random123. The generator has no state, therefore skipping dead cycles cannot change a
 * draw. */
#ifndef CORUN_RAND_H
#define CORUN_RAND_H

#include "base/base.h"

/* Places of random choices of apps: the app's number is in bits 48 to 61. */
#define RAND_ARRIVAL ((u64)1 << 63)
#define RAND_ARGUMENT ((u64)1 << 62)
/* Place of the cycles of samples (run/sim/sampling.h). */
#define RAND_SAMPLE ((u64)3 << 62)

/* Returns the first output word for key = seed and counter = element index. */
u32 rand_word(u64 seed, u64 counter);
u32 rand_below(u64 seed, u64 place, u64 time, u32 n); /* 0 to n - 1 */
/* Returns a variate of the exponential distribution with mean 1, in units of 2^-32, from 0 to 44.4
 * units of the mean. Integer arithmetic: equal bits on every host. */
u64 rand_exponential(u64 seed, u64 place, u64 time);

#endif

/* Random choices as pure functions of (seed, place, time), from the counter-based generator Philox
 * 4x32-10 of Random123. The generator has no state, therefore skipping dead cycles cannot change a
 * draw. */
#ifndef CORUN_RAND_H
#define CORUN_RAND_H

#include "base/base.h"

/* Returns the first output word for key = seed and counter = element index. */
u32 rand_word(u64 seed, u64 counter);
u32 rand_below(u64 seed, u64 place, u64 time, u32 n); /* 0 to n - 1 */

#endif

/* Random choices that depend only on (seed, place, time): the counter-based generator Philox
 * 4x32-10 of Random123. Nothing here has state, so skipping dead cycles cannot change a draw. */
#ifndef CORUN_RAND_H
#define CORUN_RAND_H

#include "base/base.h"

/* key = seed, counter = element index; first word */
u32 rand_word(u64 seed, u64 counter);
u32 rand_below(u64 seed, u64 place, u64 time, u32 n); /* 0..n-1 */

#endif

/* Input data of the programs: the counter-based generator Philox 4x32-10 of Random123, key = the
 * run's seed. Every value depends on (seed, stream, index) only, and any part of an input can be
 * made again. */
#ifndef CORUN_WORKLOADS_RANDOM_H
#define CORUN_WORKLOADS_RANDOM_H

#include "host/host.h"

/* Four words for a counter; `stream` separates a program's inputs, `round` the draws for the same
 * element. */
void random_words(u64 seed, u32 stream, u32 round, u64 index, u32 words[4]);
u32 random_below(u64 seed, u32 stream, u64 index, u32 n); /* 0..n-1 */
/* Elements [first, first + n) of an input, each in [low, high) with 24 random bits. */
void random_floats(u64 seed, u32 stream, float low, float high, u64 first, float *to, u64 n);
/* Labels 0..n-1, shuffled within each run of `window` labels. */
void random_labels(u64 seed, u32 stream, u32 window, u32 *label, u32 n);

#endif

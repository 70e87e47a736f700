/* When a simulation samples what the apps wait for (gpu/waits.h): in each SAMPLE_EVERY cycles
 * once, at a cycle drawn from the seed, so that no period of a program meets the samples. */
#ifndef CORUN_SAMPLING_H
#define CORUN_SAMPLING_H

#include "gpu/board/board.h"

enum { SAMPLE_EVERY = 256 };

struct sampling {
    struct wait_samples *taken; /* NULL: no samples */
    u64 at;                       /* cycle of the next sample; NEVER: no samples */
    u64 n, seed;
};

/* Begins samples in a GPU before its first cycle. */
void sampling_begin(struct sampling *s, struct board *g, u64 seed, struct arena *arena);
/* Takes the sample of cycle s->at. */
void sampling_take(struct sampling *s, struct board *g);

#endif

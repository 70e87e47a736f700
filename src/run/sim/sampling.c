#include "run/sim/sampling.h"
#include "base/rand.h"

static void next_set(struct sampling *s)
{
    s->at = s->n * SAMPLE_EVERY + 1 + rand_below(s->seed, RAND_SAMPLE, s->n, SAMPLE_EVERY);
    s->n++;
}

void sampling_begin(struct sampling *s, struct board *g, u64 seed, struct arena *arena)
{
    *s = (struct sampling){.taken = board_watch_waits(g, arena), .seed = seed};
    next_set(s);
}

void sampling_take(struct sampling *s, struct board *g)
{
    board_sample_waits(g, s->taken);
    next_set(s);
}

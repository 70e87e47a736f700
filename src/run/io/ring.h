/* A bounded buffer of texts: a new text evicts the oldest texts, each as a whole. */
#ifndef CORUN_RING_H
#define CORUN_RING_H

#include "base/text.h"

struct ring { /* initially zero except for `bytes` */
    size_t bytes; /* capacity, including RING_EACH bytes for each text */
    struct text kept;
    size_t from; /* offset of the oldest text in `kept` */
    u64 lost;    /* texts evicted or too large since the last ring_take */
};
enum { RING_EACH = sizeof(u32) };

void ring_put(struct ring *r, const char *bytes, size_t n);
/* Appends all texts to `out`, oldest first, and empties the ring. Returns the number of lost
 * texts. */
u64 ring_take(struct ring *r, struct text *out);
void ring_free(struct ring *r);

#endif

/* A buffer of texts with a bound: the newest push the oldest out, a whole text at a time. */
#ifndef CORUN_RING_H
#define CORUN_RING_H

#include "base/text.h"

struct ring { /* starts zeroed, but for `bytes` */
    size_t bytes; /* at most, with RING_EACH more for each text */
    struct text kept;
    size_t from; /* where the oldest begins in `kept` */
    u64 lost;    /* texts pushed out since the last ring_take */
};
enum { RING_EACH = sizeof(u32) };

void ring_put(struct ring *r, const char *bytes, size_t n);
/* Appends all texts to `out`, oldest first, and empties the ring. Returns how many were lost. */
u64 ring_take(struct ring *r, struct text *out);
void ring_free(struct ring *r);

#endif

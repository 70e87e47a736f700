/* A small set of address ranges that covers every range added, and perhaps more. */
#ifndef CORUN_EXTENTS_H
#define CORUN_EXTENTS_H

#include "base/base.h"

enum { EXTENTS_MAX = 8 };
struct extent {
    u64 start, end;
};
struct extents {
    u32 n;
    struct extent at[EXTENTS_MAX + 1]; /* sorted by address, no two touch */
};

/* Adds the addresses from `start` up to `end`, exclusive. Above EXTENTS_MAX ranges the two closest
 * are joined. */
void extents_add(struct extents *x, u64 start, u64 end);
/* Returns true if a range of the set overlaps the addresses from `start` up to `end`, exclusive. */
bool extents_meet(const struct extents *x, u64 start, u64 end);

#endif

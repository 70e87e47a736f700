/* A few ranges of addresses: all that was added lies in one, and some that was not. */
#ifndef CORUN_EXTENTS_H
#define CORUN_EXTENTS_H

#include "base/base.h"

enum { EXTENTS_MAX = 8 };
struct extent {
    u64 start, end;
};
struct extents {
    u32 n;
    struct extent at[EXTENTS_MAX + 1]; /* by address, none touches the next */
};

/* Of ranges that are too many the two closest become one. */
void extents_add(struct extents *x, u64 start, u64 end);
bool extents_meet(const struct extents *x, u64 start, u64 end);

#endif

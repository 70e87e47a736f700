/* A few ranges of addresses: all that was added lies in one, and some that was not. */
#ifndef CORUN_RANGES_H
#define CORUN_RANGES_H

#include "base/base.h"

enum { RANGES_MAX = 8 };
struct range {
    u64 start, end;
};
struct ranges {
    u32 n;
    struct range at[RANGES_MAX + 1]; /* by address, none touches the next */
};

/* Of ranges that are too many the two closest become one. */
void ranges_add(struct ranges *x, u64 start, u64 end);
bool ranges_meet(const struct ranges *x, u64 start, u64 end);

#endif

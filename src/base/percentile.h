/* Percentiles by nearest rank. */
#ifndef CORUN_PERCENTILE_H
#define CORUN_PERCENTILE_H

#include <stdlib.h>
#include "base/base.h"

static inline int compare_u64(const void *a, const void *b)
{
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return (x > y) - (x < y);
}

static inline void sort_u64(u64 *values, u32 n) { qsort(values, n, sizeof *values, compare_u64); }

/* Returns the least of the n sorted values, n > 0, that `percent` of the values do not exceed. */
static inline u64 percentile(const u64 *sorted, u32 n, u32 percent)
{
    return sorted[((u64)n * percent + 99) / 100 - 1];
}

#endif

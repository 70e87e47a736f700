/* Statistics as table rows. Each part lists its counters in a .def file:
 *   STAT(field, "l1.accesses", unit, sentence, source)     source: origin of the definition
 * A row becomes a u64 field of the part's struct, incremented as s->accesses++. Such a struct
 * contains only u64 fields, therefore sums, differences and snapshots treat the struct as an array.
 * Ratios are rows, too (gpu/machine/ratio.def). Nothing in this file prints. */
#ifndef CORUN_STAT_H
#define CORUN_STAT_H

#include <string.h>

#include "base/base.h"

struct stat_row {
    const char *name, *unit, *sentence, *source;
    size_t offset;  /* of the u64 field in the owner */
};
#define STAT_FIELD(field, name, unit, sentence, source) u64 field;
#define STAT_ROW(field, name, unit, sentence, source) \
    {name, unit, sentence, source, offsetof(STAT_OWNER, STAT_PART.field)},

static inline void stat_sum(void *total, const void *part, size_t bytes)
{
    u64 *t = total;
    const u64 *p = part;
    for (size_t i = 0; i < bytes / sizeof(u64); i++) t[i] += p[i];
}

static inline void stat_subtract(void *total, const void *part, size_t bytes)
{
    u64 *t = total;
    const u64 *p = part;
    for (size_t i = 0; i < bytes / sizeof(u64); i++) t[i] -= p[i];
}

/* Adds the counters of owner `from` to those of owner `to` and clears them. stats: an array. */
#define STAT_HAND_OVER(stats, from, to)                                                            \
    (stat_sum(&(stats)[to], &(stats)[from], sizeof (stats)[to]),                                   \
     (void)memset(&(stats)[from], 0, sizeof (stats)[from]))

static inline u64 stat_get(const void *owner, const struct stat_row *row)
{
    return *(const u64 *)((const char *)owner + row->offset);
}

#endif

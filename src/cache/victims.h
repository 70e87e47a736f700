/* Lines that an app lost to another app: the replacements of a cache, observed for --blame. A line
 * counts as lost if a line of another app replaced the line, the app requests the line again, and
 * the cache would still hold the line if the app were alone.
 * Model: alone, a line survives as many further fills of its app as the set has lines of other
 * apps, times the number of sets (LRU; fills spread evenly over the sets). The table forgets a line
 * when another replaced line takes the entry (guess). */
#ifndef CORUN_VICTIMS_H
#define CORUN_VICTIMS_H

#include "base/arena.h"
#include "cache/req.h"

struct victims {
    u64 fills[APPS_MAX];          /* lines entered, by app */
    u64 lost[APPS_MAX][APPS_MAX]; /* [app of the new line][app of the lost line] */
    /* ---- internal ---- */
    struct victim {
        u64 line;    /* 0: none, or the line plus 1 */
        u64 until;   /* fills of the line's app up to which the line would survive alone */
        u32 culprit; /* app of the new line */
    } *slots;
    u32 mask;        /* slots - 1, slots a power of two */
};

/* lines: of the cache. */
void victims_init(struct victims *v, struct arena *arena, u32 lines);
/* Notes that `line` enters the cache. */
void victims_fill(struct victims *v, u64 line);
/* Notes that a line of app `culprit` replaces `line`. spare: further fills of the line's app that
 * the line would survive alone. */
void victims_replace(struct victims *v, u64 line, u32 culprit, u64 spare);

#endif

/* The hits of smaller caches (stack distances): for some sets, the lines last used by each app, in
 * order, and the number of accesses that found the line at each position. The owner (chip/l1) finds
 * a line, then decides: count, use, drop. A cache of n lines per set with LRU replacement and the
 * accesses of this app alone holds the first n.
 * Model: a dropped line leaves its position empty until the next line moves down: as in a cache
 * that fills invalid lines first. */
#ifndef CORUN_REUSE_H
#define CORUN_REUSE_H

#include "base/arena.h"
#include "cache/req.h"

struct reuse {
    u64 *hits;             /* [app][position]; the last position: not found */
    u32 sets, ways, every; /* sets: monitored sets, one in `every` */
    u32 app_n;
    /* ---- internal: a stack is [app][set / every] ---- */
    u64 *lines;            /* [stack][position]: position 0 was used last */
    u64 *fingerprints;     /* [stack][words], a byte for each position, see hash.h */
    u32 *empty;            /* [stack]: positions without a line */
    u32 words;
};

/* Monitors one set in `every` of a cache with `sets` sets. */
void reuse_init(struct reuse *r, struct arena *arena, u32 sets, u32 ways, u32 every, u32 app_n);
static inline bool reuse_watches(const struct reuse *r, u32 set) { return set % r->every == 0; }
/* The functions below take a monitored set, and a line with the app number. */
/* Returns the position of a line; `ways`: not found. */
u32 reuse_find(const struct reuse *r, u32 set, u64 line);
/* Moves a line from position `from` to position 0; `ways`: enters a new line. */
void reuse_use(struct reuse *r, u32 set, u64 line, u32 from);
/* Drops the line at position `from`, if `from` is less than `ways`. */
void reuse_drop(struct reuse *r, u32 set, u64 line, u32 from);
void reuse_drop_app(struct reuse *r, u32 app);
void reuse_drop_all(struct reuse *r);
static inline u64 *reuse_hits(const struct reuse *r, u32 app)
{
    return r->hits + (size_t)app * (r->ways + 1);
}

#endif

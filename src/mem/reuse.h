/* What caches of fewer lines would do (stack distances): of each set the lines that an app used
 * last, and how many accesses found theirs at each place. The owner (sm/l1) finds, then decides:
 * count, use, drop. A cache of n lines, LRU, that has the app's accesses alone holds the first n.
 * Model: a line that is dropped leaves its place, and the next that moves down takes it: so does a
 * cache that fills invalid lines first. */
#ifndef CORUN_REUSE_H
#define CORUN_REUSE_H

#include "base/arena.h"
#include "mem/req.h"

struct reuse {
    u64 *hits;             /* [app][place], then: not found */
    u32 sets, ways, every; /* sets: those watched */
    /* ---- inner part: a stack is [app][set / every] ---- */
    u64 *lines;            /* [stack][place]: place 0 was used last */
    u64 *fingerprints;     /* [stack][words], a byte for each place, see hash.h */
    u32 *empty;            /* [stack]: places without a line */
    u32 words;
};

/* Of `sets` sets one in `every` is watched. */
void reuse_init(struct reuse *r, struct arena *arena, u32 sets, u32 ways, u32 every, u32 app_n);
static inline bool reuse_watches(const struct reuse *r, u32 set) { return set % r->every == 0; }
/* Of a set that is watched; `line` has its app. */
u32 reuse_find(const struct reuse *r, u32 set, u64 line);     /* its place; ways: none */
void reuse_use(struct reuse *r, u32 set, u64 line, u32 from); /* from its place, or none: entered */
void reuse_drop(struct reuse *r, u32 set, u64 line, u32 from);
void reuse_drop_app(struct reuse *r, u32 app);
static inline u64 *reuse_hits(const struct reuse *r, u32 app)
{
    return r->hits + (size_t)app * (r->ways + 1);
}

#endif

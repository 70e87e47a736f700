/* The tag array of a cache: sets x ways of lines that are invalid, reserved (on their way) or
 * valid, perhaps dirty. The owner (sm/l1, l2) probes, then decides: touch, reserve, fill, drop.
 * Replacement is LRU over what is not reserved; an invalid way goes first. Knows neither MSHRs nor
 * time.
 * Model: probe order and the index functions, docs/machine.md 2.7. */
#ifndef CORUN_TAGS_H
#define CORUN_TAGS_H

#include "base/arena.h"
#include "mem/req.h"

enum tags_index { TAGS_LINEAR, TAGS_XOR, TAGS_FERMI_L1 };
#define TAGS_INDEX_WORDS "linear|xor|fermi-l1"

enum tags_result {
    TAGS_HIT,          /* `at` is the valid line */
    TAGS_HIT_RESERVED, /* `at` is the line on its way */
    TAGS_MISS,         /* `at` is the way to reserve: invalid or the least recently used */
    TAGS_NO_LINE       /* every way of the set is reserved */
};

struct tags {
    u64 *keys;         /* [set * ways + way]: line address; TAGS_EMPTY: invalid */
    u64 *meta;         /* last use, writer, flags: see below; 0: invalid */
    u64 clock;         /* counts uses */
    u32 sets, ways;
    u32 index, set_bits;
};

/* ---- inner part: meta = reserved (bit 63) | last use (bits 16-62) | writer (8-15) | dirty (0)
 * ---- */
#define TAGS_EMPTY UINT64_MAX
#define TAGS_RESERVED (UINT64_C(1) << 63)
#define TAGS_DIRTY UINT64_C(1)
enum { TAGS_WRITER_SHIFT = 8, TAGS_USE_SHIFT = 16 };
#define TAGS_USE_MASK (~TAGS_RESERVED & ~((UINT64_C(1) << TAGS_USE_SHIFT) - 1))

/* ---- functions ---- */
bool tags_index_fits(u32 index, u32 sets); /* can this index function serve so many sets? */
void tags_init(struct tags *t, struct arena *arena, u32 sets, u32 ways, u32 index);
/* The set of an address: for an L1 the line's, for a slice its local address (mem/map). App bits
 * do not enter. */
u32 tags_set(const struct tags *t, u64 address);
/* Looks for `line` in the set of `address`. Changes nothing. */
enum tags_result tags_probe(const struct tags *t, u64 line, u64 address, u32 *at);
u64 tags_drop_app(struct tags *t, u32 app); /* invalidates its valid lines; how many there were */

static inline bool tags_is_reserved(const struct tags *t, u32 at) { return t->meta[at] >> 63; }
static inline bool tags_is_valid(const struct tags *t, u32 at)
{
    return t->keys[at] != TAGS_EMPTY && !tags_is_reserved(t, at);
}
static inline bool tags_is_dirty(const struct tags *t, u32 at) { return t->meta[at] & TAGS_DIRTY; }
/* The app that wrote a dirty line last. */
static inline u32 tags_writer(const struct tags *t, u32 at)
{
    return (u32)(t->meta[at] >> TAGS_WRITER_SHIFT) & 0xff;
}
static inline u64 tags_line(const struct tags *t, u32 at) { return t->keys[at]; }

static inline void tags_touch(struct tags *t, u32 at) /* now the most recently used */
{
    t->meta[at] = (t->meta[at] & ~TAGS_USE_MASK) | (++t->clock << TAGS_USE_SHIFT);
}
static inline void tags_reserve(struct tags *t, u32 at, u64 line) /* what was there is gone */
{
    t->keys[at] = line;
    t->meta[at] = TAGS_RESERVED | (++t->clock << TAGS_USE_SHIFT);
}
static inline void tags_fill(struct tags *t, u32 at) /* valid now; filling is no use */
{
    t->meta[at] &= ~TAGS_RESERVED;
}
static inline void tags_write(struct tags *t, u32 at, u32 app) /* dirty now, written by app */
{
    u64 clean = t->meta[at] & ~((UINT64_C(1) << TAGS_USE_SHIFT) - 1);
    t->meta[at] = clean | ((u64)app << TAGS_WRITER_SHIFT) | TAGS_DIRTY;
}
static inline void tags_drop(struct tags *t, u32 at) /* invalid now */
{
    t->keys[at] = TAGS_EMPTY;
    t->meta[at] = 0;
}

#endif

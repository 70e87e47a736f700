/* The tag array of a cache: sets x ways of lines of four 32-byte sectors. A sector is absent,
 * reserved (on its way) or present: readable, or only written to in part; present ones may be
 * dirty. A cache without sectors always names all four. The owner (sm/l1, l2) probes, then decides:
 * touch, reserve, fill, write, drop. Replacement is LRU over lines with nothing reserved; an
 * invalid one goes first. Knows neither MSHRs nor time.
 * Model: probe order and index functions, docs/machine.md 2.7; sectors as in GPGPU-Sim 4.x: a line
 * with any reserved sector stays. */
#ifndef CORUN_TAGS_H
#define CORUN_TAGS_H

#include "base/arena.h"
#include "mem/hash.h"
#include "mem/poly.h"
#include "mem/req.h"

enum tags_index { TAGS_LINEAR, TAGS_XOR, TAGS_FERMI_L1, TAGS_IPOLY };
#define TAGS_INDEX_WORDS "linear|xor|fermi-l1|ipoly"

enum tags_result {
    TAGS_HIT,          /* `at` is the line's place; every sector asked for is there */
    TAGS_HIT_RESERVED, /* `at` is the line; a sector asked for is on its way */
    TAGS_SECTOR_MISS,  /* `at` is the line; a sector is neither there nor on its way */
    TAGS_MISS,         /* `at` is the line to replace: invalid or the least recently used */
    TAGS_NO_LINE       /* no line of the set (that the app may have) can be replaced */
};

enum { TAGS_WHOLE = 0xf, TAGS_WAYS_MAX = 4096 }; /* TAGS_WHOLE: all sectors of a line */

struct tags_line {
    u64 line;          /* its address; TAGS_EMPTY: invalid */
    u16 older, newer;  /* ways, a ring by use: the oldest's `older` is the newest */
    u8 reserved, readable; /* sectors, a bit each */
    u8 dirty;          /* sectors written to; a dirty one that is not readable: in part */
    u8 writer;         /* app that wrote last */
};
struct tags_set { /* all that tells a miss, in one line of the host's cache up to 56 ways */
    u16 oldest;           /* way: least recently used */
    u16 reserved_n;       /* lines with a reserved sector */
    u64 fingerprints[];   /* of its lines, a byte per way, see hash.h */
};
struct tags_bytes { /* those written in sectors that are dirty and not readable, a bit each */
    u32 sector[4];
};

struct tags {
    struct tags_line *lines; /* a line's place: set << way_bits | way */
    u8 *set_heads;           /* struct tags_set, each 1 << head_bits bytes */
    u32 sets, ways;
    /* ---- inner part ---- */
    u8 way_bits, head_bits;
    u8 set_bits;              /* log2 of sets if that is a power of two, else 0 */
    u8 fingerprint_words;     /* of a set; 0: too many ways, by_line finds lines */
    u8 index;                 /* enum tags_index */
    bool restricted;          /* not any line without a reserved sector may be replaced */
    u8 dirty_percent;         /* of all lines: dirty_floor */
    u32 dirty_n;              /* lines with a dirty sector */
    u32 dirty_floor;          /* while there are fewer, dirty lines are replaced last */
    struct poly poly;
    struct tags_bytes *bytes; /* NULL: partly written sectors are not tracked by byte */
    struct hash by_line;      /* places by line address */
    u16 ways_of[APPS_MAX];    /* lines of a set that an app may have; 0: any number */
};

#define TAGS_EMPTY UINT64_MAX

/* ---- life ---- */
bool tags_index_fits(u32 index, u32 sets); /* can this index function serve so many sets? */
bool tags_shape_fits(u32 sets, u32 ways);
void tags_init(struct tags *t, struct arena *arena, u32 sets, u32 ways, u32 index);
void tags_track_bytes(struct tags *t, struct arena *arena); /* for tags_write_bytes */
/* From now on an app takes no more than ways[app] lines of a set, 0 or all of them meaning any
 * number; it hits in all, and what it has beyond that (of any number: all) stays until another app
 * needs it. */
void tags_set_ways(struct tags *t, const u16 ways[APPS_MAX]);
void tags_keep_dirty(struct tags *t, u32 percent); /* sets dirty_floor, of all lines, rounded up */
/* From now on a set has so many lines, at most those of tags_init, but no fewer than any set has on
 * their way. false: it has already. */
bool tags_resize(struct tags *t, u32 ways);

/* The set of an address: the line's in an L1, the slice address (mem/map) in an L2 slice. App bits
 * do not enter. */
u32 tags_set(const struct tags *t, u64 address);
/* The same, and prefetches the set: a probe comes soon. */
u32 tags_prefetch(const struct tags *t, u64 address);
/* Looks for `line` in the set of `address`, or in a set; sectors: those asked for. Changes nothing.
 * A write also hits what is present but not readable. */
enum tags_result tags_probe(const struct tags *t, u64 line, u64 address, u32 sectors, u32 *at);
enum tags_result tags_probe_set(const struct tags *t, u64 line, u32 set, u32 sectors, u32 *at);
enum tags_result tags_probe_write(const struct tags *t, u64 line, u64 address, u32 sectors,
                                  u32 *at);
/* What a write makes of a probe's result. */
enum tags_result tags_as_write(const struct tags *t, enum tags_result found, u32 sectors, u32 at);
/* Is the line there, with any sector present or on its way? */
bool tags_find(const struct tags *t, u64 line, u64 address, u32 *at);
bool tags_find_in(const struct tags *t, u64 line, u32 set);
u64 tags_drop_app(struct tags *t, u32 app); /* invalidates its valid lines; how many there were */

void tags_touch(struct tags *t, u32 at); /* now the most recently used */
void tags_reserve(struct tags *t, u32 at, u64 line, u32 sectors); /* what was there is gone; used */
void tags_reserve_more(struct tags *t, u32 at, u32 sectors);      /* of the line that is there */
void tags_fill(struct tags *t, u32 at, u32 sectors);              /* readable; filling is no use */
/* A line nobody reserved is there now, with no sector; used. For writes that fetch nothing and for
 * caches that allocate at the fill. */
void tags_place(struct tags *t, u32 at, u64 line);
void tags_write(struct tags *t, u32 at, u32 sectors, u32 app); /* dirty; readable stays as it was */
/* Dirty; a sector whose last byte this completes is readable too. bytes: bit b is the byte b of
 * that sector. */
void tags_write_bytes(struct tags *t, u32 at, u32 sector, u32 bytes, u32 app);
void tags_drop_sectors(struct tags *t, u32 at, u32 sectors); /* absent; the last takes the line */
static inline void tags_drop(struct tags *t, u32 at) { tags_drop_sectors(t, at, TAGS_WHOLE); }

/* ---- what is there ---- */
static inline struct tags_set *tags_set_at(const struct tags *t, u32 set)
{
    return (struct tags_set *)(void *)(t->set_heads + ((size_t)set << t->head_bits));
}
static inline bool tags_set_is_full(const struct tags *t, u32 set) /* all lines reserved */
{
    return tags_set_at(t, set)->reserved_n == t->ways;
}
static inline bool tags_holds(const struct tags *t, u32 at, u32 sectors) /* can be read */
{
    const struct tags_line *l = &t->lines[at];
    return !(sectors & ~(u32)l->readable) && !(l->reserved & sectors);
}
static inline u64 tags_address(const struct tags *t, u32 at) { return t->lines[at].line; }
static inline bool tags_is_valid(const struct tags *t, u32 at)
{
    return t->lines[at].line != TAGS_EMPTY && !t->lines[at].reserved;
}
static inline bool tags_is_dirty(const struct tags *t, u32 at) { return t->lines[at].dirty; }
static inline u32 tags_dirty(const struct tags *t, u32 at) { return t->lines[at].dirty; }
/* The line is changed soon. */
static inline void tags_prefetch_at(const struct tags *t, u32 at)
{
    prefetch(&t->lines[at]);
    prefetch(tags_set_at(t, at >> t->way_bits));
}
static inline u32 tags_writer(const struct tags *t, u32 at) { return t->lines[at].writer; }

#endif

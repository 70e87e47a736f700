/* The tag array of a cache: sets x ways of lines with four 32-byte sectors. A sector is absent,
 * reserved (on its way) or present; a present sector is readable, or written only in part, and may
 * be dirty. A cache without sectors always passes all four. The owner (chip/l1, chip/l2, chip/tex)
 * probes, then decides: touch, reserve, fill, write, drop. Replacement is LRU, or a draw, among
 * lines without a reserved sector; an invalid line goes first. Tags know nothing of MSHRs or time.
 * Model: probe order and index functions, machine description 2.7; sectors as in GPGPU-Sim 4.x: a
 * line with any reserved sector stays. */
#ifndef CORUN_TAGS_H
#define CORUN_TAGS_H

#include "base/arena.h"
#include "cache/hash.h"
#include "cache/poly.h"
#include "cache/req.h"
#include "cache/victims.h"

enum tags_index { TAGS_LINEAR, TAGS_XOR, TAGS_FERMI_L1, TAGS_IPOLY };
#define TAGS_INDEX_WORDS "linear|xor|fermi-l1|ipoly"

enum tags_result {
    TAGS_HIT,          /* `at` is the line's location; all requested sectors are readable */
    TAGS_HIT_RESERVED, /* `at` is the line; a requested sector is on its way */
    TAGS_SECTOR_MISS,  /* `at` is the line; a requested sector is unreadable, none is on its way */
    TAGS_MISS,         /* `at` is the line to replace: invalid, the least recently used or drawn */
    TAGS_NO_LINE       /* the set has no line to replace, or none that the app may take */
};

enum { TAGS_WHOLE = 0xf, TAGS_WAYS_MAX = 4096 }; /* TAGS_WHOLE: all sectors of a line */

struct tags_line {
    u64 line;          /* line address; TAGS_EMPTY: invalid */
    u16 older, newer;  /* ways, a ring in order of use: `older` of the oldest is the newest */
    u8 reserved, readable; /* sectors, a bit each */
    u8 dirty;          /* sectors written to; if not readable: written in part */
    u8 writer;         /* app of the last write */
};
struct tags_set { /* all data to detect a miss; up to 56 ways fit into one host cache line */
    u16 oldest;           /* way used least recently */
    u16 reserved_n;       /* lines with a reserved sector */
    u64 fingerprints[];   /* of the lines, a byte per way, see hash.h */
};
struct tags_bytes { /* bytes written in sectors that are dirty and not readable, a bit each */
    u32 sector[4];
};

struct tags {
    struct tags_line *lines; /* location of a line: set << way_bits | way */
    u8 *set_heads;           /* struct tags_set, each 1 << head_bits bytes */
    u32 sets, ways;
    /* ---- internal ---- */
    u8 way_bits, head_bits;
    u8 set_bits;              /* log2 of sets if sets is a power of two, else 0 */
    u8 fingerprint_words;     /* per set; 0: too many ways, by_line finds lines */
    u8 index;                 /* enum tags_index */
    bool restricted;          /* ways_of, dirty_floor or candidates: not simply the LRU line */
    u8 dirty_percent;         /* dirty_floor as a percentage of all lines */
    u32 dirty_n;              /* lines with a dirty sector */
    u32 dirty_floor;          /* while dirty_n is less, dirty lines are replaced last */
    u32 candidates;           /* the line to replace is drawn from so many LRU lines */
    u32 placed;               /* lines placed so far, the number of the next draw */
    struct poly poly;
    struct victims *victims;  /* observes replacements; NULL: nobody asked */
    struct tags_bytes *bytes; /* NULL: partly written sectors are not tracked by byte */
    struct hash by_line;      /* locations by line address */
    u16 ways_of[APPS_MAX];    /* lines of a set that an app may have; 0: any number */
};

#define TAGS_EMPTY UINT64_MAX

/* ---- set-up and limits ---- */
/* True if the index function can serve `sets` sets. */
bool tags_index_fits(u32 index, u32 sets);
/* True if the tags can hold so many sets and ways. */
bool tags_shape_fits(u32 sets, u32 ways);
void tags_init(struct tags *t, struct arena *arena, u32 sets, u32 ways, u32 index);
void tags_track_bytes(struct tags *t, struct arena *arena); /* required by tags_write_bytes */
/* Observes replaced lines from now on. */
void tags_watch_victims(struct tags *t, struct arena *arena);
/* Limits app a to ways[a] lines of a set; 0, or all ways, means any number. The app still hits in
 * all lines. Another app that needs a line may take lines beyond the limit, and any line of an app
 * without a limit. */
void tags_set_ways(struct tags *t, const u16 ways[APPS_MAX]);
/* Draws the line to replace from the `n` least recently used lines of a set; 1: LRU. Not together
 * with tags_keep_dirty. */
void tags_draw_from(struct tags *t, u32 n);
/* Sets dirty_floor to `percent` of all lines, rounded up. */
void tags_keep_dirty(struct tags *t, u32 percent);
/* Changes the lines per set to `ways`, at most the number at tags_init, but at least the largest
 * number of lines with reserved sectors in any set. Returns false if the number stays the same. */
bool tags_resize(struct tags *t, u32 ways);

/* Returns the set of an address. An L1 passes the line address, an L2 slice the slice address
 * (cache/map). The bits of the app number are ignored. */
u32 tags_set(const struct tags *t, u64 address);
/* Returns the set like tags_set, and prefetches the set for a probe soon after. */
u32 tags_prefetch(const struct tags *t, u64 address);
/* Look for `line` in the set of `address`, or in `set`, and change nothing. sectors: the requested
 * sectors. tags_probe_write also hits sectors that are present but not readable. */
enum tags_result tags_probe(const struct tags *t, u64 line, u64 address, u32 sectors, u32 *at);
enum tags_result tags_probe_set(const struct tags *t, u64 line, u32 set, u32 sectors, u32 *at);
enum tags_result tags_probe_write(const struct tags *t, u64 line, u64 address, u32 sectors,
                                  u32 *at);
/* Converts a result of tags_probe into the result of tags_probe_write. */
enum tags_result tags_as_write(const struct tags *t, enum tags_result found, u32 sectors, u32 at);
/* Return true if the line has any sector present or on its way. */
bool tags_find(const struct tags *t, u64 line, u64 address, u32 *at);
bool tags_find_in(const struct tags *t, u64 line, u32 set);
/* Invalidates the valid lines of an app, and returns their number. */
u64 tags_drop_app(struct tags *t, u32 app);

/* Makes a line the most recently used. */
void tags_touch(struct tags *t, u32 at);
/* Replaces the line at `at` by `line` and reserves sectors; counts as a use. */
void tags_reserve(struct tags *t, u32 at, u64 line, u32 sectors);
/* Reserves further sectors of the line at `at`; counts as a use. */
void tags_reserve_more(struct tags *t, u32 at, u32 sectors);
/* Makes sectors readable; does not count as a use. */
void tags_fill(struct tags *t, u32 at, u32 sectors);
/* Replaces the line at `at`, which has no reserved sector, by `line` without any sector; counts as
 * a use. For writes that fetch nothing, and for caches that allocate at the fill. */
void tags_place(struct tags *t, u32 at, u64 line);
/* Makes sectors dirty; `readable` does not change. */
void tags_write(struct tags *t, u32 at, u32 sectors, u32 app);
/* Makes a sector dirty; once all its bytes are written the sector is readable, too. bytes: bit b is
 * byte b of the sector. */
void tags_write_bytes(struct tags *t, u32 at, u32 sector, u32 bytes, u32 app);
/* Makes sectors absent; a line without any sector becomes invalid. */
void tags_drop_sectors(struct tags *t, u32 at, u32 sectors);
static inline void tags_drop(struct tags *t, u32 at) { tags_drop_sectors(t, at, TAGS_WHOLE); }

/* ---- queries ---- */
static inline struct tags_set *tags_set_at(const struct tags *t, u32 set)
{
    return (struct tags_set *)(void *)(t->set_heads + ((size_t)set << t->head_bits));
}
/* True if every line of the set has a reserved sector. */
static inline bool tags_set_is_full(const struct tags *t, u32 set)
{
    return tags_set_at(t, set)->reserved_n == t->ways;
}
/* True if all the sectors can be read. */
static inline bool tags_holds(const struct tags *t, u32 at, u32 sectors)
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
/* Prefetches a line that will soon change. */
static inline void tags_prefetch_at(const struct tags *t, u32 at)
{
    prefetch(&t->lines[at]);
    prefetch(tags_set_at(t, at >> t->way_bits));
}
static inline u32 tags_writer(const struct tags *t, u32 at) { return t->lines[at].writer; }

#endif

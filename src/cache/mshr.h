/* Miss-status holding registers: the lines (in a cache with sectors: sectors) that a cache waits
 * for, and the requests waiting for each. An entry is in use from the miss until the data has
 * arrived and all requests of the entry are answered, one per cycle. The first request of an entry
 * is sent to memory for the line; requests merged later are linked by `next`.
 * Model: machine description 2.7; mshr_find no longer finds an entry with data, and a later miss
 * takes a new entry (guess). */
#ifndef CORUN_MSHR_H
#define CORUN_MSHR_H

#include "cache/hash.h"
#include "cache/req.h"

#define MSHR_NONE UINT32_MAX
enum { MSHR_CLEAN = 0xff /* no app wrote */, MSHR_END = UINT16_MAX /* end of a list */ };

struct mshr_entry {
    u64 line;          /* address of the line; in a cache with sectors, of the sector */
    u32 first;         /* the request sent to memory; REQ_NONE once answered */
    u32 head, tail;    /* requests merged later and not answered, oldest first */
    u32 line_at;       /* for the owner: location of the line in the tags */
    u16 count;         /* requests of the entry, including answered requests */
    u16 next;          /* internal: next free entry, or next entry being answered */
    u8 writer;         /* for the owner: app that makes the line dirty at the fill, or MSHR_CLEAN */
};

struct mshr {
    struct req_pool *pool;
    struct mshr_entry *entries;
    u64 *fingerprints; /* internal, see hash.h: a byte per entry; 0: the entry waits for no data */
    u32 entry_n;
    u32 merge_n;       /* requests that an entry can answer */
    u32 used;          /* entries in use, including entries being answered */
    bool limited;      /* some app has a limit, see mshr_set_entries */
    /* Internal: free entries, the last freed first, because the host's cache still holds them; and
     * entries being answered, oldest first. */
    u16 free_head, answer_head, answer_tail;
    u16 most[APPS_MAX], used_by[APPS_MAX]; /* limit, entries in use, by app of the line address */
};

void mshr_init(struct mshr *m, struct arena *arena, struct req_pool *pool, u32 entries, u32 merges);
/* Returns the entry that waits for the line; MSHR_NONE: none. */
u32 mshr_find(const struct mshr *m, u64 line);
/* Limits app a to most[a] entries from now on, 0 meaning any number; entries above the limit stay
 * in use. Only callers of mshr_full_for observe the limits. */
void mshr_set_entries(struct mshr *m, const u16 most[APPS_MAX]);
static inline bool mshr_full(const struct mshr *m) { return m->used == m->entry_n; }
/* True if no entry is free, or the app has reached its limit. */
static inline bool mshr_full_for(const struct mshr *m, u32 app)
{
    u32 most = m->most[app];
    return mshr_full(m) || (unlikely(m->limited) && most && m->used_by[app] >= most);
}
static inline bool mshr_can_merge(const struct mshr *m, u32 e)
{
    return m->entries[e].count < m->merge_n;
}
/* Adds an entry for a line that has none; the MSHRs must not be full. `req` is sent to memory;
 * line_at: see mshr_entry. */
u32 mshr_add(struct mshr *m, u64 line, u32 req, u32 line_at);
/* Merges a request into an entry; requires mshr_can_merge. */
void mshr_merge(struct mshr *m, u32 e, u32 req);
/* The data of an entry has arrived: its requests are answered from now on. */
void mshr_fill(struct mshr *m, u32 e);
static inline bool mshr_has_answer(const struct mshr *m) { return m->answer_head != MSHR_END; }
/* Returns the next request to answer; REQ_NONE: none. Entries are answered in order of fills, in
 * each entry first the request sent to memory; with its last request an entry becomes free. The
 * owner calls mshr_answer once per cycle. */
u32 mshr_answer(struct mshr *m);

#endif

/* Miss-status holding registers: lines (in a cache with sectors: sectors) that a cache waits for,
 * and the requests that wait for each. An entry is in use from the miss until the data came and
 * every request of it was answered, one per cycle. The first request of an entry is the one sent to
 * memory for the line; those merged after it are linked by `next`.
 * Model: docs/machine.md 2.7; a line whose data came is no longer found, a later miss takes a new
 * entry (guess). */
#ifndef CORUN_MSHR_H
#define CORUN_MSHR_H

#include "mem/hash.h"
#include "mem/req.h"

#define MSHR_NONE UINT32_MAX
enum { MSHR_CLEAN = 0xff /* nobody wrote */, MSHR_END = UINT16_MAX /* of a list */ };

struct mshr_entry {
    u64 line;          /* its address; in a cache with sectors, the sector's */
    u32 first;         /* the request sent to memory; REQ_NONE once answered */
    u32 head, tail;    /* requests merged after it and not answered, oldest first */
    u32 line_at;       /* the owner's: the line's place in its tags */
    u16 count;         /* requests of this entry, answered ones too */
    u16 next;          /* inner: the next entry that is free, or being answered */
    u8 writer;         /* the owner's: app that makes the line dirty at its fill, or MSHR_CLEAN */
};

struct mshr {
    struct req_pool *pool;
    struct mshr_entry *entries;
    u64 *fingerprints; /* inner: see hash.h; a byte per entry, 0: it waits for no data */
    u32 entry_n;
    u32 merge_n;       /* requests that an entry can answer */
    u32 used;          /* entries in use, those being answered too */
    bool limited;      /* see mshr_set_entries */
    /* inner: entries not in use, the last freed first, as the host's cache has it; and those being
     * answered, oldest first */
    u16 free_head, answer_head, answer_tail;
    u16 most[APPS_MAX], used_by[APPS_MAX]; /* entries by the app in the line's address */
};

void mshr_init(struct mshr *m, struct arena *arena, struct req_pool *pool, u32 entries, u32 merges);
u32 mshr_find(const struct mshr *m, u64 line); /* the entry waiting for this line, or MSHR_NONE */
/* From now on an app takes no more than most[app] entries, 0 meaning any number; it keeps those it
 * has. For who asks mshr_full_for. */
void mshr_set_entries(struct mshr *m, const u16 most[APPS_MAX]);
static inline bool mshr_full(const struct mshr *m) { return m->used == m->entry_n; }
static inline bool mshr_full_for(const struct mshr *m, u32 app) /* all, or all it may have */
{
    u32 most = m->most[app];
    return mshr_full(m) || (unlikely(m->limited) && most && m->used_by[app] >= most);
}
static inline bool mshr_can_merge(const struct mshr *m, u32 e)
{
    return m->entries[e].count < m->merge_n;
}
/* Not full and the line not there; `req` is sent to memory; line_at: see mshr_entry. */
u32 mshr_add(struct mshr *m, u64 line, u32 req, u32 line_at);
void mshr_merge(struct mshr *m, u32 e, u32 req); /* mshr_can_merge */
void mshr_fill(struct mshr *m, u32 e); /* the data came: its requests are answered from now on */
static inline bool mshr_has_answer(const struct mshr *m) { return m->answer_head != MSHR_END; }
/* The next request whose data came, in order of fills, first the one sent to memory; the entry is
 * free again with its last. The owner calls this once per cycle. REQ_NONE: none. */
u32 mshr_answer(struct mshr *m);

#endif

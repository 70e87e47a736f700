#include "mem/mshr.h"

void mshr_init(struct mshr *m, struct arena *arena, struct req_pool *pool, u32 entries, u32 merges)
{
    check(entries > 0 && entries < UINT16_MAX && merges > 0);
    *m = (struct mshr){.pool = pool, .entry_n = entries, .merge_n = merges};
    m->entries = arena_array(arena, struct mshr_entry, entries);
    hash_init(&m->by_line, arena, entries);
    fifo_init(&m->spare, arena, entries);
    fifo_init(&m->done, arena, entries);
    for (u32 e = 0; e < entries; e++) fifo_push(&m->spare, e);
}

u32 mshr_find(const struct mshr *m, u64 line)
{
    EACH_HASHED(e, &m->by_line, line / SECTOR_BYTES)
        if (m->entries[e].line == line) return e;
    return MSHR_NONE;
}

/* Every entry is spare or used, those being answered among the used; none answers too many. */
static bool mshr_is_sound(const struct mshr *m)
{
    u32 found = 0;
    for (u32 s = 0; s <= m->by_line.mask; s++) found += m->by_line.slots[s] != 0;
    for (u32 k = 0; k < m->done.n; k++) {
        const struct mshr_entry *e = &m->entries[m->done.slots[(m->done.head + k) & m->done.mask]];
        if (e->count > m->merge_n || (e->first == REQ_NONE && e->head == REQ_NONE)) return false;
    }
    return m->used + m->spare.n == m->entry_n && found + m->done.n == m->used;
}

u32 mshr_add(struct mshr *m, u64 line, u32 req, u32 at)
{
    check(!mshr_full(m));
    u32 e = fifo_pop(&m->spare);
    hash_add(&m->by_line, line / SECTOR_BYTES, e);
    m->used++;
    m->entries[e] = (struct mshr_entry){.line = line, .first = req, .head = REQ_NONE,
        .tail = REQ_NONE, .at = at, .count = 1, .writer = MSHR_CLEAN};
    return e;
}

void mshr_merge(struct mshr *m, u32 e, u32 req)
{
    struct mshr_entry *entry = &m->entries[e];
    check(mshr_can_merge(m, e));
    req_at(m->pool, req)->next = REQ_NONE;
    if (entry->head == REQ_NONE) entry->head = req;
    else req_at(m->pool, entry->tail)->next = req;
    entry->tail = req;
    entry->count++;
}

void mshr_fill(struct mshr *m, u32 e)
{
    hash_remove(&m->by_line, e);
    fifo_push(&m->done, e);
    hard_check(mshr_is_sound(m));
}

u32 mshr_answer(struct mshr *m)
{
    if (!m->done.n) return REQ_NONE;
    u32 e = fifo_front(&m->done);
    struct mshr_entry *entry = &m->entries[e];
    u32 req = entry->first;
    if (req != REQ_NONE) {
        entry->first = REQ_NONE;
    } else {
        req = entry->head;
        entry->head = req_at(m->pool, req)->next;
    }
    if (entry->head == REQ_NONE) {
        fifo_push(&m->spare, fifo_pop(&m->done));
        m->used--;
    }
    return req;
}

#include "cache/mshr.h"

static u32 app_of(u64 line) { return line >> APP_SHIFT & (APPS_MAX - 1); }
static u64 fingerprint_of(u64 line) { return hash_mix(line / SECTOR_BYTES) >> 57 | 0x80; }

void mshr_init(struct mshr *m, struct arena *arena, struct req_pool *pool, u32 entries, u32 merges)
{
    check(entries > 0 && entries < UINT16_MAX && merges > 0);
    *m = (struct mshr){.pool = pool, .entry_n = entries, .merge_n = merges};
    m->entries = arena_array(arena, struct mshr_entry, entries);
    m->fingerprints = arena_alloc(arena, round_up(entries, 64), 64);
    m->free_head = m->answer_head = MSHR_END;
    for (u32 e = entries; e-- > 0; m->free_head = (u16)e) m->entries[e].next = m->free_head;
}

void mshr_set_entries(struct mshr *m, const u16 most[APPS_MAX])
{
    m->limited = false;
    for (u32 a = 0; a < APPS_MAX; a++) {
        m->most[a] = most[a];
        m->limited |= most[a] > 0;
    }
}

u32 mshr_find(const struct mshr *m, u64 line)
{
    u64 want = fingerprint_of(line) * EACH_BYTE;
    for (u32 first = 0; first < m->entry_n; first += 32) {
        u32 same = fingerprints_same_32(m->fingerprints + first / WORD_BYTES, want);
        for (; unlikely(same); same &= same - 1) {
            u32 e = first + (u32)__builtin_ctz(same);
            if (m->entries[e].line == line) return e;
        }
    }
    return MSHR_NONE;
}

/* Checks that every entry is free, waits for data or is being answered, and that no entry being
 * answered has too many requests, or none left to answer. */
static bool mshr_is_consistent(const struct mshr *m)
{
    u32 waiting = 0, free_n = 0, answered = 0, of_apps = 0;
    for (u32 e = 0; e < m->entry_n; e++)
        waiting += (m->fingerprints[e / WORD_BYTES] >> e % WORD_BYTES * 8 & 0xff) != 0;
    for (u32 e = m->free_head; e != MSHR_END; e = m->entries[e].next) free_n++;
    for (u32 k = m->answer_head; k != MSHR_END; k = m->entries[k].next, answered++) {
        const struct mshr_entry *e = &m->entries[k];
        if (e->count > m->merge_n || (e->first == REQ_NONE && e->head == REQ_NONE)) return false;
    }
    for (u32 a = 0; a < APPS_MAX; a++) of_apps += m->used_by[a];
    return m->used + free_n == m->entry_n && waiting + answered == m->used && of_apps == m->used;
}

u32 mshr_add(struct mshr *m, u64 line, u32 req, u32 line_at)
{
    check(!mshr_full(m));
    u32 e = m->free_head;
    m->free_head = m->entries[e].next;
    m->fingerprints[e / WORD_BYTES] |= fingerprint_of(line) << e % WORD_BYTES * 8;
    m->used++;
    m->used_by[app_of(line)]++;
    m->entries[e] = (struct mshr_entry){.line = line, .first = req, .head = REQ_NONE,
        .tail = REQ_NONE, .line_at = line_at, .count = 1, .writer = MSHR_CLEAN};
    prefetch(&m->entries[m->free_head]); /* for the next entry */
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
    m->fingerprints[e / WORD_BYTES] &= ~(UINT64_C(0xff) << e % WORD_BYTES * 8);
    m->entries[e].next = MSHR_END;
    if (m->answer_head == MSHR_END) m->answer_head = (u16)e;
    else m->entries[m->answer_tail].next = (u16)e;
    m->answer_tail = (u16)e;
    hard_check(mshr_is_consistent(m));
}

u32 mshr_answer(struct mshr *m)
{
    if (!mshr_has_answer(m)) return REQ_NONE;
    struct mshr_entry *entry = &m->entries[m->answer_head];
    u32 req = entry->first;
    if (req != REQ_NONE) {
        entry->first = REQ_NONE;
    } else {
        req = entry->head;
        entry->head = req_at(m->pool, req)->next;
    }
    if (entry->head == REQ_NONE) {
        u16 e = m->answer_head;
        m->answer_head = entry->next;
        entry->next = m->free_head;
        m->free_head = e;
        m->used--;
        m->used_by[app_of(entry->line)]--;
    }
    return req;
}

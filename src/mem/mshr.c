#include "mem/mshr.h"

static u32 app_of(u64 line) { return line >> APP_SHIFT & (APPS_MAX - 1); }
static u64 mark_of(u64 line) { return hash_mix(line / SECTOR_BYTES) >> 57 | 0x80; }

void mshr_init(struct mshr *m, struct arena *arena, struct req_pool *pool, u32 entries, u32 merges)
{
    check(entries > 0 && entries < UINT16_MAX && merges > 0);
    *m = (struct mshr){.pool = pool, .entry_n = entries, .merge_n = merges};
    m->entries = arena_array(arena, struct mshr_entry, entries);
    m->marks = arena_alloc(arena, round_up(entries, 64), 64);
    m->spare = m->done = MSHR_END;
    for (u32 e = entries; e-- > 0; m->spare = (u16)e) m->entries[e].next = m->spare;
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
    u64 want = mark_of(line) * EACH_MARK;
    for (u32 from = 0; from < m->entry_n; from += MARKS)
        for (u64 same = marks_same(m->marks[from / MARKS], want); same; same &= same - 1) {
            u32 e = from + (u32)__builtin_ctzll(same) / 8;
            if (m->entries[e].line == line) return e;
        }
    return MSHR_NONE;
}

/* Every entry is spare or used, those being answered among the used; none answers too many. */
static bool mshr_is_sound(const struct mshr *m)
{
    u32 found = 0, spare = 0, done = 0, of_apps = 0;
    for (u32 e = 0; e < m->entry_n; e++)
        found += (m->marks[e / MARKS] >> e % MARKS * 8 & 0xff) != 0;
    for (u32 e = m->spare; e != MSHR_END; e = m->entries[e].next) spare++;
    for (u32 k = m->done; k != MSHR_END; k = m->entries[k].next, done++) {
        const struct mshr_entry *e = &m->entries[k];
        if (e->count > m->merge_n || (e->first == REQ_NONE && e->head == REQ_NONE)) return false;
    }
    for (u32 a = 0; a < APPS_MAX; a++) of_apps += m->used_by[a];
    return m->used + spare == m->entry_n && found + done == m->used && of_apps == m->used;
}

u32 mshr_add(struct mshr *m, u64 line, u32 req, u32 at)
{
    check(!mshr_full(m));
    u32 e = m->spare;
    m->spare = m->entries[e].next;
    m->marks[e / MARKS] |= mark_of(line) << e % MARKS * 8;
    m->used++;
    m->used_by[app_of(line)]++;
    m->entries[e] = (struct mshr_entry){.line = line, .first = req, .head = REQ_NONE,
        .tail = REQ_NONE, .at = at, .count = 1, .writer = MSHR_CLEAN};
    prefetch(&m->entries[m->spare]); /* for the next */
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
    m->marks[e / MARKS] &= ~(UINT64_C(0xff) << e % MARKS * 8);
    m->entries[e].next = MSHR_END;
    if (m->done == MSHR_END) m->done = (u16)e;
    else m->entries[m->done_last].next = (u16)e;
    m->done_last = (u16)e;
    hard_check(mshr_is_sound(m));
}

u32 mshr_answer(struct mshr *m)
{
    if (!mshr_has_answer(m)) return REQ_NONE;
    struct mshr_entry *entry = &m->entries[m->done];
    u32 req = entry->first;
    if (req != REQ_NONE) {
        entry->first = REQ_NONE;
    } else {
        req = entry->head;
        entry->head = req_at(m->pool, req)->next;
    }
    if (entry->head == REQ_NONE) {
        u16 e = m->done;
        m->done = entry->next;
        entry->next = m->spare;
        m->spare = e;
        m->used--;
        m->used_by[app_of(entry->line)]--;
    }
    return req;
}

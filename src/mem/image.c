/* Device memory of an app. See image.h. Large allocations are mapped, because pages of a mapping
 * cost nothing before they are touched. */
#include "mem/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "mem/digest.h"
#include "mem/textures.h"

enum { IMAGE_ALIGN = 256, IMAGE_GAP = 256, IMAGE_SLACK = 32, MAPPED_FROM = 1 << 21 };
enum { SHARED_PAGE = 4096 };

void image_init(struct image *m, struct pool *pool)
{
    *m = (struct image){.next = GLOBAL_BASE, .pool = pool};
}

/* Returns the size of the host memory of an allocation. */
static size_t host_bytes(u64 size_bytes)
{
    size_t n = round_up(size_bytes + IMAGE_SLACK, 64);
    return n < MAPPED_FROM ? n : round_up(n, BASE_PAGES_BYTES);
}

/* Returns host memory, zeroed and 64-byte aligned, so that a warp's row touches no more host lines
 * than necessary; NULL: out of memory. */
static u8 *bytes_new(u64 size_bytes)
{
    if (size_bytes > SIZE_MAX / 2) return NULL;
    size_t n = host_bytes(size_bytes);
    if (n < MAPPED_FROM) {
        u8 *p = aligned_alloc(64, n);
        return p ? memset(p, 0, n) : NULL;
    }
    return base_map(n, MAP_NORESERVE);
}

static void bytes_free(u8 *bytes, u64 size_bytes)
{
    size_t n = host_bytes(size_bytes);
    if (n < MAPPED_FROM)
        free(bytes);
    else
        munmap(bytes, n);
}

static bool is_shared(const struct image *m, u64 start, u64 size_bytes)
{
    return m->shared && start <= GLOBAL_END && size_bytes <= GLOBAL_END - start;
}

/* Zeroes addresses of the shared mapping; whole pages are given back to the host. */
static void shared_clear(struct image *m, u64 start, u64 end)
{
    u64 from = min_u64(round_up(start, SHARED_PAGE), end);
    u64 to = max_u64(end / SHARED_PAGE * SHARED_PAGE, from);
    memset(m->shared + start, 0, from - start);
    if (to > from && madvise(m->shared + from, to - from, MADV_REMOVE))
        memset(m->shared + from, 0, to - from);
    memset(m->shared + to, 0, end - to);
}

static void allocation_free(struct image *m, struct allocation *a)
{
    if (is_shared(m, a->start, a->size_bytes)) {
        shared_clear(m, a->start, round_up(a->start + a->size_bytes, IMAGE_ALIGN));
    } else {
        bytes_free(a->bytes, a->size_bytes);
    }
    free(a->name);
    digest_free(a->digest);
}

void image_clear(struct image *m)
{
    for (u32 k = 0; k < m->allocation_n; k++) allocation_free(m, &m->allocations[k]);
    free(m->allocations);
    free(m->vacancies);
    heap_free(m->heap);
    textures_free(m);
    struct image kept = *m;
    image_init(m, kept.pool);
    m->granule_bytes = kept.granule_bytes;
    m->pages = kept.pages;
    m->pages_n = kept.pages_n;
    m->pages_room = kept.pages_room;
    m->heap_bytes = kept.heap_bytes;
    m->epoch = kept.epoch;
    m->version = kept.version;
    m->texture_changes = kept.texture_changes + 1;
}

void image_free(struct image *m)
{
    image_clear(m);
    free(m->pages);
    image_init(m, m->pool);
}

/* ---- locations in physical memory ---- */

/* Returns the first address from `physical` on that is congruent to `start` modulo IMAGE_ALIGN. */
static u64 place_from(u64 physical, u64 start)
{
    return physical + (start - physical) % IMAGE_ALIGN;
}

/* Returns a location in pages taken by earlier executions; NEVER: these pages are used up. */
static u64 place_again(struct image *m, u64 start, u64 size_bytes)
{
    while (m->pages_used < m->pages_n) {
        const struct pages *p = &m->pages[m->pages_used++];
        u64 at = place_from(p->start, start);
        if (at + size_bytes <= p->end) return at;
    }
    return NEVER;
}

/* Returns a location in the shared pool; NEVER: physical memory is full. */
static u64 place_in_pool(struct image *m, u64 start, u64 size_bytes)
{
    struct pool *pool = m->pool;
    struct pages *p = m->pages_used ? &m->pages[m->pages_used - 1] : NULL;
    u64 at = place_from(m->physical, start);
    if (p && at + size_bytes <= p->end) return at;
    bool goes_on = p && m->pages_used == m->pages_n && p->end == pool->next;
    if (!goes_on) {
        u64 again = place_again(m, start, size_bytes);
        if (again != NEVER) return again;
        at = place_from(pool->next, start);
    }
    if (at > GLOBAL_END || size_bytes > GLOBAL_END - at) return NEVER;
    if (!goes_on) {
        p = base_push(m->pages, m->pages_n, m->pages_room);
        p->start = pool->next;
        m->pages_used = m->pages_n;
    }
    p->end = pool->next = round_up(at + size_bytes, pool->page_bytes);
    return at;
}

/* Returns the location of an allocation in physical memory; NEVER: no room. */
static u64 place_of(struct image *m, u64 start, u64 size_bytes)
{
    u64 at = m->pool ? place_in_pool(m, start, size_bytes) : place_from(m->physical, start);
    if (at != NEVER) m->physical = at + size_bytes;
    return at;
}

/* Returns the number of allocations that start at or below the address. */
static u32 image_rank(const struct image *m, u64 address)
{
    u32 low = 0, high = m->allocation_n;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (m->allocations[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Inserts an allocation. physical: its location; NEVER: behind the last allocation. */
static bool image_insert(struct image *m, u64 start, u64 physical, u64 size_bytes, const char *name,
                         bool read_only)
{
    bool shared = is_shared(m, start, size_bytes);
    u8 *bytes = shared ? m->shared + start : bytes_new(size_bytes);
    if (!bytes) return false;
    bool global = start >= GLOBAL_BASE; /* constants have no physical memory */
    if (!global) physical = start;
    else if (physical == NEVER) physical = place_of(m, start, size_bytes);
    if (physical == NEVER) {
        if (!shared) bytes_free(bytes, size_bytes);
        return false;
    }
    u32 at = image_rank(m, start);
    base_push(m->allocations, m->allocation_n, m->allocation_room);
    struct allocation *a = &m->allocations[at];
    memmove(a + 1, a, (m->allocation_n - 1 - at) * sizeof *a);
    size_t name_bytes = strlen(name) + 1;
    char *copy = base_alloc(name_bytes);
    memcpy(copy, name, name_bytes);
    *a = (struct allocation){.start = start, .size_bytes = size_bytes, .shift = physical - start,
                             .bytes = bytes, .name = copy, .read_only = read_only,
                             .version = ++m->version};
    m->used_bytes += size_bytes;
    return true;
}

static u64 next_after(u64 end) { return round_up(end, IMAGE_ALIGN) + IMAGE_GAP; }

/* ---- places of released allocations ---- */

/* Returns the number of vacancies before one of a size at an address. */
static u32 vacancy_rank(const struct image *m, u64 units, u64 start)
{
    u32 low = 0, high = m->vacancy_n;
    while (low < high) {
        u32 middle = (low + high) / 2;
        const struct vacancy *v = &m->vacancies[middle];
        if (v->units < units || (v->units == units && v->start < start)) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void vacancy_add(struct image *m, const struct allocation *a)
{
    struct vacancy v = {div_up(a->size_bytes, IMAGE_ALIGN), a->start, a->shift};
    u32 at = vacancy_rank(m, v.units, v.start);
    base_push(m->vacancies, m->vacancy_n, m->vacancy_room);
    memmove(&m->vacancies[at + 1], &m->vacancies[at], (m->vacancy_n - 1 - at) * sizeof v);
    m->vacancies[at] = v;
}

/* Allocates at a place released before. Returns the device address; 0: no such place. */
static u64 vacancy_take(struct image *m, u64 size_bytes, const char *name)
{
    u64 units = div_up(size_bytes, IMAGE_ALIGN);
    u32 at = vacancy_rank(m, units, 0);
    if (at == m->vacancy_n || m->vacancies[at].units != units) return 0;
    struct vacancy v = m->vacancies[at];
    if (!image_insert(m, v.start, v.start + v.shift, size_bytes, name, false)) return 0;
    memmove(&m->vacancies[at], &m->vacancies[at + 1], (--m->vacancy_n - at) * sizeof v);
    return v.start;
}

u64 image_alloc(struct image *m, u64 size_bytes, const char *name)
{
    u64 again = vacancy_take(m, size_bytes, name), start = m->next;
    if (again) return again;
    if (start >= GLOBAL_END || size_bytes > GLOBAL_END - start) return 0;
    if (!image_insert(m, start, NEVER, size_bytes, name, false)) return 0;
    m->next = next_after(start + size_bytes);
    return start;
}

void image_place(struct image *m, u64 start, u64 size_bytes, const char *name, bool read_only)
{
    u32 at = image_rank(m, start);
    const struct allocation *before = at ? &m->allocations[at - 1] : NULL;
    check(start < ADDRESS_END && size_bytes <= ADDRESS_END - start);
    check(!before || (before->start < start && before->start + before->size_bytes <= start));
    check(at == m->allocation_n || m->allocations[at].start >= start + size_bytes);
    if (!image_insert(m, start, NEVER, size_bytes, name, read_only))
        out_of_memory(size_bytes, name);
    if (start >= GLOBAL_BASE && start < GLOBAL_END)
        m->next = max_u64(m->next, next_after(start + size_bytes));
}

struct heap *image_heap(struct image *m)
{
    u64 bytes = m->heap_bytes ? m->heap_bytes : HEAP_BYTES;
    if (m->heap) return m->heap;
    u64 start = image_alloc(m, bytes, "the heap of device malloc");
    if (start) m->heap = heap_new(start, bytes);
    return m->heap;
}

bool image_release(struct image *m, u64 start)
{
    u32 at = image_rank(m, start);
    if (!at || m->allocations[at - 1].start != start) return false;
    struct allocation *a = &m->allocations[at - 1];
    m->used_bytes -= a->size_bytes;
    if (start >= GLOBAL_BASE && start < GLOBAL_END) vacancy_add(m, a);
    allocation_free(m, a);
    m->allocation_n--;
    memmove(a, a + 1, (m->allocation_n - (at - 1)) * sizeof *a);
    return true;
}

const struct allocation *image_find(const struct image *m, u64 address, u64 size_bytes)
{
    u32 at = image_rank(m, address);
    if (!at || !allocation_holds(&m->allocations[at - 1], address, size_bytes)) return NULL;
    allocation_use(&m->allocations[at - 1], USE_BOTH);
    return &m->allocations[at - 1];
}

struct allocation *image_at(const struct image *m, u64 address)
{
    u32 at = image_rank(m, address);
    struct allocation *a = at ? &m->allocations[at - 1] : NULL;
    return a && allocation_holds(a, address, 1) ? a : NULL;
}

void image_unuse(struct image *m)
{
    for (u32 k = 0; k < m->allocation_n; k++) m->allocations[k].use = 0;
}

void image_changes_stored(struct image *m)
{
    for (u32 k = 0; k < m->allocation_n; k++) {
        struct allocation *a = &m->allocations[k];
        if (!(a->use & USE_STORED)) continue;
        a->version = ++m->version;
        digest_changed(a, 0, a->size_bytes);
    }
}

void image_host_writes(struct image *m, u64 address)
{
    struct allocation *a = image_at(m, address);
    check(a);
    a->host_writes = true;
}

void image_changes(struct image *m, u64 address, u64 size_bytes)
{
    struct allocation *a = image_at(m, address);
    if (!a) return;
    u64 offset = address - a->start;
    a->version = ++m->version;
    digest_changed(a, offset, min_u64(size_bytes, a->size_bytes - offset));
}

const struct allocation *image_nearest(const struct image *m, u64 address)
{
    if (!m->allocation_n) return NULL;
    u32 at = image_rank(m, address);
    const struct allocation *after = at < m->allocation_n ? &m->allocations[at] : NULL;
    if (!at) return after;
    const struct allocation *before = &m->allocations[at - 1];
    u64 end = before->start + before->size_bytes;
    u64 distance = address < end ? 0 : address - end;
    return after && after->start - address < distance ? after : before;
}

/* Returns an allocation in the constant bank of the access; NULL: none. */
static const struct allocation *constant_mapped(const struct image *m, u64 address, u64 last)
{
    u64 bank = address / CONST_BANK_BYTES;
    if (last / CONST_BANK_BYTES != bank) return NULL;
    u32 at = image_rank(m, address);
    const struct allocation *before = at ? &m->allocations[at - 1] : NULL;
    if (before && before->start / CONST_BANK_BYTES == bank) return before;
    const struct allocation *after = at < m->allocation_n ? &m->allocations[at] : NULL;
    return after && after->start / CONST_BANK_BYTES == bank ? after : NULL;
}

const struct allocation *image_mapped(const struct image *m, u64 address, u64 size_bytes)
{
    u64 granule = m->granule_bytes, last = address + size_bytes - 1;
    if (granule && address_space(address) == SPACE_CONST) return constant_mapped(m, address, last);
    if (!granule || address < GLOBAL_BASE - granule || last < address) return NULL;
    u32 at = image_rank(m, address);
    const struct allocation *before = at ? &m->allocations[at - 1] : NULL;
    const struct allocation *after = at < m->allocation_n ? &m->allocations[at] : NULL;
    if (before && before->start >= GLOBAL_BASE &&
        last < round_up(before->start + before->size_bytes, granule))
        return before;
    u64 from = after ? after->start / granule * granule : NEVER;
    if (from == GLOBAL_BASE) from -= granule; /* memory of the context itself */
    return address >= from ? after : NULL;
}

bool image_write(struct image *m, u64 address, const void *from, u64 size_bytes)
{
    const struct allocation *a = image_find(m, address, size_bytes);
    if (!a) return false;
    memcpy(a->bytes + (address - a->start), from, size_bytes);
    image_changes(m, address, size_bytes);
    return true;
}

bool image_read(const struct image *m, u64 address, void *to, u64 size_bytes)
{
    const struct allocation *a = image_find(m, address, size_bytes);
    if (!a) return false;
    memcpy(to, a->bytes + (address - a->start), size_bytes);
    return true;
}

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK_BYTES = 1 << 15, CHUNK_BYTES_MAX = 1 << 20, LARGE_CHUNK_BYTES = 1 << 24 };
enum { LARGE_BYTES = 1 << 20, SPARSE_CHUNK_BYTES = 1 << 26 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t size_bytes, used_bytes;
    size_t mapped_bytes; /* size of the mapping, header included; 0: chunk from calloc */
    _Alignas(max_align_t) u8 data[];
};

/* Advises the host to back a large region with huge pages, to reduce page faults. A hint only. */
static void large_pages(void *at, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t start = (uintptr_t)at, first = round_up(start, BASE_PAGES_BYTES);
    if (bytes >= BASE_HUGE_PAGE_BYTES)
        madvise((void *)first, start + bytes - first, MADV_HUGEPAGE);
#else
    (void)at, (void)bytes;
#endif
}

void *base_try_alloc(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (p) large_pages(p, bytes);
    return p;
}

void *base_alloc(size_t bytes)
{
    void *p = base_try_alloc(bytes);
    if (!p) out_of_memory(bytes, "tables of the simulator");
    return p;
}

static void *map(size_t bytes, int flags)
{
    int private = MAP_PRIVATE | MAP_ANONYMOUS | flags;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, private, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void *base_map(size_t bytes, int flags)
{
    size_t extra = bytes >= BASE_HUGE_PAGE_BYTES ? BASE_HUGE_PAGE_BYTES : 0;
    u8 *at = map(bytes + extra, flags);
    if (!at || !extra) return at;
    size_t before = round_up((uintptr_t)at, BASE_HUGE_PAGE_BYTES) - (uintptr_t)at;
    if (before) munmap(at, before);
    if (before < extra) munmap(at + before + bytes, extra - before);
    large_pages(at + before, bytes);
    return at + before;
}

static void small_pages(void *at, size_t bytes)
{
#ifdef MADV_NOHUGEPAGE
    madvise(at, bytes, MADV_NOHUGEPAGE);
#else
    (void)at, (void)bytes;
#endif
}

void base_zero(void *at, size_t bytes)
{
#ifdef __linux__ /* on other systems MADV_DONTNEED may keep the old contents */
    uintptr_t start = (uintptr_t)at, first = round_up(start, BASE_PAGES_BYTES);
    uintptr_t end = (start + bytes) / BASE_PAGES_BYTES * BASE_PAGES_BYTES;
    if (bytes >= LARGE_BYTES && !madvise((void *)first, end - first, MADV_DONTNEED)) {
        memset(at, 0, first - start);
        memset((void *)end, 0, start + bytes - end);
        return;
    }
#endif
    memset(at, 0, bytes);
}

void *base_realloc(void *old, size_t bytes)
{
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p) out_of_memory(bytes, "tables of the simulator");
    return p;
}

static u32 more_room(u32 room)
{
    check(room <= UINT32_MAX / 2);
    return room ? room * 2 : 16;
}

void *base_grow(void *items, u32 n, u32 *room, size_t item_bytes)
{
    if (n < *room) return items;
    *room = more_room(*room);
    return base_realloc(items, *room * item_bytes);
}

void *arena_grow(struct arena *a, void *items, u32 n, u32 *room, size_t item_bytes)
{
    if (n < *room) return items;
    *room = more_room(*room);
    void *grown = arena_alloc(a, *room * item_bytes, 16);
    if (n) memcpy(grown, items, n * item_bytes);
    return grown;
}

void arena_init(struct arena *a) { *a = (struct arena){0}; }

static void *chunk_take(struct arena_chunk *c, size_t bytes, size_t align)
{
    size_t start = (size_t)round_up((uintptr_t)c->data + c->used_bytes, align) - (uintptr_t)c->data;
    if (start > c->size_bytes || bytes > c->size_bytes - start) return NULL;
    c->used_bytes = start + bytes;
    return c->data + start;
}

/* Maps a chunk of zeroed pages, with huge pages if requested and available on the host. Returns
 * NULL if the host refuses the mapping. */
static struct arena_chunk *chunk_map(size_t bytes, bool huge)
{
    size_t mapped = round_up(sizeof(struct arena_chunk) + bytes, BASE_HUGE_PAGE_BYTES);
    struct arena_chunk *c = huge ? base_map(mapped, 0) : map(mapped, 0);
    if (!c) return NULL;
    if (!huge) small_pages(c, mapped);
    c->size_bytes = mapped - sizeof *c;
    c->mapped_bytes = mapped;
    return c;
}

/* Returns the size of the next chunk. Chunks of a large arena have one size; chunks of other arenas
 * double from CHUNK_BYTES to CHUNK_BYTES_MAX. */
static size_t chunk_bytes(const struct arena *a)
{
    if (a->large) return LARGE_CHUNK_BYTES - sizeof(struct arena_chunk);
    return min_u64(max_u64(a->used_bytes, CHUNK_BYTES), CHUNK_BYTES_MAX);
}

static struct arena_chunk *chunk_calloc(const struct arena *a, size_t bytes)
{
    struct arena_chunk *c = calloc(1, sizeof *c + bytes);
    if (!c) out_of_memory(bytes, a->what ? a->what : "tables of the simulator");
    c->size_bytes = bytes;
    return c;
}

static struct arena_chunk *chunk_new(const struct arena *a, size_t least)
{
    size_t bytes = max_u64(least, chunk_bytes(a));
    struct arena_chunk *c = a->large ? chunk_map(bytes, true) : NULL;
    return c ? c : chunk_calloc(a, bytes);
}

static size_t chunk_room(const struct arena_chunk *c) { return c->size_bytes - c->used_bytes; }

static void chunk_add(struct arena_chunk **at, struct arena_chunk *c)
{
    c->next = *at;
    *at = c;
}

void *arena_alloc(struct arena *a, size_t bytes, size_t align)
{
    check(!a->frozen);
    check(align && !(align & (align - 1)));
    void *p = a->chunks ? chunk_take(a->chunks, bytes, align) : NULL;
    if (!p) {
        struct arena_chunk *c = chunk_new(a, bytes + align);
        p = chunk_take(c, bytes, align);
        /* the chunk with more room left comes first */
        bool room = a->chunks && chunk_room(a->chunks) > chunk_room(c);
        chunk_add(room ? &a->chunks->next : &a->chunks, c);
    }
    a->used_bytes += bytes;
    return p;
}

void *arena_alloc_sparse(struct arena *a, size_t bytes, size_t align)
{
    if (!a->large || bytes < LARGE_BYTES) return arena_alloc(a, bytes, align);
    check(!a->frozen);
    check(align && !(align & (align - 1)));
    void *p = a->sparse ? chunk_take(a->sparse, bytes, align) : NULL;
    if (!p) {
        struct arena_chunk *c = chunk_map(max_u64(bytes + align, SPARSE_CHUNK_BYTES), false);
        if (!c) c = chunk_calloc(a, bytes + align);
        chunk_add(&a->sparse, c);
        p = chunk_take(c, bytes, align);
    }
    a->used_bytes += bytes;
    return p;
}

char *arena_text(struct arena *a, const char *text, size_t n)
{
    char *copy = arena_alloc(a, n + 1, 1);
    if (n) memcpy(copy, text, n);
    return copy;
}

void arena_freeze(struct arena *a) { a->frozen = true; }

static void chunks_free(struct arena_chunk *first)
{
    for (struct arena_chunk *c = first; c;) {
        struct arena_chunk *next = c->next;
        if (c->mapped_bytes) munmap(c, c->mapped_bytes);
        else free(c);
        c = next;
    }
}

void arena_free(struct arena *a)
{
    chunks_free(a->chunks);
    chunks_free(a->sparse);
    arena_init(a);
}

/* Arena: a growing region of zeroed memory that is freed as a whole. Everything that a run or a
 * module builds is allocated in an arena. The arena of a run is frozen before cycle 0; an
 * allocation after arena_freeze is an internal error. Running out of memory ends the process with a
 * message, because a run cannot continue with incomplete tables. */
#ifndef CORUN_ARENA_H
#define CORUN_ARENA_H

#include "base/base.h"

struct arena_chunk;
struct arena {
    struct arena_chunk *chunks; /* arena_alloc allocates from the first chunk */
    struct arena_chunk *sparse; /* chunks of arena_alloc_sparse in a large arena */
    size_t used_bytes;          /* sum of all allocations, without padding for alignment */
    bool frozen;
    const char *what;           /* purpose of the memory, for the out-of-memory message; or NULL */
    bool large;                 /* arena will grow to many megabytes: chunks use huge pages */
};

void arena_init(struct arena *a);
/* returns zeroed memory; align: power of two */
void *arena_alloc(struct arena *a, size_t bytes, size_t align);
/* Allocates a table that is sized for the worst case although most runs fill only its first
 * entries. In a large arena, a table of 1 MB or more occupies host memory only for the pages
 * written. */
void *arena_alloc_sparse(struct arena *a, size_t bytes, size_t align);
char *arena_text(struct arena *a, const char *text, size_t n);  /* returns a NUL-terminated copy */
void arena_freeze(struct arena *a);
void arena_free(struct arena *a);

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type), _Alignof(type)))
#define arena_array(a, type, n) \
    ((type *)arena_alloc((a), sizeof(type) * (size_t)(n), _Alignof(type)))
#define arena_sparse_array(a, type, n) \
    ((type *)arena_alloc_sparse((a), sizeof(type) * (size_t)(n), _Alignof(type)))

/* memory outside an arena; never NULL except from base_try_alloc */
void *base_alloc(size_t bytes);              /* returns zeroed memory */
void *base_try_alloc(size_t bytes);          /* returns zeroed memory; NULL: out of memory */
void *base_realloc(void *old, size_t bytes);
enum { BASE_PAGES_BYTES = 1 << 16 }; /* a multiple of every host's page size */
enum { BASE_HUGE_PAGE_BYTES = 1 << 21 };
/* Maps zeroed pages, at 2 MB or more with huge pages if available. bytes: a multiple of
 * BASE_PAGES_BYTES; flags: as for mmap, beside MAP_PRIVATE | MAP_ANONYMOUS. munmap unmaps. Returns
 * NULL if the host refuses the mapping. */
void *base_map(size_t bytes, int flags);

/* Appends an item to a list and returns a pointer to the item. When the list is full all items move
 * to a larger block. In an arena the old block remains allocated until the arena is freed, and the
 * new item is zeroed. */
#define base_push(items, n, room) \
    ((items) = base_grow((items), (n), &(room), sizeof *(items)), &(items)[(n)++])
#define arena_push(a, items, n, room) \
    ((items) = arena_grow((a), (items), (n), &(room), sizeof *(items)), &(items)[(n)++])
/* Ensures room for one more item behind the first n. Returns `items` unchanged, or a copy with
 * twice the room. */
void *base_grow(void *items, u32 n, u32 *room, size_t item_bytes);
void *arena_grow(struct arena *a, void *items, u32 n, u32 *room, size_t item_bytes);
/* Zeroes memory from an allocation function of this file. The pages of a large region are returned
 * to the system, so that the cost is proportional to the bytes that were written. */
void base_zero(void *at, size_t bytes);

#endif

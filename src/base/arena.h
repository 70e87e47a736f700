/* One growing region of zeroed memory that is freed as a whole: everything a run or a module
 * builds comes from here. Frozen before cycle 0; an allocation after that is an internal error.
 * Out of memory ends the process with a plain message: there is nothing to go on with. */
#ifndef CORUN_ARENA_H
#define CORUN_ARENA_H

#include "base/base.h"

struct arena_chunk;
struct arena {
    struct arena_chunk *chunks; /* arena_alloc takes from the first */
    size_t used_bytes;          /* handed out so far, padding included */
    bool frozen;
    const char *what;           /* it is for, in the message when memory is out; or NULL */
    bool large;                 /* many megabytes will be taken: chunks are of huge pages */
};

void arena_init(struct arena *a);
void *arena_alloc(struct arena *a, size_t bytes, size_t align); /* zeroed; align: power of two */
/* For a table sized for the worst case, of which most runs fill the first entries. From 1 MB on, in
 * a large arena, only the pages written take host memory. */
void *arena_alloc_sparse(struct arena *a, size_t bytes, size_t align);
char *arena_text(struct arena *a, const char *text, size_t n);  /* a NUL-terminated copy */
void arena_freeze(struct arena *a);
void arena_free(struct arena *a);

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type), _Alignof(type)))
#define arena_array(a, type, n) \
    ((type *)arena_alloc((a), sizeof(type) * (size_t)(n), _Alignof(type)))
#define arena_sparse_array(a, type, n) \
    ((type *)arena_alloc_sparse((a), sizeof(type) * (size_t)(n), _Alignof(type)))

/* memory outside an arena; never NULL */
void *base_alloc(size_t bytes);              /* zeroed */
void *base_realloc(void *old, size_t bytes);
/* Asks the host for huge pages where the memory is large: fewer page faults. A hint. */
void base_large_pages(void *at, size_t bytes);

/* One more item at the end of a list: a pointer to it. Items move when there is no room for it; in
 * an arena the old ones stay until it goes, and a new one is zeroed. */
#define base_push(items, n, room) \
    ((items) = base_grow((items), (n), &(room), sizeof *(items)), &(items)[(n)++])
#define arena_push(a, items, n, room) \
    ((items) = arena_grow((a), (items), (n), &(room), sizeof *(items)), &(items)[(n)++])
/* Room for one more behind n items: as they are, or twice the room elsewhere. */
void *base_grow(void *items, u32 n, u32 *room, size_t item_bytes);
void *arena_grow(struct arena *a, void *items, u32 n, u32 *room, size_t item_bytes);
/* Zeroes what these gave; of a large region the pages go back to the system, so that the cost is
 * that of what was written. */
void base_zero(void *at, size_t bytes);

#endif

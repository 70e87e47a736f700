/* The bytes of one app's device memory: allocations with exact bounds. `host` allocates and copies,
 * `exec/access` loads and stores. Knows no time. Addresses are the app's own, the same alone and
 * together: they only grow, a released range is never given out again. Device addresses have gaps,
 * so that an overrun is a fault.
 * Model: in physical memory an app's allocations follow one another at multiples of 256 bytes, as
 * GPGPU-Sim lays them out. Of a pool that several apps share each takes whole pages when it
 * allocates, the next free ones; it goes on behind its own while nobody else has taken pages since.
 * What it has taken stays its own: its next execution takes the same again, in the same order. */
#ifndef CORUN_IMAGE_H
#define CORUN_IMAGE_H

#include "mem/address.h"
#include "mem/heap.h"

struct allocation {
    u64 start, size_bytes; /* device address; size exactly as asked */
    u64 shift;             /* physical address - device address, a multiple of 256 */
    /* host memory, zeroed; readable 32 bytes past the end (for wide loads), never writable there */
    u8 *bytes;
    char *name;            /* buffer or variable, for fault messages; may be "" */
    bool read_only;        /* .const */
};

struct pool { /* physical memory: what lies below `next` is given out, a multiple of the page */
    u64 next, page_bytes;
};

struct pages { /* of an app, neighbours in physical memory */
    u64 start, end;
};

struct textures;
struct image {
    struct allocation *allocations; /* sorted by start */
    u32 allocation_n, allocation_room;
    /* where the next allocation goes: 256-byte aligned, at least 256 bytes after the last */
    u64 next;
    u64 physical;          /* the same in physical memory, where there are no gaps */
    u64 used_bytes;        /* sum of the allocations' sizes */
    u64 granule_bytes;     /* what is mapped at once; 0: allocations alone. Stays when cleared */
    struct textures *textures; /* NULL: it has had none; see mem/textures.h */
    struct pool *pool;     /* NULL: all of physical memory is its own */
    struct pages *pages;   /* taken from the pool, first to be taken first; it is in the last of */
    u32 pages_n, pages_room, pages_used; /* those in use in this execution */
    /* The bytes up to GLOBAL_END, device address 0 first, in a mapping that a process shares; NULL:
     * each allocation has its own. Set while there is no allocation. */
    u8 *shared;
    u64 heap_bytes;        /* of the heap, if it is made; 0: HEAP_BYTES */
    struct heap *heap;     /* NULL: there is none yet */
};

void image_init(struct image *m, struct pool *pool);
void image_clear(struct image *m); /* no allocations, for the app's next execution */
void image_free(struct image *m);
/* from GLOBAL_BASE up; deterministic. 0: no room in the address space or on this machine. Large
 * allocations take host memory only where they are touched. */
u64 image_alloc(struct image *m, u64 size_bytes, const char *name);
/* At a fixed address, which must be free: a variable, or what a program has at an address of its
 * own. */
void image_place(struct image *m, u64 start, u64 size_bytes, const char *name, bool read_only);
/* The heap of its kernels, made if it is not there yet; NULL: no room for it. */
struct heap *image_heap(struct image *m);
/* false: no allocation starts there */
bool image_release(struct image *m, u64 start);
/* the allocation that holds all of [address, address + size), or NULL */
const struct allocation *image_find(const struct image *m, u64 address, u64 size_bytes);
/* the allocation nearest to an address, for fault messages; NULL when there is none */
const struct allocation *image_nearest(const struct image *m, u64 address);
/* The allocation whose granule an access outside of all is in; NULL: nothing is mapped there.
 * Model: with memory.bounds=page an access outside every allocation faults only where nothing is
 * mapped. CUDA maps device memory in granules of 2 MiB (cuMemGetAllocationGranularity in the driver
 * API's virtual memory management), so that what lies in one with an allocation can be accessed.
 * So can the granule before the first of all, as a context has memory of its own (guess).
 * There zeroes are read, as of fresh memory, and what is written is lost but for the 16 bytes
 * behind an allocation (guess; a GPU may have another allocation there). Physically it is where
 * the allocation's neighbourhood is. Constants lie in a bank of 64 KB (PTX ISA manual, section
 * 5.1.4), which is mapped as a whole (guess). */
const struct allocation *image_mapped(const struct image *m, u64 address, u64 size_bytes);
/* host copies; false: out of bounds */
bool image_write(struct image *m, u64 address, const void *from, u64 size_bytes);
bool image_read(const struct image *m, u64 address, void *to, u64 size_bytes);

static inline bool allocation_holds(const struct allocation *a, u64 address, u64 size_bytes)
{
    u64 offset = address - a->start;
    return offset <= a->size_bytes && size_bytes <= a->size_bytes - offset;
}

#endif

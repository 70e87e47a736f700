/* The contents of an app's device memory: allocations with exact bounds. `host` allocates and
 * copies, `exec/access` loads and stores. The image has no notion of time. Each app has addresses
 * of its own, the same in isolated and shared runs. Gaps between allocations turn an overrun into a
 * fault.
 * Model: in physical memory an app's allocations follow one another at multiples of 256 bytes, as
 * in GPGPU-Sim. In a pool shared by several apps an allocation takes the next free whole pages, or
 * continues behind the app's last page while no other app has taken pages since. An app keeps its
 * pages: the next execution takes them again, in the same order. */
#ifndef CORUN_IMAGE_H
#define CORUN_IMAGE_H

#include "mem/address.h"
#include "mem/heap.h"

struct allocation {
    u64 start, size_bytes; /* device address; size exactly as requested */
    u64 shift;             /* physical address - device address, a multiple of 256 */
    /* Host memory, initially zero; 32 bytes past the end can be read (wide loads), not written. */
    u8 *bytes;
    char *name;            /* buffer or variable, for fault messages; may be "" */
    bool read_only;        /* .const */
    bool host_writes;      /* the process of the program can write to the bytes at any time */
    u8 use;                /* enum allocation_use, of kernels since image_unuse */
    u64 version;           /* number of the last change of the bytes, of all changes in the image */
    struct digest *digest; /* NULL: never hashed; see digest.h */
};
/* The place of a released allocation. */
struct vacancy {
    u64 units;             /* size in units of 256 bytes */
    u64 start, shift;      /* as those of the allocation */
};

/* A kernel has perhaps loaded from an allocation, stored to an allocation, or both. */
enum allocation_use { USE_LOADED = 1, USE_STORED = 2, USE_BOTH = 3 };

struct pool { /* physical memory: taken up to `next`, a multiple of the page size */
    u64 next, page_bytes;
};

struct pages { /* pages of an app, adjacent in physical memory */
    u64 start, end;
};

struct textures;
struct image {
    struct allocation *allocations; /* sorted by start */
    u32 allocation_n, allocation_room;
    struct vacancy *vacancies; /* sorted by units, then by start */
    u32 vacancy_n, vacancy_room;
    /* Start of the next allocation that takes no vacancy: 256-byte aligned, at least 256 bytes
     * after the last end. */
    u64 next;
    u64 physical;          /* end of the last allocation in physical memory, which has no gaps */
    u64 used_bytes;        /* sum of the allocations' sizes */
    u64 granule_bytes;     /* unit of mapping; 0: allocations only. image_clear keeps the value */
    struct textures *textures; /* NULL: none so far; see mem/textures.h */
    u64 texture_changes;   /* number of changes of textures, references and arrays */
    struct pool *pool;     /* NULL: the app has physical memory to itself */
    /* Pages taken from the pool, in order. The present execution uses the first pages_used, and
     * allocates from the last of these. */
    struct pages *pages;
    u32 pages_n, pages_room, pages_used;
    /* All bytes up to GLOBAL_END, device address 0 first, in a mapping shared with a process; NULL:
     * each allocation has host memory of its own. Set only while no allocation exists. */
    u8 *shared;
    int shared_fd;         /* file of the mapping; an offset is a device address */
    u64 epoch;             /* number of calls of image_changes_all */
    u64 version;           /* number of changes of allocations */
    u64 heap_bytes;        /* size of the heap when made; 0: HEAP_BYTES */
    struct heap *heap;     /* NULL: not made yet */
};

void image_init(struct image *m, struct pool *pool);
/* Frees all allocations, for the next execution of the app. */
void image_clear(struct image *m);
void image_free(struct image *m);
/* Allocates zeroed memory from GLOBAL_BASE up, deterministically. Returns the device address; 0: no
 * room in the address space or on the host. A large allocation takes host memory only for the pages
 * touched.
 * Model: an allocation takes the place of a released one of the same size in units of 256 bytes, in
 * device and physical memory; of several, the one at the lowest address. Without such a place the
 * address is above all earlier ones. A program that frees and allocates in each round therefore has
 * the same addresses in each round (NVIDIA's allocator is not published: guess). */
u64 image_alloc(struct image *m, u64 size_bytes, const char *name);
/* Allocates at a fixed address, which must be free: a variable, or memory that a program has at an
 * address of its own. */
void image_place(struct image *m, u64 start, u64 size_bytes, const char *name, bool read_only);
/* Returns the heap of the app's kernels, and makes the heap at the first call; NULL: no room. */
struct heap *image_heap(struct image *m);
/* Frees the allocation that starts at `start`; false: no such allocation. */
bool image_release(struct image *m, u64 start);
/* Returns the allocation that holds all of [address, address + size_bytes); NULL: none. Counts as a
 * load and a store of a kernel (allocation_use), because kernels' accesses call the function. */
const struct allocation *image_find(const struct image *m, u64 address, u64 size_bytes);
/* Returns the allocation that holds the address, without counting a use; NULL: none. */
struct allocation *image_at(const struct image *m, u64 address);
/* Returns the allocation nearest to an address, for fault messages; NULL: no allocation exists. */
const struct allocation *image_nearest(const struct image *m, u64 address);
/* Returns the allocation whose granule holds an access outside all allocations; NULL: nothing is
 * mapped at the address.
 * Model: with memory.bounds=page an access outside every allocation faults only where nothing is
 * mapped. CUDA maps device memory in granules of 2 MiB (cuMemGetAllocationGranularity in the driver
 * API's virtual memory management): any address in a granule with an allocation can be accessed. So
 * can the granule just below GLOBAL_BASE, because a context has memory of its own (guess). Loads
 * read zeroes, as from fresh memory; stores are lost except in the 16 bytes behind an allocation
 * (guess; on a GPU another allocation may lie there). The physical address is in the neighbourhood
 * of the allocation. Constants lie in a bank of 64 KB (PTX ISA manual, section 5.1.4), mapped as a
 * whole (guess). */
const struct allocation *image_mapped(const struct image *m, u64 address, u64 size_bytes);
/* Tell the image of changes of the bytes of allocations: by the host from `address` on; by timed
 * launches, anywhere; by a functional launch, of all allocations with USE_STORED. */
void image_changes(struct image *m, u64 address, u64 size_bytes);
static inline void image_changes_all(struct image *m) { m->epoch++; }
void image_changes_stored(struct image *m);
/* Marks the allocation at an address as one that the process of the program can write to. */
void image_host_writes(struct image *m, u64 address);
/* Forgets which allocations kernels have used. */
void image_unuse(struct image *m);
/* Copy between image and host memory; false: out of bounds. */
bool image_write(struct image *m, u64 address, const void *from, u64 size_bytes);
bool image_read(const struct image *m, u64 address, void *to, u64 size_bytes);

/* Notes an access of a kernel. Several threads may call the function at once. */
static inline void allocation_use(struct allocation *a, u8 use)
{
    if (unlikely((__atomic_load_n(&a->use, __ATOMIC_RELAXED) & use) != use))
        __atomic_fetch_or(&a->use, use, __ATOMIC_RELAXED);
}

static inline bool allocation_holds(const struct allocation *a, u64 address, u64 size_bytes)
{
    u64 offset = address - a->start;
    return offset <= a->size_bytes && size_bytes <= a->size_bytes - offset;
}

#endif

/* The bytes of one app's device memory: allocations with exact bounds. `host` allocates and copies,
 * `exec/access` loads and stores. Knows no time. Addresses are the app's own, the same alone and
 * together: they only grow, a released range is never given out again. Device addresses have gaps,
 * so that an overrun is a fault.
 * Model: in physical memory allocations follow one another at multiples of 256 bytes, as
 * GPGPU-Sim lays them out. */
#ifndef CORUN_IMAGE_H
#define CORUN_IMAGE_H

#include "mem/address.h"

struct allocation {
    u64 start, size_bytes; /* device address; size exactly as asked */
    u64 shift;             /* physical address - device address, a multiple of 256 */
    /* host memory, zeroed; readable 32 bytes past the end (for wide loads), never writable there */
    u8 *bytes;
    char *name;            /* buffer or variable, for fault messages; may be "" */
    bool read_only;        /* .const */
};

struct image {
    struct allocation *allocations; /* sorted by start */
    u32 allocation_n, allocation_room;
    /* where the next allocation goes: 256-byte aligned, at least 256 bytes after the last */
    u64 next;
    u64 physical;          /* the same in physical memory, where there are no gaps */
    u64 used_bytes;        /* sum of the allocations' sizes */
};

void image_init(struct image *m);
void image_free(struct image *m);
/* from GLOBAL_BASE up; deterministic. 0: no room in the address space or on this machine. Large
 * allocations take host memory only where they are touched. */
u64 image_alloc(struct image *m, u64 size_bytes, const char *name);
/* At a fixed address, which must be free: a variable, or what a program has at an address of its
 * own. */
void image_place(struct image *m, u64 start, u64 size_bytes, const char *name, bool read_only);
/* false: no allocation starts there */
bool image_release(struct image *m, u64 start);
/* the allocation that holds all of [address, address + size), or NULL */
const struct allocation *image_find(const struct image *m, u64 address, u64 size_bytes);
/* the allocation nearest to an address, for fault messages; NULL when there is none */
const struct allocation *image_nearest(const struct image *m, u64 address);
/* host copies; false: out of bounds */
bool image_write(struct image *m, u64 address, const void *from, u64 size_bytes);
bool image_read(const struct image *m, u64 address, void *to, u64 size_bytes);

static inline bool allocation_holds(const struct allocation *a, u64 address, u64 size_bytes)
{
    u64 offset = address - a->start;
    return offset <= a->size_bytes && size_bytes <= a->size_bytes - offset;
}

#endif

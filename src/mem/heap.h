/* The heap from which kernels of an app allocate (malloc, free on the device): a piece of its
 * device memory. What lies where is known to the host only, so that no store can spoil it.
 * Model: first fit by address, in units of 16 bytes, to which CUDA aligns (CUDA C++ Programming
 * Guide, dynamic global memory allocation; how NVIDIA's allocator places blocks is not published:
 * guess). 8 MB, unless the host program says otherwise (cudaLimitMallocHeapSize). */
#ifndef CORUN_HEAP_H
#define CORUN_HEAP_H

#include "base/base.h"

enum { HEAP_BYTES = 8 << 20, HEAP_UNIT = 16 };

struct heap;

struct heap *heap_new(u64 start, u64 size_bytes);
void heap_free(struct heap *h);
u64 heap_take(struct heap *h, u64 size_bytes); /* an address; 0: no room, or nothing is wanted */
bool heap_give(struct heap *h, u64 address);   /* false: none that heap_take has given */

#endif

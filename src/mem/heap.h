/* The heap for allocations by kernels of an app (malloc, free on the device): a part of the device
 * memory of the app. The bookkeeping lies in host memory, where no store of a kernel can corrupt
 * it.
 * Model: first fit by address, in units of 16 bytes, to which CUDA aligns (CUDA C++ Programming
 * Guide, dynamic global memory allocation; the placement by NVIDIA's allocator is not published:
 * guess). 8 MB, unless the host program sets another size (cudaLimitMallocHeapSize). */
#ifndef CORUN_HEAP_H
#define CORUN_HEAP_H

#include "base/base.h"

enum { HEAP_BYTES = 8 << 20, HEAP_UNIT = 16 };

struct heap;

struct heap *heap_new(u64 start, u64 size_bytes);
void heap_free(struct heap *h);
/* Allocates; returns the address. 0: no room, or size_bytes is 0. */
u64 heap_take(struct heap *h, u64 size_bytes);
/* Frees; false: not an address from heap_take. */
bool heap_give(struct heap *h, u64 address);

#endif

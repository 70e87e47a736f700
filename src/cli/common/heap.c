#include "cli/common/heap.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include "base/arena.h"

enum { HEAP_BYTES = 1 << 25 };

void heap_extend(void)
{
#if defined __GLIBC__ && defined MADV_HUGEPAGE
    mallopt(M_MMAP_THRESHOLD, BASE_HUGE_PAGE_BYTES);
    mallopt(M_TRIM_THRESHOLD, 2 * HEAP_BYTES);
    mallopt(M_TOP_PAD, HEAP_BYTES);
    u8 *start = sbrk(0);
    void *volatile first = malloc(1); /* extends the empty heap by HEAP_BYTES */
    free(first);
    if ((u8 *)sbrk(0) - start < HEAP_BYTES) return;
    size_t before = round_up((uintptr_t)start, BASE_HUGE_PAGE_BYTES) - (uintptr_t)start;
    madvise(start + before, HEAP_BYTES - before, MADV_HUGEPAGE);
    first = malloc(before); /* what is before the first whole huge page stays unused */
#endif
}

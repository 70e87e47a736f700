/* Address ranges and memory mapped into them. A range has its memory from the beginning; mapped
 * memory is only a name. Memory that is later mapped at another address is copied there and keeps
 * its contents. */
#include <pthread.h>
#include <stdlib.h>

#include "cuda/driver/driver.h"

struct memory {
    uint64_t bytes, at; /* at: address of the contents; 0: never mapped */
    bool mapped, released;
};
static struct memory *all; /* a handle is an index + 1 */
static size_t all_n;
static struct address_range {
    uint64_t start, bytes;
    void *base; /* start of the allocation that contains the range */
} *ranges;
static size_t range_n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
enum { GRANULE = 2 << 20 };

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *p, int option)
{
    (void)option;
    if (!bytes || !p || p->location.id) return cudaErrorInvalidValue;
    *bytes = GRANULE;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *start, size_t bytes, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags)
{
    void *base;
    (void)wish;
    if (!start || !bytes || bytes % GRANULE || flags || alignment & (alignment - 1))
        return cudaErrorInvalidValue;
    if (alignment < GRANULE) alignment = GRANULE;
    CUresult error = cudaMalloc(&base, bytes + alignment);
    if (error) return error;
    *start = (corun_address(base) + alignment - 1) & ~(uint64_t)(alignment - 1);
    pthread_mutex_lock(&lock);
    struct address_range *grown = realloc(ranges, (range_n + 1) * sizeof *ranges);
    if (!grown) abort();
    ranges = grown;
    ranges[range_n++] = (struct address_range){*start, bytes, base};
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* Frees a range. The memory remains while it holds the contents of memory objects that may be
 * mapped again. */
CUresult cuMemAddressFree(CUdeviceptr start, size_t bytes)
{
    void *base = NULL;
    CUresult error = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    size_t r = 0;
    while (r < range_n && (ranges[r].start != start || ranges[r].bytes != bytes)) r++;
    if (r == range_n) error = cudaErrorInvalidValue;
    else base = ranges[r].base;
    for (size_t i = 0; i < all_n; i++) {
        const struct memory *m = &all[i];
        if (!m->at || m->at < start || m->at >= start + bytes) continue;
        if (m->mapped) error = cudaErrorInvalidValue;
        if (!m->released) base = NULL;
    }
    if (!error) ranges[r] = ranges[--range_n];
    pthread_mutex_unlock(&lock);
    return error || !base ? error : cudaFree(base);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *memory, size_t bytes,
                     const CUmemAllocationProp *p, unsigned long long flags)
{
    if (!memory || !p || !bytes || bytes % GRANULE || flags || p->location.id)
        return cudaErrorInvalidValue;
    if (p->requestedHandleTypes) return corun_missing("cuMemCreate of memory shared with other "
                                                      "processes");
    pthread_mutex_lock(&lock);
    struct memory *grown = realloc(all, (all_n + 1) * sizeof *all);
    if (!grown) abort();
    all = grown;
    all[all_n++] = (struct memory){.bytes = bytes};
    *memory = all_n;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

static struct memory *find(CUmemGenericAllocationHandle handle)
{
    struct memory *m = handle && handle <= all_n ? &all[handle - 1] : NULL;
    return m && !m->released ? m : NULL;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    pthread_mutex_lock(&lock);
    struct memory *m = find(handle);
    if (m) m->released = true;
    pthread_mutex_unlock(&lock);
    return m ? CUDA_SUCCESS : cudaErrorInvalidValue;
}

CUresult cuMemMap(CUdeviceptr start, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    pthread_mutex_lock(&lock);
    struct memory *m = find(handle);
    bool right = m && bytes == m->bytes && !offset && !flags && start % GRANULE == 0;
    bool twice = right && m->mapped;
    uint64_t before = right ? m->at : 0;
    if (right && !twice) {
        m->at = start;
        m->mapped = true;
    }
    pthread_mutex_unlock(&lock);
    if (twice) return corun_missing("cuMemMap of mapped memory");
    if (!right) return cudaErrorInvalidValue;
    if (!before || before == start) return CUDA_SUCCESS;
    return cudaMemcpy(corun_pointer(start), corun_pointer(before), bytes, cudaMemcpyDeviceToDevice);
}

CUresult cuMemUnmap(CUdeviceptr start, size_t bytes)
{
    bool found = false;
    CUresult error = cudaDeviceSynchronize();
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < all_n; i++) {
        struct memory *m = &all[i];
        if (!m->mapped || m->at < start || m->at >= start + bytes) continue;
        m->mapped = false;
        if (m->released) m->at = 0;
        found = true;
    }
    pthread_mutex_unlock(&lock);
    return found ? error : cudaErrorInvalidValue;
}

CUresult cuMemSetAccess(CUdeviceptr start, size_t bytes, const CUmemAccessDesc *list, size_t n)
{
    if (!start || !bytes || !list || !n) return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        if (list[i].location.id) return cudaErrorInvalidDevice;
        if (list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return corun_missing("cuMemSetAccess without both reading and writing");
    }
    return CUDA_SUCCESS;
}

CUresult cuMemGetAccess(unsigned long long *flags, const struct cudaMemLocation *location,
                        CUdeviceptr start)
{
    if (!flags || !location || !start) return cudaErrorInvalidValue;
    *flags = location->id ? 0 : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CUDA_SUCCESS;
}

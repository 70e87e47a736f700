/* Stream-ordered memory and its pools: every pool is the whole device memory. */
#include <pthread.h>
#include <stdlib.h>

#include "cuda/capture/capture.h"
#include "cuda/capture/memory.h"
#include "cuda/connection/error.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/pool.h"
#include "cuda/runtime/stream_id.h"

struct CUmemPoolHandle_st {
    int reuse[4];
    unsigned long long threshold;
    size_t most, used; /* bytes; most 0: no limit, and `used` is not counted */
};
static struct CUmemPoolHandle_st default_pool = {.reuse = {0, 1, 1, 1}};
static struct CUmemPoolHandle_st *current = &default_pool;

/* ---- pools with a limit ---- */

struct piece { /* memory of a pool with a limit; pool NULL: the pool has been destroyed */
    const void *pointer;
    size_t bytes;
    struct CUmemPoolHandle_st *pool;
};
static struct piece *pieces;
static size_t piece_n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Counts `size` bytes as used; false: the limit does not allow them. */
static bool pool_take(struct CUmemPoolHandle_st *pool, size_t size)
{
    pthread_mutex_lock(&lock);
    bool fits = !pool->most || size <= pool->most - pool->used;
    if (fits && pool->most) pool->used += size;
    pthread_mutex_unlock(&lock);
    return fits;
}

/* After pool_take: notes the memory, or takes the bytes back if `pointer` is NULL. */
static void pool_taken(struct CUmemPoolHandle_st *pool, const void *pointer, size_t size)
{
    if (!pool->most) return;
    pthread_mutex_lock(&lock);
    if (pointer) {
        pieces = realloc(pieces, (piece_n + 1) * sizeof *pieces);
        if (!pieces) abort();
        pieces[piece_n++] = (struct piece){pointer, size, pool};
    } else {
        pool->used -= size;
    }
    pthread_mutex_unlock(&lock);
}

void corun_pool_freed(const void *pointer)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < piece_n; i++) {
        if (pieces[i].pointer != pointer) continue;
        if (pieces[i].pool) pieces[i].pool->used -= pieces[i].bytes;
        pieces[i] = pieces[--piece_n];
        break;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- allocation ---- */

static cudaError_t allocate(void **pointer, size_t size, cudaStream_t stream)
{
    cudaError_t error = corun_may_queue(corun_stream(stream));
    if (error) return corun_note(error);
    cudaError_t before = cudaPeekAtLastError();
    error = corun_allocate(pointer, size);
    /* Memory freed in the stream is for reuse, even before the stream has come to the free. */
    if (error == cudaErrorMemoryAllocation && !corun_is_captured(corun_stream(stream)) &&
        !cudaStreamSynchronize(stream)) {
        error = corun_allocate(pointer, size);
        if (!error) cudaGetLastError(), corun_note(before);
    }
    if (!error)
        corun_capture_memory(corun_stream(stream), cudaGraphNodeTypeMemAlloc, *pointer, size);
    return error;
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    if (!pool) return corun_note(cudaErrorInvalidValue);
    if (!pool_take(pool, size)) return corun_note(cudaErrorMemoryAllocation);
    cudaError_t error = allocate(pointer, size, stream);
    pool_taken(pool, error ? NULL : *pointer, size);
    return error;
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(pointer, size, current, stream);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    if (!pointer) return corun_note(cudaErrorInvalidValue);
    uint32_t number = corun_stream(stream);
    cudaError_t error = corun_may_queue(number);
    if (error) return corun_note(error);
    bool of_graph = corun_is_graph_memory(pointer);
    if (!of_graph && corun_is_captured(number)) return corun_note(cudaErrorInvalidValue);
    if (corun_capture_memory(number, cudaGraphNodeTypeMemFree, pointer, 0)) return cudaSuccess;
    if (of_graph) return corun_note(corun_free_graph_memory(pointer));
    error = corun_simple(.call = CALL_FREE_ASYNC, .at = {number, corun_address(pointer)});
    if (!error) corun_pool_freed(pointer);
    return corun_note(error);
}

static cudaError_t of_device(cudaMemPool_t *pool, int device, cudaMemPool_t which)
{
    if (!pool) return corun_note(cudaErrorInvalidValue);
    if (device) return corun_note(cudaErrorInvalidDevice);
    *pool = which;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return of_device(pool, device, &default_pool);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return of_device(pool, device, current);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    cudaMemPool_t before;
    cudaError_t error = pool ? of_device(&before, device, current)
                             : corun_note(cudaErrorInvalidValue);
    if (!error) current = pool;
    return error;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *p)
{
    if (!pool || !p) return corun_note(cudaErrorInvalidValue);
    if (p->allocType != cudaMemAllocationTypePinned) return corun_note(cudaErrorInvalidValue);
    if (p->handleTypes) return corun_missing("a memory pool shared with other processes");
    *pool = malloc(sizeof **pool);
    if (!*pool) return corun_note(cudaErrorMemoryAllocation);
    **pool = (struct CUmemPoolHandle_st){.reuse = {0, 1, 1, 1}, .most = p->maxSize};
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    if (!pool || pool == &default_pool) return corun_note(cudaErrorInvalidValue);
    if (current == pool) current = &default_pool;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < piece_n; i++)
        if (pieces[i].pool == pool) pieces[i].pool = NULL;
    pthread_mutex_unlock(&lock);
    free(pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    (void)bytes;
    return corun_note(pool ? cudaSuccess : cudaErrorInvalidValue);
}

/* Attributes are only stored: freed memory is always released. */
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    if (!pool || !value) return corun_note(cudaErrorInvalidValue);
    if (attribute <= cudaMemPoolReuseAllowInternalDependencies)
        pool->reuse[attribute] = *(const int *)value;
    else if (attribute == cudaMemPoolAttrReleaseThreshold)
        pool->threshold = *(const unsigned long long *)value;
    else return corun_missing("cudaMemPoolSetAttribute of the memory in use");
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    if (!pool || !value) return corun_note(cudaErrorInvalidValue);
    if (attribute <= cudaMemPoolReuseAllowInternalDependencies)
        *(int *)value = pool->reuse[attribute];
    else if (attribute == cudaMemPoolAttrReleaseThreshold)
        *(unsigned long long *)value = pool->threshold;
    else return corun_missing("cudaMemPoolGetAttribute of the memory in use");
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!pool || !list || list[i].location.id ||
            list[i].flags != cudaMemAccessFlagsProtReadWrite)
            return corun_note(cudaErrorInvalidValue);
    return corun_note(pool ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location)
{
    if (!flags || !pool || !location) return corun_note(cudaErrorInvalidValue);
    *flags = location->id ? cudaMemAccessFlagsProtNone : cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}

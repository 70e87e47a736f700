/* Memory allocated by graphs. An allocation node gets its address when the node is created; the
 * memory remains until the process ends, because the graph may be launched again. */
#include "cuda/capture/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/connection/error.h"

struct piece {
    void *pointer;
    size_t bytes;
    bool used;
};
static struct piece *pieces;
static size_t piece_n;
static unsigned long long counts[4]; /* [cudaGraphMemAttributeType] */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct piece *find(const void *pointer)
{
    for (size_t i = 0; i < piece_n; i++)
        if (pieces[i].pointer == pointer) return &pieces[i];
    return NULL;
}

void corun_graph_memory_add(void *pointer, size_t bytes)
{
    pthread_mutex_lock(&lock);
    pieces = realloc(pieces, (piece_n + 1) * sizeof *pieces);
    if (!pieces) abort();
    pieces[piece_n++] = (struct piece){pointer, bytes, false};
    pthread_mutex_unlock(&lock);
}

static void raise_to(enum cudaGraphMemAttributeType which, unsigned long long value)
{
    if (counts[which] < value) counts[which] = value;
}

static cudaError_t use(void *pointer, bool used, bool again)
{
    pthread_mutex_lock(&lock);
    struct piece *p = find(pointer);
    cudaError_t error = p && (p->used != used || again) ? cudaSuccess : cudaErrorInvalidValue;
    if (!error && p->used != used) {
        p->used = used;
        counts[cudaGraphMemAttrUsedMemCurrent] += used ? p->bytes : -p->bytes;
        raise_to(cudaGraphMemAttrUsedMemHigh, counts[cudaGraphMemAttrUsedMemCurrent]);
        raise_to(cudaGraphMemAttrReservedMemCurrent, counts[cudaGraphMemAttrUsedMemCurrent]);
        raise_to(cudaGraphMemAttrReservedMemHigh, counts[cudaGraphMemAttrReservedMemCurrent]);
    }
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t corun_graph_memory_take(void *pointer, bool again) { return use(pointer, true, again); }

/* Releases the memory of a free node. Memory that no graph has allocated is left alone. */
cudaError_t corun_graph_memory_give(void *pointer)
{
    return corun_is_graph_memory(pointer) ? use(pointer, false, false) : cudaSuccess;
}

cudaError_t corun_free_graph_memory(void *pointer) { return use(pointer, false, false); }

bool corun_is_graph_memory(const void *pointer)
{
    pthread_mutex_lock(&lock);
    bool is = find(pointer);
    pthread_mutex_unlock(&lock);
    return is;
}

/* ---- statistics ---- */

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    if (device) return corun_note(cudaErrorInvalidDevice);
    if (!value || attribute > cudaGraphMemAttrReservedMemHigh)
        return corun_note(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    memcpy(value, &counts[attribute], sizeof counts[attribute]);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

/* Resets a high-water mark: only 0 is accepted and sets the mark to the current value. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    unsigned long long to;
    bool highest = attribute == cudaGraphMemAttrUsedMemHigh ||
                   attribute == cudaGraphMemAttrReservedMemHigh;
    if (device) return corun_note(cudaErrorInvalidDevice);
    if (!value || !highest) return corun_note(cudaErrorInvalidValue);
    memcpy(&to, value, sizeof to);
    if (to) return corun_note(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    counts[attribute] = counts[attribute - 1];
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    if (device) return corun_note(cudaErrorInvalidDevice);
    pthread_mutex_lock(&lock);
    counts[cudaGraphMemAttrReservedMemCurrent] = counts[cudaGraphMemAttrUsedMemCurrent];
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

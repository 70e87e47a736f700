/* Memory: allocations, copies and fills. The simulator manages all allocations; the library only
 * distinguishes device addresses from the program's own. */
#include "cuda/runtime/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/capture/capture.h"
#include "cuda/capture/memory.h"
#include "cuda/connection/alias.h"
#include "cuda/connection/error.h"
#include "cuda/connection/module.h"
#include "cuda/runtime/array.h"
#include "cuda/runtime/pool.h"
#include "cuda/runtime/stream_id.h"

enum { PITCH = 512, PAGE = 4096 };

/* ---- allocations ---- */

static cudaError_t allocate_any(void **pointer, size_t size, enum wire_memory kind)
{
    if (!pointer) return corun_note(cudaErrorInvalidValue);
    *pointer = NULL;
    if (!size) return cudaSuccess;
    struct corun_call c = {.call = CALL_ALLOC, .at = {size, kind}};
    cudaError_t error = corun_do(&c);
    if (error) return corun_note(error);
    *pointer = corun_pointer(c.got[0]);
    if (kind != WIRE_DEVICE) corun_show(c.got[0], size);
    return cudaSuccess;
}

cudaError_t corun_allocate(void **pointer, size_t size)
{
    return allocate_any(pointer, size, WIRE_DEVICE);
}

static cudaError_t allocate(void **pointer, size_t size, enum wire_memory kind)
{
    cudaError_t error = corun_may_be_unsafe();
    return error ? corun_note(error) : allocate_any(pointer, size, kind);
}

static cudaError_t give_back(void *pointer, bool pinned)
{
    if (!pointer) return cudaSuccess;
    cudaError_t error = corun_may_be_unsafe();
    if (error) return corun_note(error);
    enum wire_memory kind = pinned ? WIRE_PINNED : WIRE_DEVICE;
    return corun_note(corun_simple(.call = CALL_FREE, .at = {corun_address(pointer), kind}));
}

cudaError_t cudaMalloc(void **pointer, size_t size) { return allocate(pointer, size, WIRE_DEVICE); }

cudaError_t cudaFree(void *pointer)
{
    cudaError_t error = cudaSuccess;
    if (!pointer || !corun_is_graph_memory(pointer)) {
        error = give_back(pointer, false);
        if (!error) corun_pool_freed(pointer);
        return error;
    }
    error = cudaDeviceSynchronize();
    return error ? error : corun_note(corun_free_graph_memory(pointer));
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    size_t row, bytes;
    if (!pointer || !pitch) return corun_note(cudaErrorInvalidValue);
    if (__builtin_add_overflow(width, (size_t)PITCH - 1, &row) ||
        __builtin_mul_overflow(row / PITCH * PITCH, height, &bytes))
        return corun_note(cudaErrorMemoryAllocation);
    *pitch = row / PITCH * PITCH;
    return cudaMalloc(pointer, bytes);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent e)
{
    if (!pointer) return corun_note(cudaErrorInvalidValue);
    pointer->xsize = e.width;
    pointer->ysize = e.height;
    size_t rows;
    if (__builtin_mul_overflow(e.height, e.depth, &rows))
        return corun_note(cudaErrorMemoryAllocation);
    return cudaMallocPitch(&pointer->ptr, &pointer->pitch, e.width, rows);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags)
{
    if (!size || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return corun_note(cudaErrorInvalidValue);
    return allocate(pointer, size, WIRE_MANAGED);
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags)
{
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (flags & ~known) return corun_note(cudaErrorInvalidValue);
    return allocate(pointer, size, WIRE_PINNED);
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    return cudaHostAlloc(pointer, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *pointer) { return give_back(pointer, true); }

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    if (!flags || !corun_is_device(host)) return corun_note(cudaErrorInvalidValue);
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

/* The program's own memory, registered as pinned: copies from and to the memory run at their turn
 * in the stream. Kernels can access the memory once its pages are mapped (`device`): at once with
 * cudaHostRegisterMapped, else when the program asks for the device address. */
static struct registered {
    uint64_t start, size;
    uint64_t device; /* device address for kernels; 0: not mapped so far */
} *registered;
static size_t registered_n;
static pthread_mutex_t registered_lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the index of the last registration with all bytes, or registered_n. */
static size_t registered_find(uint64_t start, uint64_t size)
{
    for (size_t i = registered_n; i-- > 0;) {
        const struct registered *r = &registered[i];
        if (start - r->start < r->size && size <= r->size - (start - r->start)) return i;
    }
    return registered_n;
}

static bool is_registered(uint64_t start, uint64_t size)
{
    pthread_mutex_lock(&registered_lock);
    bool is = registered_find(start, size) < registered_n;
    pthread_mutex_unlock(&registered_lock);
    return is;
}

static bool is_registered_in_part(uint64_t start, uint64_t size)
{
    bool is = false;
    pthread_mutex_lock(&registered_lock);
    for (size_t i = 0; i < registered_n && !is; i++) {
        const struct registered *r = &registered[i];
        is = start < r->start + r->size && r->start < start + size;
    }
    pthread_mutex_unlock(&registered_lock);
    return is;
}

/* Gives kernels access to the program's own memory: its pages become pages of pinned memory, and
 * remain so, because other data may share them. One thread at a time, because ranges may share
 * pages. */
static cudaError_t map_alone(uint64_t start, uint64_t size, uint64_t *device)
{
    uint64_t page = start / PAGE * PAGE, bytes = (start + size - page + PAGE - 1) / PAGE * PAGE;
    uint64_t at = corun_aliased(page, bytes);
    if (!at && corun_is_shared(page, bytes))
        return corun_missing("access of kernels to memory shared with other processes");
    if (!at) {
        void *pinned;
        cudaError_t error = cudaHostAlloc(&pinned, bytes + PAGE, cudaHostAllocMapped);
        if (error) return error;
        at = (corun_address(pinned) + PAGE - 1) / PAGE * PAGE;
        /* On failure the pinned memory stays: some pages of the program may lie there already. */
        if (!corun_alias(page, at, bytes)) return corun_note(cudaErrorMemoryAllocation);
    }
    *device = at + (start - page);
    return cudaSuccess;
}

static cudaError_t map(uint64_t start, uint64_t size, uint64_t *device)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    cudaError_t error = map_alone(start, size, device);
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags)
{
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                           cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    const uint64_t start = corun_address(pointer);
    if (!start || !size || size > UINT64_MAX - start || flags & ~known)
        return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_may_be_unsafe();
    if (error) return corun_note(error);
    if (is_registered_in_part(start, size) || corun_is_device(pointer))
        return corun_note(cudaErrorHostMemoryAlreadyRegistered);
    uint64_t device = 0;
    if (flags & cudaHostRegisterMapped) error = map(start, size, &device);
    if (error) return error;
    pthread_mutex_lock(&registered_lock);
    registered = realloc(registered, (registered_n + 1) * sizeof *registered);
    if (!registered) abort();
    registered[registered_n++] = (struct registered){start, size, device};
    pthread_mutex_unlock(&registered_lock);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *pointer)
{
    cudaError_t forbidden = corun_may_be_unsafe();
    if (forbidden) return corun_note(forbidden);
    const bool is_inside = corun_is_device(pointer) || is_registered(corun_address(pointer), 1);
    cudaError_t error = is_inside ? cudaErrorInvalidValue : cudaErrorHostMemoryNotRegistered;
    pthread_mutex_lock(&registered_lock);
    for (size_t i = 0; i < registered_n; i++) {
        if (registered[i].start != corun_address(pointer)) continue;
        if (registered[i].device) {
            pthread_mutex_unlock(&registered_lock);
            cudaDeviceSynchronize();
            pthread_mutex_lock(&registered_lock);
        }
        registered[i] = registered[--registered_n];
        error = cudaSuccess;
        break;
    }
    pthread_mutex_unlock(&registered_lock);
    return corun_note(error);
}

/* Returns the registration of a byte; size 0: none. */
static struct registered registration_of(uint64_t address)
{
    struct registered found = {0};
    pthread_mutex_lock(&registered_lock);
    size_t i = registered_find(address, 1);
    if (i < registered_n) found = registered[i];
    pthread_mutex_unlock(&registered_lock);
    return found;
}

/* Notes the device address of a registration, if not ended meanwhile. */
static void registration_mapped(const struct registered *of)
{
    pthread_mutex_lock(&registered_lock);
    for (size_t i = 0; i < registered_n; i++)
        if (registered[i].start == of->start) registered[i].device = of->device;
    pthread_mutex_unlock(&registered_lock);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    (void)flags;
    if (!device) return corun_note(cudaErrorInvalidValue);
    if (corun_is_device(host)) { /* host and device address are equal */
        *device = host;
        return cudaSuccess;
    }
    struct registered r = registration_of(corun_address(host));
    if (!r.size) return corun_note(cudaErrorInvalidValue);
    if (!r.device) {
        cudaError_t error = map(r.start, r.size, &r.device);
        if (error) return error;
        registration_mapped(&r);
    }
    *device = corun_pointer(r.device + (corun_address(host) - r.start));
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *total)
{
    struct corun_call c = {.call = CALL_MEMORY};
    if (!left || !total) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_do(&c);
    *left = c.got[0];
    *total = c.got[1];
    return corun_note(error);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *pointer)
{
    if (!a) return corun_note(cudaErrorInvalidValue);
    memset(a, 0, sizeof *a);
    struct corun_call c = {.call = CALL_POINTER, .at = {corun_address(pointer)}};
    cudaError_t error = corun_is_device(pointer) ? corun_do(&c) : cudaErrorInvalidValue;
    if (error) { /* the program's own memory */
        a->device = cudaInvalidDeviceId;
        a->hostPointer = corun_pointer(corun_address(pointer));
        return cudaSuccess;
    }
    bool managed = c.got[2] == WIRE_MANAGED || corun_is_managed_variable(corun_address(pointer));
    a->type = managed                   ? cudaMemoryTypeManaged
              : c.got[2] == WIRE_PINNED ? cudaMemoryTypeHost
                                        : cudaMemoryTypeDevice;
    a->devicePointer = corun_pointer(corun_address(pointer));
    if (managed || c.got[2] != WIRE_DEVICE) a->hostPointer = a->devicePointer;
    return cudaSuccess;
}

/* Checks a hint for managed memory or a variable. Nothing moves, because the location of both is
 * fixed. Source: CUDA run-time API, cudaMemPrefetchAsync and cudaMemAdvise. */
static cudaError_t hint(const void *pointer, size_t size, int device)
{
    struct corun_call c = {.call = CALL_POINTER, .at = {corun_address(pointer)}};
    if (device && device != cudaCpuDeviceId) return corun_note(cudaErrorInvalidDevice);
    if (!size || !corun_is_device(pointer) || corun_do(&c))
        return corun_note(cudaErrorInvalidValue);
    const bool may_move = c.got[2] == WIRE_MANAGED || c.got[3];
    const uint64_t left = c.got[1] - (corun_address(pointer) - c.got[0]);
    return corun_note(may_move && size <= left ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t prefetch(const void *pointer, size_t size, int device, cudaStream_t stream)
{
    cudaError_t error = corun_may_wait(corun_stream(stream)); /* graphs have no such node */
    return error ? corun_note(error) : hint(pointer, size, device);
}

static cudaError_t advise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                          int device)
{
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return corun_note(cudaErrorInvalidValue);
    const bool has_place = advice >= cudaMemAdviseSetPreferredLocation;
    return hint(pointer, size, has_place ? device : 0);
}

/* Converts a cudaMemLocation to the device or the host. */
static int device_of(struct cudaMemLocation location)
{
    return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    if (flags) return corun_note(cudaErrorInvalidValue);
    return prefetch(pointer, size, device_of(location), stream);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    return advise(pointer, size, advice, device_of(location));
}
#else
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, int device, cudaStream_t stream)
{
    return prefetch(pointer, size, device, stream);
}

cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t size,
                                    struct cudaMemLocation location, unsigned int flags,
                                    cudaStream_t stream)
{
    if (flags) return corun_note(cudaErrorInvalidValue);
    return prefetch(pointer, size, device_of(location), stream);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                          int device)
{
    return advise(pointer, size, advice, device);
}

cudaError_t cudaMemAdvise_v2(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location)
{
    return advise(pointer, size, advice, device_of(location));
}
#endif

/* ---- copies ---- */

/* Returns true if the direction given by the user agrees with the addresses. */
static bool kind_fits(const struct wire_copy *w, enum cudaMemcpyKind kind)
{
    switch (kind) {
    case cudaMemcpyHostToHost: return w->to_host && w->from_host;
    case cudaMemcpyHostToDevice: return !w->to_host;
    case cudaMemcpyDeviceToHost: return !w->from_host;
    case cudaMemcpyDeviceToDevice: return !w->to_host && !w->from_host;
    case cudaMemcpyDefault: return true;
    default: return false;
    }
}

/* Source: CUDA run-time API, API synchronization behavior: an asynchronous copy from memory that is
 * not pinned has read the bytes when the call returns; a copy to such memory returns after its
 * completion. */
static cudaError_t copy(struct wire_copy *w, enum cudaMemcpyKind kind, bool waits,
                        cudaStream_t stream)
{
    if (!w->width || !w->height || !w->depth) return cudaSuccess;
    if (!w->to || !w->from) return corun_note(cudaErrorInvalidValue);
    if ((unsigned)kind > cudaMemcpyDefault) return corun_note(cudaErrorInvalidMemcpyDirection);
    if (!kind_fits(w, kind)) return corun_note(cudaErrorInvalidValue);
    bool takes = w->from_host && !is_registered(w->from, w->width);
    bool gives = w->to_host && !is_registered(w->to, w->width);
    uint64_t bits = waits || gives ? COPY_WAITS : 0;
    struct corun_call c = {.call = CALL_COPY, .payload = w, .payload_bytes = sizeof *w};
    bool flat = w->height == 1 && w->depth == 1;
    cudaError_t error = waits ? corun_may_wait(corun_stream(stream)) : cudaSuccess;
    if (error) return corun_note(error);
    if (corun_is_captured(corun_stream(stream))) { /* the copy reads the bytes at each execution */
        c.at[0] = corun_stream(stream);
        return corun_note(corun_queue(&c, corun_stream(stream)));
    }
    if (!bits && takes && flat && w->width < WIRE_PAYLOAD_MAX / 2) {
        bits = COPY_STAGED;
        c.more = corun_pointer(w->from);
        c.more_bytes = w->width;
    } else if (takes) {
        bits = COPY_WAITS;
    }
    bool pinned = (w->from_host || w->to_host) && !takes && !gives;
    c.at[0] = corun_stream(stream);
    c.at[1] = bits | (pinned ? COPY_PINNED : 0);
    return corun_note(corun_queue(&c, corun_stream(stream)));
}

static cudaError_t copy_flat(const void *to, const void *from, size_t size,
                             enum cudaMemcpyKind kind, bool waits, cudaStream_t stream)
{
    struct wire_copy w = {.to = corun_address(to), .from = corun_address(from), .width = size,
                          .height = 1, .depth = 1, .to_host = !corun_is_device(to),
                          .from_host = !corun_is_device(from)};
    return copy(&w, kind, waits, stream);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    return copy_flat(to, from, size, kind, true, NULL);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy_flat(to, from, size, kind, false, stream);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
    if (to_device || from_device) return corun_note(cudaErrorInvalidDevice);
    return cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t size, cudaStream_t stream)
{
    if (to_device || from_device) return corun_note(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, stream);
}

static cudaError_t copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                           size_t width, size_t height, enum cudaMemcpyKind kind, bool waits,
                           cudaStream_t stream)
{
    if (width > to_pitch || width > from_pitch) return corun_note(cudaErrorInvalidPitchValue);
    struct wire_copy w = {.to = corun_address(to), .from = corun_address(from),
                          .to_pitch = to_pitch, .from_pitch = from_pitch, .width = width,
                          .height = height, .depth = 1, .to_host = !corun_is_device(to),
                          .from_host = !corun_is_device(from)};
    return copy(&w, kind, waits, stream);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, true, NULL);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, false, stream);
}

/* Returns an error if rows or slices of a copy would overlap in memory. */
static cudaError_t pitch_fits(const struct cudaPitchedPtr *at, const struct cudaPos *from,
                              const struct cudaExtent *e, size_t width)
{
    bool rows = e->height > 1 || e->depth > 1;
    if (rows && (width > at->pitch || from->x > at->pitch - width))
        return cudaErrorInvalidPitchValue;
    bool slices = e->depth > 1;
    return slices && (e->height > at->ysize || from->y > at->ysize - e->height)
               ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t corun_pitches_fit(const struct cudaMemcpy3DParms *p, size_t width)
{
    cudaError_t error = p->srcArray ? cudaSuccess
                                    : pitch_fits(&p->srcPtr, &p->srcPos, &p->extent, width);
    if (error || p->dstArray) return error;
    return pitch_fits(&p->dstPtr, &p->dstPos, &p->extent, width);
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, bool waits, cudaStream_t stream)
{
    if (!p) return corun_note(cudaErrorInvalidValue);
    if (p->srcArray || p->dstArray) return corun_copy_3d(p, stream);
    cudaError_t error = corun_pitches_fit(p, p->extent.width);
    if (error) return corun_note(error);
    const struct cudaPitchedPtr *t = &p->dstPtr, *f = &p->srcPtr;
    uint64_t to = corun_address(t->ptr), from = corun_address(f->ptr);
    to += p->dstPos.x + (p->dstPos.y + p->dstPos.z * t->ysize) * t->pitch;
    from += p->srcPos.x + (p->srcPos.y + p->srcPos.z * f->ysize) * f->pitch;
    struct wire_copy w = {.to = to, .from = from, .to_pitch = t->pitch, .from_pitch = f->pitch,
                          .to_slice = t->pitch * t->ysize, .from_slice = f->pitch * f->ysize,
                          .width = p->extent.width, .height = p->extent.height,
                          .depth = p->extent.depth, .to_host = !corun_is_device(t->ptr),
                          .from_host = !corun_is_device(f->ptr)};
    return copy(&w, p->kind, waits, stream);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) { return copy_3d(p, true, NULL); }

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return copy_3d(p, false, stream);
}

/* ---- symbols ---- */

static cudaError_t place_of(const void *symbol, size_t size, size_t offset, void **place)
{
    uint64_t address = 0, bytes = 0;
    cudaError_t error = corun_find_variable(symbol, &address, &bytes);
    if (!error && (offset > bytes || size > bytes - offset)) error = cudaErrorInvalidValue;
    *place = corun_pointer(address + offset);
    return error;
}

/* wrong: the direction that a copy to or from a symbol cannot have. */
static cudaError_t copied_place(const void *symbol, size_t size, size_t offset, void **place,
                                enum cudaMemcpyKind kind, enum cudaMemcpyKind wrong)
{
    if (kind == wrong || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
    return place_of(symbol, size, offset, place);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *to;
    cudaError_t error = copied_place(symbol, size, offset, &to, kind, cudaMemcpyDeviceToHost);
    return error ? corun_note(error) : copy_flat(to, from, size, kind, false, stream);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *from;
    cudaError_t error = copied_place(symbol, size, offset, &from, kind, cudaMemcpyHostToDevice);
    return error ? corun_note(error) : copy_flat(to, from, size, kind, false, stream);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    void *to;
    cudaError_t error = copied_place(symbol, size, offset, &to, kind, cudaMemcpyDeviceToHost);
    return error ? corun_note(error) : copy_flat(to, from, size, kind, true, NULL);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    void *from;
    cudaError_t error = copied_place(symbol, size, offset, &from, kind, cudaMemcpyHostToDevice);
    return error ? corun_note(error) : copy_flat(to, from, size, kind, true, NULL);
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    return corun_note(pointer ? place_of(symbol, 0, 0, pointer) : cudaErrorInvalidValue);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    uint64_t address, bytes = 0;
    if (!size) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_find_variable(symbol, &address, &bytes);
    *size = bytes;
    return corun_note(error);
}

/* ---- fills ---- */

cudaError_t corun_fill(void *pointer, size_t pitch, unsigned value, unsigned value_bytes,
                       size_t width, size_t height, bool waits, cudaStream_t stream)
{
    bool whole = value_bytes == 1 || value_bytes == 2 || value_bytes == 4;
    if (!whole || corun_address(pointer) % value_bytes || (height > 1 && pitch % value_bytes))
        return corun_note(cudaErrorInvalidValue);
    if (!width || !height) return cudaSuccess;
    if (height > 1 && (width > SIZE_MAX / value_bytes || width * value_bytes > pitch))
        return corun_note(cudaErrorInvalidValue);
    cudaError_t error = waits ? corun_may_wait(corun_stream(stream)) : cudaSuccess;
    if (error) return corun_note(error);
    struct corun_call c = {.call = CALL_FILL,
                           .at = {corun_stream(stream), waits, corun_address(pointer), pitch, value,
                                  value_bytes, width, height}};
    return corun_note(corun_queue(&c, corun_stream(stream)));
}

static cudaError_t fill(void *pointer, size_t pitch, int value, size_t width, size_t height,
                        bool waits, cudaStream_t stream)
{
    return corun_fill(pointer, pitch, (unsigned char)value, 1, width, height, waits, stream);
}

cudaError_t cudaMemset(void *pointer, int value, size_t size)
{
    return fill(pointer, size, value, size, 1, true, NULL);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream)
{
    return fill(pointer, size, value, size, 1, false, stream);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
    return fill(pointer, pitch, value, width, height, true, NULL);
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return fill(pointer, pitch, value, width, height, false, stream);
}

static cudaError_t fill_3d(struct cudaPitchedPtr p, int value, struct cudaExtent e, bool waits,
                           cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < e.depth && !error; z++)
        error = fill((char *)p.ptr + z * p.pitch * p.ysize, p.pitch, value, e.width, e.height,
                     waits, stream);
    return error;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent e)
{
    return fill_3d(p, value, e, true, NULL);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent e,
                              cudaStream_t stream)
{
    return fill_3d(p, value, e, false, stream);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

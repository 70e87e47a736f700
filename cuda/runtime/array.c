/* Arrays, textures and surfaces. The simulator stores the texels; the handle of an array points to
 * its description in the program. */
#include "cuda/runtime/array.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/capture/capture.h"
#include "cuda/connection/error.h"
#include "cuda/connection/module.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/stream_id.h"

struct cudaArray {
    uint64_t array; /* the simulator's handle */
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;
    unsigned int flags, level;
};
enum { LEVELS_MAX = 16 };
struct cudaMipmappedArray {
    unsigned int level_n;
    struct cudaArray levels[LEVELS_MAX];
};

static unsigned channels_of(const struct cudaChannelFormatDesc *d)
{
    return (unsigned)((d->x > 0) + (d->y > 0) + (d->z > 0) + (d->w > 0));
}

static size_t texel_bytes(const struct cudaChannelFormatDesc *d)
{
    return (size_t)(d->x + d->y + d->z + d->w) / 8;
}

/* Returns false if CUDA has no texels of the format. */
static bool texel_of(const struct cudaChannelFormatDesc *d, struct wire_texel *out)
{
    /* Index of the size within a kind of texel. */
    unsigned size = d->x == 8 ? 0 : d->x == 16 ? 1 : 2;
    unsigned n = channels_of(d);
    if (d->x != 8 && d->x != 16 && d->x != 32) return false;
    if ((d->y && d->y != d->x) || (d->z && d->z != d->x) || (d->w && d->w != d->x)) return false;
    if (n == 3 || d->f > cudaChannelFormatKindFloat) return false;
    if (d->f == cudaChannelFormatKindFloat && !size) return false;
    out->channels = n;
    out->type = d->f == cudaChannelFormatKindFloat    ? 5 + size
                : d->f == cudaChannelFormatKindSigned ? 3 + size
                                                      : size;
    return true;
}

/* ---- arrays ---- */

enum { FLAGS_KNOWN = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                     cudaArrayTextureGather | cudaArrayColorAttachment };

static cudaError_t array_new(struct cudaArray *out, const struct cudaChannelFormatDesc *desc,
                             struct cudaExtent e, unsigned int levels, unsigned int flags)
{
    struct wire_array w = {.levels = levels, .width = (uint32_t)e.width,
                           .height = (uint32_t)e.height, .depth = (uint32_t)e.depth};
    cudaError_t error = corun_may_be_unsafe();
    if (error) return error;
    if (flags & ~(unsigned)FLAGS_KNOWN) return corun_missing("an array with unknown flags");
    if (!texel_of(desc, &w.texel)) return cudaErrorInvalidChannelDescriptor;
    if (e.width > UINT32_MAX || e.height > UINT32_MAX || e.depth > UINT32_MAX)
        return cudaErrorInvalidValue;
    if (flags & cudaArrayLayered) w.flags |= WIRE_LAYERED;
    if (flags & cudaArrayCubemap) w.flags |= WIRE_CUBE;
    struct corun_call c = {.call = CALL_ARRAY_NEW, .payload = &w, .payload_bytes = sizeof w};
    error = corun_do(&c);
    *out = (struct cudaArray){c.got[0], *desc, e, flags, 0};
    return error;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags)
{
    if (!array || !desc) return corun_note(cudaErrorInvalidValue);
    *array = calloc(1, sizeof **array);
    if (!*array) return corun_note(cudaErrorMemoryAllocation);
    cudaError_t error = array_new(*array, desc, extent, 1, flags);
    if (error) {
        free(*array);
        *array = NULL;
    }
    return corun_note(error);
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags)
{
    return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    if (!array) return cudaSuccess;
    cudaError_t error = corun_may_be_unsafe();
    if (error) return corun_note(error);
    error = corun_simple(.call = CALL_ARRAY_FREE, .at = {array->array});
    free(array);
    return corun_note(error);
}

static size_t halved(size_t extent, unsigned level)
{
    return extent >> level ? extent >> level : extent != 0;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmapped,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent e, unsigned int levels, unsigned int flags)
{
    if (!mipmapped || !desc || !levels) return corun_note(cudaErrorInvalidValue);
    unsigned most = 1;
    while (most < LEVELS_MAX && (e.width >> most || e.height >> most || e.depth >> most)) most++;
    if (levels > most) levels = most;
    struct cudaMipmappedArray *m = calloc(1, sizeof *m);
    if (!m) return corun_note(cudaErrorMemoryAllocation);
    cudaError_t error = array_new(&m->levels[0], desc, e, levels, flags);
    m->level_n = levels;
    for (unsigned i = 1; i < levels; i++) {
        struct cudaArray *a = &m->levels[i];
        *a = m->levels[0];
        a->level = i;
        a->extent.width = halved(e.width, i);
        a->extent.height = halved(e.height, i);
        if (!(flags & (cudaArrayLayered | cudaArrayCubemap))) a->extent.depth = halved(e.depth, i);
    }
    *mipmapped = error ? NULL : m;
    if (error) free(m);
    return corun_note(error);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t m)
{
    if (!m) return cudaSuccess;
    cudaError_t error = corun_may_be_unsafe();
    if (error) return corun_note(error);
    error = corun_simple(.call = CALL_ARRAY_FREE, .at = {m->levels[0].array});
    free(m);
    return corun_note(error);
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_const_t m,
                                       unsigned int level)
{
    if (!array || !m || level >= m->level_n) return corun_note(cudaErrorInvalidValue);
    *array = corun_pointer(corun_address(&m->levels[level]));
    return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array)
{
    if (!array) return corun_note(cudaErrorInvalidValue);
    if (desc) *desc = array->desc;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    if (!array || !desc) return corun_note(cudaErrorInvalidValue);
    *desc = array->desc;
    return cudaSuccess;
}

/* ---- copies ---- */

static void move_rows(unsigned char *packed, const struct wire_place *p,
                      const struct wire_array_copy *w, bool from_packed)
{
    for (uint64_t z = 0; z < w->depth; z++) {
        for (uint64_t y = 0; y < w->height; y++, packed += w->width) {
            unsigned char *row = corun_pointer(p->address + p->x_bytes + (p->y + y) * p->pitch +
                                               (p->z + z) * p->pitch * p->rows);
            memcpy(from_packed ? row : packed, from_packed ? packed : row, w->width);
        }
    }
}

static cudaError_t copy(struct wire_array_copy *w, cudaStream_t stream)
{
    uint64_t bytes = w->width * w->height * w->depth;
    if (!bytes) return cudaSuccess;
    cudaError_t error = corun_may_queue(corun_stream(stream));
    if (error) return error;
    if (corun_is_captured(corun_stream(stream)))
        return corun_missing("a copy of arrays in a graph");
    if (bytes > WIRE_PAYLOAD_MAX / 2) return cudaErrorInvalidValue;
    unsigned char *packed = w->to.host || w->from.host ? malloc(bytes) : NULL;
    struct corun_call c = {.call = CALL_ARRAY_COPY, .at = {corun_stream(stream)}, .payload = w,
                           .payload_bytes = sizeof *w};
    if ((w->to.host || w->from.host) && !packed) return cudaErrorMemoryAllocation;
    if (w->from.host) {
        move_rows(packed, &w->from, w, false);
        c.more = packed;
        c.more_bytes = bytes;
    }
    if (w->to.host) {
        c.out = packed;
        c.out_bytes = bytes;
    }
    error = corun_do(&c);
    if (!error && w->to.host) move_rows(packed, &w->to, w, true);
    free(packed);
    return error;
}

static struct wire_place in_array(cudaArray_const_t a, size_t x_bytes, size_t y, size_t z)
{
    return (struct wire_place){.array = a->array, .level = a->level, .x_bytes = x_bytes, .y = y,
                               .z = z};
}

static struct wire_place in_memory(const void *p, size_t pitch, size_t rows)
{
    return (struct wire_place){.host = !corun_is_device(p), .address = corun_address(p),
                               .pitch = pitch, .rows = rows};
}

static cudaError_t copy_2d(struct wire_place to, struct wire_place from, size_t width,
                           size_t height, cudaStream_t stream)
{
    struct wire_array_copy w = {to, from, width, height, 1};
    return corun_note(copy(&w, stream));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)kind;
    if (!to || !from || width > pitch) return corun_note(cudaErrorInvalidValue);
    return copy_2d(in_array(to, x, y, 0), in_memory(from, pitch, height), width, height, stream);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, NULL);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)kind;
    if (!to || !from || width > pitch) return corun_note(cudaErrorInvalidValue);
    return copy_2d(in_memory(to, pitch, height), in_array(from, x, y, 0), width, height, stream);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, NULL);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    (void)kind;
    if (!to || !from) return corun_note(cudaErrorInvalidValue);
    return copy_2d(in_array(to, to_x, to_y, 0), in_array(from, from_x, from_y, 0), width, height,
                   NULL);
}

/* Copies `count` bytes in the row order of an array: the rest of the first row, whole rows, a part
 * of the last row. */
static cudaError_t copy_run(cudaArray_const_t array, size_t x, size_t y, const void *memory,
                            size_t count, bool to_array, cudaStream_t stream)
{
    if (!array || !memory) return corun_note(cudaErrorInvalidValue);
    const size_t row = array->extent.width * texel_bytes(&array->desc);
    const char *at = memory;
    while (count) {
        size_t rows = x || count < row ? 1 : count / row;
        size_t width = row - x < count ? row - x : count;
        if (x >= row) return corun_note(cudaErrorInvalidValue);
        struct wire_place a = in_array(array, x, y, 0), m = in_memory(at, width, rows);
        cudaError_t error = copy_2d(to_array ? a : m, to_array ? m : a, width, rows, stream);
        if (error) return error;
        at += width * rows;
        count -= width * rows;
        y += rows;
        x = 0;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t count,
                                   enum cudaMemcpyKind kind)
{
    if (!to || !from) return corun_note(cudaErrorInvalidValue);
    const size_t to_row = to->extent.width * texel_bytes(&to->desc);
    const size_t from_row = from->extent.width * texel_bytes(&from->desc);
    while (count) { /* copies the rest of a row common to both arrays */
        if (to_x >= to_row || from_x >= from_row) return corun_note(cudaErrorInvalidValue);
        size_t n = to_row - to_x < from_row - from_x ? to_row - to_x : from_row - from_x;
        if (n > count) n = count;
        cudaError_t error = cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, n, 1,
                                                     kind);
        if (error) return error;
        count -= n;
        to_y += (to_x += n) == to_row;
        from_y += (from_x += n) == from_row;
        to_x %= to_row;
        from_x %= from_row;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)kind;
    return copy_run(to, x, y, from, count, true, stream);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                              enum cudaMemcpyKind kind)
{
    return cudaMemcpyToArrayAsync(to, x, y, from, count, kind, NULL);
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)kind;
    return copy_run(from, x, y, to, count, false, stream);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                enum cudaMemcpyKind kind)
{
    return cudaMemcpyFromArrayAsync(to, from, x, y, count, kind, NULL);
}

/* Source: CUDA run-time API, cudaMemcpy3D: positions are in elements of the object; the width of
 * the extent is in elements of an array if an array takes part, else in bytes. */
cudaError_t corun_copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    size_t width = p->extent.width;
    struct wire_array_copy w = {.height = p->extent.height, .depth = p->extent.depth};
    if (p->srcArray) {
        size_t bytes = texel_bytes(&p->srcArray->desc);
        w.from = in_array(p->srcArray, p->srcPos.x * bytes, p->srcPos.y, p->srcPos.z);
        w.width = width * bytes;
    } else {
        w.from = in_memory(p->srcPtr.ptr, p->srcPtr.pitch, p->srcPtr.ysize);
    }
    if (p->dstArray) {
        size_t bytes = texel_bytes(&p->dstArray->desc);
        w.to = in_array(p->dstArray, p->dstPos.x * bytes, p->dstPos.y, p->dstPos.z);
        w.width = width * bytes;
    } else {
        w.to = in_memory(p->dstPtr.ptr, p->dstPtr.pitch, p->dstPtr.ysize);
    }
    cudaError_t error = corun_pitches_fit(p, w.width);
    if (error) return corun_note(error);
    if (!p->srcArray) {
        w.from.x_bytes = p->srcPos.x;
        w.from.y = p->srcPos.y;
        w.from.z = p->srcPos.z;
    }
    if (!p->dstArray) {
        w.to.x_bytes = p->dstPos.x;
        w.to.y = p->dstPos.y;
        w.to.z = p->dstPos.z;
    }
    return corun_note(copy(&w, stream));
}

/* ---- textures and surfaces ---- */

static struct object { /* descriptions that a program can query */
    unsigned long long handle;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
} *objects;
static size_t object_n;

static const struct object *object_find(unsigned long long handle)
{
    for (size_t i = 0; i < object_n; i++)
        if (objects[i].handle == handle) return &objects[i];
    return NULL;
}

static cudaError_t object_new(unsigned long long *handle, const struct wire_texture *w,
                              const struct cudaResourceDesc *r, const struct cudaTextureDesc *t)
{
    struct corun_call c = {.call = CALL_TEXTURE_NEW, .payload = w, .payload_bytes = sizeof *w};
    cudaError_t error = corun_do(&c);
    if (error) return corun_note(error);
    *handle = c.got[0];
    objects = realloc(objects, (object_n + 1) * sizeof *objects);
    if (!objects) abort();
    struct object *o = &objects[object_n++];
    memset(o, 0, sizeof *o);
    o->handle = *handle;
    o->resource = *r;
    if (t) o->texture = *t;
    return cudaSuccess;
}

static cudaError_t object_free(unsigned long long handle)
{
    const struct object *o = object_find(handle);
    if (!o) return corun_note(cudaErrorInvalidValue);
    objects[o - objects] = objects[--object_n];
    return corun_note(corun_simple(.call = CALL_TEXTURE_FREE, .at = {handle}));
}

/* Converts the resource of a texture. Returns false if the resource is invalid. */
static bool resource_of(const struct cudaResourceDesc *r, struct wire_texture *w)
{
    const struct cudaArray *a = NULL;
    switch (r->resType) {
    case cudaResourceTypeLinear:
        w->kind = WIRE_LINEAR;
        w->address = corun_address(r->res.linear.devPtr);
        if (!texel_of(&r->res.linear.desc, &w->texel)) return false;
        w->width = (uint32_t)(r->res.linear.sizeInBytes / texel_bytes(&r->res.linear.desc));
        return true;
    case cudaResourceTypePitch2D:
        w->kind = WIRE_PITCH;
        w->address = corun_address(r->res.pitch2D.devPtr);
        w->width = (uint32_t)r->res.pitch2D.width;
        w->height = (uint32_t)r->res.pitch2D.height;
        w->pitch = r->res.pitch2D.pitchInBytes;
        return texel_of(&r->res.pitch2D.desc, &w->texel);
    case cudaResourceTypeArray: a = r->res.array.array; break;
    case cudaResourceTypeMipmappedArray:
        if (r->res.mipmap.mipmap) a = &r->res.mipmap.mipmap->levels[0];
        break;
    default: return false;
    }
    if (!a || a->level) return false;
    w->kind = WIRE_ARRAY;
    w->address = a->array;
    return true;
}

cudaError_t corun_texture(const struct cudaResourceDesc *r, const struct cudaTextureDesc *t,
                          struct wire_texture *w)
{
    *w = (struct wire_texture){.kind = WIRE_LINEAR};
    if (!resource_of(r, w)) return cudaErrorInvalidValue;
    if (t->sRGB) return corun_missing("a texture with sRGB conversion");
    for (int i = 0; i < 3; i++) w->address_mode[i] = t->addressMode[i];
    w->filter = t->filterMode;
    w->level_filter = t->mipmapFilterMode;
    w->normalized_coordinates = t->normalizedCoords != 0;
    w->normalized_float = t->readMode == cudaReadModeNormalizedFloat;
    memcpy(w->border, t->borderColor, sizeof w->border);
    w->level_bias = t->mipmapLevelBias;
    w->level_least = t->minMipmapLevelClamp;
    w->level_most = t->maxMipmapLevelClamp;
    return cudaSuccess;
}

/* True if linear memory starts where a texture may start: less strict than
 * cudaDevAttrTextureAlignment, because allocations are aligned to 256 bytes and all of them may be
 * textures. */
static bool is_aligned(const struct cudaResourceDesc *r)
{
    enum { BASE = 256, PITCH = 32 };
    if (r->resType == cudaResourceTypeLinear) return !(corun_address(r->res.linear.devPtr) % BASE);
    if (r->resType != cudaResourceTypePitch2D) return true;
    return !(corun_address(r->res.pitch2D.devPtr) % BASE || r->res.pitch2D.pitchInBytes % PITCH);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *r,
                                    const struct cudaTextureDesc *t,
                                    const struct cudaResourceViewDesc *view)
{
    struct wire_texture w;
    if (!texture || !r || !t || !is_aligned(r)) return corun_note(cudaErrorInvalidValue);
    if (view && view->format != cudaResViewFormatNone)
        return corun_missing("cudaCreateTextureObject with a view");
    cudaError_t error = corun_texture(r, t, &w);
    return error ? corun_note(error) : object_new(texture, &w, r, t);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) { return object_free(texture); }

cudaError_t corun_surface(const struct cudaResourceDesc *r, struct wire_texture *w)
{
    *w = (struct wire_texture){.kind = WIRE_LINEAR};
    if (r->resType != cudaResourceTypeArray || !resource_of(r, w) ||
        !(r->res.array.array->flags & cudaArraySurfaceLoadStore))
        return cudaErrorInvalidValue;
    w->kind = WIRE_SURFACE;
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *r)
{
    struct wire_texture w;
    cudaError_t error = surface && r ? corun_surface(r, &w) : cudaErrorInvalidValue;
    return error ? corun_note(error) : object_new(surface, &w, r, NULL);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) { return object_free(surface); }

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *r, cudaTextureObject_t of)
{
    const struct object *o = object_find(of);
    if (!o || !r) return corun_note(cudaErrorInvalidValue);
    *r = o->resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *t, cudaTextureObject_t of)
{
    const struct object *o = object_find(of);
    if (!o || !t) return corun_note(cudaErrorInvalidValue);
    *t = o->texture;
    return cudaSuccess;
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *r, cudaSurfaceObject_t of)
{
    return cudaGetTextureObjectResourceDesc(r, of);
}

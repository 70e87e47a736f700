/* Texture and surface references, part of CUDA before version 12: variables of a module to which
 * the host binds memory or arrays. */
#include "cuda/runtime/reference.h"

#include "cuda/connection/client.h"
#include "cuda/connection/error.h"
#include "cuda/connection/module.h"
#include "cuda/runtime/array.h"

cudaError_t corun_bind(uint64_t handle, const struct wire_texture *w)
{
    struct corun_call c = {.call = CALL_BIND, .at = {handle}, .payload = w,
                           .payload_bytes = w ? sizeof *w : 0};
    return corun_do(&c);
}

/* Source: CUDA run-time API, cudaBindTexture: a texture begins at a multiple of the texture
 * alignment, and allocations of cudaMalloc are aligned. A caller that binds any other address must
 * accept an offset. */
cudaError_t corun_texture_begin(uint64_t *address, size_t *bytes, size_t *offset)
{
    const struct wire_device *d = corun_device();
    struct corun_call c = {.call = CALL_POINTER, .at = {*address}};
    cudaError_t error = corun_do(&c);
    if (error) return error;
    size_t step = (size_t)d->attributes[cudaDevAttrTextureAlignment];
    size_t over = (size_t)(*address - c.got[0]) % step;
    uint64_t left = c.got[0] + c.got[1] - *address;
    if (over && !offset) return cudaErrorInvalidValue;
    if (offset) *offset = over;
    *bytes = over + (*bytes < left ? *bytes : left);
    *address -= over;
    return cudaSuccess;
}

#if CUDART_VERSION < 12000
#include <stdlib.h>
#include <string.h>

struct host_reference {
    const void *host;
    struct CUmod_st *module;
    const char *name;
    bool surface, normalized_float;
    uint64_t handle; /* 0: not requested yet */
    bool bound;
    size_t offset; /* distance of the bound memory from the start of the texture */
};
static struct host_reference *list;
static size_t list_n;

static void add(struct host_reference one)
{
    list = realloc(list, (list_n + 1) * sizeof *list);
    if (!list) abort();
    list[list_n++] = one;
}

void __cudaRegisterTexture(void **module, const struct textureReference *host, const void **device,
                           const char *name, int dimensions, int normalized_float, int external)
{
    (void)device, (void)dimensions, (void)external;
    add((struct host_reference){.host = host, .module = (struct CUmod_st *)module, .name = name,
                           .normalized_float = normalized_float != 0});
}

void __cudaRegisterSurface(void **module, const struct surfaceReference *host, const void **device,
                           const char *name, int dimensions, int external)
{
    (void)device, (void)dimensions, (void)external;
    add((struct host_reference){.host = host, .module = (struct CUmod_st *)module, .name = name,
                           .surface = true});
}

static struct host_reference *find(const void *host)
{
    for (size_t i = 0; i < list_n; i++)
        if (list[i].host == host) return &list[i];
    return NULL;
}

cudaError_t cudaGetTextureReference(const struct textureReference **texture, const void *symbol)
{
    if (!texture) return corun_note(cudaErrorInvalidValue);
    *texture = find(symbol) ? symbol : NULL;
    return corun_note(*texture ? cudaSuccess : cudaErrorInvalidTexture);
}

cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surface, const void *symbol)
{
    if (!surface) return corun_note(cudaErrorInvalidValue);
    *surface = find(symbol) ? symbol : NULL;
    return corun_note(*surface ? cudaSuccess : cudaErrorInvalidSurface);
}

/* ---- binding ---- */

static cudaError_t bind(struct host_reference *ref, const struct wire_texture *w)
{
    cudaError_t error = cudaSuccess;
    if (!ref->handle)
        error = corun_find_reference(ref->module, ref->name, ref->surface, &ref->handle);
    if (!error) error = corun_bind(ref->handle, w);
    if (!error) ref->bound = w != NULL;
    return error;
}

static cudaError_t bind_texture(const struct textureReference *t, const struct cudaResourceDesc *r,
                                size_t offset)
{
    struct host_reference *ref = find(t);
    struct wire_texture w;
    if (!ref) return corun_note(cudaErrorInvalidTexture);
    const struct cudaTextureDesc how = {
        .addressMode = {t->addressMode[0], t->addressMode[1], t->addressMode[2]},
        .filterMode = t->filterMode,
        .readMode = ref->normalized_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
        .sRGB = t->sRGB,
        .normalizedCoords = t->normalized,
        .mipmapFilterMode = t->mipmapFilterMode,
        .mipmapLevelBias = t->mipmapLevelBias,
        .minMipmapLevelClamp = t->minMipmapLevelClamp,
        .maxMipmapLevelClamp = t->maxMipmapLevelClamp};
    cudaError_t error = corun_texture(r, &how, &w);
    if (!error) error = bind(ref, &w);
    if (!error) ref->offset = offset;
    return corun_note(error);
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture,
                            const void *pointer, const struct cudaChannelFormatDesc *desc,
                            size_t size)
{
    uint64_t at = corun_address(pointer);
    if (!pointer || !desc) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_texture_begin(&at, &size, offset); /* size: often UINT_MAX */
    if (error) return corun_note(error);
    struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear};
    r.res.linear.devPtr = corun_pointer(at);
    r.res.linear.desc = *desc;
    r.res.linear.sizeInBytes = size;
    return bind_texture(texture, &r, corun_address(pointer) - at);
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture,
                              const void *pointer, const struct cudaChannelFormatDesc *desc,
                              size_t width, size_t height, size_t pitch)
{
    uint64_t at = corun_address(pointer);
    size_t bytes = 0;
    if (!pointer || !desc) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_texture_begin(&at, &bytes, offset);
    if (error) return corun_note(error);
    size_t texel = (size_t)(desc->x + desc->y + desc->z + desc->w) / 8;
    size_t over = corun_address(pointer) - at;
    struct cudaResourceDesc r = {.resType = cudaResourceTypePitch2D};
    r.res.pitch2D.devPtr = corun_pointer(at);
    r.res.pitch2D.desc = *desc;
    r.res.pitch2D.width = width + (texel ? over / texel : 0);
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    return bind_texture(texture, &r, over);
}

cudaError_t cudaBindTextureToArray(const struct textureReference *texture, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
    (void)desc;
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
    r.res.array.array = corun_pointer(corun_address(array));
    return bind_texture(texture, &r, 0);
}

cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *texture,
                                            cudaMipmappedArray_const_t array,
                                            const struct cudaChannelFormatDesc *desc)
{
    (void)desc;
    struct cudaResourceDesc r = {.resType = cudaResourceTypeMipmappedArray};
    r.res.mipmap.mipmap = corun_pointer(corun_address(array));
    return bind_texture(texture, &r, 0);
}

cudaError_t cudaUnbindTexture(const struct textureReference *texture)
{
    struct host_reference *ref = find(texture);
    return corun_note(ref ? bind(ref, NULL) : cudaErrorInvalidTexture);
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texture)
{
    const struct host_reference *ref = find(texture);
    if (!offset) return corun_note(cudaErrorInvalidValue);
    if (!ref) return corun_note(cudaErrorInvalidTexture);
    if (!ref->bound) return corun_note(cudaErrorInvalidTextureBinding);
    *offset = ref->offset;
    return cudaSuccess;
}

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surface, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
    (void)desc;
    struct host_reference *ref = find(surface);
    struct wire_texture w;
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
    r.res.array.array = corun_pointer(corun_address(array));
    if (!ref) return corun_note(cudaErrorInvalidSurface);
    cudaError_t error = corun_surface(&r, &w);
    return corun_note(error ? error : bind(ref, &w));
}
#endif

/* Texture and surface references of modules. Settings of a reference take effect when a kernel of
 * its module is next launched, because only all settings together describe a texture. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/connection/module.h"
#include "cuda/driver/driver.h"
#include "cuda/runtime/array.h"
#include "cuda/runtime/reference.h"

struct CUtexref_st {
    CUmodule module;
    uint64_t handle;
    bool surface;
    /* bound: to memory or an array; changed: since the last notification of the simulator. */
    bool bound, changed;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC how;
    CUarray_format format; /* of linear memory */
    unsigned channels;
    CUtexref next;
};
struct CUsurfref_st {
    struct CUtexref_st as;
};
static CUtexref list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the same object for the same reference each time. */
static CUresult find(CUmodule module, const char *name, bool surface, CUtexref *out)
{
    uint64_t handle;
    if (!module || !name) return cudaErrorInvalidValue;
    cudaError_t error = corun_find_reference(module, name, surface, &handle);
    if (error) return result(error);
    pthread_mutex_lock(&lock);
    CUtexref r = list;
    while (r && r->handle != handle) r = r->next;
    if (!r) {
        r = calloc(1, sizeof(struct CUsurfref_st));
        if (!r) abort();
        *r = (struct CUtexref_st){.module = module, .handle = handle, .surface = surface,
                                  .next = list};
        for (int i = 0; i < 3; i++) r->how.addressMode[i] = cudaAddressModeClamp;
        list = r;
    }
    pthread_mutex_unlock(&lock);
    *out = r;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetTexRef(CUtexref *texture, CUmodule module, const char *name)
{
    return texture ? find(module, name, false, texture) : cudaErrorInvalidValue;
}

CUresult cuModuleGetSurfRef(CUsurfref *surface, CUmodule module, const char *name)
{
    CUtexref r = NULL;
    CUresult error = surface ? find(module, name, true, &r) : cudaErrorInvalidValue;
    if (!error) *surface = (CUsurfref)r;
    return error;
}

static CUresult bind(CUtexref r)
{
    struct cudaResourceDesc resource;
    struct cudaTextureDesc how;
    struct wire_texture w;
    if (r->resource.resType == cudaResourceTypeLinear) {
        r->resource.res.linear.format = r->format;
        r->resource.res.linear.numChannels = r->channels;
    }
    driver_texture(&r->resource, &r->how, &resource, &how);
    cudaError_t error = r->surface ? corun_surface(&resource, &w)
                                   : corun_texture(&resource, &how, &w);
    if (!error) error = corun_bind(r->handle, &w);
    r->changed = error != cudaSuccess;
    return error;
}

CUresult driver_bind(CUmodule module)
{
    CUresult error = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    for (CUtexref r = list; r && !error; r = r->next)
        if (r->module == module && r->bound && r->changed) error = bind(r);
    pthread_mutex_unlock(&lock);
    return error;
}

void driver_forget_array(const void *array)
{
    pthread_mutex_lock(&lock);
    for (CUtexref r = list; r; r = r->next) {
        const CUDA_RESOURCE_DESC *of = &r->resource;
        if (of->resType == cudaResourceTypeArray ? of->res.array.hArray == array
            : of->resType == cudaResourceTypeMipmappedArray &&
                  of->res.mipmap.hMipmappedArray == array)
            r->bound = false;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- bound memory and arrays ---- */

static CUresult set_resource(CUtexref r, const CUDA_RESOURCE_DESC *of)
{
    r->resource = *of;
    r->bound = r->changed = true;
    return CUDA_SUCCESS;
}

static CUresult set_array(CUtexref r, CUarray array)
{
    const CUDA_RESOURCE_DESC of = {.resType = cudaResourceTypeArray, .res.array.hArray = array};
    CUDA_ARRAY3D_DESCRIPTOR d;
    if (!r || cuArray3DGetDescriptor_v2(&d, array)) return cudaErrorInvalidValue;
    r->format = d.Format;
    r->channels = d.NumChannels;
    return set_resource(r, &of);
}

CUresult cuTexRefSetArray(CUtexref texture, CUarray array, unsigned int flags)
{
    return flags == CU_TRSA_OVERRIDE_FORMAT ? set_array(texture, array) : cudaErrorInvalidValue;
}

CUresult cuSurfRefSetArray(CUsurfref surface, CUarray array, unsigned int flags)
{
    if (!surface || flags) return cudaErrorInvalidValue;
    return set_array(&surface->as, array);
}

CUresult cuTexRefSetMipmappedArray(CUtexref r, CUmipmappedArray array, unsigned int flags)
{
    const CUDA_RESOURCE_DESC of = {.resType = cudaResourceTypeMipmappedArray,
                                   .res.mipmap.hMipmappedArray = array};
    CUarray first;
    if (!array || flags != CU_TRSA_OVERRIDE_FORMAT) return cudaErrorInvalidValue;
    CUresult error = cuMipmappedArrayGetLevel(&first, array, 0);
    if (!error) error = set_array(r, first); /* sets the format */
    return error ? error : set_resource(r, &of);
}

CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref r, CUdeviceptr address, size_t bytes)
{
    uint64_t at = address;
    CUDA_RESOURCE_DESC of = {.resType = cudaResourceTypeLinear};
    if (!r) return cudaErrorInvalidValue;
    cudaError_t error = corun_texture_begin(&at, &bytes, offset);
    if (error) return error;
    of.res.linear.devPtr = at;
    of.res.linear.sizeInBytes = bytes;
    return set_resource(r, &of);
}

CUresult cuTexRefSetAddress2D_v3(CUtexref r, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr address,
                                 size_t pitch)
{
    uint64_t at = address;
    size_t bytes = 0;
    CUDA_RESOURCE_DESC of = {.resType = cudaResourceTypePitch2D};
    int step;
    if (!r || !d) return cudaErrorInvalidValue;
    cudaError_t error = cudaDeviceGetAttribute(&step, cudaDevAttrTexturePitchAlignment, 0);
    if (!error && pitch % (size_t)step) error = cudaErrorInvalidValue;
    if (!error) error = corun_texture_begin(&at, &bytes, NULL);
    if (error) return error;
    of.res.pitch2D.devPtr = at;
    of.res.pitch2D.format = r->format = d->Format;
    of.res.pitch2D.numChannels = r->channels = d->NumChannels;
    of.res.pitch2D.width = d->Width;
    of.res.pitch2D.height = d->Height;
    of.res.pitch2D.pitchInBytes = pitch;
    return set_resource(r, &of);
}

CUresult cuTexRefSetAddress2D_v2(CUtexref r, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr address,
                                 size_t pitch)
{
    return cuTexRefSetAddress2D_v3(r, d, address, pitch);
}

static bool is_bound(CUtexref r, enum cudaResourceType type)
{
    return r && r->bound && r->resource.resType == type;
}

CUresult cuTexRefGetArray(CUarray *array, CUtexref r)
{
    if (!array || !is_bound(r, cudaResourceTypeArray)) return cudaErrorInvalidValue;
    *array = r->resource.res.array.hArray;
    return CUDA_SUCCESS;
}

CUresult cuSurfRefGetArray(CUarray *array, CUsurfref surface)
{
    return surface ? cuTexRefGetArray(array, &surface->as) : cudaErrorInvalidValue;
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *array, CUtexref r)
{
    if (!array || !is_bound(r, cudaResourceTypeMipmappedArray)) return cudaErrorInvalidValue;
    *array = r->resource.res.mipmap.hMipmappedArray;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr *address, CUtexref r)
{
    bool linear = is_bound(r, cudaResourceTypeLinear);
    if (!address || !(linear || is_bound(r, cudaResourceTypePitch2D))) return cudaErrorInvalidValue;
    *address = linear ? r->resource.res.linear.devPtr : r->resource.res.pitch2D.devPtr;
    return CUDA_SUCCESS;
}

/* ---- sampling parameters ---- */

/* Body of a setter: the error condition and the assignment. */
#define SET(wrong, does)                                                                           \
    do {                                                                                           \
        if (!r || (wrong)) return cudaErrorInvalidValue;                                           \
        does;                                                                                      \
        r->changed = true;                                                                         \
        return CUDA_SUCCESS;                                                                       \
    } while (0)
#define GET(wrong, does)                                                                           \
    do {                                                                                           \
        if (!r || (wrong)) return cudaErrorInvalidValue;                                           \
        does;                                                                                      \
        return CUDA_SUCCESS;                                                                       \
    } while (0)

CUresult cuTexRefSetFormat(CUtexref r, CUarray_format format, int channels)
{
    SET((channels != 1 && channels != 2 && channels != 4) || is_bound(r, cudaResourceTypePitch2D),
        (r->format = format, r->channels = (unsigned)channels));
}

CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref r)
{
    GET(!format && !channels, {
        if (format) *format = r->format;
        if (channels) *channels = (int)r->channels;
    });
}

CUresult cuTexRefSetAddressMode(CUtexref r, int dimension, enum cudaTextureAddressMode mode)
{
    SET(dimension < 0 || dimension > 2 || mode > cudaAddressModeBorder,
        r->how.addressMode[dimension] = mode);
}

CUresult cuTexRefGetAddressMode(enum cudaTextureAddressMode *mode, CUtexref r, int dimension)
{
    GET(!mode || dimension < 0 || dimension > 2, *mode = r->how.addressMode[dimension]);
}

CUresult cuTexRefSetFilterMode(CUtexref r, enum cudaTextureFilterMode mode)
{
    SET(mode > cudaFilterModeLinear, r->how.filterMode = mode);
}

CUresult cuTexRefGetFilterMode(enum cudaTextureFilterMode *mode, CUtexref r)
{
    GET(!mode, *mode = r->how.filterMode);
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref r, enum cudaTextureFilterMode mode)
{
    SET(mode > cudaFilterModeLinear, r->how.mipmapFilterMode = mode);
}

CUresult cuTexRefGetMipmapFilterMode(enum cudaTextureFilterMode *mode, CUtexref r)
{
    GET(!mode, *mode = r->how.mipmapFilterMode);
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref r, float bias)
{
    SET(false, r->how.mipmapLevelBias = bias);
}

CUresult cuTexRefGetMipmapLevelBias(float *bias, CUtexref r)
{
    GET(!bias, *bias = r->how.mipmapLevelBias);
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref r, float least, float most)
{
    SET(false, (r->how.minMipmapLevelClamp = least, r->how.maxMipmapLevelClamp = most));
}

CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref r)
{
    GET(!least || !most,
        (*least = r->how.minMipmapLevelClamp, *most = r->how.maxMipmapLevelClamp));
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref r, unsigned int most)
{
    SET(false, r->how.maxAnisotropy = most);
}

CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref r)
{
    GET(!most, *most = (int)r->how.maxAnisotropy);
}

CUresult cuTexRefSetBorderColor(CUtexref r, float *color)
{
    SET(!color, memcpy(r->how.borderColor, color, sizeof r->how.borderColor));
}

CUresult cuTexRefGetBorderColor(float *color, CUtexref r)
{
    GET(!color, memcpy(color, r->how.borderColor, sizeof r->how.borderColor));
}

CUresult cuTexRefSetFlags(CUtexref r, unsigned int flags)
{
    const unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                           CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
    SET(flags & ~known, r->how.flags = flags);
}

CUresult cuTexRefGetFlags(unsigned int *flags, CUtexref r) { GET(!flags, *flags = r->how.flags); }

/* Source: CUDA driver API, cuParamSetTexRef: the texture references of a module are available to
 * its kernels in any case. */
CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref r)
{
    bool right = function && unit == CU_PARAM_TR_DEFAULT && r;
    return right ? CUDA_SUCCESS : cudaErrorInvalidValue;
}

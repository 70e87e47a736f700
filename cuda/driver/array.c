/* Arrays, textures and surfaces of the run-time API, described in the form of the driver API. */
#include "cuda/driver/driver.h"

static struct cudaChannelFormatDesc desc_of(CUarray_format format, unsigned channels)
{
    struct cudaChannelFormatDesc d = {0};
    int bits = 0;
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8: bits = 8; break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF: bits = 16; break;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT: bits = 32; break;
    }
    d.f = format >= CU_AD_FORMAT_HALF          ? cudaChannelFormatKindFloat
          : format >= CU_AD_FORMAT_SIGNED_INT8 ? cudaChannelFormatKindSigned
                                               : cudaChannelFormatKindUnsigned;
    d.x = bits;
    if (channels >= 2) d.y = bits;
    if (channels >= 3) d.z = bits;
    if (channels >= 4) d.w = bits;
    return d;
}

static CUarray_format format_of(const struct cudaChannelFormatDesc *d)
{
    if (d->f == cudaChannelFormatKindFloat)
        return d->x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    unsigned size = d->x == 8 ? 0 : d->x == 16 ? 1 : 2;
    unsigned first = d->f == cudaChannelFormatKindSigned ? CU_AD_FORMAT_SIGNED_INT8
                                                         : CU_AD_FORMAT_UNSIGNED_INT8;
    return (CUarray_format)(first + size);
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    if (!d) return cudaErrorInvalidValue;
    const struct cudaChannelFormatDesc desc = desc_of(d->Format, d->NumChannels);
    return cudaMalloc3DArray(array, &desc, (struct cudaExtent){d->Width, d->Height, d->Depth},
                             d->Flags);
}

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d)
{
    if (!d) return cudaErrorInvalidValue;
    const CUDA_ARRAY3D_DESCRIPTOR flat = {.Width = d->Width, .Height = d->Height,
                                          .Format = d->Format, .NumChannels = d->NumChannels};
    return cuArray3DCreate_v2(array, &flat);
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array)
{
    struct cudaChannelFormatDesc desc;
    struct cudaExtent e;
    unsigned flags;
    if (!d) return cudaErrorInvalidValue;
    CUresult error = cudaArrayGetInfo(&desc, &e, &flags, array);
    if (error) return error;
    unsigned channels = (unsigned)((desc.x > 0) + (desc.y > 0) + (desc.z > 0) + (desc.w > 0));
    *d = (CUDA_ARRAY3D_DESCRIPTOR){e.width, e.height, e.depth, format_of(&desc), channels, flags};
    return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR deep;
    if (!d) return cudaErrorInvalidValue;
    CUresult error = cuArray3DGetDescriptor_v2(&deep, array);
    if (error) return error;
    *d = (CUDA_ARRAY_DESCRIPTOR){deep.Width, deep.Height, deep.Format, deep.NumChannels};
    return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray array)
{
    driver_forget_array(array);
    return array ? cudaFreeArray(array) : cudaErrorInvalidResourceHandle;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                unsigned int levels)
{
    if (!d) return cudaErrorInvalidValue;
    const struct cudaChannelFormatDesc desc = desc_of(d->Format, d->NumChannels);
    const struct cudaExtent extent = {d->Width, d->Height, d->Depth};
    return cudaMallocMipmappedArray(array, &desc, extent, levels, d->Flags);
}

CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray of, unsigned int level)
{
    return cudaGetMipmappedArrayLevel(array, of, level);
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array)
{
    driver_forget_array(array);
    return array ? cudaFreeMipmappedArray(array) : cudaErrorInvalidResourceHandle;
}

/* ---- copies ---- */

/* Converts positions and widths from bytes to elements of an array. */
static CUresult elements(CUarray array, size_t *x, size_t *width)
{
    struct cudaChannelFormatDesc d;
    struct cudaExtent e;
    unsigned flags;
    CUresult error = cudaArrayGetInfo(&d, &e, &flags, array);
    if (error) return error;
    size_t bytes = (size_t)(d.x + d.y + d.z + d.w) / 8;
    if (*x % bytes || *width % bytes) return cudaErrorInvalidValue;
    *x /= bytes;
    *width /= bytes;
    return CUDA_SUCCESS;
}

static struct cudaPitchedPtr memory(CUmemorytype type, const void *host, CUdeviceptr device,
                                    size_t pitch, size_t rows, const CUDA_MEMCPY3D *c)
{
    uint64_t at = type == CU_MEMORYTYPE_HOST ? corun_address(host) : device;
    return (struct cudaPitchedPtr){corun_pointer(at), pitch ? pitch : c->WidthInBytes,
                                   c->WidthInBytes, rows ? rows : c->Height};
}

static CUresult copy(const CUDA_MEMCPY3D *c, bool waits, CUstream stream)
{
    if (!c) return cudaErrorInvalidValue;
    if (c->srcLOD || c->dstLOD) return corun_missing("cuMemcpy3D of a level of a mipmapped array");
    struct cudaMemcpy3DParms p = {.srcPos = {c->srcXInBytes, c->srcY, c->srcZ},
                                  .dstPos = {c->dstXInBytes, c->dstY, c->dstZ},
                                  .extent = {c->WidthInBytes, c->Height, c->Depth},
                                  .kind = cudaMemcpyDefault};
    size_t width = c->WidthInBytes;
    CUresult error = CUDA_SUCCESS;
    if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY) {
        p.srcArray = c->srcArray;
        error = elements(c->srcArray, &p.srcPos.x, &p.extent.width);
    } else {
        p.srcPtr = memory(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcPitch, c->srcHeight, c);
    }
    if (c->dstMemoryType == CU_MEMORYTYPE_ARRAY) {
        p.dstArray = c->dstArray;
        p.extent.width = width;
        if (!error) error = elements(c->dstArray, &p.dstPos.x, &p.extent.width);
    } else {
        p.dstPtr = memory(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstPitch, c->dstHeight, c);
    }
    if (error) return error;
    return waits ? cudaMemcpy3D(&p) : cudaMemcpy3DAsync(&p, stream);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c) { return copy(c, true, NULL); }

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream stream)
{
    return copy(c, false, stream);
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c, bool waits, CUstream stream)
{
    if (!c) return cudaErrorInvalidValue;
    const CUDA_MEMCPY3D deep = {
        .srcXInBytes = c->srcXInBytes, .srcY = c->srcY, .srcMemoryType = c->srcMemoryType,
        .srcHost = c->srcHost, .srcDevice = c->srcDevice, .srcArray = c->srcArray,
        .srcPitch = c->srcPitch, .dstXInBytes = c->dstXInBytes, .dstY = c->dstY,
        .dstMemoryType = c->dstMemoryType, .dstHost = c->dstHost, .dstDevice = c->dstDevice,
        .dstArray = c->dstArray, .dstPitch = c->dstPitch, .WidthInBytes = c->WidthInBytes,
        .Height = c->Height, .Depth = 1};
    return copy(&deep, waits, stream);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c) { return copy_2d(c, true, NULL); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c) { return copy_2d(c, true, NULL); }

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream)
{
    return copy_2d(c, false, stream);
}

/* ---- textures and surfaces ---- */

static struct cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC *r)
{
    struct cudaResourceDesc out = {.resType = r->resType};
    switch (r->resType) {
    case cudaResourceTypeArray: out.res.array.array = r->res.array.hArray; break;
    case cudaResourceTypeMipmappedArray:
        out.res.mipmap.mipmap = r->res.mipmap.hMipmappedArray;
        break;
    case cudaResourceTypeLinear:
        out.res.linear.devPtr = corun_pointer(r->res.linear.devPtr);
        out.res.linear.desc = desc_of(r->res.linear.format, r->res.linear.numChannels);
        out.res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        break;
    case cudaResourceTypePitch2D:
        out.res.pitch2D.devPtr = corun_pointer(r->res.pitch2D.devPtr);
        out.res.pitch2D.desc = desc_of(r->res.pitch2D.format, r->res.pitch2D.numChannels);
        out.res.pitch2D.width = r->res.pitch2D.width;
        out.res.pitch2D.height = r->res.pitch2D.height;
        out.res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        break;
    }
    return out;
}

/* Returns true for integer texels, read as integers or as normalized fractions. */
static bool is_integer(const struct cudaResourceDesc *r)
{
    struct cudaChannelFormatDesc d = {.f = cudaChannelFormatKindFloat};
    if (r->resType == cudaResourceTypeArray) {
        cudaGetChannelDesc(&d, r->res.array.array);
    } else if (r->resType == cudaResourceTypeMipmappedArray) {
        cudaArray_t first;
        if (!cudaGetMipmappedArrayLevel(&first, r->res.mipmap.mipmap, 0))
            cudaGetChannelDesc(&d, first);
    } else {
        d = r->resType == cudaResourceTypeLinear ? r->res.linear.desc : r->res.pitch2D.desc;
    }
    return d.f != cudaChannelFormatKindFloat && d.x < 32;
}

void driver_texture(const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *t,
                    struct cudaResourceDesc *resource, struct cudaTextureDesc *desc)
{
    *resource = resource_of(r);
    bool part_of_1 = !(t->flags & CU_TRSF_READ_AS_INTEGER) && is_integer(resource);
    *desc = (struct cudaTextureDesc){
        .addressMode = {t->addressMode[0], t->addressMode[1], t->addressMode[2]},
        .filterMode = t->filterMode,
        .readMode = part_of_1 ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
        .sRGB = !!(t->flags & CU_TRSF_SRGB),
        .borderColor = {t->borderColor[0], t->borderColor[1], t->borderColor[2], t->borderColor[3]},
        .normalizedCoords = !!(t->flags & CU_TRSF_NORMALIZED_COORDINATES),
        .maxAnisotropy = t->maxAnisotropy,
        .mipmapFilterMode = t->mipmapFilterMode,
        .mipmapLevelBias = t->mipmapLevelBias,
        .minMipmapLevelClamp = t->minMipmapLevelClamp,
        .maxMipmapLevelClamp = t->maxMipmapLevelClamp};
}

CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *r,
                           const CUDA_TEXTURE_DESC *t, const void *view)
{
    struct cudaResourceDesc resource;
    struct cudaTextureDesc desc;
    if (!texture || !r || !t) return cudaErrorInvalidValue;
    if (view) return corun_missing("cuTexObjectCreate with a resource view");
    driver_texture(r, t, &resource, &desc);
    return cudaCreateTextureObject(texture, &resource, &desc, NULL);
}

CUresult cuTexObjectDestroy(CUtexObject texture) { return cudaDestroyTextureObject(texture); }

CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *r)
{
    if (!surface || !r) return cudaErrorInvalidValue;
    const struct cudaResourceDesc resource = resource_of(r);
    return cudaCreateSurfaceObject(surface, &resource);
}

CUresult cuSurfObjectDestroy(CUsurfObject surface) { return cudaDestroySurfaceObject(surface); }

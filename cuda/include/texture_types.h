/* Texture references, part of CUDA before version 12, and boundary modes of surfaces. */
#ifndef CORUN_TEXTURE_TYPES_H
#define CORUN_TEXTURE_TYPES_H

#include "driver_types.h"
#include "host_defines.h"

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0c
#define cudaTextureType1DLayered 0xf1
#define cudaTextureType2DLayered 0xf2
#define cudaTextureTypeCubemapLayered 0xfc

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };

#ifdef __CUDA__
template <class _Tp> static inline struct cudaChannelFormatDesc cudaCreateChannelDesc();

template <class _Tp, int type = cudaTextureType1D,
          enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
    texture(int normal = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
            enum cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(normal, filter, address, cudaCreateChannelDesc<_Tp>())
    {
    }
    texture(int normal, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address,
            struct cudaChannelFormatDesc desc)
        : textureReference{normal, filter, {address, address, address}, desc}
    {
    }
};

template <class _Tp, int type, enum cudaTextureReadMode mode> static inline cudaError_t
cudaBindTexture(size_t *offset, const struct texture<_Tp, type, mode> &reference,
                const void *pointer, const struct cudaChannelFormatDesc &desc,
                size_t size = UINT_MAX)
{
    return ::cudaBindTexture(offset, &reference, pointer, &desc, size);
}
template <class _Tp, int type, enum cudaTextureReadMode mode> static inline cudaError_t
cudaBindTexture(size_t *offset, const struct texture<_Tp, type, mode> &reference,
                const void *pointer, size_t size = UINT_MAX)
{
    return ::cudaBindTexture(offset, &reference, pointer, &reference.channelDesc, size);
}
template <class _Tp, int type, enum cudaTextureReadMode mode> static inline cudaError_t
cudaBindTexture2D(size_t *offset, const struct texture<_Tp, type, mode> &reference,
                  const void *pointer, const struct cudaChannelFormatDesc &desc, size_t width,
                  size_t height, size_t pitch)
{
    return ::cudaBindTexture2D(offset, &reference, pointer, &desc, width, height, pitch);
}
template <class _Tp, int type, enum cudaTextureReadMode mode> static inline cudaError_t
cudaBindTexture2D(size_t *offset, const struct texture<_Tp, type, mode> &reference,
                  const void *pointer, size_t width, size_t height, size_t pitch)
{
    return ::cudaBindTexture2D(offset, &reference, pointer, &reference.channelDesc, width, height,
                               pitch);
}
template <class _Tp, int type, enum cudaTextureReadMode mode> static inline cudaError_t
cudaBindTextureToArray(const struct texture<_Tp, type, mode> &reference, cudaArray_const_t array,
                       const struct cudaChannelFormatDesc &desc)
{
    return ::cudaBindTextureToArray(&reference, array, &desc);
}
template <class _Tp, int type, enum cudaTextureReadMode mode> static inline cudaError_t
cudaBindTextureToArray(const struct texture<_Tp, type, mode> &reference, cudaArray_const_t array)
{
    return ::cudaBindTextureToArray(&reference, array, &reference.channelDesc);
}
template <class _Tp, int type, enum cudaTextureReadMode mode> static inline cudaError_t
cudaUnbindTexture(const struct texture<_Tp, type, mode> &reference)
{
    return ::cudaUnbindTexture(&reference);
}
#endif

#endif

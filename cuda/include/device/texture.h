/* Fetches from texture objects and references, and surface objects. clang's header provides the
 * fetch instructions; its template parameters N and T are hidden here from macros of the
 * program. */
#ifndef CORUN_DEVICE_TEXTURE_H
#define CORUN_DEVICE_TEXTURE_H

#include "define.h"

#pragma push_macro("N")
#pragma push_macro("T")
#undef N
#undef T
#include <__clang_cuda_texture_intrinsics.h>
#pragma pop_macro("N")
#pragma pop_macro("T")

/* A fetch from an object returns the requested type. A fetch from a reference returns the type of
 * the texels or, with normalized reading, floats with the same number of channels. */
template <class _Tp> struct corun_texel {
    typedef float floats;
};
#define CORUN_TEXEL(name)                                                                          \
    template <> struct corun_texel<name##1> { typedef float1 floats; };                            \
    template <> struct corun_texel<name##2> { typedef float2 floats; };                            \
    template <> struct corun_texel<name##4> { typedef float4 floats; };
CORUN_TEXEL(char)
CORUN_TEXEL(uchar)
CORUN_TEXEL(short)
CORUN_TEXEL(ushort)
#undef CORUN_TEXEL
#define CORUN_STRIP(...) __VA_ARGS__
/* parameters and arguments in parentheses */
#define CORUN_FETCH(name, op, kind, parameters, arguments)                                         \
    template <class _Tp>                                                                           \
    static __device__ __forceinline__ _Tp name(cudaTextureObject_t object, CORUN_STRIP parameters) \
    {                                                                                              \
        _Tp r;                                                                                     \
        __nv_tex_surf_handler("__i" op, &r, object, CORUN_STRIP arguments);                        \
        return r;                                                                                  \
    }                                                                                              \
    template <class _Tp>                                                                           \
    static __device__ __forceinline__ void name(_Tp *r, cudaTextureObject_t object,                \
                                                CORUN_STRIP parameters)                            \
    {                                                                                              \
        __nv_tex_surf_handler("__i" op, r, object, CORUN_STRIP arguments);                         \
    }                                                                                              \
    template <class _Tp> static __device__ __forceinline__ _Tp name(                               \
        texture<_Tp, kind, cudaReadModeElementType> reference, CORUN_STRIP parameters)             \
    {                                                                                              \
        return name<_Tp>(__cuda_tex::__tex_handle_to_obj(reference), CORUN_STRIP arguments);       \
    }                                                                                              \
    template <class _Tp> static __device__ __forceinline__ typename corun_texel<_Tp>::floats name( \
        texture<_Tp, kind, cudaReadModeNormalizedFloat> reference, CORUN_STRIP parameters)         \
    {                                                                                              \
        return name<typename corun_texel<_Tp>::floats>(                                            \
            __cuda_tex::__tex_handle_to_obj(reference), CORUN_STRIP arguments);                    \
    }
CORUN_FETCH(tex1Dfetch, "tex1Dfetch", cudaTextureType1D, (int x), (x))
CORUN_FETCH(tex1D, "tex1D", cudaTextureType1D, (float x), (x))
CORUN_FETCH(tex2D, "tex2D", cudaTextureType2D, (float x, float y), (x, y))
CORUN_FETCH(tex3D, "tex3D", cudaTextureType3D, (float x, float y, float z), (x, y, z))
CORUN_FETCH(tex1DLayered, "tex1DLayered", cudaTextureType1DLayered, (float x, int layer),
            (x, layer))
CORUN_FETCH(tex2DLayered, "tex2DLayered", cudaTextureType2DLayered,
            (float x, float y, int layer), (x, y, layer))
CORUN_FETCH(tex1DLod, "tex1DLod", cudaTextureType1D, (float x, float level), (x, level))
CORUN_FETCH(tex2DLod, "tex2DLod", cudaTextureType2D, (float x, float y, float level),
            (x, y, level))
CORUN_FETCH(tex3DLod, "tex3DLod", cudaTextureType3D, (float x, float y, float z, float level),
            (x, y, z, level))
#undef CORUN_FETCH

#endif

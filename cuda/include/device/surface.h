/* Surface objects: reads and writes of 1 to 16 bytes; x is in bytes. */
#ifndef CORUN_DEVICE_SURFACE_H
#define CORUN_DEVICE_SURFACE_H

#include "define.h"

#define CORUN_STRIP(...) __VA_ARGS__
#define CORUN_SURFACE_GET(n, T, letter, type, geometry, place, mode, inputs)                      \
    if (sizeof(*v) == n) {                                                                         \
        T bits;                                                                                    \
        asm volatile("suld.b." geometry "." type "." mode " %0, [%1, " place "];"                  \
                     : "=" letter(bits) : "l"(s), CORUN_STRIP inputs : "memory");                  \
        __builtin_memcpy(v, &bits, sizeof(*v) < sizeof bits ? sizeof(*v) : sizeof bits);           \
    }
#define CORUN_SURFACE_PUT(n, T, letter, type, geometry, place, mode, inputs)                       \
    if (sizeof v == n) {                                                                           \
        T bits = 0;                                                                                \
        __builtin_memcpy(&bits, &v, sizeof v < sizeof bits ? sizeof v : sizeof bits);              \
        asm volatile("sust.b." geometry "." type "." mode " [%0, " place "], %1;"                  \
                     :: "l"(s), letter(bits), CORUN_STRIP inputs : "memory");                      \
    }
#define CORUN_SURFACE_MODES(of, mode, geometry, place, inputs)                                     \
    if (mode == cudaBoundaryModeTrap) { of(geometry, place, "trap", inputs) }                      \
    else if (mode == cudaBoundaryModeClamp) { of(geometry, place, "clamp", inputs) }               \
    else { of(geometry, place, "zero", inputs) }
#define CORUN_SURFACE_GET_ALL(geometry, place, mode, inputs)                                       \
    CORUN_SURFACE_GET(1, unsigned short, "h", "b8", geometry, place, mode, inputs)                \
    CORUN_SURFACE_GET(2, unsigned short, "h", "b16", geometry, place, mode, inputs)               \
    CORUN_SURFACE_GET(4, corun_u32, "r", "b32", geometry, place, mode, inputs)                    \
    CORUN_SURFACE_GET(8, corun_u64, "l", "b64", geometry, place, mode, inputs)
#define CORUN_SURFACE_PUT_ALL(geometry, place, mode, inputs)                                       \
    CORUN_SURFACE_PUT(1, unsigned short, "h", "b8", geometry, place, mode, inputs)                 \
    CORUN_SURFACE_PUT(2, unsigned short, "h", "b16", geometry, place, mode, inputs)                \
    CORUN_SURFACE_PUT(4, corun_u32, "r", "b32", geometry, place, mode, inputs)                     \
    CORUN_SURFACE_PUT(8, corun_u64, "l", "b64", geometry, place, mode, inputs)
/* 16 bytes, a float4, are accessed as four parts of 4 bytes */
#define CORUN_SURFACE(name, geometry, place, parameters, inputs, arguments)                        \
    template <class _Tp> static __device__ __forceinline__ void name##read(                        \
        _Tp *v, cudaSurfaceObject_t s, CORUN_STRIP parameters,                                     \
        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                  \
    {                                                                                              \
        static_assert(sizeof(_Tp) <= 16, "");                                                      \
        if (sizeof(_Tp) == 16) {                                                                   \
            corun_u32 part[4];                                                                     \
            for (int i = 0; i < 4; i++, x += 4)                                                    \
                name##read(&part[i], s, CORUN_STRIP arguments, mode);                              \
            __builtin_memcpy(v, part, sizeof(_Tp) < 16 ? sizeof(_Tp) : 16);                        \
        }                                                                                          \
        CORUN_SURFACE_MODES(CORUN_SURFACE_GET_ALL, mode, geometry, place, inputs)                  \
    }                                                                                              \
    template <class _Tp> static __device__ __forceinline__ _Tp name##read(                         \
        cudaSurfaceObject_t s, CORUN_STRIP parameters,                                             \
        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                  \
    {                                                                                              \
        _Tp v;                                                                                     \
        name##read(&v, s, CORUN_STRIP arguments, mode);                                            \
        return v;                                                                                  \
    }                                                                                              \
    template <class _Tp> static __device__ __forceinline__ void name##write(                       \
        _Tp v, cudaSurfaceObject_t s, CORUN_STRIP parameters,                                      \
        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                  \
    {                                                                                              \
        static_assert(sizeof(_Tp) <= 16, "");                                                      \
        if (sizeof(_Tp) == 16) {                                                                   \
            corun_u32 part[4];                                                                     \
            __builtin_memcpy(part, &v, sizeof(_Tp) < 16 ? sizeof(_Tp) : 16);                       \
            for (int i = 0; i < 4; i++, x += 4)                                                    \
                name##write(part[i], s, CORUN_STRIP arguments, mode);                              \
        }                                                                                          \
        CORUN_SURFACE_MODES(CORUN_SURFACE_PUT_ALL, mode, geometry, place, inputs)                  \
    }
CORUN_SURFACE(surf1D, "1d", "{%2}", (int x), ("r"(x)), (x))
CORUN_SURFACE(surf2D, "2d", "{%2, %3}", (int x, int y), ("r"(x), "r"(y)), (x, y))
CORUN_SURFACE(surf3D, "3d", "{%2, %3, %4, %4}", (int x, int y, int z),
              ("r"(x), "r"(y), "r"(z)), (x, y, z))
CORUN_SURFACE(surf2DLayered, "a2d", "{%4, %2, %3, %3}",
              (int x, int y, int layer), ("r"(x), "r"(y), "r"(layer)), (x, y, layer))
#undef CORUN_SURFACE
#undef CORUN_SURFACE_GET
#undef CORUN_SURFACE_PUT
#undef CORUN_SURFACE_MODES
#undef CORUN_SURFACE_GET_ALL
#undef CORUN_SURFACE_PUT_ALL

#endif

/* make_cudaExtent and related functions. */
#ifndef CORUN_DRIVER_FUNCTIONS_H
#define CORUN_DRIVER_FUNCTIONS_H

#include "driver_types.h"

static __inline__ struct cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch,
                                                            size_t width, size_t height)
{
    struct cudaPitchedPtr p = {pointer, pitch, width, height};
    return p;
}
static __inline__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    struct cudaPos p = {x, y, z};
    return p;
}
static __inline__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    struct cudaExtent e = {width, height, depth};
    return e;
}

#endif

/* Tensor maps, as cuTensorMapEncodeTiled of the CUDA library makes them: 128 bytes of which CUDA
 * publishes no layout. cuda/driver/tensor.c writes the layout below. */
#ifndef CORUN_TENSOR_MAP_H
#define CORUN_TENSOR_MAP_H

#include "base/base.h"

/* The layout in words of 64 bits:
 *   0  kind, TENSOR_MAP; bits 8-15 dimensions, 16-23 log2 of the bytes of an element, 24-31 swizzle
 *      (0, or log2 of its bytes), 32 true: elements out of bounds are NaN,
 *      40-47 CUtensorMapDataType
 *   1  address of the tensor
 *   2  elements of dimension 0, and so on to 6
 *   7  bytes from an element to the next along dimension 1, and so on to 10
 *   11 bytes 2 d and 2 d + 1: elements of a box along dimension d, 0 to 3
 *   12 bytes 0 and 1: the same, dimension 4; byte 2 + d: step along dimension d */
enum { TENSOR_MAP = 0x74, TENSOR_MAP_BYTES = 128, TENSOR_DIMENSIONS = 5,
       TENSOR_BOX_MAX = 256 };

struct tensor_map {
    u32 dimension_n, element_bytes, swizzle_bytes, type;
    bool fills_nan;
    u64 address;
    u64 size[TENSOR_DIMENSIONS];       /* elements */
    u64 stride[TENSOR_DIMENSIONS];     /* bytes; [0]: of an element */
    u32 box[TENSOR_DIMENSIONS];        /* elements copied */
    u32 step[TENSOR_DIMENSIONS];       /* elements of the tensor from one copied to the next */
};

/* False: the bytes are no tensor map. */
bool tensor_map_read(const u8 bytes[TENSOR_MAP_BYTES], struct tensor_map *m);
/* The inverse, for maps with steps of 1. */
void tensor_map_write(const struct tensor_map *m, u8 bytes[TENSOR_MAP_BYTES]);

#endif

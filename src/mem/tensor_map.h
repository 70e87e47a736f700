/* Tensor maps: isa/tensor_map.h has the layout. */
#ifndef CORUN_TENSOR_MAP_H
#define CORUN_TENSOR_MAP_H

#include "base/base.h"
#include "isa/tensor_map.h"

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

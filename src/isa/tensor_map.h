/* Layout of tensor maps: cuTensorMapEncodeTiled of the CUDA library makes 128 bytes, of which CUDA
 * publishes no layout. cuda/driver/tensor.c writes the layout, mem/tensor_map.c reads the layout,
 * and tensormap.replace changes a field (ptx/matrix/select.c). */
#ifndef CORUN_ISA_TENSOR_MAP_H
#define CORUN_ISA_TENSOR_MAP_H

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
enum { /* offsets in bytes */
    MAP_AT_RANK = 1, MAP_AT_ELEMENT = 2, MAP_AT_SWIZZLE = 3, MAP_AT_FILL = 4, MAP_AT_TYPE = 5,
    MAP_AT_ADDRESS = 8, MAP_AT_SIZE = 16, MAP_AT_STRIDE = 56, MAP_AT_BOX = 88, MAP_AT_STEP = 98
};

/* form.sub of tensormap.replace */
enum tensor_field { FIELD_ADDRESS, FIELD_RANK, FIELD_BOX, FIELD_SIZE, FIELD_STRIDE, FIELD_STEP,
                    FIELD_TYPE, FIELD_INTERLEAVE, FIELD_SWIZZLE, FIELD_FILL };

#endif

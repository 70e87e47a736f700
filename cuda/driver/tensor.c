/* Tensor maps for copies of boxes (cp.async.bulk.tensor): cuTensorMapEncodeTiled. The layout is
 * that of src/isa/tensor_map.h. */
#include <string.h>

#include "cuda/driver/driver.h"

enum { TENSOR_MAP = 0x74, RANK_MAX = 5, BOX_MAX = 256, STEP_MAX = 8, UNIT = 16 };

/* Returns log2 of the bytes of an element; -1: no element of whole bytes. */
static int element_shift(CUtensorMapDataType type)
{
    static const signed char shifts[] = {0, 1, 2, 2, 3, 3, 1, 2, 3, 1, 2, 2, 2};
    return (unsigned)type < sizeof shifts ? shifts[type] : -1;
}

static int is_float(CUtensorMapDataType type) { return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16; }

/* True if the sizes are in the ranges that CUDA demands. */
static int sizes_fit(unsigned rank, unsigned shift, const cuuint64_t *size,
                     const cuuint64_t *stride, const cuuint32_t *box, const cuuint32_t *step)
{
    for (unsigned d = 0; d < rank; d++) {
        if (!size[d] || size[d] > 1ull << 32) return 0;
        if (!box[d] || box[d] > BOX_MAX || !step[d] || step[d] > STEP_MAX) return 0;
        /* 0, as CUTLASS gives for a dimension of one element */
        if (d && (stride[d - 1] % UNIT || stride[d - 1] >= 1ull << 40)) return 0;
    }
    return (box[0] << shift) % UNIT == 0;
}

/* Model: interleaved layouts, elements of 4 and 6 bits and swizzles of parts of 32 and 64 bytes are
 * refused with CUDA_ERROR_NOT_SUPPORTED, which is also the answer of devices below 9.0 (guess). */
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *step,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    int major = 0, shift = element_shift(type);
    CUresult error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    if (error) return error;
    if (!map || (size_t)map % 64 || rank < 1 || rank > RANK_MAX || !size || (rank > 1 && !stride) ||
        !box || !step || !address || (size_t)address % UNIT || (unsigned)promotion > 3)
        return cudaErrorInvalidValue;
    if (major < 9 || shift < 0 || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
        (unsigned)swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
        return cudaErrorNotSupported;
    if (!sizes_fit(rank, (unsigned)shift, size, stride, box, step)) return cudaErrorInvalidValue;
    unsigned swizzle_bits = swizzle ? 4 + (unsigned)swizzle : 0;
    if (swizzle && box[0] << shift > 1u << swizzle_bits) return cudaErrorInvalidValue;
    if ((unsigned)fill > 1 || (fill && !is_float(type))) return cudaErrorInvalidValue;
    cuuint64_t words[16] = {0};
    words[0] = TENSOR_MAP | rank << 8 | (unsigned)shift << 16 | swizzle_bits << 24 |
               (cuuint64_t)fill << 32 | (cuuint64_t)type << 40;
    words[1] = (size_t)address;
    for (unsigned d = 0; d < rank; d++) {
        words[2 + d] = size[d];
        if (d) words[6 + d] = stride[d - 1];
        words[11 + d / 4] |= (cuuint64_t)box[d] << 16 * (d % 4);
        words[12] |= (cuuint64_t)step[d] << (16 + 8 * d);
    }
    memcpy(map, words, sizeof words);
    return CUDA_SUCCESS;
}

#include "mem/tensor_map.h"

#include <string.h>

bool tensor_map_read(const u8 bytes[TENSOR_MAP_BYTES], struct tensor_map *m)
{
    u64 words[TENSOR_MAP_BYTES / sizeof(u64)];
    u16 boxes[4 + 1];
    memcpy(words, bytes, sizeof words);
    memcpy(boxes, &words[11], sizeof boxes);
    u32 n = words[0] >> 8 & 0xff, swizzle = words[0] >> 24 & 0xff;
    *m = (struct tensor_map){.dimension_n = n,
                             .element_bytes = 1u << (words[0] >> 16 & 3),
                             .swizzle_bytes = swizzle ? 1u << (swizzle & 7) : 0,
                             .fills_nan = words[0] >> 32 & 1,
                             .type = words[0] >> 40 & 0xff,
                             .address = words[1]};
    bool good = (words[0] & 0xff) == TENSOR_MAP && n && n <= TENSOR_DIMENSIONS;
    for (u32 d = 0; d < TENSOR_DIMENSIONS; d++) {
        u32 step = (u32)(words[12] >> (16 + 8 * d)) & 0xff;
        good &= d >= n || (boxes[d] && boxes[d] <= TENSOR_BOX_MAX);
        m->size[d] = d < n ? words[2 + d] : 1;
        m->stride[d] = d ? words[6 + d] : m->element_bytes;
        m->step[d] = d && d < n ? step : 1;
        m->box[d] = d < n ? (u32)div_up(boxes[d], max_u32(m->step[d], 1)) : 1;
    }
    return good;
}

static u32 log2_of(u32 power) { return (u32)__builtin_ctz(power); }

void tensor_map_write(const struct tensor_map *m, u8 bytes[TENSOR_MAP_BYTES])
{
    u64 words[TENSOR_MAP_BYTES / sizeof(u64)] = {0};
    u32 swizzle = m->swizzle_bytes ? log2_of(m->swizzle_bytes) : 0;
    words[0] = TENSOR_MAP | m->dimension_n << 8 | log2_of(m->element_bytes) << 16 | swizzle << 24 |
               (u64)m->fills_nan << 32 | (u64)m->type << 40;
    words[1] = m->address;
    for (u32 d = 0; d < m->dimension_n; d++) {
        words[2 + d] = m->size[d];
        if (d) words[6 + d] = m->stride[d];
        words[11 + d / 4] |= (u64)m->box[d] << 16 * (d % 4);
        words[12] |= 1ull << (16 + 8 * d);
    }
    memcpy(bytes, words, sizeof words);
}

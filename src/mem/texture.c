#include "mem/texture.h"

enum { BLOCK_WIDTH = 64, BLOCK_ROWS = 8, BLOCK_BYTES = BLOCK_WIDTH * BLOCK_ROWS, RUN = 16 };
enum { CUBE_FACES = 6, LINE = 128 };

u32 texel_type_bytes(enum texel_type t)
{
    static const u8 bytes[TEXEL_TYPE_N] = {1, 2, 4, 1, 2, 4, 2, 4};
    return bytes[t];
}

/* ---- the layout of arrays ---- */

static bool is_flat(const struct array_shape *s) /* one dimension */
{
    return !s->height;
}

static bool keeps_depth(const struct array_shape *s) { return s->flags != 0; }

u32 array_layers(const struct array_shape *s)
{
    u32 faces = s->flags & ARRAY_CUBE ? CUBE_FACES : 1;
    return s->flags & ARRAY_LAYERED ? max_u32(s->depth / faces, 1) : 1;
}

struct extent3 array_extent(const struct array_shape *s, u32 level)
{
    u32 shift = min_u32(level, 31), depth = keeps_depth(s) ? s->depth : s->depth >> shift;
    return (struct extent3){max_u32(s->width >> shift, 1), max_u32(s->height >> shift, 1),
                            max_u32(depth, 1)};
}

static u64 row_bytes(const struct array_shape *s, u32 level)
{
    return (u64)array_extent(s, level).width * texel_bytes(&s->texel);
}

static u64 slice_bytes(const struct array_shape *s, u32 level)
{
    u64 row = row_bytes(s, level);
    if (is_flat(s)) return round_up(row, LINE);
    return div_up(row, BLOCK_WIDTH) * div_up(array_extent(s, level).height, BLOCK_ROWS) *
           BLOCK_BYTES;
}

static u64 level_start(const struct array_shape *s, u32 level)
{
    u64 at = 0;
    for (u32 l = 0; l < level; l++) at += slice_bytes(s, l) * array_extent(s, l).depth;
    return at;
}

u64 array_bytes(const struct array_shape *s) { return level_start(s, max_u32(s->levels, 1)); }

u64 array_offset(const struct array_shape *s, u32 level, u64 x_bytes, u32 y, u32 z)
{
    u64 slice = level_start(s, level) + slice_bytes(s, level) * z;
    if (is_flat(s)) return slice + x_bytes;
    u64 blocks = div_up(row_bytes(s, level), BLOCK_WIDTH);
    u64 block = y / BLOCK_ROWS * blocks + x_bytes / BLOCK_WIDTH;
    u32 x = (u32)x_bytes % BLOCK_WIDTH, row = y % BLOCK_ROWS;
    u32 in_block = x / 32 * 256 + row / 2 * 64 + x % 32 / RUN * 32 + row % 2 * RUN + x % RUN;
    return slice + block * BLOCK_BYTES + in_block;
}

u32 array_run(const struct array_shape *s, u64 x_bytes, u32 n)
{
    return is_flat(s) ? n : min_u32(n, RUN - (u32)(x_bytes % RUN));
}

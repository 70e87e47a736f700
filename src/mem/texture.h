/* The meaning of texture and surface handles: where texels lie, what they hold, how they are read.
 * mem/textures.h has an app's table of them. Has no notion of time.
 *
 * Arrays keep 2D neighbours close. Model: a level of an array of two or more dimensions consists of
 * blocks of 64 bytes by 8 rows (512 bytes), block row after block row. A block stores 16 bytes of
 * each of two rows (32 bytes, a sector), the next 16 bytes of the same rows, likewise the next two
 * rows (together 128 bytes, a line: 32 bytes by 4 rows), the four rows below, then the right half.
 * Layers and slices follow one another (block linear of Tegra X1 as publicly described, blocks one
 * high; the block heights chosen by drivers of other GPUs are not published: guess). One dimension:
 * row after row. */
#ifndef CORUN_TEXTURE_H
#define CORUN_TEXTURE_H

#include "base/base.h"

enum texel_type {
    TEXEL_U8, TEXEL_U16, TEXEL_U32, TEXEL_S8, TEXEL_S16, TEXEL_S32, TEXEL_F16, TEXEL_F32,
    TEXEL_TYPE_N
};
struct texel { /* contents of an element */
    u8 type;     /* enum texel_type, of each channel */
    u8 channels; /* 1, 2 or 4 */
};

enum { ARRAY_LAYERED = 1, ARRAY_CUBE = 2 };
enum { ARRAY_LEVELS_MAX = 16 };
struct array_shape { /* as in cudaMalloc3DArray */
    struct texel texel;
    u8 flags;    /* ARRAY_* */
    u8 levels;   /* levels of detail; 0 means 1 */
    /* height 0: one dimension; depth: slices, or layers if ARRAY_LAYERED; the 6 faces of a cube, or
     * 6 for each layer of a layered cube */
    u32 width, height, depth;
};
/* Values as in CUDA. */
enum address_mode { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };
enum filter_mode { FILTER_POINT, FILTER_LINEAR };
struct sampler { /* how a texture is read; as in cudaTextureDesc */
    u8 address[3];  /* enum address_mode: x, y, z */
    u8 filter;      /* enum filter_mode, among neighbours */
    u8 level_filter; /* enum filter_mode, between levels */
    bool normalized_coordinates;
    bool normalized_float; /* integers of 8 and 16 bits are read as fractions */
    float border[4];
    float level_bias, level_least, level_most;
};

enum texture_kind {
    TEXTURE_NONE,
    TEXTURE_LINEAR,  /* a row of elements; coordinates are whole numbers */
    TEXTURE_PITCH,   /* rows at a distance of `pitch` bytes */
    TEXTURE_ARRAY,
    TEXTURE_SURFACE, /* an array read and written without a sampler */
    TEXTURE_SAMPLER  /* a sampler alone, of independent mode */
};
struct texture {
    u8 kind;           /* enum texture_kind */
    u8 first_level;    /* of an array: the level that counts as level 0 */
    struct texel texel;
    u32 width, height; /* in texels, of an array as in its shape; height 0: one dimension */
    u64 address, pitch; /* address: of an array the handle */
    struct array_shape shape; /* of an array */
    struct sampler sampler;
};

/* Handles of texture objects count from 1; handles of the texture references of a module, in order
 * of the text, from here on. */
#define TEXTURE_REFERENCE (UINT64_C(1) << 32)
u32 texel_type_bytes(enum texel_type t);
static inline u32 texel_bytes(const struct texel *t)
{
    return texel_type_bytes((enum texel_type)t->type) * t->channels;
}

/* The extents of a level in texels, at least 1; depth: slices, or layers times faces. */
struct extent3 { u32 width, height, depth; };
struct extent3 array_extent(const struct array_shape *s, u32 level);
u32 array_layers(const struct array_shape *s); /* 1 if not layered */
u64 array_bytes(const struct array_shape *s);
/* Returns the offset of a byte of a row from the beginning of the array. z: slice, layer, or layer
 * times 6 plus face. */
u64 array_offset(const struct array_shape *s, u32 level, u64 x_bytes, u32 y, u32 z);
/* Returns how many of the n bytes from x_bytes on are adjacent in the array. */
u32 array_run(const struct array_shape *s, u64 x_bytes, u32 n);

#endif

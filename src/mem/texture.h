/* What texture and surface handles stand for: where texels lie, what one holds, how it is read.
 * mem/textures.h has an app's table of them. Knows no time.
 *
 * Arrays: texels where their 2D neighbours are near. Model: a level of an array of two dimensions
 * or more lies in blocks of 64 bytes by 8 rows (512 bytes), row after row of them; in a block come
 * 16 bytes of two rows after one another (32 bytes, a sector), two such pairs of rows (128 bytes, a
 * line: 32 bytes by 4 rows), the four rows below, then the right half. Layers and slices follow one
 * another (block linear of Tegra X1 as publicly described, blocks one high; which block heights the
 * drivers of other GPUs choose is not published: guess). One dimension: row after row. */
#ifndef CORUN_TEXTURE_H
#define CORUN_TEXTURE_H

#include "base/base.h"

enum texel_type {
    TEXEL_U8, TEXEL_U16, TEXEL_U32, TEXEL_S8, TEXEL_S16, TEXEL_S32, TEXEL_F16, TEXEL_F32,
    TEXEL_TYPE_N
};
struct texel { /* what one element holds */
    u8 type;     /* enum texel_type: of a channel */
    u8 channels; /* 1, 2 or 4 */
};

enum { ARRAY_LAYERED = 1, ARRAY_CUBE = 2 };
enum { ARRAY_LEVELS_MAX = 16 };
struct array_shape { /* as cudaMalloc3DArray takes it */
    struct texel texel;
    u8 flags;    /* ARRAY_* */
    u8 levels;   /* of detail: 0 and 1 mean one */
    /* height 0: one dimension; depth: slices, or layers if ARRAY_LAYERED; 6 faces of a cube, or of
     * each of a layered one */
    u32 width, height, depth;
};
/* numbered as CUDA does */
enum address_mode { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };
enum filter_mode { FILTER_POINT, FILTER_LINEAR };
struct sampler { /* how a texture is read: cudaTextureDesc */
    u8 address[3];  /* enum address_mode: x, y, z */
    u8 filter;      /* enum filter_mode: among neighbours; */
    u8 level_filter; /* between levels */
    bool normalized_coordinates;
    bool normalized_float; /* integers of 8 and 16 bits are read as fractions */
    float border[4];
    float level_bias, level_least, level_most;
};

enum texture_kind {
    TEXTURE_NONE,
    TEXTURE_LINEAR,  /* elements after one another: coordinates are whole numbers */
    TEXTURE_PITCH,   /* rows, `pitch` bytes from one to the next */
    TEXTURE_ARRAY,
    TEXTURE_SURFACE, /* an array that is read and written without a sampler */
    TEXTURE_SAMPLER  /* a sampler alone, of independent mode */
};
struct texture {
    u8 kind;           /* enum texture_kind */
    u8 first_level;    /* of an array: that counts as level 0 */
    struct texel texel;
    u32 width, height; /* in texels; an array's are its shape's; height 0: one dimension */
    u64 address, pitch; /* address of an array: its handle */
    struct array_shape shape; /* of an array */
    struct sampler sampler;
};

/* Handles: those of objects count from 1; those of a module's references, in the order of the text,
 * from here on. */
#define TEXTURE_REFERENCE (UINT64_C(1) << 32)
u32 texel_type_bytes(enum texel_type t);
static inline u32 texel_bytes(const struct texel *t)
{
    return texel_type_bytes((enum texel_type)t->type) * t->channels;
}

/* A level's extents in texels, at least 1; depth: slices, or layers times faces. */
struct extent3 { u32 width, height, depth; };
struct extent3 array_extent(const struct array_shape *s, u32 level);
u32 array_layers(const struct array_shape *s); /* 1 if it has none */
u64 array_bytes(const struct array_shape *s);
/* Where a byte of a row lies, from the array's beginning. z: slice; or layer, or layer times 6 plus
 * face. */
u64 array_offset(const struct array_shape *s, u32 level, u64 x_bytes, u32 y, u32 z);
/* As many of n bytes from there lie together. */
u32 array_run(const struct array_shape *s, u64 x_bytes, u32 n);

#endif

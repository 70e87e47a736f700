/* Texture reads: from a coordinate to the texels of the footprint, their weights, and the weighted
 * sum. Works on one lane at a time, without knowledge of registers. Source: CUDA C++ Programming
 * Guide, "Texture Fetching"; PTX ISA manual, texture instructions. */
#ifndef CORUN_TEXEL_H
#define CORUN_TEXEL_H

#include "exec/warp.h"
#include "isa/ptx_inst.h"
#include "mem/textures.h"

/* Returns the operands of i: see src and aux in isa/ptx_inst.h. */
static inline const u32 *texture_sources(const struct warp *w, const struct ptx_inst *i)
{
    return w->program->ptx->operands + i->aux;
}

struct bound_tex { /* the object of a handle, cached from lane to lane */
    u64 handle;
    const struct texture *texture; /* NULL: nothing looked up yet */
    const struct sampler *sampler;
    const u8 *bytes; /* host address of the texture's memory */
    u64 shift;       /* physical address - device address */
    u32 width, height, depth, layers; /* in texels of the first level */
};

struct sample_point { /* sampling location of a lane */
    double at[3]; /* x, y, z */
    u32 layer;    /* or layer * 6 + face of a cube */
    u32 level;
    /* `at` holds integers: no filter, not normalized coordinates. */
    bool whole;
};

/* Looks up a handle, with *v as a cache of the last lookup: before the first call v->texture must
 * be NULL. kind: enum opaque_kind. False: fault, reported for the lane. */
bool bound_tex_find(struct warp *w, const struct ptx_inst *i, u32 lane, u64 handle, u32 kind,
                    struct bound_tex *v);

/* Returns the extents of a level, 1 for missing dimensions. */
struct extent3 bound_tex_extent(const struct bound_tex *v, u32 level);
u32 bound_tex_levels(const struct bound_tex *v);
u64 bound_tex_offset(const struct bound_tex *v, u32 level, u64 x_bytes, u32 y, u32 z);

void touch_begin(struct effect *e, u32 size_bytes);

/* Reads at a location: four channels, floats as their bits. */
void texel_sample(const struct bound_tex *v, const struct sample_point *s, struct effect *e,
                  u32 out[4]);
/* Reads at a location with mipmap filtering. level: level of detail. */
void texel_sample_level(const struct bound_tex *v, struct sample_point *s, double level,
                        struct effect *e, u32 out[4]);
/* Reads one channel of four texels around a location, in the order (0,1), (1,1), (1,0), (0,0). */
void texel_gather(const struct bound_tex *v, const struct sample_point *s, u32 channel,
                  struct effect *e, u32 out[4]);
/* Returns the cube face in a direction; `at` becomes the position on the face, from 0 to 1. */
u32 texel_face(double at[3]);
/* Returns the level of detail: log2 of a length in texels, with 8 fraction bits. */
double texel_level(double length_squared);

/* Stores n 32-bit values to the channels of a texel (formatted store); missing channels become
 * 0. */
void texel_put(const struct texel *t, const u32 *values, u32 n, u8 *to);

#endif

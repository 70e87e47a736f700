/* From a coordinate to what a texture returns for it: which texels, with which weights, and the sum
 * of them. One lane at a time; knows no registers. Source: CUDA C++ Programming Guide, "Texture
 * Fetching"; PTX ISA manual, texture instructions. */
#ifndef CORUN_TEXEL_H
#define CORUN_TEXEL_H

#include "exec/warp.h"
#include "mem/textures.h"

/* The operands of i: isa/inst.h, src and aux. */
static inline const u32 *texture_sources(const struct warp *w, const struct inst *i)
{
    return w->program->operands + i->aux;
}

struct view { /* what a handle stands for, as an instruction meets it */
    u64 handle;
    const struct texture *texture; /* NULL: nothing has been looked up yet */
    const struct sampler *sampler;
    const u8 *bytes; /* of its memory, on the host */
    u64 shift;       /* from there to physical addresses */
    u32 width, height, depth, layers; /* in texels of its first level */
};

struct spot { /* where a lane looks */
    double at[3]; /* x, y, z */
    u32 layer;    /* or face of a layer */
    u32 level;
    bool whole;   /* `at` are whole numbers: no filter, not normalized */
};

/* Looks up the handle; false: a fault is noted for the lane. kind: enum opaque_kind. Before the
 * first, view.texture is NULL. */
bool view_find(struct warp *w, const struct inst *i, u32 lane, u64 handle, u32 kind,
               struct view *v);

/* The level's extents, 1 where it has no such dimension. */
struct extent3 view_extent(const struct view *v, u32 level);
u32 view_levels(const struct view *v);
u64 view_offset(const struct view *v, u32 level, u64 x_bytes, u32 y, u32 z);

void touch_begin(struct effect *e, u32 size_bytes);

/* What is read there: four channels, floats as their bits. */
void texel_sample(const struct view *v, const struct spot *s, struct effect *e, u32 out[4]);
/* The same between levels. level: of detail. */
void texel_sample_level(const struct view *v, struct spot *s, double level, struct effect *e,
                        u32 out[4]);
/* One channel of the four around it: (0, 1), (1, 1), (1, 0), (0, 0). */
void texel_gather(const struct view *v, const struct spot *s, u32 channel, struct effect *e,
                  u32 out[4]);
/* The face of a cube that a direction meets; `at` becomes the place on it, from 0 to 1. */
u32 texel_face(double at[3]);
/* Level of detail of lengths in texels: log2, with 8 bits of fraction. */
double texel_level(double length_squared);

/* The lower and upper words of formatted stores: values of 32 bits into one texel. */
void texel_put(const struct texel *t, const u32 *values, u32 n, u8 *to);

#endif

/* Texture and surface handles, and the queries txq, suq and istypep. Bound by exec_bind.
 * Source: PTX ISA manual. */
#include "exec/exec.h"
#include "exec/lanes.h"
#include "exec/texture/texel.h"
#include "isa/isa.h"

static u32 kind_of(const struct texture *t) /* enum opaque_kind; 0: none */
{
    if (!t) return 0;
    return t->kind == TEXTURE_SAMPLER   ? OPAQUE_SAMPLER
           : t->kind == TEXTURE_SURFACE ? OPAQUE_SURFACE
                                        : OPAQUE_TEXTURE;
}

static u64 memory_bytes(const struct texture *t)
{
    u64 row = (u64)t->width * texel_bytes(&t->texel);
    if (t->kind == TEXTURE_LINEAR) return row;
    return t->kind == TEXTURE_PITCH ? (t->height - 1) * t->pitch + row : array_bytes(&t->shape);
}

/* Returns the allocation with the first texels of a linear texture that ends behind the allocation,
 * in mapped memory (image_mapped); NULL: no such texture. Warns, and makes the texture end with the
 * allocation: texels behind the end read as zeroes. */
static const struct allocation *shortened(const struct warp *w, const struct ptx_inst *i,
                                          struct bound_tex *v, u64 bytes)
{
    const struct texture *t = v->texture;
    u32 texel = texel_bytes(&t->texel);
    const struct allocation *in = image_find(w->block->image, t->address, texel);
    if (!in || t->kind != TEXTURE_LINEAR || !image_mapped(w->block->image, t->address, bytes))
        return NULL;
    v->width = (u32)((in->start + in->size_bytes - t->address) / texel);
    struct text said = {0};
    text_add(&said, "linear texture of %llu bytes ends behind '%s' of %llu bytes, in a mapped "
                    "granule: reads behind '%s' return zeroes (memory.bounds is page)",
             (unsigned long long)bytes, in->name, (unsigned long long)in->size_bytes, in->name);
    warp_warn(w, i, text_get(&said));
    text_free(&said);
    return in;
}

bool bound_tex_find(struct warp *w, const struct ptx_inst *i, u32 lane, u64 handle, u32 kind,
                    struct bound_tex *v)
{
    static const char *const wrong[] = {
        [OPAQUE_TEXTURE] = "invalid texture handle",
        [OPAQUE_SAMPLER] = "invalid sampler handle",
        [OPAQUE_SURFACE] = "invalid surface handle",
    };
    static const char *const unbound[] = {
        [OPAQUE_TEXTURE] = "texture reference without a texture",
        [OPAQUE_SAMPLER] = "sampler reference without a sampler",
        [OPAQUE_SURFACE] = "surface reference without a surface",
    };
    if (v->texture && v->handle == handle) return true;
    const struct texture *t = texture_find(w->block->image, handle);
    if (kind_of(t) != kind) {
        warp_fault(w, i, lane, (handle >= TEXTURE_REFERENCE && !t ? unbound : wrong)[kind]);
        return false;
    }
    *v = (struct bound_tex){.handle = handle, .texture = t, .sampler = &t->sampler,
                            .width = t->width, .height = max_u32(t->height, 1),
                            .depth = 1, .layers = 1};
    if (kind == OPAQUE_SAMPLER) return true;
    u64 bytes = memory_bytes(t);
    const struct allocation *in = image_find(w->block->image, t->address, bytes);
    if (!in) in = shortened(w, i, v, bytes);
    if (!in) {
        warp_fault(w, i, lane, "texture or surface in unallocated memory");
        w->effect->fault.address = t->address;
        w->effect->fault.size_bytes = (u32)min_u64(bytes, UINT32_MAX);
        return false;
    }
    v->bytes = in->bytes + (t->address - in->start);
    v->shift = in->shift;
    if (t->kind != TEXTURE_ARRAY && t->kind != TEXTURE_SURFACE) return true;
    struct extent3 size = array_extent(&t->shape, t->first_level);
    v->width = size.width;
    v->height = size.height;
    v->depth = t->shape.flags ? 1 : size.depth;
    v->layers = array_layers(&t->shape);
    return true;
}

u32 bound_tex_levels(const struct bound_tex *v)
{
    return max_u32(v->texture->shape.levels, 1) - v->texture->first_level;
}

struct extent3 bound_tex_extent(const struct bound_tex *v, u32 level)
{
    const struct texture *t = v->texture;
    if (t->kind == TEXTURE_LINEAR || t->kind == TEXTURE_PITCH)
        return (struct extent3){v->width, v->height, 1};
    return array_extent(&t->shape, t->first_level + level);
}

/* ---- queries ---- */

/* Model: numbers as in OpenCL, the source of the enumerations in the manual. */
static u32 channel_type(const struct bound_tex *v)
{
    static const u16 types[TEXEL_TYPE_N] = {0x10da, 0x10db, 0x10dc, 0x10d7,
                                            0x10d8, 0x10d9, 0x10dd, 0x10de};
    static const u16 fractions[TEXEL_TYPE_N] = {0x10d2, 0x10d3, 0x10dc, 0x10d0,
                                                0x10d1, 0x10d9, 0x10dd, 0x10de};
    return (v->sampler->normalized_float ? fractions : types)[v->texture->texel.type];
}

/* Returns the number of an address mode in PTX: wrap, mirror, clamp_ogl, clamp_to_edge,
 * clamp_to_border. */
static u32 address_word(const struct bound_tex *v, u32 dimension)
{
    static const u8 words[] = {[ADDRESS_WRAP] = 0, [ADDRESS_CLAMP] = 3, [ADDRESS_MIRROR] = 1,
                               [ADDRESS_BORDER] = 4};
    return words[v->sampler->address[dimension]];
}

static u32 answer(const struct bound_tex *v, u32 query, u32 level)
{
    static const u16 orders[] = {[1] = 0x10b0, [2] = 0x10b2, [4] = 0x10b5};
    struct extent3 size = bound_tex_extent(v, min_u32(level, bound_tex_levels(v) - 1));
    switch (query) {
    case QUERY_WIDTH: return size.width;
    case QUERY_HEIGHT: return v->texture->height ? size.height : 0;
    case QUERY_DEPTH: return v->texture->shape.flags || v->depth == 1 ? 0 : size.depth;
    case QUERY_ARRAY_SIZE: return v->layers;
    case QUERY_LEVELS: return bound_tex_levels(v);
    case QUERY_SAMPLES: return 1;
    case QUERY_TYPE: return channel_type(v);
    case QUERY_ORDER: return orders[v->texture->texel.channels];
    case QUERY_NORMALIZED: return v->sampler->normalized_coordinates;
    case QUERY_UNNORMALIZED: return !v->sampler->normalized_coordinates;
    case QUERY_FILTER: return v->sampler->filter;
    case QUERY_ADDRESS_0:
    case QUERY_ADDRESS_1:
    case QUERY_ADDRESS_2: return address_word(v, query - QUERY_ADDRESS_0);
    default: return 0; /* memory_layout: not linear */
    }
}

static void run_query(struct warp *w, const struct ptx_inst *i)
{
    u32 query = i->form.sub & (QUERY_LEVEL - 1u), out[LANES];
    const u64 *handle = row_of(w, i->src[0]);
    const u32 *level = i->form.sub & QUERY_LEVEL && i->form.op == OP_TXQ ? row_of(w, i->src[2])
                                                                         : NULL;
    struct bound_tex v = {0};
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        u32 kind = i->form.op == OP_SUQ ? OPAQUE_SURFACE : OPAQUE_TEXTURE;
        const struct texture *t = texture_find(w->block->image, handle[l]);
        if (query >= QUERY_FILTER && kind_of(t) == OPAQUE_SAMPLER) kind = OPAQUE_SAMPLER;
        if (!bound_tex_find(w, i, l, handle[l], kind, &v)) return;
        out[l] = answer(&v, query, level ? level[l] : 0);
    }
    if (i->dst[0] != OPERAND_ABSENT) lanes_blend32(row_of(w, i->dst[0]), out, w->executing);
}

static void run_istypep(struct warp *w, const struct ptx_inst *i)
{
    const u64 *handle = row_of(w, i->src[0]);
    u32 bits = 0;
    for (u32 l = 0; l < LANES; l++)
        bits |= (u32)(kind_of(texture_find(w->block->image, handle[l])) == i->form.sub) << l;
    lanes_put_pred(w, i->dst_pred, bits);
}

#define ANY EXEC_ANY
const struct exec_row exec_view_rows[] = {
    {OP_TXQ, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_query},
    {OP_SUQ, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_query},
    {OP_ISTYPEP, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_istypep},
};
const u32 exec_view_row_n = COUNT_OF(exec_view_rows);

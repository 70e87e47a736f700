/* tex, tld4: from the coordinates of the lanes to texels. Bound by exec_bind; timing reads the
 * texels from struct effect. Source: PTX ISA manual, texture instructions. */
#include "exec/exec.h"
#include "exec/lanes.h"
#include "exec/texture/texel.h"
#include "isa/isa.h"

enum { FIRST = 2 }; /* index of the coordinates in the sources */

static void effect_begin(struct warp *w, const struct ptx_inst *i)
{
    struct effect *e = w->effect;
    e->kind = EFFECT_MEMORY;
    e->load = true;
    e->store = e->atomic = e->linear = e->uniform = false;
    e->space = SPACE_TEXTURE;
    e->cache = i->form.cache;
    e->mask = w->executing;
    e->reach = 0;
    e->shift = 0;
    touch_begin(e, 1);
}

struct operand_reader { /* iterator over the operands of an instruction, for one lane */
    struct warp *w;
    const struct ptx_inst *i;
    u32 next, lane;
};

static u32 read_word(struct operand_reader *r)
{
    const u32 *row = row_of(r->w, texture_sources(r->w, r->i)[r->next++]);
    return row[r->lane];
}

static double read_number(struct operand_reader *r, bool whole)
{
    u32 bits = read_word(r);
    return whole ? (double)(s32)bits : (double)float_of(bits);
}

static u32 dimensions(u32 geometry)
{
    static const u8 n[GEOMETRY_N] = {
        [GEOMETRY_1D] = 1,  [GEOMETRY_2D] = 2,   [GEOMETRY_3D] = 3,   [GEOMETRY_A1D] = 1,
        [GEOMETRY_A2D] = 2, [GEOMETRY_CUBE] = 3, [GEOMETRY_ACUBE] = 3};
    return n[geometry];
}

static bool is_cube(u32 geometry)
{
    return geometry == GEOMETRY_CUBE || geometry == GEOMETRY_ACUBE;
}

/* Model: a layer beyond the last reads the last layer (CUDA C++ Programming Guide: layers are
 * clamped). */
static void read_sample_point(struct operand_reader *r, const struct bound_tex *v,
                              struct sample_point *s)
{
    const struct form *f = &r->i->form;
    bool layered = f->geometry == GEOMETRY_A1D || f->geometry == GEOMETRY_A2D ||
                   f->geometry == GEOMETRY_ACUBE;
    *s = (struct sample_point){.whole = f->type2 == T_S32};
    if (layered) s->layer = min_u32(read_word(r), v->layers - 1);
    for (u32 k = 0; k < dimensions(f->geometry); k++) s->at[k] = read_number(r, s->whole);
    if (is_cube(f->geometry)) s->layer = s->layer * 6 + texel_face(s->at);
}

/* Model: the longer of both gradients counts, in texels of the first level. The length is the
 * longest component plus LESSER times the others, which fits the answers of an H100 in two
 * dimensions (test/silicon; three are a guess). Gradients of a cube are taken as if they were on
 * its face (guess). */
#define LESSER (23.0 / 64)

static double read_gradients(struct operand_reader *r, const struct bound_tex *v)
{
    u32 n = dimensions(r->i->form.geometry);
    bool cube = is_cube(r->i->form.geometry), normalized = v->sampler->normalized_coordinates;
    u32 size[3] = {v->width, cube ? v->width : v->height, cube ? v->width : v->depth};
    double most = 0;
    for (u32 g = 0; g < 2; g++) {
        double longest = 0, others = 0;
        for (u32 k = 0; k < n; k++) {
            double d = read_number(r, false) * (normalized || cube ? size[k] : 1);
            if (cube) d *= 0.5;
            if (d < 0) d = -d;
            others += d > longest ? longest : d;
            longest = d > longest ? d : longest;
        }
        double length = longest + others * LESSER;
        most = length > most ? length : most;
    }
    return texel_level(most * most);
}

static bool view_of_lane(struct warp *w, const struct ptx_inst *i, u32 lane, struct bound_tex *v,
                         struct bound_tex *sampler)
{
    const u64 *handle = row_of(w, i->src[0]);
    if (!bound_tex_find(w, i, lane, handle[lane], OPAQUE_TEXTURE, v)) return false;
    if (i->src[1] == OPERAND_ABSENT) return true;
    const u64 *other = row_of(w, i->src[1]);
    if (!bound_tex_find(w, i, lane, other[lane], OPAQUE_SAMPLER, sampler)) return false;
    v->sampler = sampler->sampler;
    return true;
}

/* Samples one lane. Cube coordinates are always normalized. */
static void sample(struct operand_reader *r, struct bound_tex *v, u32 out[4])
{
    const struct form *f = &r->i->form;
    struct effect *e = r->w->effect;
    struct sample_point s;
    struct sampler cube = *v->sampler;
    const struct sampler *own = v->sampler;
    cube.normalized_coordinates = true;
    read_sample_point(r, v, &s);
    if (is_cube(f->geometry)) v->sampler = &cube;
    if (f->op == OP_TLD4) texel_gather(v, &s, f->sub - COMPONENT_R, e, out);
    else if (f->sub == LEVEL_GIVEN) texel_sample_level(v, &s, read_number(r, s.whole), e, out);
    else if (f->sub == LEVEL_GRADIENT) texel_sample_level(v, &s, read_gradients(r, v), e, out);
    else texel_sample(v, &s, e, out);
    v->sampler = own;
}

static void run_sample(struct warp *w, const struct ptx_inst *i)
{
    u32 out[4][LANES];
    struct bound_tex v = {0}, sampler = {0};
    struct effect *e = w->effect;
    effect_begin(w, i);
    for (u32 left = w->executing; left; left &= left - 1) {
        struct operand_reader r = {w, i, FIRST, (u32)__builtin_ctz(left)};
        u32 colour[4];
        if (!view_of_lane(w, i, r.lane, &v, &sampler)) {
            e->kind = EFFECT_NONE;
            return;
        }
        e->size_bytes = (u8)max_u32(e->size_bytes, texel_bytes(&v.texture->texel));
        sample(&r, &v, colour);
        for (u32 k = 0; k < 4; k++) out[k][r.lane] = colour[k];
    }
    for (u32 k = 0; k < 4; k++)
        if (i->dst[k] != OPERAND_ABSENT) lanes_blend32(row_of(w, i->dst[k]), out[k], w->executing);
    if (!e->texel_n) e->kind = EFFECT_NONE; /* border only */
}

#define ANY EXEC_ANY
const struct exec_row exec_sample_rows[] = {
    {OP_TEX, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_sample},
    {OP_TLD4, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_sample},
};
const u32 exec_sample_row_n = COUNT_OF(exec_sample_rows);

/* suld, sust, sured: bytes or texels of an array, by coordinates. Bound by exec_bind; timing and
 * store buffer see accesses to global memory. Source: PTX ISA manual, surface instructions. */
#include <stdio.h>
#include <string.h>

#include "exec/lanes.h"
#include "exec/store_buffer.h"
#include "exec/texture/texel.h"
#include "isa/isa.h"

enum { FIRST = 2 };

struct surface { /* state of one instruction */
    struct warp *w;
    const struct ptx_inst *i;
    u32 bytes;           /* size of a lane's access */
    u32 values;          /* index in the sources of the first value to store */
    bool formatted;      /* .p: x counts texels, not bytes */
    struct bound_tex view;
    u64 shift;           /* physical address - device address, of the first lane's surface */
    bool shifts_differ;  /* some lane's surface has another shift */
    u32 mask;            /* lanes within bounds */
    u8 *at[LANES];       /* host bytes of each lane */
    struct texel texel[LANES]; /* texel format of each lane's surface */
};

/* Checks that *x is in [0, n - need], and clamps *x if `clamp` is set. False: out of bounds. */
static bool place(s64 *x, s64 n, s64 need, bool clamp)
{
    s64 last = n - need;
    if (*x >= 0 && *x <= last) return true;
    if (!clamp || last < 0) return false;
    *x = *x < 0 ? 0 : last;
    return true;
}

/* Model: an access at an x that is not a multiple of the access size faults (the manual lets a
 * machine either fault or clear the low bits). */
static bool surface_fault(struct surface *s, u32 lane, const char *what, s64 x)
{
    static const char *const texts[][3] = {
        {"out-of-bounds surface load", "out-of-bounds surface store",
         "out-of-bounds surface atomic"},
        {"misaligned surface load", "misaligned surface store", "misaligned surface atomic"}};
    u32 kind = s->i->form.op == OP_SULD ? 0 : s->i->form.op == OP_SUST ? 1 : 2;
    warp_fault(s->w, s->i, lane, texts[*what == 'm'][kind]);
    snprintf(s->w->effect->fault.detail, sizeof s->w->effect->fault.detail,
             "x is %lld, in %s", (long long)x, s->formatted ? "texels" : "bytes");
    s->w->effect->kind = EFFECT_NONE;
    return false;
}

static s64 coordinate(const struct surface *s, u32 *next, u32 lane)
{
    const s32 *row = row_of(s->w, texture_sources(s->w, s->i)[(*next)++]);
    return row[lane];
}

/* Finds the bytes a lane accesses. False: fault. */
static bool surface_lane(struct surface *s, u32 lane)
{
    const struct form *f = &s->i->form;
    const u64 *handle = row_of(s->w, s->i->src[0]);
    struct bound_tex *v = &s->view;
    if (!bound_tex_find(s->w, s->i, lane, handle[lane], OPAQUE_SURFACE, v)) return false;
    u32 next = FIRST, texel = texel_bytes(&v->texture->texel);
    bool layered = f->geometry == GEOMETRY_A1D || f->geometry == GEOMETRY_A2D;
    bool clamp = f->flags & FLAG_CLAMP, inside = true;
    s64 z = layered ? coordinate(s, &next, lane) : 0, x = coordinate(s, &next, lane), y = 0;
    s64 wide = s->formatted ? v->width : (s64)v->width * texel, need = s->formatted ? 1 : s->bytes;
    if (f->geometry != GEOMETRY_1D && f->geometry != GEOMETRY_A1D)
        y = coordinate(s, &next, lane);
    if (f->geometry == GEOMETRY_3D) z = coordinate(s, &next, lane);
    if (!s->formatted && x & (s->bytes - 1)) return surface_fault(s, lane, "misaligned", x);
    s64 was = x;
    inside &= place(&x, wide, need, clamp);
    inside &= place(&y, v->height, 1, clamp);
    inside &= place(&z, layered ? bound_tex_extent(v, 0).depth : v->depth, 1, clamp);
    if (!inside && !(f->flags & (FLAG_ZERO | FLAG_CLAMP)))
        return surface_fault(s, lane, "out", was);
    if (!inside) return true;
    u64 at = bound_tex_offset(v, 0, (u64)x * (s->formatted ? texel : 1), (u32)y, (u32)z);
    if (!s->mask) s->shift = v->shift;
    s->shifts_differ |= s->shift != v->shift;
    s->mask |= 1u << lane;
    s->texel[lane] = v->texture->texel;
    s->at[lane] = (u8 *)(uintptr_t)(v->bytes + at);
    s->w->effect->address[lane] = v->texture->address + at;
    return true;
}

/* Resolves the accesses of all lanes and fills struct effect. The addresses in the effect are
 * device addresses, but physical addresses with shift 0 if the lanes access surfaces of different
 * shift. */
static bool surface_begin(struct surface *s, struct warp *w, const struct ptx_inst *i)
{
    struct effect *e = w->effect;
    u64 shift[LANES];
    *s = (struct surface){.w = w, .i = i, .formatted = i->form.sub & SURFACE_FORMATTED};
    s->bytes = s->formatted ? 1 : type_bytes((enum type)i->form.type) * i->form.vector;
    s->values = FIRST;
    const u32 *sources = texture_sources(w, i);
    while (s->values < TEXTURE_SRC_MAX && sources[s->values] != OPERAND_ABSENT) s->values++;
    s->values -= i->form.op == OP_SULD ? 0 : i->form.vector;
    e->kind = EFFECT_MEMORY;
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        if (!surface_lane(s, l)) return false;
        shift[l] = s->view.shift;
        if (s->formatted) s->bytes = max_u32(s->bytes, texel_bytes(&s->view.texture->texel));
    }
    for (u32 left = s->shifts_differ ? s->mask : 0; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        e->address[l] += shift[l];
    }
    e->shift = s->shifts_differ ? 0 : s->shift;
    e->load = i->form.op == OP_SULD;
    e->store = !e->load;
    e->atomic = i->form.op == OP_SURED;
    e->size_bytes = (u8)s->bytes;
    e->linear = e->uniform = false;
    e->space = SPACE_GLOBAL;
    e->cache = i->form.cache;
    e->reach = 0;
    e->mask = s->mask;
    effect_wrote(e, e->store && s->mask);
    if (!s->mask) e->kind = EFFECT_NONE;
    return true;
}

static void run_load(struct warp *w, const struct ptx_inst *i)
{
    struct surface s;
    u32 bytes = type_bytes((enum type)i->form.type);
    if (!surface_begin(&s, w, i)) return;
    for (u32 k = 0; k < i->form.vector; k++) {
        u32 words[LANES];
        u64 longs[LANES];
        for (u32 left = w->executing; left; left &= left - 1) {
            u32 l = (u32)__builtin_ctz(left);
            longs[l] = 0;
            if (s.mask >> l & 1) memcpy(&longs[l], s.at[l] + k * bytes, bytes);
            words[l] = (u32)longs[l];
        }
        if (i->dst[k] == OPERAND_ABSENT) continue;
        if (bytes == 8) lanes_blend64(row_of(w, i->dst[k]), longs, w->executing);
        else lanes_blend32(row_of(w, i->dst[k]), words, w->executing);
    }
}

static u64 value_of(const struct surface *s, u32 k, u32 lane)
{
    const void *row = row_of(s->w, texture_sources(s->w, s->i)[s->values + k]);
    return type_bytes((enum type)s->i->form.type) == 8 ? ((const u64 *)row)[lane]
                                                       : ((const u32 *)row)[lane];
}

static void store(const struct surface *s)
{
    const struct form *f = &s->i->form;
    u32 bytes = type_bytes((enum type)f->type);
    for (u32 left = s->mask; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left), values[4] = {0};
        for (u32 k = 0; k < f->vector; k++) {
            u64 value = value_of(s, k, l);
            if (s->formatted) values[k] = (u32)value;
            else memcpy(s->at[l] + k * bytes, &value, bytes);
        }
        if (s->formatted) texel_put(&s->texel[l], values, f->vector, s->at[l]);
    }
}

static u64 reduced(u32 op, u32 type, u64 old, u64 b)
{
    bool is_signed = type == T_S32 || type == T_S64;
    bool wide = type == T_S64 || type == T_U64;
    s64 x = wide ? (s64)old : (s32)(u32)old, y = wide ? (s64)b : (s32)(u32)b;
    bool less = is_signed ? y < x : b < old;
    switch (op) {
    case ATOM_ADD: return old + b;
    case ATOM_MIN: return less ? b : old;
    case ATOM_MAX: return less ? old : b;
    case ATOM_AND: return old & b;
    default: return old | b;
    }
}

/* .p: the texel type determines whether values are signed. */
static void reduce(const struct surface *s)
{
    for (u32 left = s->mask; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left), type = s->i->form.type;
        u64 old = 0, value = value_of(s, 0, l);
        if (s->formatted) type = s->texel[l].type >= TEXEL_S8 ? T_S32 : T_U32;
        u32 bytes = s->formatted ? min_u32(texel_bytes(&s->texel[l]), 4)
                                 : type_bytes((enum type)type);
        memcpy(&old, s->at[l], bytes);
        u64 now = reduced(s->i->form.sub & (SURFACE_FORMATTED - 1u), type, old, value);
        memcpy(s->at[l], &now, bytes);
    }
}

static void change(const struct surface *s)
{
    if (s->i->form.op == OP_SUST) store(s);
    else reduce(s);
}

/* At the end of the cycle, resolves the accesses again: the registers are the same. */
static void change_later(struct warp *w, const struct store_entry *entry)
{
    struct surface s;
    u64 writes = w->effect->writes;
    if (surface_begin(&s, w, entry->inst)) change(&s);
    w->effect->writes = writes;
}

static void run_change(struct warp *w, const struct ptx_inst *i)
{
    struct surface s;
    if (!surface_begin(&s, w, i)) return;
    if (!w->effect->store_buffer) change(&s);
    else if (s.mask)
        store_buffer_add(w, i, w->executing, s.bytes, change_later)->atomic = true;
}

#define ANY EXEC_ANY
const struct exec_row exec_surface_rows[] = {
    {OP_SULD, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_load},
    {OP_SUST, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_change},
    {OP_SURED, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_change},
};
const u32 exec_surface_row_n = COUNT_OF(exec_surface_rows);

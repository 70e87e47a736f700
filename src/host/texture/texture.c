/* Arrays, textures and surfaces of the host interface (host.h): validity checks and copies. Limits:
 * CUDA C++ Programming Guide, technical specifications per compute capability, of 7.5. */
#include "mem/textures.h"

#include <string.h>

#include "host/app.h"
#include "host/host.h"
#include "ptx/ptx.h"

enum { WIDTH_MAX = 131072, HEIGHT_MAX = 65536, SLICES_MAX = 16384, LAYERS_MAX = 2048,
       LINEAR_MAX = 1 << 28, PITCH_STEP = 32 };

/* ---- arrays ---- */

/* Returns what is wrong with a texel, or NULL if the texel is valid. */
static const char *texel_wrong(const struct texel *t)
{
    bool counts = t->channels == 1 || t->channels == 2 || t->channels == 4;
    if (t->type >= TEXEL_TYPE_N) return "has an unknown texel type";
    return counts ? NULL : "must have 1, 2 or 4 channels";
}

const char *host_shape_wrong(const struct array_shape *s)
{
    u32 faces = s->flags & ARRAY_CUBE ? 6 : 1, most = 1;
    bool layered = s->flags & ARRAY_LAYERED;
    while (most < ARRAY_LEVELS_MAX && max_u32(s->width, max_u32(s->height, s->depth)) >> most)
        most++;
    if (!s->width || s->width > WIDTH_MAX) return "must be 1 to 131072 texels wide";
    if (s->height > HEIGHT_MAX) return "must be at most 65536 texels high";
    if (s->flags & ARRAY_CUBE && s->width != s->height) return "must have square faces";
    if (s->flags & ARRAY_CUBE && (!s->depth || s->depth % faces || (!layered && s->depth != 6)))
        return "must have 6 faces, or 6 for each layer";
    if (layered && (!s->depth || s->depth > LAYERS_MAX * faces))
        return "must have 1 to 2048 layers";
    if (!s->flags && (s->depth > SLICES_MAX || (s->depth && !s->height)))
        return "must have at most 16384 slices of two dimensions";
    if (s->levels > most) return "has more levels than halvings of the extents";
    return texel_wrong(&s->texel);
}

u64 host_array(struct host *h, const struct array_shape *shape, const char *name)
{
    struct app *a = h->app;
    const char *wrong = host_shape_wrong(shape);
    if (wrong) app_fail(a, APP_ERROR_INPUT, "array '%s' %s", name, wrong);
    const struct array *made = array_new(&a->image, shape, name);
    if (!made)
        app_fail(a, APP_ERROR_INPUT, "array '%s' needs %llu bytes: out of memory", name,
                 (unsigned long long)array_bytes(shape));
    return made->address;
}

static const struct array *array_or_fail(struct app *a, const char *what, u64 handle)
{
    const struct array *found = array_find(&a->image, handle);
    if (!found)
        app_fail(a, APP_ERROR_FAULT, "%s: 0x%llx is not an array",
                 what, (unsigned long long)handle);
    return found;
}

void host_array_free(struct host *h, u64 array)
{
    app_block(h->app, WAIT_ALL, 0);
    array_or_fail(h->app, "host_array_free", array);
    array_free(&h->app->image, array);
}

const struct array_shape *host_array_shape(struct host *h, u64 array)
{
    const struct array *found = array_find(&h->app->image, array);
    return found ? &found->shape : NULL;
}

/* ---- copies ---- */

struct end { /* resolved source or destination of a copy */
    const struct host_place *place;
    u8 *bytes; /* host address of the array, or of the memory at `place` */
    const struct array_shape *shape; /* NULL: not an array */
    u64 pitch, slice;
};

/* Returns NULL, or what is wrong with an end that is an array. */
static const char *end_of_array(struct app *a, struct end *e, const u64 size[3])
{
    const struct host_place *p = e->place;
    const struct array *in = array_find(&a->image, p->array);
    if (!in) return "the source or destination is not an array";
    const struct array_shape *s = e->shape = &in->shape;
    struct extent3 x = array_extent(s, p->level);
    u64 row = (u64)x.width * texel_bytes(&s->texel);
    if (p->level >= max_u32(s->levels, 1) || p->x_bytes > row || size[0] > row - p->x_bytes ||
        p->y > x.height || size[1] > x.height - p->y || p->z > x.depth ||
        size[2] > x.depth - p->z)
        return "the copy reaches outside an array";
    const struct allocation *at = image_find(&a->image, p->array, in->size_bytes);
    check(at);
    e->bytes = at->bytes;
    return NULL;
}

static const char *end_find(struct app *a, struct end *e, const u64 size[3])
{
    const struct host_place *p = e->place;
    e->pitch = p->pitch ? p->pitch : size[0];
    e->slice = e->pitch * (p->rows ? p->rows : size[1]);
    e->bytes = p->host;
    if (p->array) return end_of_array(a, e, size);
    if (!p->device) return p->host ? NULL : "the source or destination is a null pointer";
    unsigned __int128 start = (unsigned __int128)p->z * e->slice +
                              (unsigned __int128)p->y * e->pitch + p->x_bytes;
    unsigned __int128 bytes = (unsigned __int128)(size[2] - 1) * e->slice +
                              (unsigned __int128)(size[1] - 1) * e->pitch + size[0];
    const struct allocation *in = start > GLOBAL_END || bytes > GLOBAL_END ? NULL
        : image_find(&a->image, p->device + (u64)start, (u64)bytes);
    if (!in) return "the copy reaches outside every allocation";
    e->bytes = in->bytes + (p->device - in->start);
    return NULL;
}

static const char *ends_find(struct app *a, struct end *out, struct end *in, const u64 size[3])
{
    const char *wrong = end_find(a, in, size);
    return wrong ? wrong : end_find(a, out, size);
}

const char *host_copy_wrong(struct host *h, const struct host_place *to,
                            const struct host_place *from, u64 width_bytes, u64 height, u64 depth)
{
    u64 size[3] = {width_bytes, max_u64(height, 1), max_u64(depth, 1)};
    struct end in = {.place = from}, out = {.place = to};
    return ends_find(h->app, &out, &in, size);
}

/* Returns the bytes at (x, y, z) of the copied box and reduces *n to the number of contiguous
 * bytes. */
static u8 *end_bytes(const struct end *e, u64 x, u64 y, u64 z, u32 *n)
{
    const struct host_place *p = e->place;
    u64 at = p->x_bytes + x;
    if (!e->shape) return e->bytes + at + (p->y + y) * e->pitch + (p->z + z) * e->slice;
    *n = array_run(e->shape, at, *n);
    return e->bytes + array_offset(e->shape, p->level, at, (u32)(p->y + y), (u32)(p->z + z));
}

void host_copy(struct host *h, const struct host_place *to, const struct host_place *from,
               u64 width_bytes, u64 height, u64 depth)
{
    u64 size[3] = {width_bytes, max_u64(height, 1), max_u64(depth, 1)};
    struct end in = {.place = from}, out = {.place = to};
    app_block(h->app, WAIT_STREAM, 0);
    if (!width_bytes) return;
    const char *wrong = ends_find(h->app, &out, &in, size);
    if (wrong) app_fail(h->app, APP_ERROR_FAULT, "host_copy: %s", wrong);
    for (u64 z = 0; z < size[2]; z++) {
        for (u64 y = 0; y < size[1]; y++) {
            u32 n;
            for (u64 x = 0; x < width_bytes; x += n) {
                n = (u32)min_u64(width_bytes - x, 1 << 20);
                const u8 *source = end_bytes(&in, x, y, z, &n);
                u8 *target = end_bytes(&out, x, y, z, &n);
                memmove(target, source, n);
            }
        }
    }
    if (to->array) image_changes(&h->app->image, to->array, UINT64_MAX);
    if (to->device) {
        image_changes(&h->app->image, to->device, UINT64_MAX);
        app_set_variables(h->app, to->device, size[2] * out.slice);
    }
}

/* ---- textures ---- */

static const char *sampler_wrong(const struct texture *t)
{
    const struct sampler *s = &t->sampler;
    u8 type = t->texel.type;
    bool is_float = type == TEXEL_F16 || type == TEXEL_F32;
    bool wide = type == TEXEL_U32 || type == TEXEL_S32;
    for (u32 i = 0; i < COUNT_OF(s->address); i++)
        if (s->address[i] > ADDRESS_BORDER) return "has an unknown address mode";
    if (s->filter > FILTER_LINEAR || s->level_filter > FILTER_LINEAR)
        return "has an unknown filter mode";
    if (s->normalized_float && wide) return "cannot read 32-bit integers as fractions";
    if ((s->filter || s->level_filter) && !is_float && !s->normalized_float)
        return "filters integers: only texels read as floats can be filtered";
    return NULL;
}

/* Copies the array's shape into `t`; t->texel may be another view of the array's bytes. */
static const char *fill_array(struct app *a, struct texture *t)
{
    const struct array *in = array_find(&a->image, t->address);
    if (!in) return "needs an array";
    t->shape = in->shape;
    if (!t->texel.channels) t->texel = in->shape.texel;
    if (!texel_wrong(&t->texel) && texel_bytes(&t->texel) != texel_bytes(&in->shape.texel))
        return "has texels of another size than the array's";
    if (t->first_level >= max_u32(in->shape.levels, 1)) return "begins at a level beyond the "
 "array's last";
    t->width = in->shape.width;
    t->height = in->shape.height;
    return NULL;
}

static const char *memory_wrong(const struct texture *t)
{
    bool rows = t->kind == TEXTURE_PITCH;
    u64 row = (u64)t->width * texel_bytes(&t->texel);
    if (!t->width || t->width > (rows ? WIDTH_MAX : LINEAR_MAX))
        return rows ? "must be 1 to 131072 texels wide" : "must have 1 to 2^28 elements";
    if (rows && (!t->height || t->height > HEIGHT_MAX)) return "must be 1 to 65536 texels high";
    if (rows && (t->pitch < row || t->pitch % PITCH_STEP))
        return "has a pitch below the row size, or not a multiple of 32 bytes";
    return t->address % texel_bytes(&t->texel) ? "has an address not aligned to a texel" : NULL;
}

static const char *texture_wrong(struct app *a, struct texture *t)
{
    const char *wrong = NULL;
    if (t->kind == TEXTURE_SAMPLER) return NULL;
    if (t->kind == TEXTURE_ARRAY || t->kind == TEXTURE_SURFACE) wrong = fill_array(a, t);
    else if (t->kind != TEXTURE_LINEAR && t->kind != TEXTURE_PITCH) return "is of an unknown kind";
    if (!wrong) wrong = texel_wrong(&t->texel);
    if (!wrong && (t->kind == TEXTURE_LINEAR || t->kind == TEXTURE_PITCH)) wrong = memory_wrong(t);
    if (t->kind == TEXTURE_LINEAR) t->height = 0;
    return wrong ? wrong : sampler_wrong(t);
}

static struct texture texture_checked(struct app *a, const struct texture *of, const char *name)
{
    struct texture t = *of;
    const char *wrong = texture_wrong(a, &t);
    if (wrong) app_fail(a, APP_ERROR_INPUT, "%s %s", name, wrong);
    return t;
}

const char *host_texture_wrong(struct host *h, const struct texture *t)
{
    struct texture looked_at = *t;
    return texture_wrong(h->app, &looked_at);
}

u64 host_texture(struct host *h, const struct texture *t)
{
    struct texture made = texture_checked(h->app, t, "the texture");
    return texture_new(&h->app->image, &made);
}

u64 host_surface(struct host *h, u64 array)
{
    struct texture t = {.kind = TEXTURE_SURFACE, .address = array};
    struct texture made = texture_checked(h->app, &t, "the surface");
    return texture_new(&h->app->image, &made);
}

void host_texture_free(struct host *h, u64 texture)
{
    app_block(h->app, WAIT_ALL, 0);
    if (!texture_free(&h->app->image, texture))
        app_fail(h->app, APP_ERROR_FAULT, "host_texture_free: %llu is not a texture",
                 (unsigned long long)texture);
}

const struct texture *host_texture_find(struct host *h, u64 handle)
{
    return texture_find(&h->app->image, handle);
}

/* ---- references ---- */

void host_bind(struct host *h, u64 reference, const struct texture *t)
{
    app_block(h->app, WAIT_ALL, 0);
    struct texture made = {0};
    if (t) made = texture_checked(h->app, t, "the bound texture");
    texture_bind(&h->app->image, reference, t ? &made : NULL);
}

static const char *const kind_names[] = {
    [REFERENCE_TEXTURE] = ".texref", [REFERENCE_SAMPLER] = ".samplerref",
    [REFERENCE_SURFACE] = ".surfref",
};

static void bind(struct app *a, const char *name, enum reference_kind kind,
                 const struct texture *t)
{
    const struct module *m = a->input->module;
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (u32 i = 0; i < ptx_reference_n(m); i++) {
        const struct reference *r = ptx_reference(m, i);
        if (r->kind != kind) continue;
        nearest_offer(&nearest, r->name);
        if (strcmp(r->name, name)) continue;
        host_bind(&a->host, ptx_reference_handle(m, i), t);
        return;
    }
    app_add_error(a, APP_ERROR_INPUT, "%s has no %s '%s'", a->input->ptx->name, kind_names[kind],
                  name);
    fail_nearest(&a->error, &nearest);
    app_leave(a, APP_ERROR_INPUT);
}

void host_bind_texture(struct host *h, const char *reference, const struct texture *t)
{
    bool sampler = t && t->kind == TEXTURE_SAMPLER;
    bind(h->app, reference, sampler ? REFERENCE_SAMPLER : REFERENCE_TEXTURE, t);
}

void host_bind_surface(struct host *h, const char *reference, u64 array)
{
    struct texture t = {.kind = TEXTURE_SURFACE, .address = array};
    bind(h->app, reference, REFERENCE_SURFACE, array ? &t : NULL);
}

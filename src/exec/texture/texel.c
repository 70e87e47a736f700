#include "exec/texture/texel.h"

#include <string.h>

#include "exec/float/round.h"

/* ---- numbers ---- */

enum { ONE = 256, FRACTION_BITS = 8 }; /* fixed-point weights: ONE is 1 */

static s64 floor_of(double x) /* |x| < 2^62 */
{
    s64 n = (s64)x;
    return n - (x < (double)n);
}

/* Clamps x to [low, high]. Model: NaN as a level counts as the least (guess). */
static double within(double x, double low, double high)
{
    return !(x > low) ? low : x > high ? high : x;
}

static double fraction_of(double x) /* x - floor(x); 0 where floats have no fraction */
{
    double near = within(x, -0x1p40, 0x1p40);
    return near - (double)floor_of(near);
}

/* Computes the fraction bits of the logarithm by repeated squaring. */
double texel_level(double length_squared)
{
    enum { BITS = FRACTION_BITS + 1 };
    if (!(length_squared > 0x1p-60)) return -30;
    u64 bits = bits_of_double(within(length_squared, 0x1p-60, 0x1p60));
    s64 whole = (s64)(bits >> 52) - 1023;
    double m = double_of((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
    for (u32 k = 0; k < BITS; k++) {
        m *= m;
        whole = whole * 2 + (m >= 2);
        if (m >= 2) m *= 0.5;
    }
    return (double)whole / (1 << (BITS + 1));
}

/* ---- along one dimension ---- */

struct axis { /* one or two adjacent texels */
    u32 n;
    u32 second; /* weight of the second texel, in units of 1 / ONE */
    u32 index[2];
    bool outside[2]; /* in the border */
};

/* Model: wrap and mirror apply to normalized coordinates; for other coordinates both act as clamp
 * (CUDA C++ Programming Guide). Integer coordinates outside the texture read zero in every mode
 * (measured on an H100: test/silicon). */
static u32 mode_of(const struct bound_tex *v, const struct sample_point *s, u32 dimension)
{
    u32 mode = v->sampler->address[dimension];
    bool normalized = v->sampler->normalized_coordinates;
    if (v->texture->kind == TEXTURE_LINEAR || s->whole) return ADDRESS_BORDER;
    return normalized || mode == ADDRESS_BORDER ? mode : ADDRESS_CLAMP;
}

static void axis_set(struct axis *a, u32 k, s64 index, u32 size, u32 mode)
{
    s64 last = (s64)size - 1;
    a->outside[k] = mode == ADDRESS_BORDER && (index < 0 || index > last);
    if (mode == ADDRESS_WRAP) index = index < 0 ? last : index > last ? 0 : index;
    if (mode == ADDRESS_MIRROR && index > last) index = 2 * last + 1 - index;
    a->index[k] = (u32)(index < 0 ? 0 : index > last ? last : index);
}

/* Returns the coordinate in texels; 0 to size is inside the texture, size to 2 * size in its mirror
 * image. Model: NaN as a coordinate counts as 0; tld4 in a mirror image returns the four texels in
 * mirrored order (measured on an H100: test/silicon). */
static double scaled(double x, u32 size, u32 mode, bool normalized)
{
    if (x != x) x = 0;
    if (normalized && mode == ADDRESS_WRAP) x = fraction_of(x);
    if (normalized && mode == ADDRESS_MIRROR) x = 2 * fraction_of(x * 0.5);
    if (normalized) x *= size;
    return within(x, -0x1p40, 0x1p40);
}

/* Model: the weight of the second texel is the fraction of x - 0.5, rounded to the nearest multiple
 * of 1/256, half to even (CUDA C++ Programming Guide: 9 bits of fixed point, 8 of them fraction,
 * with 1 exact; measured on an H100: test/silicon). A texel with weight 0 along a dimension is not
 * read (guess). */
static struct axis axis_of(const struct bound_tex *v, const struct sample_point *s, u32 dimension,
                           u32 size, bool linear)
{
    struct axis a = {.n = 1};
    u32 mode = mode_of(v, s, dimension);
    double x = scaled(s->at[dimension], size, mode,
                      v->sampler->normalized_coordinates && !s->whole);
    s64 first = floor_of(linear ? x - 0.5 : x);
    u32 weight = linear ? (u32)__builtin_rint((x - 0.5 - (double)first) * ONE) : 0;
    if (weight == ONE) first++;
    axis_set(&a, 0, first, size, mode);
    if (!weight || weight == ONE) return a;
    a.n = 2;
    a.second = weight;
    axis_set(&a, 1, first + 1, size, mode);
    return a;
}

/* ---- one texel ---- */

struct colour {
    double value[4]; /* if the texture returns floats */
    double part[4];  /* as value, as a filter adds them: in units of filter_unit */
    u32 whole[4];    /* if the texture returns integers */
};

static bool is_float_type(u32 type) { return type == TEXEL_F16 || type == TEXEL_F32; }

static bool returns_floats(const struct bound_tex *v)
{
    return is_float_type(v->texture->texel.type) || v->sampler->normalized_float;
}

static u32 channel_whole(u32 type, const u8 *at)
{
    u32 n = texel_type_bytes((enum texel_type)type), x = 0;
    memcpy(&x, at, n);
    if (type == TEXEL_S8) return (u32)(s32)(s8)x;
    return type == TEXEL_S16 ? (u32)(s32)(s16)x : x;
}

/* Returns the greatest value of a channel of a normalized integer. */
static double greatest(u32 type)
{
    return type == TEXEL_U8 ? 255 : type == TEXEL_S8 ? 127 : type == TEXEL_U16 ? 65535 : 32767;
}

/* Returns the number of steps in 1 of a filter's result; 0: no steps. Model: filtered fractions are
 * multiples of 1/65535, rounded to nearest, half upwards (measured on an H100 with u8:
 * test/silicon); of s16 multiples of 1/32767, of s8 without steps (guess). */
static double filter_unit(const struct bound_tex *v)
{
    u32 type = v->texture->texel.type;
    if (type == TEXEL_U8 || type == TEXEL_U16) return 65535;
    return type == TEXEL_S16 ? 32767 : 0;
}

static double in_units(const struct bound_tex *v, double value)
{
    double unit = filter_unit(v);
    return unit > 0 ? (double)floor_of(value * unit + 0.5) : value;
}

/* Model: a normalized integer is the quotient by the greatest value, and the least signed value
 * counts as -1 (as in OpenGL and OpenCL); rounded once. */
static double channel_value(u32 type, const u8 *at)
{
    u32 x = channel_whole(type, at);
    double most = greatest(type);
    if (type == TEXEL_F32) return (double)float_of(x);
    if (type == TEXEL_F16) return (double)f16_widen(x);
    if (type == TEXEL_U8 || type == TEXEL_U16) return x / most;
    return within((s32)x / most, -1, 1);
}

void touch_begin(struct effect *e, u32 size_bytes)
{
    e->texel_n = 0;
    e->texel_start = UINT64_MAX;
    e->texel_end = 0;
    e->size_bytes = (u8)size_bytes;
}

static void touch(const struct bound_tex *v, u64 offset, struct effect *e)
{
    u64 address = v->texture->address + offset + v->shift;
    u32 bytes = texel_bytes(&v->texture->texel);
    e->texel[e->texel_n++] = address;
    e->texel_start = min_u64(e->texel_start, address);
    e->texel_end = max_u64(e->texel_end, address + bytes);
}

u64 bound_tex_offset(const struct bound_tex *v, u32 level, u64 x_bytes, u32 y, u32 z)
{
    const struct texture *t = v->texture;
    if (t->kind == TEXTURE_LINEAR) return x_bytes;
    if (t->kind == TEXTURE_PITCH) return y * t->pitch + x_bytes;
    return array_offset(&t->shape, t->first_level + level, x_bytes, y, z);
}

/* Model: channels missing in the texel read as 0 (measured on an H100: test/silicon). */
static void texel_read(const struct bound_tex *v, u32 level, const u32 index[3], struct effect *e,
                       struct colour *c)
{
    const struct texel *t = &v->texture->texel;
    u64 offset = bound_tex_offset(v, level, (u64)index[0] * texel_bytes(t), index[1], index[2]);
    u32 bytes = texel_type_bytes((enum texel_type)t->type);
    touch(v, offset, e);
    for (u32 k = 0; k < 4; k++) {
        const u8 *at = v->bytes + offset + k * bytes;
        bool there = k < t->channels;
        c->whole[k] = there ? channel_whole(t->type, at) : 0;
        c->value[k] = there ? channel_value(t->type, at) : 0;
        c->part[k] = in_units(v, c->value[k]);
    }
}

/* Returns a border's channel as a texel of the texture would hold the value. Model: the
 * border of normalized integers is rounded to the nearest texel value, half downwards (measured on
 * an H100 with u16: test/silicon). */
static double border_value(const struct bound_tex *v, double x)
{
    u32 type = v->texture->texel.type;
    if (type == TEXEL_F16) return (double)f16_widen(exact_f16(exact_one(x), ROUND_RN));
    if (type == TEXEL_F32) return x;
    double most = greatest(type), least = type == TEXEL_U8 || type == TEXEL_U16 ? 0 : -1;
    s64 steps = -floor_of(0.5 - within(x, least, 1) * most);
    return (double)steps / most;
}

/* Model: a read outside the texture returns 0 at integer coordinates, else the border, with the
 * channels of the texture (measured on an H100: test/silicon). */
static void border_colour(const struct bound_tex *v, bool none, struct colour *c)
{
    *c = (struct colour){0};
    for (u32 k = 0; k < v->texture->texel.channels && !none; k++) {
        double x = (double)v->sampler->border[k];
        c->value[k] = returns_floats(v) ? border_value(v, x) : 0;
        c->part[k] = in_units(v, c->value[k]);
        c->whole[k] = (u32)(s32)within(x, -0x1p31, 0x1p31 - 1);
    }
}

/* ---- a footprint ---- */

struct footprint {
    struct axis x, y, z;
    u32 slice;  /* added to the index along z: layer and face */
    bool whole; /* as in sample_point */
};

static void footprint_of(const struct bound_tex *v, const struct sample_point *s, bool linear,
                         struct footprint *f)
{
    static const struct axis one = {.n = 1};
    struct extent3 size = bound_tex_extent(v, s->level);
    bool layered = v->texture->kind == TEXTURE_ARRAY && v->texture->shape.flags;
    bool flat = v->texture->height == 0;
    f->x = axis_of(v, s, 0, size.width, linear);
    f->y = flat ? one : axis_of(v, s, 1, size.height, linear);
    f->z = layered || size.depth == 1 ? one : axis_of(v, s, 2, size.depth, linear);
    f->slice = layered ? min_u32(s->layer, size.depth - 1) : 0;
    f->whole = s->whole || v->texture->kind == TEXTURE_LINEAR;
}

static void footprint_read(const struct bound_tex *v, u32 level, const struct footprint *f,
                           const u32 at[3], struct effect *e, struct colour *c)
{
    u32 index[3] = {f->x.index[at[0]], f->y.index[at[1]], f->z.index[at[2]] + f->slice};
    if (f->x.outside[at[0]] || f->y.outside[at[1]] || f->z.outside[at[2]])
        border_colour(v, f->whole, c);
    else
        texel_read(v, level, index, e, c);
}

static u32 f32_bits(double x)
{
    float single = (float)x;
    return single != single ? F32_NAN : bits_of(single);
}

/* Returns the k-th texel's part of a weight. */
static u32 share_of(u32 weight, const struct axis *a, u32 k)
{
    u32 product = weight * a->second, odd = product / ONE & 1;
    u32 second = (product + ONE / 2 - 1 + odd) / ONE; /* to nearest, half to even */
    return k ? second : weight - second;
}

/* Adds a level's texels, of a sum of weights of `whole`. Model: each texel's weight has 8 fraction
 * bits. The weight of the level is divided along x, the parts along z, and these along y; the
 * second part is rounded to nearest, half to even, and the first is the rest (measured on an H100:
 * test/silicon). Products of texels and weights are exact; they are added in double precision, x
 * fastest, and rounded to float at the end. */
static void filtered(const struct bound_tex *v, const struct sample_point *s, u32 whole,
                     struct effect *e, double sum[4])
{
    struct footprint f;
    footprint_of(v, s, v->sampler->filter == FILTER_LINEAR && !s->whole, &f);
    for (u32 z = 0; z < f.z.n; z++) {
        for (u32 y = 0; y < f.y.n; y++) {
            for (u32 x = 0; x < f.x.n; x++) {
                struct colour c;
                u32 weight = share_of(share_of(share_of(whole, &f.x, x), &f.z, z), &f.y, y);
                footprint_read(v, s->level, &f, (const u32[3]){x, y, z}, e, &c);
                for (u32 k = 0; k < 4; k++) sum[k] += weight ? c.part[k] * weight : 0;
            }
        }
    }
}

/* Returns a filter's result: sum is in units of 1 / ONE. */
static u32 filter_result(const struct bound_tex *v, double sum)
{
    double unit = filter_unit(v);
    if (unit > 0) return f32_bits((double)floor_of(sum / ONE + 0.5) / unit);
    return f32_bits(sum / ONE);
}

static void nearest(const struct bound_tex *v, const struct sample_point *s, struct effect *e,
                    struct colour *c)
{
    struct footprint f;
    footprint_of(v, s, false, &f);
    footprint_read(v, s->level, &f, (const u32[3]){0, 0, 0}, e, c);
}

static bool is_linear(const struct bound_tex *v, const struct sample_point *s)
{
    return v->sampler->filter == FILTER_LINEAR && !s->whole && returns_floats(v);
}

void texel_sample(const struct bound_tex *v, const struct sample_point *s, struct effect *e,
                  u32 out[4])
{
    struct colour c;
    double sum[4] = {0};
    bool floats = returns_floats(v);
    if (is_linear(v, s)) {
        filtered(v, s, ONE, e, sum);
        for (u32 k = 0; k < 4; k++) out[k] = filter_result(v, sum[k]);
        return;
    }
    nearest(v, s, e, &c);
    for (u32 k = 0; k < 4; k++) out[k] = floats ? f32_bits(c.value[k]) : c.whole[k];
}

/* Model: mipmap filtering selects the nearest level, or combines two levels, the second with a
 * weight of 8 fraction bits, rounded to nearest (measured on an H100: test/silicon). */
void texel_sample_level(const struct bound_tex *v, struct sample_point *s, double level,
                        struct effect *e, u32 out[4])
{
    const struct sampler *p = v->sampler;
    double last = bound_tex_levels(v) - 1, sum[4] = {0};
    level = within(level + (double)p->level_bias, (double)p->level_least, (double)p->level_most);
    level = within(level, 0, last);
    bool between = p->level_filter == FILTER_LINEAR && returns_floats(v);
    s->level = (u32)floor_of(between ? level : within(level + 0.5, 0, last));
    u32 second = between ? (u32)floor_of((level - s->level) * ONE + 0.5) : 0;
    if (!second) {
        texel_sample(v, s, e, out);
        return;
    }
    filtered(v, s, ONE - second, e, sum);
    s->level++;
    filtered(v, s, second, e, sum);
    for (u32 k = 0; k < 4; k++) out[k] = filter_result(v, sum[k]);
}

void texel_gather(const struct bound_tex *v, const struct sample_point *s, u32 channel,
                  struct effect *e, u32 out[4])
{
    static const u8 order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    struct footprint f;
    footprint_of(v, s, false, &f);
    struct axis *axes[] = {&f.x, &f.y};
    struct extent3 size = bound_tex_extent(v, s->level);
    for (u32 d = 0; d < 2; d++) { /* reads both neighbours, whatever their weights */
        u32 n = d ? size.height : size.width, mode = mode_of(v, s, d);
        double x = scaled(s->at[d], n, mode, v->sampler->normalized_coordinates);
        s64 first = floor_of(x - 0.5);
        axis_set(axes[d], 0, first, n, mode);
        axis_set(axes[d], 1, first + 1, n, mode);
    }
    for (u32 k = 0; k < 4; k++) {
        struct colour c;
        footprint_read(v, s->level, &f, (const u32[3]){order[k][0], order[k][1], 0}, e, &c);
        out[k] = returns_floats(v) ? f32_bits(c.value[channel]) : c.whole[channel];
    }
}

/* Model: between equally long axes, x has priority over y, and y over z (guess); filters stay on
 * the face (CUDA: seamless cubes are an option, not modelled here). */
u32 texel_face(double at[3])
{
    double length[3];
    for (u32 k = 0; k < 3; k++) length[k] = at[k] < 0 ? -at[k] : at[k];
    u32 major = length[0] >= length[1] && length[0] >= length[2] ? 0
                : length[1] >= length[2]                          ? 1
                                                                  : 2;
    bool negative = at[major] < 0;
    double x = at[0], y = at[1], z = at[2], m = length[major], s, t;
    switch (major) {
    case 0: s = negative ? z : -z, t = -y; break;
    case 1: s = x, t = negative ? -z : z; break;
    default: s = negative ? -x : x, t = -y; break;
    }
    at[0] = (s / m + 1) * 0.5;
    at[1] = (t / m + 1) * 0.5;
    at[2] = 0;
    return major * 2 + negative;
}

/* ---- formatted stores ---- */

/* Model: an integer out of range is clamped to the nearest value of the channel (OpenCL,
 * write_image); f16 is rounded towards zero (measured on an H100: test/silicon). */
static u32 channel_from(u32 type, u32 value)
{
    switch (type) {
    case TEXEL_U8: return min_u32(value, 255);
    case TEXEL_U16: return min_u32(value, 65535);
    case TEXEL_S8: return (u32)(s32)within((s32)value, -128, 127);
    case TEXEL_S16: return (u32)(s32)within((s32)value, -32768, 32767);
    case TEXEL_F16: return exact_f16(exact_one((double)float_of(value)), ROUND_RZ);
    default: return value;
    }
}

void texel_put(const struct texel *t, const u32 *values, u32 n, u8 *to)
{
    u32 bytes = texel_type_bytes((enum texel_type)t->type);
    for (u32 k = 0; k < t->channels; k++) {
        u32 value = k < n ? channel_from(t->type, values[k]) : 0;
        memcpy(to + k * bytes, &value, bytes);
    }
}

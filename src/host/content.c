#include "host/content.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/rand.h"

void content_patch(const struct content *c, const u64 *address, u8 *out)
{
    for (u32 i = 0; i < c->patch_n; i++) {
        u64 to = address[c->patches[i].region] + c->patches[i].add;
        memcpy(out + c->patches[i].offset, &to, sizeof to);
    }
}

/* Returns a random value of the exponential distribution, rounded to a whole number for an
 * integer. */
static struct number draw_exponential(const struct draw *d, u64 seed, u64 place, u64 number)
{
    u128 value = (u128)rand_exponential(seed, place, number) * d->mean; /* in units of 2^-64 */
    if (!type_is_float(d->type))
        return (struct number){.magnitude = (u64)((value + ((u128)1 << 63)) >> 64)};
    return (struct number){.fraction = true, .real = (double)(u64)(value >> 32) * 0x1p-32};
}

void content_draw(const struct content *c, u64 seed, u64 place, u64 number, u8 *out)
{
    for (u32 i = 0; i < c->draw_n; i++) {
        const struct draw *d = &c->draws[i];
        struct number n = {.magnitude = number};
        struct text why = {0};
        if (d->kind == DRAW_EXPONENTIAL) n = draw_exponential(d, seed, place | d->offset, number);
        bool fits = number_encode(&n, d->type, out + d->offset, &why);
        check(fits);
        text_free(&why);
    }
}

void content_write(const struct script_write *w, const u64 *address, u8 *out)
{
    const struct fill *fill = &w->content.fill;
    if (w->content.bytes) memcpy(out, w->content.bytes, w->size_bytes);
    else if (fill->kind == FILL_ZERO) memset(out, 0, w->size_bytes);
    else fill_write(fill, w->type, w->size_bytes / type_bytes(w->type), out);
    content_patch(&w->content, address, out);
}

static bool is_signed(enum type type)
{
    return type == T_S8 || type == T_S16 || type == T_S32 || type == T_S64;
}

static u64 bits_of(enum type type, const u8 *at)
{
    u64 bits = 0;
    u32 size = type_bytes(type);
    memcpy(&bits, at, size);
    u64 sign = 1ull << (size * 8 - 1);
    return is_signed(type) && bits & sign ? bits | (0 - sign) : bits;
}

static double real_of(enum type type, const u8 *at)
{
    u64 bits = bits_of(type, at);
    float single;
    double real;
    switch (type) {
    case T_F16: return half_to_double((u16)bits);
    case T_F32: memcpy(&single, at, sizeof single); return (double)single;
    case T_F64: memcpy(&real, at, sizeof real); return real;
    default: return is_signed(type) ? (double)(s64)bits : (double)bits;
    }
}

bool content_equal(enum type type, const u8 *got, const u8 *want, double within)
{
    if (!memcmp(got, want, type_bytes(type))) return true;
    if (!type_is_float(type) && within <= 0) return false;
    double a = real_of(type, got), b = real_of(type, want);
    return a == b || fabs(a - b) <= within * fmax(1, fabs(b));
}

static void show(enum type type, const u8 *at, struct text *out)
{
    u64 bits = bits_of(type, at);
    if (type_is_float(type)) text_add(out, "%.17g", real_of(type, at));
    else if (is_signed(type)) text_add(out, "%lld", (long long)bits);
    else text_add(out, "%llu", (unsigned long long)bits);
}

void content_compare(const struct script_expect *e, const char *name, const u64 *address,
                     const u8 *got, struct text *why)
{
    const struct script_write *w = &e->value;
    u8 *want = base_alloc(w->size_bytes);
    content_write(w, address, want);
    enum type type = w->size_bytes % type_bytes(w->type) ? T_U8 : w->type;
    u32 size = type_bytes(type);
    u64 n = w->size_bytes / size, i = 0;
    if (!memcmp(got, want, w->size_bytes)) i = n;
    while (i < n && content_equal(type, got + i * size, want + i * size, e->within)) i++;
    if (i < n) {
        text_add(why, "%s[%llu] is ", name, (unsigned long long)i);
        show(type, got + i * size, why);
        text_add(why, ", expected ");
        show(type, want + i * size, why);
        if (e->within > 0) text_add(why, " within %g", e->within);
    }
    free(want);
}

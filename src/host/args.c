#include "host/args.h"

#include <string.h>

#include "table/amount.h"

/* Bound of the mean of random arguments: 44.4 times the mean fits 32 bits. */
#define MEAN_MOST (1u << 25)

static bool is_struct(const struct param *p) { return p->count > 1 || p->type == T_B8; }

static void show_param(const struct param *p, struct text *out)
{
    text_add(out, "%s %s", type_name(p->type), p->name);
    if (p->count > 1) text_add(out, "[%u]", p->count);
}

void args_signature(const struct program *p, struct text *out)
{
    text_add(out, "%s(", p->name);
    for (u32 i = 0; i < p->param_n; i++) {
        if (i) text_put(out, ", ", 2);
        show_param(&p->params[i], out);
    }
    text_put(out, ")", 1);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static const char *skip_blanks(const char *s) { return s + strspn(s, " \t\r\n"); }
static size_t word_length(const char *s) { return strcspn(s, " \t\r\n"); }

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(text, word, n) && word_length(text) == n;
}

/* ---- addresses ---- */

static bool is_name(const char *name, const char *s, size_t n)
{
    return name && strlen(name) == n && !memcmp(name, s, n);
}

static u32 name_find(const struct arg_names *names, const char *s, size_t n)
{
    for (u32 i = 0; i < names->n; i++)
        if (is_name(names->at[i].name, s, n) || is_name(names->at[i].shown, s, n)) return i;
    return UINT32_MAX;
}

static bool unknown_name(const char *s, size_t n, const struct arg_names *names,
                         struct arg_detail *arg, struct text *why)
{
    struct text wanted = {0};
    struct nearest nearest;
    text_put(&wanted, s, n);
    nearest_init(&nearest, text_get(&wanted));
    for (u32 i = 0; i < names->n; i++) {
        nearest_offer(&nearest, names->at[i].name);
        if (names->at[i].shown) nearest_offer(&nearest, names->at[i].shown);
    }
    arg->nearest = nearest.best;
    text_add(why, "no buffer is named '%s'", text_get(&wanted));
    text_free(&wanted);
    return false;
}

bool arg_address(const char *text, const struct arg_names *names, struct patch *out,
                 struct arg_detail *arg, struct text *why)
{
    size_t n = strcspn(text, "+ \t");
    u32 region = name_find(names, text, n);
    if (region == UINT32_MAX) return unknown_name(text, n, names, arg, why);
    *out = (struct patch){.region = region};
    const char *rest = skip_blanks(text + n);
    if (!*rest) return true;
    struct number add;
    const char *digits = skip_blanks(rest + 1);
    if (*rest != '+' || !number_parse(digits, strlen(digits), &add, why) || add.fraction ||
        add.negative) {
        if (!why->size) text_add(why, "expected $NAME or $NAME+BYTES");
        return false;
    }
    const struct arg_name *to = &names->at[region];
    if (to->size_bytes && add.magnitude > to->size_bytes) {
        text_add(why, "%llu bytes is beyond the end of buffer '%s' of %llu bytes",
                 (unsigned long long)add.magnitude, to->name, (unsigned long long)to->size_bytes);
        return false;
    }
    out->add = add.magnitude;
    return true;
}

/* `text` begins behind the $ */
static bool put_address(const char *text, const struct arg_names *names, struct arena *arena,
                        struct content *to, u64 at, struct arg_detail *arg, struct text *why)
{
    struct patch patch;
    if (!arg_address(text, names, &patch, arg, why)) return false;
    patch.offset = at;
    if (to->bytes) *arena_push(arena, to->patches, to->patch_n, to->patch_room) = patch;
    return true;
}

/* ---- bytes in memory order, optionally separated by blanks ---- */

struct hex { /* destination of the bytes */
    struct content *to;
    u64 start, at, end; /* at: the next byte; bytes from `end` on are only counted */
    bool half;          /* the first digit of a byte has been read */
};

static bool hex_address(const char *s, size_t n, struct hex *h, const struct arg_names *names,
                        struct arena *arena, struct arg_detail *arg, struct text *why)
{
    if (h->half) {
        text_add(why, "an address between the two digits of a byte");
        return false;
    }
    u64 at = h->at;
    h->at += sizeof(u64);
    struct content counted = {0};
    bool inside = h->at <= h->end;
    const char *name = arena_text(arena, s, n);
    return put_address(name, names, arena, inside ? h->to : &counted, at, arg, why);
}

static bool hex_parse(const char *s, struct hex *h, const struct arg_names *names,
                      struct arena *arena, struct arg_detail *arg, struct text *why)
{
    u8 first = 0;
    for (s = skip_blanks(s); *s; s = skip_blanks(s)) {
        if (*s == '$') {
            size_t n = word_length(s);
            if (!hex_address(s + 1, n - 1, h, names, arena, arg, why)) return false;
            s += n;
            continue;
        }
        int digit = hex_digit(*s++);
        if (digit < 0) {
            text_add(why, "'%c' is no hexadecimal digit", s[-1]);
            return false;
        }
        if (h->half) {
            if (h->at < h->end && h->to->bytes) h->to->bytes[h->at] = (u8)(first << 4 | digit);
            h->at++;
        }
        first = (u8)digit;
        h->half = !h->half;
    }
    return true;
}

static enum arg_result convert_hex(const char *s, const struct param *p,
                                   const struct arg_names *names, struct arena *arena,
                                   struct content *to, struct arg_detail *arg, struct text *why)
{
    struct hex h = {.to = to, .start = p->offset, .at = p->offset,
                    .end = p->offset + p->size_bytes};
    if (!hex_parse(s, &h, names, arena, arg, why)) return ARG_WRONG;
    if (h.at == h.end && !h.half) return ARG_DONE;
    text_add(why, "%s has %u bytes and takes %u hexadecimal digits, not %llu; an address is 16",
             p->name, p->size_bytes, 2 * p->size_bytes,
             (unsigned long long)(2 * (h.at - h.start) + h.half));
    return ARG_WRONG;
}

/* ---- arguments ---- */

static enum arg_result convert_address(const char *s, const struct param *p,
                                       const struct arg_names *names, struct arena *arena,
                                       struct content *to, struct arg_detail *arg, struct text *why)
{
    if (is_struct(p) || type_bytes(p->type) != 8 || type_is_float(p->type)) {
        text_add(why, "an address ($%s) needs a 64-bit integer parameter, not ", s);
        show_param(p, why);
        if (is_struct(p)) text_add(why, ", a struct: give the fields as a list, [$%s, ...]", s);
        return ARG_WRONG;
    }
    return put_address(s, names, arena, to, p->offset, arg, why) ? ARG_DONE : ARG_WRONG;
}

/* ---- values that differ between executions ---- */

static enum arg_result convert_draw(const char *text, const struct param *p, struct arena *arena,
                                    struct content *to, struct text *why)
{
    struct rational mean = {0, 1};
    struct draw d = {DRAW_REQUEST, p->type, p->offset, 0};
    u32 bytes = type_bytes(p->type);
    if (is_struct(p) || bytes < 4 || p->type == T_F16X2 || p->type == T_BF16X2) {
        text_add(why, "'%.*s' needs a parameter of 32 or 64 bits, not ", (int)word_length(text),
                 text);
        show_param(p, why);
        return ARG_WRONG;
    }
    if (!has_word(text, "request")) {
        d.kind = DRAW_EXPONENTIAL;
        bool good = rational_parse(skip_blanks(text + word_length(text)), &mean) && mean.num &&
                    mean.num / mean.den < MEAN_MOST;
        if (!good) {
            text_add(why, "exponential needs a positive MEAN below %u", MEAN_MOST);
            return ARG_WRONG;
        }
        d.mean = (u64)(((u128)mean.num << 32) / mean.den);
    }
    *arena_push(arena, to->draws, to->draw_n, to->draw_room) = d;
    return ARG_DONE;
}

enum arg_result arg_convert(const char *text, const struct param *p, const struct arg_names *names,
                            struct arena *arena, struct content *to, struct arg_detail *arg,
                            struct text *why)
{
    *arg = (struct arg_detail){0};
    if (text[0] == '$') return convert_address(text + 1, p, names, arena, to, arg, why);
    if (!strcmp(text, "request") || has_word(text, "exponential"))
        return convert_draw(text, p, arena, to, why);
    bool hex = has_word(text, "hex"), file = has_word(text, "file");
    if (hex || file) {
        if (!is_struct(p)) {
            text_add(why, "'%s' is only for a struct passed by value; the parameter is ",
                     hex ? "hex" : "file");
            show_param(p, why);
            return ARG_WRONG;
        }
        const char *rest = skip_blanks(text + (hex ? 3 : 4));
        if (hex) return convert_hex(rest, p, names, arena, to, arg, why);
        arg->path = rest;
        if (*rest) return ARG_FILE;
        text_add(why, "file needs a PATH");
        return ARG_WRONG;
    }
    if (is_struct(p) && p->size_bytes > 1) {
        text_add(why, "parameter %s is a struct of %u bytes: give the fields as a list, 'hex' and "
                 "%u digits, or 'file PATH'", p->name, p->size_bytes, 2 * p->size_bytes);
        return ARG_WRONG;
    }
    struct number v;
    if (!number_parse(text, strlen(text), &v, why)) return ARG_WRONG;
    return number_encode(&v, p->type, to->bytes + p->offset, why) ? ARG_DONE : ARG_WRONG;
}

/* ---- fields ---- */

/* Returns the type that the text of a field begins with, or T_NONE. */
static enum type leading_type(const char *text)
{
    for (u32 t = T_NONE + 1; t < TYPE_N; t++) {
        enum type type = (enum type)t;
        u32 bytes = type_bytes(type);
        bool takes_numbers = bytes && bytes <= 8 && type != T_F16X2 && type != T_BF16 &&
                             type != T_BF16X2;
        if (takes_numbers && has_word(text, type_name(type))) return type;
    }
    return T_NONE;
}

u32 arg_field_align(const char *text, enum type type)
{
    text = skip_blanks(text);
    if (*text == '$') return sizeof(u64);
    if (has_word(text, "hex")) return 1;
    enum type own = leading_type(text);
    if (own) type = own;
    return type ? type_bytes(type) : 1;
}

static bool put_number(const struct number *v, enum type type, struct content *to, u64 *at,
                       struct text *why)
{
    u8 out[8];
    if (!number_encode(v, type, out, why)) return false;
    if (to->bytes) memcpy(to->bytes + *at, out, type_bytes(type));
    *at += type_bytes(type);
    return true;
}

bool arg_field(const char *text, enum type type, const struct arg_names *names,
               struct arena *arena, struct content *to, u64 *at, struct arg_detail *arg,
               struct text *why)
{
    *arg = (struct arg_detail){0};
    *at = round_up(*at, arg_field_align(text, type));
    const char *s = skip_blanks(text);
    if (*s == '$') {
        *at += sizeof(u64);
        return put_address(s + 1, names, arena, to, *at - sizeof(u64), arg, why);
    }
    if (has_word(s, "hex")) {
        struct hex h = {.to = to, .start = *at, .at = *at, .end = NEVER};
        if (!hex_parse(s + 3, &h, names, arena, arg, why)) return false;
        *at = h.at;
        if (!h.half && h.at > h.start) return true;
        text_add(why, h.half ? "half a byte: the number of digits is odd" : "hex needs digits");
        return false;
    }
    enum type own = leading_type(s);
    if (own) {
        type = own;
        s = skip_blanks(s + word_length(s));
    }
    if (!type) {
        text_add(why, "a field is TYPE NUMBER..., as in 'u32 16', $NAME+BYTES, hex DIGITS, or a "
                 "list of fields");
        return false;
    }
    do {
        struct number v;
        size_t n = word_length(s);
        if (!number_parse(s, n, &v, why) || !put_number(&v, type, to, at, why)) return false;
        s = skip_blanks(s + n);
    } while (*s);
    return true;
}

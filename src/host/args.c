#include "host/args.h"

#include <string.h>

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

/* Bytes in memory order; blanks between them are welcome. */
static enum arg_result convert_hex(const char *s, const struct param *p, u8 *out, struct text *why)
{
    u64 digit_n = 0;
    u8 value = 0;
    for (; *s; s++) {
        if (*s == ' ' || *s == '\t' || *s == '\n') continue;
        int digit = hex_digit(*s);
        if (digit < 0) {
            text_add(why, "'%c' is no hexadecimal digit", *s);
            return ARG_WRONG;
        }
        value = (u8)(value << 4 | digit);
        if (digit_n % 2 && digit_n / 2 < p->size_bytes) out[digit_n / 2] = value;
        digit_n++;
    }
    if (digit_n == 2ull * p->size_bytes) return ARG_DONE;
    text_add(why, "%s has %u bytes and takes %u hexadecimal digits, not %llu", p->name,
             p->size_bytes, 2 * p->size_bytes, (unsigned long long)digit_n);
    return ARG_WRONG;
}

static u32 name_find(const struct arg_name *names, u32 name_n, const char *s, size_t n)
{
    for (u32 i = 0; i < name_n; i++) {
        if (strlen(names[i].name) == n && !memcmp(names[i].name, s, n)) return i;
    }
    return UINT32_MAX;
}

static enum arg_result unknown_buffer(const char *s, size_t n, const struct arg_name *names,
                                      u32 name_n, struct arg *arg, struct text *why)
{
    struct text wanted = {0};
    struct nearest nearest;
    text_put(&wanted, s, n);
    nearest_init(&nearest, text_get(&wanted));
    for (u32 i = 0; i < name_n; i++) nearest_offer(&nearest, names[i].name);
    arg->nearest = nearest.best;
    text_add(why, "no buffer is named '%s'", text_get(&wanted));
    text_free(&wanted);
    return ARG_WRONG;
}

static enum arg_result convert_address(const char *s, const struct param *p,
                                       const struct arg_name *names, u32 name_n, struct arg *arg,
                                       struct text *why)
{
    if (is_struct(p) || type_bytes(p->type) != 8 || type_is_float(p->type)) {
        text_add(why, "an address ($%s) needs a 64-bit integer parameter, and this one is ", s);
        show_param(p, why);
        return ARG_WRONG;
    }
    size_t n = strcspn(s, "+ \t");
    u32 buffer = name_find(names, name_n, s, n);
    if (buffer == UINT32_MAX) return unknown_buffer(s, n, names, name_n, arg, why);
    arg->patch = (struct patch){.buffer = buffer};
    const char *rest = s + n + strspn(s + n, " \t");
    if (!*rest) return ARG_PATCH;
    struct number add;
    const char *digits = rest + 1 + strspn(rest + 1, " \t");
    if (*rest != '+' || !number_parse(digits, strlen(digits), &add, why) || add.fraction ||
        add.negative) {
        if (!why->size) text_add(why, "expected $NAME or $NAME+BYTES");
        return ARG_WRONG;
    }
    if (names[buffer].size_bytes && add.magnitude > names[buffer].size_bytes) {
        text_add(why, "%llu bytes is beyond the end of buffer '%s', which has %llu",
                 (unsigned long long)add.magnitude, names[buffer].name,
                 (unsigned long long)names[buffer].size_bytes);
        return ARG_WRONG;
    }
    arg->patch.add = add.magnitude;
    return ARG_PATCH;
}

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(text, word, n) && (!text[n] || text[n] == ' ' || text[n] == '\t');
}

enum arg_result arg_convert(const char *text, const struct param *p, const struct arg_name *names,
                            u32 name_n, u8 *out, struct arg *arg, struct text *why)
{
    *arg = (struct arg){0};
    if (text[0] == '$') return convert_address(text + 1, p, names, name_n, arg, why);
    bool hex = has_word(text, "hex"), file = has_word(text, "file");
    if (hex || file) {
        if (!is_struct(p)) {
            text_add(why, "'%s' is for a struct passed by value, and this parameter is ",
                     hex ? "hex" : "file");
            show_param(p, why);
            return ARG_WRONG;
        }
        const char *rest = text + (hex ? 3 : 4);
        rest += strspn(rest, " \t");
        if (hex) return convert_hex(rest, p, out, why);
        arg->path = rest;
        if (*rest) return ARG_FILE;
        text_add(why, "file needs a PATH");
        return ARG_WRONG;
    }
    if (is_struct(p) && p->size_bytes > 1) {
        text_add(why,
                 "parameter %s is a struct of %u bytes: give 'hex' and %u digits, or 'file PATH'",
                 p->name, p->size_bytes, 2 * p->size_bytes);
        return ARG_WRONG;
    }
    struct number v;
    if (!number_parse(text, strlen(text), &v, why)) return ARG_WRONG;
    return number_encode(&v, p->type, out, why) ? ARG_DONE : ARG_WRONG;
}

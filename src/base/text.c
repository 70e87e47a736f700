#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/arena.h"

static void text_reserve(struct text *t, size_t n)
{
    if (t->size + n + 1 <= t->room) return;
    t->room = (t->size + n + 1) * 2;
    t->bytes = base_realloc(t->bytes, t->room);
}

void text_put(struct text *t, const char *bytes, size_t n)
{
    text_reserve(t, n);
    if (n) memcpy(t->bytes + t->size, bytes, n);
    t->size += n;
    t->bytes[t->size] = 0;
}

void text_addv(struct text *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    check(n >= 0);
    text_reserve(t, (size_t)n);
    vsnprintf(t->bytes + t->size, (size_t)n + 1, format, args);
    t->size += (size_t)n;
}

void text_add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_addv(t, format, args);
    va_end(args);
}

u32 text_character(const char *bytes)
{
    const u8 *p = (const u8 *)bytes;
    u32 n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3
            : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;
    for (u32 i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
    }
    bool overlong = (*p == 0xe0 && p[1] < 0xa0) || (*p == 0xf0 && p[1] < 0x90);
    bool surrogate = *p == 0xed && p[1] >= 0xa0, beyond = *p == 0xf4 && p[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : n;
}

/* Returns true for a printable character, newline or tab. U+0080 to U+009F are control characters,
 * too. */
static bool is_shown(const u8 *p, u32 n)
{
    if (n == 1) return (*p >= ' ' && *p != 127) || *p == '\n' || *p == '\t';
    return n > 2 || (n == 2 && (*p != 0xc2 || p[1] >= 0xa0));
}

void text_mask(struct text *t)
{
    for (size_t i = 0; i < t->size;) {
        u32 n = text_character(t->bytes + i);
        bool shown = is_shown((const u8 *)t->bytes + i, n);
        if (!n) n = 1;
        if (!shown) memset(t->bytes + i, '?', n);
        i += n;
    }
}

const char *text_get(const struct text *t) { return t->bytes ? t->bytes : ""; }

void text_free(struct text *t)
{
    free(t->bytes);
    *t = (struct text){0};
}

const char *text_grouped(const char *number, char *room)
{
    size_t sign = number[0] == '-', whole = sign + strspn(number + sign, "0123456789");
    char *out = room;
    check(strlen(number) + whole / 3 < TEXT_NUMBER);
    for (size_t i = 0; i < whole; i++) {
        if (i > sign && (whole - i) % 3 == 0) *out++ = ',';
        *out++ = number[i];
    }
    strcpy(out, number + whole);
    return room;
}

enum { NAME_MAX_BYTES = 64 };

static u32 edit_distance(const char *a, size_t an, const char *b, size_t bn)
{
    u32 row[NAME_MAX_BYTES + 1];
    for (size_t j = 0; j <= bn; j++) row[j] = (u32)j;
    for (size_t i = 1; i <= an; i++) {
        u32 diagonal = row[0];
        row[0] = (u32)i;
        for (size_t j = 1; j <= bn; j++) {
            u32 replace = diagonal + (strncasecmp(a + i - 1, b + j - 1, 1) != 0);
            diagonal = row[j];
            row[j] = min_u32(replace, min_u32(row[j], row[j - 1]) + 1);
        }
    }
    return row[bn];
}

void nearest_init(struct nearest *n, const char *wanted)
{
    *n = (struct nearest){.wanted = wanted, .distance = UINT32_MAX};
}

void nearest_offer(struct nearest *n, const char *name)
{
    size_t wn = strlen(n->wanted), cn = strlen(name);
    if (wn > NAME_MAX_BYTES || cn > NAME_MAX_BYTES) return;
    u32 d = edit_distance(n->wanted, wn, name, cn);
    if (d < n->distance && d <= 1 + wn / 3 && d < cn) {
        n->distance = d;
        n->best = name;
    }
}

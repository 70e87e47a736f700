#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    int n = vsnprintf(t->bytes ? t->bytes + t->size : NULL, t->room - t->size, format, again);
    va_end(again);
    check(n >= 0);
    if ((size_t)n >= t->room - t->size) { /* truncated */
        text_reserve(t, (size_t)n);
        vsnprintf(t->bytes + t->size, (size_t)n + 1, format, args);
    }
    t->size += (size_t)n;
}

void text_add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_addv(t, format, args);
    va_end(args);
}

void text_put_integer(struct text *t, u64 value)
{
    char digits[20]; /* as many as UINT64_MAX has */
    size_t first = sizeof digits;
    do digits[--first] = (char)('0' + value % 10);
    while (value /= 10);
    text_put(t, digits + first, sizeof digits - first);
}

void text_put_spaces(struct text *t, size_t n)
{
    text_reserve(t, n);
    memset(t->bytes + t->size, ' ', n);
    t->size += n;
    t->bytes[t->size] = 0;
}

void text_quote(struct text *t, const char *word)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+%@^";
    if (*word && !word[strspn(word, plain)]) {
        text_add(t, "%s", word);
        return;
    }
    text_add(t, "'");
    for (; *word; word++) {
        if (*word == '\'') text_add(t, "'\\''");
        else text_put(t, word, 1);
    }
    text_add(t, "'");
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

static bool same(char a, char b) { return tolower((u8)a) == tolower((u8)b); }

/* Returns the number of edits that turn a into b: characters inserted, removed or replaced, and
 * neighbours swapped. */
static u32 edit_distance(const char *a, size_t an, const char *b, size_t bn)
{
    u32 rows[3][NAME_MAX_BYTES + 1], *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= bn; j++) row[j] = (u32)j;
    for (size_t i = 1; i <= an; i++) {
        u32 *free_row = before;
        before = above;
        above = row;
        row = free_row;
        row[0] = (u32)i;
        for (size_t j = 1; j <= bn; j++) {
            u32 replace = above[j - 1] + !same(a[i - 1], b[j - 1]);
            row[j] = min_u32(replace, min_u32(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = min_u32(row[j], before[j - 2] + 1);
        }
    }
    return row[bn];
}

/* Returns true if `name` contains the digits of `part` in the same order. */
static bool has_digits(const char *name, const char *part)
{
    for (; *part; part++) {
        if (!isdigit((u8)*part)) continue;
        while (*name && *name != *part) name++;
        if (!*name++) return false;
    }
    return true;
}

static bool begins_alike(const char *a, const char *b)
{
    bool swapped = a[0] && b[0] && same(a[0], b[1]) && same(a[1], b[0]);
    return same(a[0], b[0]) || swapped;
}

void nearest_init(struct nearest *n, const char *wanted)
{
    *n = (struct nearest){.wanted = wanted, .distance = UINT32_MAX};
}

void nearest_offer(struct nearest *n, const char *name)
{
    const char *wanted = n->wanted + strspn(n->wanted, "-"), *offered = name + strspn(name, "-");
    while (*wanted && *wanted == *offered && !isalnum((u8)*wanted)) wanted++, offered++;
    size_t wn = strlen(wanted), on = strlen(offered), longer = wn > on ? wn : on;
    if (longer > NAME_MAX_BYTES || !wn || !begins_alike(wanted, offered)) return;
    if (!has_digits(wanted, offered) && !has_digits(offered, wanted)) return;
    u32 d = edit_distance(wanted, wn, offered, on);
    if (d >= n->distance || 3 * d > longer) return;
    n->distance = d;
    n->best = name;
}

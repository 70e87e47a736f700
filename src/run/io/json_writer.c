#include "run/io/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_quoted(struct text *out, const char *value)
{
    text_put(out, "\"", 1);
    u32 n = 0;
    for (const u8 *p = (const u8 *)value; *p; p += n ? n : 1) {
        const u8 *start = p;
        while (*p >= ' ' && *p < 0x80 && *p != '"' && *p != '\\') p++;
        text_put(out, (const char *)start, (size_t)(p - start));
        if (!*p) break;
        n = text_character((const char *)p);
        if (*p == '"' || *p == '\\') text_add(out, "\\%c", *p);
        else if (*p == '\n') text_put(out, "\\n", 2);
        else if (*p < 32) text_add(out, "\\u%04x", *p);
        else if (n) text_put(out, (const char *)p, n);
        else text_add(out, "\\ufffd");
    }
    text_put(out, "\"", 1);
}

static void new_line(struct json_writer *j)
{
    text_put(j->out, "\n", 1);
    text_put_spaces(j->out, 2 * (size_t)j->depth);
}

/* Writes the separating comma, the indentation and the key. */
static void begin_value(struct json_writer *j, const char *key)
{
    bool flat = j->flat && j->depth >= j->flat;
    if (j->started) text_put(j->out, ",", 1);
    if (flat && j->started) text_put(j->out, " ", 1);
    if (!flat && j->depth) new_line(j);
    if (key) {
        put_quoted(j->out, key);
        text_put(j->out, ": ", 2);
    }
    j->started = true;
}

void json_open(struct json_writer *j, const char *key, char bracket)
{
    begin_value(j, key);
    text_put(j->out, &bracket, 1);
    j->depth++;
    j->started = false;
}

void json_open_flat(struct json_writer *j, const char *key, char bracket)
{
    json_open(j, key, bracket);
    if (!j->flat) j->flat = j->depth;
}

void json_close(struct json_writer *j, char bracket)
{
    bool flat = j->flat && j->depth >= j->flat;
    if (j->flat == j->depth) j->flat = 0;
    j->depth--;
    if (!flat && j->started) new_line(j);
    text_put(j->out, &bracket, 1);
    j->started = true;
    if (!j->depth) text_put(j->out, "\n", 1);
}

void json_put_text(struct json_writer *j, const char *key, const char *value)
{
    begin_value(j, key);
    if (value) put_quoted(j->out, value);
    else text_put(j->out, "null", 4);
}

void json_put_integer(struct json_writer *j, const char *key, u64 value)
{
    begin_value(j, key);
    text_put_integer(j->out, value);
}

void json_put_signed(struct json_writer *j, const char *key, s64 value)
{
    begin_value(j, key);
    text_add(j->out, "%" PRId64, value);
}

void real_show(double value, struct text *out)
{
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) break;
    }
    text_add(out, "%s", digits);
}

void json_put_real(struct json_writer *j, const char *key, double value)
{
    begin_value(j, key);
    if (isfinite(value)) real_show(value, j->out);
    else text_put(j->out, "null", 4);
}

void json_put_bool(struct json_writer *j, const char *key, bool value)
{
    begin_value(j, key);
    text_add(j->out, "%s", value ? "true" : "false");
}

void json_put_null(struct json_writer *j, const char *key) { json_put_text(j, key, NULL); }

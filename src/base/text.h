/* A growing string, and the nearest name to a misspelt one. */
#ifndef CORUN_TEXT_H
#define CORUN_TEXT_H

#include <stdarg.h>
#include "base/base.h"

struct text {
    char *bytes; /* NUL-terminated once anything was added; NULL before */
    size_t size, room;
};

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_addv(struct text *t, const char *format, va_list args);
void text_put(struct text *t, const char *bytes, size_t n);
/* Bytes of the UTF-8 character there, 0: it is none. */
u32 text_character(const char *bytes);
/* For a terminal: control characters, and what is no UTF-8, become '?', newlines and tabs not. */
void text_mask(struct text *t);
const char *text_get(const struct text *t); /* never NULL */
void text_free(struct text *t);

/* A decimal number's digits with a comma before every third: 1,234,567.8. `room`: TEXT_NUMBER. */
enum { TEXT_NUMBER = 48 };
const char *text_grouped(const char *number, char *room);

/* Keeps the name closest to `wanted` (by edit distance) among those offered one by one. */
struct nearest {
    const char *wanted;
    const char *best; /* NULL: nothing near enough to be worth proposing */
    u32 distance;
};
void nearest_init(struct nearest *n, const char *wanted);
void nearest_offer(struct nearest *n, const char *name);

#endif

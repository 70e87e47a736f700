/* A growing string, and a search for the name nearest to a misspelt one. */
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
void text_put_integer(struct text *t, u64 value); /* as "%" PRIu64 */
void text_put_spaces(struct text *t, size_t n);
/* Appends a word as a shell reads the word: in single quotes if necessary. */
void text_quote(struct text *t, const char *word);
/* Returns the length in bytes of the UTF-8 character at `bytes`; 0: not valid UTF-8. */
u32 text_character(const char *bytes);
/* Makes a text safe for a terminal: replaces control characters other than newline and tab, and
 * bytes that are not valid UTF-8, by '?'. */
void text_mask(struct text *t);
const char *text_get(const struct text *t); /* never NULL */
void text_free(struct text *t);

/* Writes a decimal number with a comma before every third digit, such as 1,234,567.8, to `room`,
 * which has TEXT_NUMBER bytes. Returns `room`. */
enum { TEXT_NUMBER = 48 };
const char *text_grouped(const char *number, char *room);

/* Collects the name nearest to `wanted` among the names offered: the name with the fewest edits
 * (characters inserted, removed or replaced, or neighbours swapped). An offered name is near only
 * if
 *   - at most a third of the characters of the longer name are edited,
 *   - both names begin with the same character, or the first two characters are swapped,
 *   - no digit is replaced: `rtx3090` is another machine than `rtx2060`, not a misspelling. The
 *     digits of one name must be among the digits of the other, in order.
 * Case does not count; dashes and equal marks (`$`) at the beginning are skipped. */
struct nearest {
    const char *wanted;
    const char *best; /* NULL: no name is near enough to be proposed */
    u32 distance;
};
void nearest_init(struct nearest *n, const char *wanted);
void nearest_offer(struct nearest *n, const char *name);

#endif

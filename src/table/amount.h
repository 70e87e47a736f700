/* Numbers as users write them: 2000000, 2e6, 2M, 2.5k, 0x1f. k, M and G stand for thousand, million
 * and billion. Options, machine files, sweep files, and the parameters of programs and policies are
 * parsed here. */
#ifndef CORUN_AMOUNT_H
#define CORUN_AMOUNT_H

#include "base/fail.h"

struct rational { u64 num, den; }; /* exact; den > 0, in lowest terms */

/* Parses a whole number without sign; accepts hexadecimal (0x2a). Returns false for other text, for
 * a fraction and above 2^64 - 1. */
bool whole_parse(const char *text, u64 *value);
/* Parses "1400", "1.4k", "3500.5" or "10500/3". Returns false if `text` is not a number. */
bool rational_parse(const char *text, struct rational *r);
/* Parses all of text[0..n) as a decimal number with optional sign, point and (signed) exponent.
 * Returns false if the text is not a number or exceeds the range of a double. */
bool real_parse(const char *text, size_t n, double *value);
/* Adds a note about the notation of numbers to the last error if `text` is not a number. */
void amount_note(const char *text, struct fail *fail);
/* Writes a decimal number if that is exact, else a fraction. */
void rational_show(struct rational r, struct text *out);

#endif

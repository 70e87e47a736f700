/* Numbers as people write them: 2000000, 2e6, 2M, 2.5k, 0x1f. k, M and G are thousand, million and
 * billion. Options, machine files, sweep files, parameters of programs and policies read them
 * here. */
#ifndef CORUN_AMOUNT_H
#define CORUN_AMOUNT_H

#include "base/fail.h"

struct rational { u64 num, den; }; /* exact; den > 0, in lowest terms */

/* Without sign; also 0x2a. false: not a number, not whole, or above 2^64 - 1. */
bool whole_parse(const char *text, u64 *value);
/* "1400", "1.4k", "3500.5" or "10500/3". false: not a number. */
bool rational_parse(const char *text, struct rational *r);
/* All of text[0..n): decimal, with or without sign, point, exponent (also below 0). false: not a
 * number, or beyond what a double holds. */
bool real_parse(const char *text, size_t n, double *value);
/* A note to the last error that says how a number is written, if `text` is none. */
void amount_note(const char *text, struct fail *fail);
/* As a decimal when that is exact, else as a fraction. */
void rational_show(struct rational r, struct text *out);

#endif

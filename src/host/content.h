/* What an app file says lies in memory: its bytes, and whether memory holds them. */
#ifndef CORUN_CONTENT_H
#define CORUN_CONTENT_H

#include "host/script.h"

/* What `w` writes, w->size_bytes of it; address: [region]. */
void content_write(const struct script_write *w, const u64 *address, u8 *out);
/* The addresses alone, into the bytes of `c`, which are at `out`. */
void content_patch(const struct content *c, const u64 *address, u8 *out);

/* Two elements of a type: the same value, or `got` is within `within` times the larger of 1 and
 * |want| of it. */
bool content_equal(enum type type, const u8 *got, const u8 *want, double within);
/* Adds to `why` where `got`, e->value.size_bytes of them, first differs. */
void content_compare(const struct script_expect *e, const char *name, const u64 *address,
                     const u8 *got, struct text *why);

#endif

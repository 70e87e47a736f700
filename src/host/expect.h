/* Whether memory holds what an app file expects there. */
#ifndef CORUN_EXPECT_H
#define CORUN_EXPECT_H

#include "host/script.h"

/* Two elements of a type: the same value, or got is within `within` times the larger of 1 and
 * |want| of it. */
bool expect_equal(enum type type, const u8 *got, const u8 *want, double within);
/* Adds to `why` where `got`, e->value.size_bytes of them, first differs. */
void expect_compare(const struct script_expect *e, const char *name, const u64 *address,
                    const u8 *got, struct text *why);

/* script.c: what `w` writes, w->size_bytes of it; address: [region] */
void script_write(const struct script_write *w, const u64 *address, u8 *out);

#endif

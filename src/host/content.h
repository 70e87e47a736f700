/* Contents of memory as given by an app file: writes them and compares memory with them. */
#ifndef CORUN_CONTENT_H
#define CORUN_CONTENT_H

#include "host/script.h"

/* Writes the w->size_bytes bytes of `w` to `out`; `address` is indexed by region. */
void content_write(const struct script_write *w, const u64 *address, u8 *out);
/* Inserts the addresses that `c` refers to into its bytes, which are at `out`. */
void content_patch(const struct content *c, const u64 *address, u8 *out);
/* Inserts the values that differ between executions: of execution `number` with a seed and a place
 * for random values. */
void content_draw(const struct content *c, u64 seed, u64 place, u64 number, u8 *out);

/* Returns true if two elements of a type have the same value, or if `got` differs from `want` by at
 * most `within` times the larger of 1 and |want|. */
bool content_equal(enum type type, const u8 *got, const u8 *want, double within);
/* Adds the first difference between `got` (e->value.size_bytes bytes) and the expected bytes to
 * `why`. */
void content_compare(const struct script_expect *e, const char *name, const u64 *address,
                     const u8 *got, struct text *why);

#endif

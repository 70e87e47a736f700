/* Hashes of what a result depends on, fed in pieces. Equal bytes give equal bits on every machine:
 * they name cached runs and points of a database. */
#ifndef CORUN_HASHER_H
#define CORUN_HASHER_H

#include "base/text.h"

struct hasher {
    struct XXH3_state_s *state;
};
void hasher_start(struct hasher *h);
void hasher_add(void *hasher, const void *bytes, size_t n);
void hasher_text(struct hasher *h, const char *text); /* with the zero that ends it */
void hasher_number(struct hasher *h, u64 v);
void hasher_end(struct hasher *h, u64 hash[2]);

void hash_show(const u64 hash[2], struct text *out); /* 32 hexadecimal digits */
u64 hash_of(const void *bytes, size_t n);            /* of bytes that are all there: 64 bits */

#endif

/* Hashes of all data a result depends on, fed in pieces. Equal bytes give an equal hash on every
 * host. The hashes are keys of cached runs and of points in a database. */
#ifndef CORUN_HASHER_H
#define CORUN_HASHER_H

#include "base/text.h"

struct hasher {
    struct XXH3_state_s *state;
};
void hasher_start(struct hasher *h);
void hasher_add(void *hasher, const void *bytes, size_t n);
void hasher_text(struct hasher *h, const char *text); /* including the terminating zero byte */
void hasher_number(struct hasher *h, u64 v);
void hasher_end(struct hasher *h, u64 hash[2]);

void hash_show(const u64 hash[2], struct text *out); /* 32 hexadecimal digits */
u64 hash_of(const void *bytes, size_t n);            /* 64-bit hash of n bytes, in one call */

#endif

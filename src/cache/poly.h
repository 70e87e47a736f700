/* Polynomial hashing of addresses: the bits of a number are the coefficients of a polynomial over
 * GF(2), and the hash is the remainder after division by a primitive polynomial. Any power-of-two
 * stride spreads evenly. Serves set indices (cache/tags) and channels (cache/map).
 * Model: Rau 1991, "Pseudo-randomly interleaved memory"; of each degree the primitive polynomial
 * with the fewest and lowest terms. */
#ifndef CORUN_POLY_H
#define CORUN_POLY_H

#include "base/arena.h"

enum { POLY_BITS_MAX = 16, POLY_BYTES = 5 }; /* numbers below 2^40 */

struct poly {
    const u16 *table; /* [byte of the number][value]: contribution to the remainder */
};

void poly_init(struct poly *p, struct arena *arena, u32 bits); /* bits: of the hash, 1..16 */
static inline u32 poly_hash(const struct poly *p, u64 number)
{
    u32 hash = 0;
    for (u32 b = 0; b < POLY_BYTES; b++) hash ^= p->table[b << 8 | (number >> (8 * b) & 0xff)];
    return hash;
}

#endif

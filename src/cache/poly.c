#include "cache/poly.h"

/* Primitive polynomials by degree, without the leading term. */
static const u16 primitive[POLY_BITS_MAX + 1] = {
    [1] = 0x1,   [2] = 0x3,   [3] = 0x3,    [4] = 0x3,    [5] = 0x5,    [6] = 0x3,
    [7] = 0x3,   [8] = 0x1d,  [9] = 0x11,   [10] = 0x9,   [11] = 0x5,   [12] = 0x53,
    [13] = 0x1b, [14] = 0x2b, [15] = 0x3,   [16] = 0x2d,
};

void poly_init(struct poly *p, struct arena *arena, u32 bits)
{
    check(bits >= 1 && bits <= POLY_BITS_MAX);
    u16 *table = arena_array(arena, u16, POLY_BYTES << 8);
    u32 rest = 1; /* remainder of x^i */
    for (u32 i = 0; i < 8 * POLY_BYTES; i++) {
        for (u32 value = 0; value < 256; value++)
            if (value >> (i % 8) & 1) table[(i / 8) << 8 | value] ^= (u16)rest;
        rest <<= 1;
        if (rest >> bits) rest = (rest ^ primitive[bits]) & ((1u << bits) - 1);
    }
    p->table = table;
}

/* Finds an address among the lines of a cache, each known by a number: through a hash table (open
 * addressing, at most a quarter full), or, among few lines, through a comparison of fingerprints: a
 * byte of the hash of each address, eight to a word. The owner keeps the addresses and confirms a
 * match. */
#ifndef CORUN_HASH_H
#define CORUN_HASH_H

#include "base/arena.h"
#include "base/vector.h"

struct hash {
    u16 *slots; /* 0: empty, else the number plus 1 */
    u32 *home;  /* by number: the slot given by the hash of the address */
    u32 mask;   /* slots - 1, slots a power of two */
};

static inline void hash_init(struct hash *h, struct arena *arena, u32 numbers)
{
    u64 slots = 4;
    while (slots < 4ull * numbers) slots *= 2;
    *h = (struct hash){.slots = arena_array(arena, u16, slots),
        .home = arena_array(arena, u32, numbers), .mask = (u32)(slots - 1)};
}

static inline u64 hash_mix(u64 address) { return address * UINT64_C(0x9e3779b97f4a7c15); }
static inline u32 hash_home(const struct hash *h, u64 address)
{
    return (u32)(hash_mix(address) >> 32) & h->mask;
}

enum { WORD_BYTES = 8 };
#define EACH_BYTE UINT64_C(0x0101010101010101)

/* Returns a word with the highest bit set in each byte of `word` equal to the byte of `want`. Other
 * bytes may be marked, too: the caller compares addresses. */
static inline u64 fingerprints_same(u64 word, u64 want)
{
    u64 differ = word ^ want;
    return (differ - EACH_BYTE) & ~differ & EACH_BYTE << 7;
}

/* As fingerprints_same for 32 fingerprints, aligned to 32 bytes: returns a bit for each. */
INLINED u32 fingerprints_same_32(const u64 *words, u64 want)
{
#ifdef __AVX2__
    CHARS(32) have = *(const CHARS(32) *)words, all = (CHARS(32))((s64x4){0} + (s64)want);
    return byte_signs((s16x16)(have == all));
#else
    u32 same = 0;
    for (u32 k = 0; k < 4; k++) {
        u64 bits = fingerprints_same(words[k], want) >> 7;
        same |= (u32)(bits * UINT64_C(0x0102040810204080) >> 56) << 8 * k;
    }
    return same;
#endif
}

/* Visits the numbers in the hash table that may have the address, up to an empty slot. */
#define EACH_HASHED(number, h, address) \
    for (u32 s_ = hash_home(h, address), number; \
         (h)->slots[s_] && (number = (h)->slots[s_] - 1u, true); s_ = (s_ + 1) & (h)->mask)

static inline void hash_add(struct hash *h, u64 address, u32 number)
{
    u32 s = h->home[number] = hash_home(h, address);
    while (h->slots[s]) s = (s + 1) & h->mask;
    h->slots[s] = (u16)(number + 1);
}

/* Removes a number. Other numbers, displaced from their home slots by the removed number, move
 * up. */
static inline void hash_remove(struct hash *h, u32 number)
{
    u32 hole = h->home[number];
    while (h->slots[hole] != number + 1) hole = (hole + 1) & h->mask;
    for (u32 s = (hole + 1) & h->mask; h->slots[s]; s = (s + 1) & h->mask) {
        u32 home = h->home[h->slots[s] - 1u];
        if (((s - home) & h->mask) < ((s - hole) & h->mask)) continue;
        h->slots[hole] = h->slots[s];
        hole = s;
    }
    h->slots[hole] = 0;
}

#endif

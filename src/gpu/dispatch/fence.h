/* Guard words around memory that a hook may write. Checking the guard words after the call detects
 * writes beyond the ends of the memory. */
#ifndef CORUN_FENCE_H
#define CORUN_FENCE_H

#include <string.h>

#include "base/arena.h"

enum { FENCE_WORDS = 2, FENCE_BYTES = 8 * FENCE_WORDS, FENCE_ALIGN = 64 };
#define FENCE_WORD UINT64_C(0xfe9ce0b5e55ed0a7)

struct fenced {
    u8 *at;
    size_t bytes;
};

static inline void fence_words(u8 *at)
{
    u64 words[FENCE_WORDS];
    for (u32 i = 0; i < FENCE_WORDS; i++) words[i] = FENCE_WORD;
    memcpy(at, words, FENCE_BYTES);
}
static inline void fence_set_behind(struct fenced f) { fence_words(f.at + f.bytes); }
static inline void fence_set(struct fenced f)
{
    fence_words(f.at - FENCE_BYTES);
    fence_set_behind(f);
}

static inline bool fence_holds(struct fenced f)
{
    u64 before[FENCE_WORDS], behind[FENCE_WORDS], wrong = 0;
    memcpy(before, f.at - FENCE_BYTES, FENCE_BYTES);
    memcpy(behind, f.at + f.bytes, FENCE_BYTES);
    for (u32 i = 0; i < FENCE_WORDS; i++)
        wrong |= (before[i] ^ FENCE_WORD) | (behind[i] ^ FENCE_WORD);
    return !wrong;
}

/* Allocates `bytes` bytes between guard words, which are set. */
static inline struct fenced fence_alloc(struct arena *arena, size_t bytes)
{
    u8 *all = arena_alloc(arena, FENCE_ALIGN + bytes + FENCE_BYTES, FENCE_ALIGN);
    struct fenced f = {all + FENCE_ALIGN, bytes};
    fence_set(f);
    return f;
}

#endif

/* Guard words around memory that a hook may write. Checking the guard words after the call detects
 * writes beyond the ends of the memory. */
#ifndef CORUN_GUARD_WORDS_H
#define CORUN_GUARD_WORDS_H

#include <string.h>

#include "base/arena.h"

enum { GUARD_WORDS = 2, GUARD_BYTES = 8 * GUARD_WORDS, GUARD_ALIGN = 64 };
#define GUARD_WORD UINT64_C(0xfe9ce0b5e55ed0a7)

struct guarded_bytes {
    u8 *at;
    size_t bytes;
};

static inline void guard_words(u8 *at)
{
    u64 words[GUARD_WORDS];
    for (u32 i = 0; i < GUARD_WORDS; i++) words[i] = GUARD_WORD;
    memcpy(at, words, GUARD_BYTES);
}
static inline void guard_set_behind(struct guarded_bytes f) { guard_words(f.at + f.bytes); }
static inline void guard_set(struct guarded_bytes f)
{
    guard_words(f.at - GUARD_BYTES);
    guard_set_behind(f);
}

static inline bool guard_holds(struct guarded_bytes f)
{
    u64 before[GUARD_WORDS], behind[GUARD_WORDS], wrong = 0;
    memcpy(before, f.at - GUARD_BYTES, GUARD_BYTES);
    memcpy(behind, f.at + f.bytes, GUARD_BYTES);
    for (u32 i = 0; i < GUARD_WORDS; i++)
        wrong |= (before[i] ^ GUARD_WORD) | (behind[i] ^ GUARD_WORD);
    return !wrong;
}

/* Allocates `bytes` bytes between guard words, which are set. */
static inline struct guarded_bytes guard_alloc(struct arena *arena, size_t bytes)
{
    u8 *all = arena_alloc(arena, GUARD_ALIGN + bytes + GUARD_BYTES, GUARD_ALIGN);
    struct guarded_bytes f = {all + GUARD_ALIGN, bytes};
    guard_set(f);
    return f;
}

#endif

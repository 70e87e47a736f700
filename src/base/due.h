/* Finds the due ports of an agenda and the earliest cycle in an agenda. With AVX2 one instruction
 * compares sixteen ports. */
#ifndef CORUN_DUE_H
#define CORUN_DUE_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "base/agenda.h"

#ifdef __AVX2__
static inline __m256i load_sixteen(const struct agenda *a, u32 row, u32 port)
{
    return *(const __m256i *)(const void *)&a->at[row][port];
}
#endif

/* Returns the earliest cycle in rows 0 to rows - 1; NEVER: no port has a cycle. */
INLINED u64 agenda_first(const struct agenda *a, u32 rows)
{
    s16 first = AGENDA_NEVER;
#ifdef __AVX2__
    __m256i least = _mm256_set1_epi16(AGENDA_NEVER);
    for (u32 k = 0; k < a->n; k += 16)
        for (u32 r = 0; r < rows; r++) least = _mm256_min_epi16(least, load_sixteen(a, r, k));
    __m128i low = _mm256_castsi256_si128(least), high = _mm256_extracti128_si256(least, 1);
    first = (s16)_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_min_epi16(low, high)));
#else
    for (u32 r = 0; r < rows; r++)
        for (u32 k = 0; k < a->n; k++) first = a->at[r][k] < first ? a->at[r][k] : first;
#endif
    return first == AGENDA_NEVER ? NEVER : a->base + (u64)first;
}

/* Returns a bit mask of the sixteen ports from `from` on that are due in any of the rows from `row`
 * to row + rows - 1. `now` is relative to the agenda's base. */
INLINED u32 sixteen_due(const struct agenda *a, u32 row, u32 rows, u32 from, s16 now)
{
#ifdef __AVX2__
    __m256i least = load_sixteen(a, row, from);
    for (u32 r = 1; r < rows; r++) least = _mm256_min_epi16(least, load_sixteen(a, row + r, from));
    __m256i wait = _mm256_cmpgt_epi16(least, _mm256_set1_epi16(now));
    __m128i low = _mm256_castsi256_si128(wait), high = _mm256_extracti128_si256(wait, 1);
    return ~(u32)_mm_movemask_epi8(_mm_packs_epi16(low, high)) & 0xffff;
#else
    u32 due = 0;
    for (u32 r = row; r < row + rows; r++)
        for (u32 j = 0; j < 16; j++) due |= (u32)(a->at[r][from + j] <= now) << j;
    return due;
#endif
}

/* Returns the ports that are due at cycle `now` in any of the rows from `row` to row + rows - 1. */
INLINED struct ports agenda_due(u32 words, const struct agenda *a, u32 row, u32 rows, u64 now)
{
    struct ports due = {0};
    s16 at = (s16)(now - a->base);
    due.word[0] = sixteen_due(a, row, rows, 0, at);
    for (u32 k = 16; k < a->n; k += 16)
        due.word[words > 1 ? k / 64 : 0] |= (u64)sixteen_due(a, row, rows, k, at) << k % 64;
    return due;
}

#endif

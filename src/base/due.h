/* Finds the due ports of an agenda and the earliest cycle in an agenda. With AVX2 one instruction
 * compares sixteen ports. */
#ifndef CORUN_DUE_H
#define CORUN_DUE_H

#include "base/agenda.h"
#include "base/vector.h"

#ifdef __AVX2__
static inline s16x16 load_sixteen(const struct agenda *a, u32 row, u32 port)
{
    return *(const s16x16 *)(const void *)&a->at[row][port];
}
#endif

/* Returns the earliest cycle in rows 0 to rows - 1; NEVER: no port has a cycle. */
INLINED u64 agenda_first(const struct agenda *a, u32 rows)
{
    s16 first = AGENDA_NEVER;
#ifdef __AVX2__
    s16x16 least = (s16x16){0} + (s16)AGENDA_NEVER;
    for (u32 k = 0; k < a->n; k += 16)
        for (u32 r = 0; r < rows; r++) least = least_s16(least, load_sixteen(a, r, k));
    first = least_of_all(least)[0];
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
    s16x16 least = load_sixteen(a, row, from);
    for (u32 r = 1; r < rows; r++) least = least_s16(least, load_sixteen(a, row + r, from));
    return ~signs(least > now) & 0xffff;
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

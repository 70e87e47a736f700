/* When ports (SMs, slices, channels, outputs of a crossbar) have to be looked at next, and sets of
 * ports. gpu keeps an agenda per kind of port and a crossbar one of its outputs, so that a step
 * touches only ports whose time has come; sixteen of them are compared by one instruction. */
#ifndef CORUN_AGENDA_H
#define CORUN_AGENDA_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "base/base.h"

enum { PORTS_MAX = 128, PORT_WORDS = PORTS_MAX / 64 };

/* A base moves on within so many cycles; what is due after AGENDA_FAR is looked at then. */
enum { AGENDA_ROWS = 3, AGENDA_SPAN = 1 << 14, AGENDA_FAR = INT16_MAX - 1 };

/* For each port the next cycle at which it is looked at, a row for each thing looked for; LATER:
 * not before something sets it. Cycles count from a base that moves on, so that they fit 16 bits;
 * signed, because vector units compare signed numbers. */
#define LATER (AGENDA_FAR + 1)
struct agenda {
    _Alignas(64) u64 base;
    u32 n; /* ports, rounded up: the spare ones are LATER */
    _Alignas(32) s16 at[AGENDA_ROWS][PORTS_MAX];
};

static inline void agenda_init(struct agenda *a, u32 ports)
{
    a->n = (u32)round_up(ports, 16);
    a->base = 0;
    for (u32 r = 0; r < AGENDA_ROWS; r++)
        for (u32 k = 0; k < PORTS_MAX; k++) a->at[r][k] = LATER;
}

/* cycle: not one that was over when the base moved */
static inline void agenda_set(struct agenda *a, u32 row, u32 port, u64 cycle)
{
    u64 at = cycle - a->base;
    hard_check(cycle >= a->base);
    if (unlikely(at > AGENDA_FAR)) at = cycle == NEVER ? LATER : AGENDA_FAR;
    a->at[row][port] = (s16)at;
}

static inline u64 agenda_get(const struct agenda *a, u32 row, u32 port)
{
    s16 at = a->at[row][port];
    return at == LATER ? NEVER : a->base + (u64)at;
}

static inline void agenda_lower(struct agenda *a, u32 row, u32 port, u64 cycle)
{
    s16 before = a->at[row][port];
    agenda_set(a, row, port, max_u64(cycle, a->base));
    s16 at = a->at[row][port];
    a->at[row][port] = before < at ? before : at;
}

static inline bool agenda_has(const struct agenda *a, u32 row, u32 port, u64 now)
{
    return a->at[row][port] <= (s64)(now - a->base);
}

#ifdef __AVX2__
static inline __m256i sixteen_at(const struct agenda *a, u32 row, u32 port)
{
    return *(const __m256i *)(const void *)&a->at[row][port];
}
#endif

/* The first of all cycles in so many rows; NEVER: none. */
INLINED u64 agenda_first(const struct agenda *a, u32 rows)
{
    s16 first = LATER;
#ifdef __AVX2__
    __m256i least = _mm256_set1_epi16(LATER);
    for (u32 k = 0; k < a->n; k += 16)
        for (u32 r = 0; r < rows; r++) least = _mm256_min_epi16(least, sixteen_at(a, r, k));
    __m128i low = _mm256_castsi256_si128(least), high = _mm256_extracti128_si256(least, 1);
    first = (s16)_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_min_epi16(low, high)));
#else
    for (u32 r = 0; r < rows; r++)
        for (u32 k = 0; k < a->n; k++) first = a->at[r][k] < first ? a->at[r][k] : first;
#endif
    return first == LATER ? NEVER : a->base + (u64)first;
}

/* ---- sets of ports ---- */

struct ports { /* a bit each; a caller that knows that one word holds all says so: `words` */
    u64 word[PORT_WORDS];
};

static inline struct ports ports_and(struct ports a, struct ports b)
{
    for (u32 w = 0; w < PORT_WORDS; w++) a.word[w] &= b.word[w];
    return a;
}

static inline bool ports_any(const struct ports *p)
{
    u64 any = 0;
    for (u32 w = 0; w < PORT_WORDS; w++) any |= p->word[w];
    return any;
}

static inline bool port_has(const struct ports *p, u32 k) { return p->word[k / 64] >> k % 64 & 1; }
static inline void port_add(struct ports *p, u32 k) { p->word[k / 64] |= UINT64_C(1) << k % 64; }
static inline void port_remove(struct ports *p, u32 k)
{
    p->word[k / 64] &= ~(UINT64_C(1) << k % 64);
}

INLINED u32 port_first(u32 words, const struct ports *p) /* not empty */
{
    u32 w = 0;
    while (w + 1 < words && !p->word[w]) w++;
    return w * 64 + (u32)__builtin_ctzll(p->word[w]);
}

INLINED struct ports ports_from(u32 words, struct ports p, u32 from) /* those not before it */
{
    for (u32 w = 0; w < words; w++) {
        u64 all = from <= w * 64 ? UINT64_MAX : from >= (w + 1) * 64 ? 0 : UINT64_MAX << from % 64;
        p.word[w] &= all;
    }
    return p;
}

/* One after the other. */
#define EACH_PORT(words, k, set) \
    for (u32 w_ = 0, k; w_ < (words); w_++) \
        for (u64 rest_ = (set).word[w_]; \
             rest_ && (k = w_ * 64 + (u32)__builtin_ctzll(rest_), true); rest_ &= rest_ - 1)

/* ---- whose time has come ---- */

/* which of sixteen ports have a cycle not after `now` in one of so many rows, a bit each */
INLINED u32 sixteen_due(const struct agenda *a, u32 row, u32 rows, u32 from, s16 now)
{
#ifdef __AVX2__
    __m256i least = sixteen_at(a, row, from);
    for (u32 r = 1; r < rows; r++) least = _mm256_min_epi16(least, sixteen_at(a, row + r, from));
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

/* whose cycle in one of so many rows has come */
INLINED struct ports agenda_due(u32 words, const struct agenda *a, u32 row, u32 rows, u64 now)
{
    struct ports due = {0};
    s16 at = (s16)(now - a->base);
    due.word[0] = sixteen_due(a, row, rows, 0, at);
    for (u32 k = 16; k < a->n; k += 16)
        due.word[words > 1 ? k / 64 : 0] |= (u64)sixteen_due(a, row, rows, k, at) << k % 64;
    return due;
}

/* Moves the base so that the cycles near `now` fit; what was due stays so. */
static inline void agenda_move(struct agenda *a, u64 now)
{
    u64 gone = now - a->base;
    a->base = now;
    for (u32 r = 0; r < AGENDA_ROWS; r++)
        for (u32 k = 0; k < a->n; k++) {
            s16 *at = &a->at[r][k];
            if (*at != LATER) *at = (u64)*at > gone ? (s16)((u64)*at - gone) : 0;
        }
}

#endif

/* When ports (SMs, slices, channels) have to be looked at next, and sets of ports. gpu.c keeps an
 * agenda per kind of port, so that a step touches only ports whose time has come; eight of them are
 * compared by one instruction. */
#ifndef CORUN_AGENDA_H
#define CORUN_AGENDA_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "base/base.h"
#include "chip/xbar/xbar.h"

enum { AGENDA_ROWS = 3, AGENDA_SPAN = 1 << 30 };

/* For each port the next cycle at which it is looked at, a row for each thing looked for; LATER:
 * not before something sets it. Cycles count from a base that moves on, so that they fit 32 bits;
 * signed, because vector units compare signed numbers. */
#define LATER INT32_MAX
struct agenda {
    _Alignas(32) s32 at[AGENDA_ROWS][XBAR_PORTS_MAX];
    u64 base;
    u32 n; /* ports, rounded up: the spare ones are LATER */
};

static inline void agenda_init(struct agenda *a, u32 ports)
{
    a->n = (u32)round_up(ports, 16);
    a->base = 0;
    for (u32 r = 0; r < AGENDA_ROWS; r++)
        for (u32 k = 0; k < XBAR_PORTS_MAX; k++) a->at[r][k] = LATER;
}

static inline void agenda_set(struct agenda *a, u32 row, u32 port, u64 cycle)
{
    u64 at = max_u64(cycle, a->base) - a->base; /* what is due is so for ever */
    a->at[row][port] = at < LATER ? (s32)at : LATER; /* NEVER is LATER */
}

static inline u64 agenda_get(const struct agenda *a, u32 row, u32 port)
{
    s32 at = a->at[row][port];
    return at == LATER ? NEVER : a->base + (u64)at;
}

static inline void agenda_lower(struct agenda *a, u32 row, u32 port, u64 cycle)
{
    s32 before = a->at[row][port];
    agenda_set(a, row, port, cycle);
    if (before < a->at[row][port]) a->at[row][port] = before;
}

static inline bool agenda_has(const struct agenda *a, u32 row, u32 port, u64 now)
{
    return a->at[row][port] <= (s64)(now - a->base);
}

#ifdef __AVX2__
static inline __m256i eight_at(const struct agenda *a, u32 row, u32 port)
{
    return *(const __m256i *)(const void *)&a->at[row][port];
}
#endif

/* The first of all cycles in so many rows; NEVER: none. */
INLINED u64 agenda_first(const struct agenda *a, u32 rows)
{
    s32 first = LATER;
#ifdef __AVX2__
    __m256i least = _mm256_set1_epi32(LATER);
    for (u32 k = 0; k < a->n; k += 16)
        for (u32 r = 0; r < rows; r++)
            least = _mm256_min_epi32(least, _mm256_min_epi32(eight_at(a, r, k),
                                                             eight_at(a, r, k + 8)));
    __m128i x = _mm_min_epi32(_mm256_castsi256_si128(least), _mm256_extracti128_si256(least, 1));
    x = _mm_min_epi32(x, _mm_shuffle_epi32(x, _MM_SHUFFLE(1, 0, 3, 2)));
    x = _mm_min_epi32(x, _mm_shuffle_epi32(x, _MM_SHUFFLE(2, 3, 0, 1)));
    first = _mm_cvtsi128_si32(x);
#else
    for (u32 r = 0; r < rows; r++)
        for (u32 k = 0; k < a->n; k++) first = a->at[r][k] < first ? a->at[r][k] : first;
#endif
    return first == LATER ? NEVER : a->base + (u64)first;
}

/* ---- sets of ports ---- */

struct ports { /* a bit each */
    u64 word[XBAR_WORDS];
};

static inline struct ports ports_of(const u64 word[XBAR_WORDS])
{
    struct ports p;
    for (u32 w = 0; w < XBAR_WORDS; w++) p.word[w] = word[w];
    return p;
}

static inline struct ports ports_or(struct ports a, struct ports b)
{
    for (u32 w = 0; w < XBAR_WORDS; w++) a.word[w] |= b.word[w];
    return a;
}

static inline bool port_has(const struct ports *p, u32 k) { return p->word[k / 64] >> k % 64 & 1; }
static inline void port_add(struct ports *p, u32 k) { p->word[k / 64] |= UINT64_C(1) << k % 64; }
static inline void port_remove(struct ports *p, u32 k)
{
    p->word[k / 64] &= ~(UINT64_C(1) << k % 64);
}

enum { PORT_NONE = XBAR_PORTS_MAX };
/* Takes the first out of a set; PORT_NONE: it is empty. */
static inline u32 port_take(struct ports *p)
{
    for (u32 w = 0; w < XBAR_WORDS; w++) {
        u64 word = p->word[w];
        p->word[w] &= word - 1;
        if (word) return w * 64 + (u32)__builtin_ctzll(word);
    }
    return PORT_NONE;
}

/* Takes all of them out, one after the other. */
#define EACH_PORT(k, set) for (u32 k; (k = port_take(&(set))) != PORT_NONE;)

/* ---- whose time has come ---- */

/* which of sixteen cycles are not after `now`, a bit each */
static inline u32 sixteen_due(const struct agenda *a, u32 row, u32 from, s32 now)
{
#ifdef __AVX2__
    __m256i t = _mm256_set1_epi32(now);
    __m256i low = _mm256_cmpgt_epi32(eight_at(a, row, from), t);
    __m256i high = _mm256_cmpgt_epi32(eight_at(a, row, from + 8), t);
    __m256i wait = _mm256_packs_epi32(low, high); /* in quarters 0 2 1 3 */
    wait = _mm256_permute4x64_epi64(wait, _MM_SHUFFLE(3, 1, 2, 0));
    __m128i first = _mm256_castsi256_si128(wait), last = _mm256_extracti128_si256(wait, 1);
    return ~(u32)_mm_movemask_epi8(_mm_packs_epi16(first, last)) & 0xffff;
#else
    u32 due = 0;
    for (u32 j = 0; j < 16; j++) due |= (u32)(a->at[row][from + j] <= now) << j;
    return due;
#endif
}

static inline struct ports agenda_due(const struct agenda *a, u32 row, u64 now)
{
    struct ports due = {0};
    s32 at = (s32)(now - a->base);
    due.word[0] = sixteen_due(a, row, 0, at);
    for (u32 k = 16; k < a->n; k += 16)
        due.word[k / 64] |= (u64)sixteen_due(a, row, k, at) << k % 64;
    return due;
}

/* Moves the base so that the cycles near `now` fit; what was due stays so. */
static inline void agenda_move(struct agenda *a, u64 now)
{
    u64 gone = now - a->base;
    a->base = now;
    for (u32 r = 0; r < AGENDA_ROWS; r++)
        for (u32 k = 0; k < a->n; k++) {
            s32 *at = &a->at[r][k];
            if (*at != LATER) *at = (u64)*at > gone ? (s32)((u64)*at - gone) : 0;
        }
}

#endif

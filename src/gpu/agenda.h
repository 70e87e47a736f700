/* When the ports of one kind (SMs, slices, channels) have to be looked at next, and sets of ports.
 * gpu.c keeps one agenda per kind and wire, so that a step touches only ports whose time has come.
 */
#ifndef CORUN_AGENDA_H
#define CORUN_AGENDA_H

#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "base/base.h"
#include "chip/xbar/xbar.h"

/* For each port of a kind the next cycle in which it has to be looked at; not before something else
 * sets it: LATER. Signed, because vector units compare signed numbers. */
#define LATER INT64_MAX
struct agenda {
    s64 at[XBAR_PORTS_MAX];
    s64 first; /* no port's cycle is earlier */
    u32 n;     /* ports, rounded up: the spare ones are LATER */
};

static inline void agenda_init(struct agenda *a, u32 ports)
{
    a->n = (u32)round_up(ports, 8);
    a->first = LATER;
    for (u32 k = 0; k < XBAR_PORTS_MAX; k++) a->at[k] = LATER;
}

static inline void agenda_set(struct agenda *a, u32 port, u64 cycle)
{
    s64 at = (s64)(cycle & LATER); /* NEVER becomes LATER */
    a->at[port] = at;
    a->first = at < a->first ? at : a->first;
}

static inline void agenda_lower(struct agenda *a, u32 port, u64 cycle)
{
    if ((s64)(cycle & LATER) < a->at[port]) agenda_set(a, port, cycle);
}

static inline u64 agenda_first(const struct agenda *a)
{
    return a->first == LATER ? NEVER : (u64)a->first;
}

static inline bool agenda_has(const struct agenda *a, u32 port, u64 now)
{
    return a->at[port] <= (s64)now;
}

/* Makes `first` exact again, after the ports that were due have been looked at. */
static inline void agenda_refresh(struct agenda *a)
{
#ifdef __AVX2__
    const __m256i *at = (const __m256i *)(const void *)a->at;
    __m256i x = _mm256_loadu_si256(at), y = _mm256_loadu_si256(at + 1);
    for (u32 k = 2; k < a->n / 4; k += 2) {
        __m256i p = _mm256_loadu_si256(at + k), q = _mm256_loadu_si256(at + k + 1);
        x = _mm256_blendv_epi8(x, p, _mm256_cmpgt_epi64(x, p));
        y = _mm256_blendv_epi8(y, q, _mm256_cmpgt_epi64(y, q));
    }
    x = _mm256_blendv_epi8(x, y, _mm256_cmpgt_epi64(x, y));
    __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1);
    low = _mm_blendv_epi8(low, high, _mm_cmpgt_epi64(low, high));
    s64 even = _mm_cvtsi128_si64(low), odd = _mm_extract_epi64(low, 1);
    a->first = even < odd ? even : odd;
#else
    s64 first = LATER;
    for (u32 k = 0; k < a->n; k++) first = a->at[k] < first ? a->at[k] : first;
    a->first = first;
#endif
}

/* which of eight cycles have come, a bit each */
static inline u32 eight_due(const s64 *at, u64 now)
{
#ifdef __AVX2__
    const __m256i *v = (const __m256i *)(const void *)at, t = _mm256_set1_epi64x((s64)now);
    __m256i low = _mm256_cmpgt_epi64(_mm256_loadu_si256(v), t);
    __m256i high = _mm256_cmpgt_epi64(_mm256_loadu_si256(v + 1), t);
    /* eight masks of 64 bits become eight of 32, their signs a bit each */
    __m256i wait = _mm256_castps_si256(_mm256_shuffle_ps(
        _mm256_castsi256_ps(low), _mm256_castsi256_ps(high), _MM_SHUFFLE(2, 0, 2, 0)));
    wait = _mm256_permute4x64_epi64(wait, _MM_SHUFFLE(3, 1, 2, 0));
    return ~(u32)_mm256_movemask_ps(_mm256_castsi256_ps(wait)) & 0xff;
#else
    u32 due = 0;
    for (u32 j = 0; j < 8; j++) due |= (u32)(at[j] <= (s64)now) << j;
    return due;
#endif
}

struct ports { /* a set of them, a bit each */
    u64 word[XBAR_WORDS];
};

static inline struct ports ports_of(const u64 word[XBAR_WORDS])
{
    struct ports p;
    memcpy(&p, word, sizeof p);
    return p;
}

static inline bool port_has(const struct ports *p, u32 k) { return p->word[k / 64] >> k % 64 & 1; }
static inline void port_add(struct ports *p, u32 k) { p->word[k / 64] |= UINT64_C(1) << k % 64; }
static inline bool port_remove(struct ports *p, u32 k) /* true: it was in the set */
{
    bool had = port_has(p, k);
    p->word[k / 64] &= ~(UINT64_C(1) << k % 64);
    return had;
}

#define EACH_PORT(k, set)                                                                          \
    for (u32 word_ = 0; word_ < XBAR_WORDS; word_++)                                               \
        for (u64 left_ = (set).word[word_]; left_; left_ &= left_ - 1)                             \
            for (u32 k = word_ * 64 + (u32)__builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

static inline struct ports agenda_due(const struct agenda *a, u64 now)
{
    struct ports due = {0};
    if (a->first > (s64)now) return due;
    for (u32 w = 0; w < XBAR_WORDS && w * 64 < a->n; w++) {
        u64 word = 0;
        for (u32 k = 0; k < 64 && w * 64 + k < a->n; k += 8)
            word |= (u64)eight_due(a->at + w * 64 + k, now) << k;
        due.word[w] = word;
    }
    return due;
}

static inline void looked_at(struct agenda *a, u64 now)
{
    if (a->first <= (s64)now) agenda_refresh(a);
}

#endif

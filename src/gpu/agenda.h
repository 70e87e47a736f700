/* When the ports of one kind (SMs, slices, channels) have to be looked at next, and sets of ports.
 * gpu.c keeps one agenda per kind and wire, so that a step touches only ports whose time has come.
 */
#ifndef CORUN_AGENDA_H
#define CORUN_AGENDA_H

#include <string.h>

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

/* makes `first` exact again, after the ports that were due have been looked at */
static inline void agenda_refresh(struct agenda *a)
{
    s64 least[8]; /* eight at a time: the compiler makes vectors of them */
    for (u32 j = 0; j < 8; j++) least[j] = a->at[j];
    for (u32 k = 8; k < a->n; k += 8)
        for (u32 j = 0; j < 8; j++) least[j] = a->at[k + j] < least[j] ? a->at[k + j] : least[j];
    for (u32 half = 4; half; half /= 2)
        for (u32 j = 0; j < half; j++)
            least[j] = least[j + half] < least[j] ? least[j + half] : least[j];
    a->first = least[0];
}

/* which of eight cycles have come, a bit each */
static inline u32 eight_due(const s64 *at, u64 now)
{
#ifdef __AVX2__
    s64 __attribute__((vector_size(32))) low, high, after = {0};
    memcpy(&low, at, sizeof low);
    memcpy(&high, at + 4, sizeof high);
    after += (s64)now + 1; /* at < after: the difference is negative */
    return (u32)__builtin_ia32_movmskpd256((double __attribute__((vector_size(32))))(low - after)) |
           (u32)__builtin_ia32_movmskpd256((double __attribute__((vector_size(32))))(high - after))
               << 4;
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
    for (u32 k = 0; k < a->n; k += 8) due.word[k / 64] |= (u64)eight_due(a->at + k, now) << k % 64;
    return due;
}

static inline void looked_at(struct agenda *a, u64 now)
{
    if (a->first <= (s64)now) agenda_refresh(a);
}

#endif

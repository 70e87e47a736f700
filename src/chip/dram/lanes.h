/* What each bank of a channel waits for, as vectors of sixteen banks: the command the request in
 * service needs and the first cycle at which it may be given. dram.c keeps them; one operation
 * here stands for a loop over all banks. */
#ifndef CORUN_DRAM_LANES_H
#define CORUN_DRAM_LANES_H

#ifdef __AVX2__
#include <immintrin.h>
#endif
#include "base/base.h"

enum { DRAM_BANKS_MAX = 32 };
enum dram_command { DRAM_READ, DRAM_WRITE, DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_COMMANDS };

/* Cycles count from a base that dram.c moves on, so that they fit 16 bits. */
enum { LANE_IDLE = INT16_MAX, LANE_SPAN = INT16_MAX / 2 };

struct dram_lanes {
    _Alignas(32) s16 command[DRAM_BANKS_MAX]; /* DRAM_COMMANDS: no request in service */
    _Alignas(32) s16 go[DRAM_BANKS_MAX];      /* LANE_IDLE: no request in service */
    _Alignas(32) s16 group[DRAM_BANKS_MAX];
    u32 n;                                    /* banks, rounded up to whole vectors */
};

#define SIXTEEN s16 __attribute__((vector_size(32)))
#define EACH_SIXTEEN(b, l) for (u32 b = 0; b < (l)->n; b += 16)

static inline SIXTEEN *lanes_at(s16 *of) { return (SIXTEEN *)(void *)of; }
static inline SIXTEEN lanes_of(const s16 *of) { return *(const SIXTEEN *)(const void *)of; }

static inline SIXTEEN lanes_later(SIXTEEN a, SIXTEEN b)
{
#ifdef __AVX2__
    return (SIXTEEN)_mm256_max_epi16((__m256i)a, (__m256i)b);
#else
    return (a & (a > b)) | (b & (a <= b));
#endif
}

/* A bit for each bank whose cycle has come. */
static inline u32 lanes_ripe(const struct dram_lanes *l, s16 now)
{
    u32 ripe = 0;
    EACH_SIXTEEN(b, l) {
        SIXTEEN wait = lanes_of(l->go + b) > now;
#ifdef __AVX2__
        __m128i low = _mm256_castsi256_si128((__m256i)wait);
        __m128i high = _mm256_extracti128_si256((__m256i)wait, 1);
        ripe |= (~(u32)_mm_movemask_epi8(_mm_packs_epi16(low, high)) & 0xffff) << b;
#else
        for (u32 j = 0; j < 16; j++) ripe |= (u32)!wait[j] << (b + j);
#endif
    }
    return ripe;
}

/* The first of their cycles; LANE_IDLE: no request in service. */
static inline s16 lanes_first(const struct dram_lanes *l)
{
    s16 first = LANE_IDLE;
    EACH_SIXTEEN(b, l) {
#ifdef __AVX2__
        __m256i at = (__m256i)lanes_of(l->go + b); /* none is negative */
        __m128i least = _mm_min_epu16(_mm256_castsi256_si128(at), _mm256_extracti128_si256(at, 1));
        s16 here = (s16)_mm_cvtsi128_si32(_mm_minpos_epu16(least));
        first = here < first ? here : first;
#else
        for (u32 j = 0; j < 16; j++) first = l->go[b + j] < first ? l->go[b + j] : first;
#endif
    }
    return first;
}

/* By whole vectors: a load of sixteen lanes right after a store to one would wait for it. */
static inline void lanes_put(struct dram_lanes *l, u32 bank, s16 command, s16 go)
{
    const SIXTEEN number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    EACH_SIXTEEN(b, l) {
        SIXTEEN own = number == (s16)(bank - b), *c = lanes_at(l->command + b);
        *c = (*c & ~own) | (own & command);
        SIXTEEN *g = lanes_at(l->go + b);
        *g = (*g & ~own) | (own & go);
    }
}

/* After a column command: reads and writes wait for the channel, those of the same group for the
 * group, and so do its precharges. */
static inline void lanes_column(struct dram_lanes *l, s16 group, s16 read, s16 write, s16 grouped,
                                s16 precharge)
{
    EACH_SIXTEEN(b, l) {
        SIXTEEN c = lanes_of(l->command + b), near = lanes_of(l->group + b) == group;
        SIXTEEN any = ((c == DRAM_READ) & read) | ((c == DRAM_WRITE) & write);
        SIXTEEN own = ((c <= DRAM_WRITE) & grouped) | ((c == DRAM_PRECHARGE) & precharge);
        SIXTEEN *g = lanes_at(l->go + b);
        *g = lanes_later(*g, lanes_later(any, near & own));
    }
}

static inline void lanes_activate(struct dram_lanes *l, s16 until)
{
    EACH_SIXTEEN(b, l) {
        SIXTEEN *g = lanes_at(l->go + b);
        *g = lanes_later(*g, (lanes_of(l->command + b) == DRAM_ACTIVATE) & until);
    }
}

/* The base has moved by `gone` cycles. */
static inline void lanes_move(struct dram_lanes *l, s16 gone)
{
    for (u32 b = 0; b < l->n; b++)
        if (l->go[b] != LANE_IDLE) l->go[b] = l->go[b] > gone ? (s16)(l->go[b] - gone) : 0;
}

#endif

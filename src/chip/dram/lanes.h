/* What each bank of a channel waits for, as vectors of sixteen banks: the command the request in
 * service needs and the first cycle at which bank and group allow it; one word has what the channel
 * allows. dram.c keeps them; one operation here stands for a loop over all banks, n: how many,
 * whole vectors. */
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

/* A command as a lane has it: the places of its two bytes in a word of four numbers, one for each
 * command; DRAM_COMMANDS (no request in service) lies behind them, where zeros are. */
#define LANE_COMMAND(c) ((s16)((c) * 0x0202 + 0x0100))

struct dram_lanes {
    _Alignas(32) s16 command[DRAM_BANKS_MAX]; /* LANE_COMMAND */
    _Alignas(32) s16 go[DRAM_BANKS_MAX];      /* LANE_IDLE: no request in service */
    _Alignas(32) s16 group[DRAM_BANKS_MAX];
    u64 limits;                               /* four numbers: the channel's, for each command */
};

#define SIXTEEN s16 __attribute__((vector_size(32)))
#define EACH_SIXTEEN(b, n) for (u32 b = 0; b < (n); b += 16)

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

#define LANES_ALL UINT64_C(0x0001000100010001) /* a number that is the same for all commands */

/* Four numbers as a word, and one of them. */
static inline u64 lanes_word(s16 read, s16 write, s16 activate, s16 precharge)
{
    u64 rows = (u16)activate | (u64)(u16)precharge << 16;
    return (u16)read | (u64)(u16)write << 16 | rows << 32;
}
static inline s16 lanes_number(u64 word, u32 command) { return (s16)(word >> 16 * command); }

/* For each bank the number of a word that belongs to its command. */
static inline SIXTEEN lanes_choose(u64 word, SIXTEEN commands)
{
#ifdef __AVX2__
    __m256i words = _mm256_broadcastsi128_si256(_mm_cvtsi64_si128((s64)word));
    return (SIXTEEN)_mm256_shuffle_epi8(words, (__m256i)commands);
#else
    SIXTEEN chosen = {0};
    for (u32 c = 0; c < DRAM_COMMANDS; c++)
        chosen |= (commands == LANE_COMMAND(c)) & lanes_number(word, c);
    return chosen;
#endif
}

/* The first cycle of each bank's command. */
static inline SIXTEEN lanes_due(const struct dram_lanes *l, u32 b)
{
    return lanes_later(lanes_of(l->go + b), lanes_choose(l->limits, lanes_of(l->command + b)));
}

/* A bit for each bank whose cycle has come. */
static inline u32 lanes_ripe(const struct dram_lanes *l, u32 n, s16 now)
{
    u32 ripe = 0;
    EACH_SIXTEEN(b, n) {
        SIXTEEN wait = lanes_due(l, b) > now;
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
static inline s16 lanes_first(const struct dram_lanes *l, u32 n)
{
    s16 first = LANE_IDLE;
    EACH_SIXTEEN(b, n) {
        SIXTEEN due = lanes_due(l, b); /* none is negative */
#ifdef __AVX2__
        __m128i low = _mm256_castsi256_si128((__m256i)due);
        __m128i high = _mm256_extracti128_si256((__m256i)due, 1);
        s16 here = (s16)_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_min_epu16(low, high)));
        first = here < first ? here : first;
#else
        for (u32 j = 0; j < 16; j++) first = due[j] < first ? due[j] : first;
#endif
    }
    return first;
}

/* By whole vectors: a load of sixteen lanes right after a store to one would wait for it. */
static inline void lanes_put(struct dram_lanes *l, u32 n, u32 bank, u32 command, s16 go)
{
    const SIXTEEN number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    EACH_SIXTEEN(b, n) {
        SIXTEEN own = number == (s16)(bank - b);
        SIXTEEN *c = lanes_at(l->command + b), *g = lanes_at(l->go + b);
        *c = (*c & ~own) | (own & LANE_COMMAND(command));
        *g = (*g & ~own) | (own & go);
    }
}

/* Banks of a group wait for the numbers of a word, each for that of its command. */
static inline void lanes_hold(struct dram_lanes *l, u32 n, s16 group, u64 until)
{
    EACH_SIXTEEN(b, n) {
        SIXTEEN near = lanes_of(l->group + b) == group;
        SIXTEEN *g = lanes_at(l->go + b);
        *g = lanes_later(*g, near & lanes_choose(until, lanes_of(l->command + b)));
    }
}

/* The base has moved by `gone` cycles. */
static inline void lanes_move(struct dram_lanes *l, s16 gone)
{
    for (u32 b = 0; b < DRAM_BANKS_MAX; b++)
        if (l->go[b] != LANE_IDLE) l->go[b] = l->go[b] > gone ? (s16)(l->go[b] - gone) : 0;
    u64 limits = 0;
    for (u32 c = 0; c < DRAM_COMMANDS; c++) {
        s16 limit = lanes_number(l->limits, c);
        limits |= (u64)(limit > gone ? limit - gone : 0) << 16 * c;
    }
    l->limits = limits;
}

#endif

/* What each bank of a channel waits for, as vectors of sixteen banks: the command the request in
 * service needs and the first cycle at which bank and group allow it; `limits` and `bus` have what
 * the channel allows. dram.c keeps them; one operation here stands for a loop over all banks, n:
 * how many vectors. A copy of them in a function stays in registers, and so does time: a cycle is a
 * vector too, because from one command to the next everything waits for everything. */
#ifndef CORUN_DRAM_LANES_H
#define CORUN_DRAM_LANES_H

#ifdef __AVX2__
#include <immintrin.h>
#endif
#include "base/base.h"

enum { DRAM_BANKS_MAX = 32, LANE_VECTORS = DRAM_BANKS_MAX / 16 };
enum dram_command { DRAM_READ, DRAM_WRITE, DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_COMMANDS };

/* Cycles count from a base that dram.c moves on, so that they fit 16 bits. */
enum { LANE_IDLE = INT16_MAX, LANE_SPAN = INT16_MAX / 2 };

#define SIXTEEN s16 __attribute__((vector_size(32)))
#define FOUR_WORDS s64 __attribute__((vector_size(32)))

/* Time on the data bus is in cycles, so many bits of it behind the point. */
enum { BUS_BITS = 48 };

struct dram_lanes {
    struct {
        SIXTEEN command;       /* LANE_COMMAND; of a request in service */
        SIXTEEN go;            /* LANE_IDLE: no request in service */
    } of[LANE_VECTORS];
    SIXTEEN limits;            /* a number for each command, see lanes_spread */
    FOUR_WORDS bus;            /* time at which the data bus is free, four times */
    SIXTEEN takes;             /* when the queue takes a request, see dram.h */
};

/* A command as a lane has it: the places of its two bytes in a word of four numbers, and the marks
 * that lanes_ripe makes of it. */
#define LANE_COMMAND(c) ((s16)((c) * 0x0202 + 0x0100 + ((c) <= DRAM_WRITE ? 0x4040 : 0x0040)))

#define EACH_SIXTEEN(v, n) for (u32 v = 0; v < (n); v++)

/* ---- numbers for each command ---- */

/* Four numbers as a word, */
static inline u64 lanes_word(s16 read, s16 write, s16 activate, s16 precharge)
{
    u64 rows = (u16)activate | (u64)(u16)precharge << 16;
    return (u16)read | (u64)(u16)write << 16 | rows << 32;
}
/* one that is the same for all commands; a word again and again; and back. */
static inline SIXTEEN lanes_all(s16 number) { return (SIXTEEN){0} + number; }
static inline SIXTEEN lanes_spread(u64 word)
{
    return (SIXTEEN)((FOUR_WORDS){0} + (s64)word);
}
static inline u64 lanes_word_of(SIXTEEN spread) { return (u64)((FOUR_WORDS)spread)[0]; }

static inline SIXTEEN lanes_later(SIXTEEN a, SIXTEEN b)
{
#ifdef __AVX2__
    return (SIXTEEN)_mm256_max_epi16((__m256i)a, (__m256i)b);
#else
    return (a & (a > b)) | (b & (a <= b));
#endif
}
static inline SIXTEEN lanes_earlier(SIXTEEN a, SIXTEEN b)
{
#ifdef __AVX2__
    return (SIXTEEN)_mm256_min_epi16((__m256i)a, (__m256i)b);
#else
    return (a & (a < b)) | (b & (a >= b));
#endif
}

/* For each bank the number that belongs to its command. */
static inline SIXTEEN lanes_choose(SIXTEEN spread, SIXTEEN commands)
{
#ifdef __AVX2__
    return (SIXTEEN)_mm256_shuffle_epi8((__m256i)spread, (__m256i)commands);
#else
    SIXTEEN chosen = {0};
    for (u32 c = 0; c < DRAM_COMMANDS; c++)
        chosen |= (commands == LANE_COMMAND(c)) & spread[c];
    return chosen;
#endif
}

/* ---- the data bus ---- */

/* It is taken for some time, not before a time after the cycle `now`. */
static inline FOUR_WORDS lanes_bus(FOUR_WORDS bus, SIXTEEN now, u64 after, u64 taken)
{
    FOUR_WORDS start = (FOUR_WORDS)now >> BUS_BITS << BUS_BITS;
    start += (s64)after;
    FOUR_WORDS later = start > bus;
    return ((start & later) | (bus & ~later)) + (s64)taken;
}

/* The whole cycles of a time. */
static inline SIXTEEN lanes_whole(FOUR_WORDS time)
{
#ifdef __AVX2__
    FOUR_WORDS each = (FOUR_WORDS){0} + 0x0706070607060706;
    each[1] = each[3] = 0x0f0e0f0e0f0e0f0e;
    return (SIXTEEN)_mm256_shuffle_epi8((__m256i)time, (__m256i)each);
#else
    return lanes_all((s16)(time[0] >> BUS_BITS));
#endif
}

/* ---- all banks ---- */

/* The first cycle of each bank's command; data: of each command, cycles to its data. */
static inline void lanes_due(const struct dram_lanes *l, u32 n, SIXTEEN data,
                             SIXTEEN due[LANE_VECTORS])
{
    SIXTEEN bus = lanes_whole(l->bus);
    EACH_SIXTEEN(v, n) {
        SIXTEEN command = l->of[v].command;
        SIXTEEN own = lanes_later(l->of[v].go, lanes_choose(l->limits, command));
        due[v] = lanes_later(own, bus - lanes_choose(data, command));
    }
}

/* Two bits for each bank whose cycle has come: the lower, and for a column command both. */
#define LANES_COLUMNS UINT64_C(0xaaaaaaaaaaaaaaaa)
static inline u64 lanes_ripe(const struct dram_lanes *l, const SIXTEEN due[LANE_VECTORS], u32 n,
                             SIXTEEN now)
{
    u64 ripe = 0;
    EACH_SIXTEEN(v, n) {
        SIXTEEN marks = (l->of[v].command << 1) & ~(due[v] > now);
#ifdef __AVX2__
        ripe |= (u64)(u32)_mm256_movemask_epi8((__m256i)marks) << 32 * v;
#else
        for (u32 j = 0; j < 16; j++)
            ripe |= (u64)((marks[j] >> 7 & 1) | (marks[j] >> 14 & 2)) << (32 * v + 2 * j);
#endif
    }
    return ripe;
}

/* The first of these from a start that turns with time, columns before others. */
static inline u32 lanes_pick(u64 ripe, u32 n, u32 start)
{
    u32 bits = 32 * n, turn = 2 * start;
    u64 turned = n == 1 ? (u32)ripe >> turn | (u32)ripe << (bits - turn) % bits
                        : ripe >> turn | ripe << (bits - turn) % bits;
    u64 first = turned & LANES_COLUMNS;
    if (n == 1) first |= turned << 32; /* no branch */
    else if (!first) first = turned;
    return ((u32)__builtin_ctzll(first) / 2 + start) % (bits / 2);
}

/* The first of their cycles, none is negative; LANE_IDLE: no request in service. */
static inline SIXTEEN lanes_first(const SIXTEEN due[LANE_VECTORS], u32 n)
{
#ifdef __AVX2__
    __m256i least = (__m256i)due[0];
    for (u32 v = 1; v < n; v++) least = _mm256_min_epu16(least, (__m256i)due[v]);
    __m128i low = _mm256_castsi256_si128(least), high = _mm256_extracti128_si256(least, 1);
    return (SIXTEEN)_mm256_broadcastw_epi16(_mm_minpos_epu16(_mm_min_epu16(low, high)));
#else
    s16 first = LANE_IDLE;
    EACH_SIXTEEN(v, n)
        for (u32 j = 0; j < 16; j++) first = due[v][j] < first ? due[v][j] : first;
    return lanes_all(first);
#endif
}

static inline SIXTEEN lanes_own(u32 bank, u32 v) /* all bits at the bank */
{
    const SIXTEEN number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return number == (s16)(bank - 16 * v);
}

/* A bank needs a command, which bank and group allow from `earliest` on, a number for each; none,
 * if all are LANE_IDLE. */
static inline void lanes_need(struct dram_lanes *l, u32 n, u32 bank, s16 command, SIXTEEN earliest)
{
    EACH_SIXTEEN(v, n) {
        SIXTEEN own = lanes_own(bank, v), *c = &l->of[v].command, *g = &l->of[v].go;
        *c = (*c & ~own) | (own & command);
        *g = (*g & ~own) | (own & lanes_choose(earliest, *c));
    }
}

/* Banks wait for these numbers, each for that of its command. */
static inline void lanes_hold(struct dram_lanes *l, u32 n, const SIXTEEN banks[LANE_VECTORS],
                              SIXTEEN until)
{
    EACH_SIXTEEN(v, n) {
        SIXTEEN held = banks[v] & lanes_choose(until, l->of[v].command);
        l->of[v].go = lanes_later(l->of[v].go, held);
    }
}

/* The base has moved by `gone` cycles: what is over is 0. */
static inline SIXTEEN lanes_since(SIXTEEN cycles, s16 gone)
{
    return lanes_later(cycles - gone, (SIXTEEN){0});
}

static inline void lanes_move(struct dram_lanes *l, s16 gone)
{
    EACH_SIXTEEN(v, LANE_VECTORS) {
        SIXTEEN *g = &l->of[v].go, idle = *g == (s16)LANE_IDLE;
        *g = (idle & LANE_IDLE) | (~idle & lanes_since(*g, gone));
    }
    l->limits = lanes_since(l->limits, gone);
}

#endif

/* What each bank of a channel waits for, as vectors of sixteen banks: the command the request in
 * service needs and the first cycle at which bank and group allow it; `limits` has what the channel
 * allows. dram.c keeps them; one operation here stands for a loop over all banks, n: how many
 * vectors. A copy of them in a function stays in registers. */
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
#define FOUR_WORDS u64 __attribute__((vector_size(32)))

struct dram_lanes {
    struct {
        SIXTEEN command;       /* LANE_COMMAND; of a request in service */
        SIXTEEN go;            /* LANE_IDLE: no request in service */
    } of[LANE_VECTORS];
    SIXTEEN limits;            /* a number for each command, see lanes_spread */
};

/* A command as a lane has it: the places of its two bytes in a word of four numbers. */
#define LANE_COMMAND(c) ((s16)((c) * 0x0202 + 0x0100))

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
    return (SIXTEEN)((FOUR_WORDS){0} + word);
}
static inline u64 lanes_word_of(SIXTEEN spread) { return ((FOUR_WORDS)spread)[0]; }

static inline SIXTEEN lanes_later(SIXTEEN a, SIXTEEN b)
{
#ifdef __AVX2__
    return (SIXTEEN)_mm256_max_epi16((__m256i)a, (__m256i)b);
#else
    return (a & (a > b)) | (b & (a <= b));
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

/* ---- all banks ---- */

/* The first cycle of each bank's command. */
static inline void lanes_due(const struct dram_lanes *l, u32 n, SIXTEEN due[LANE_VECTORS])
{
    EACH_SIXTEEN(v, n) due[v] = lanes_later(l->of[v].go, lanes_choose(l->limits, l->of[v].command));
}

/* A bit for each bank whose cycle has come. */
static inline u32 lanes_ripe(const SIXTEEN due[LANE_VECTORS], u32 n, SIXTEEN now)
{
    u32 ripe = 0;
    EACH_SIXTEEN(v, n) {
        SIXTEEN wait = due[v] > now;
#ifdef __AVX2__
        __m128i low = _mm256_castsi256_si128((__m256i)wait);
        __m128i high = _mm256_extracti128_si256((__m256i)wait, 1);
        ripe |= (~(u32)_mm_movemask_epi8(_mm_packs_epi16(low, high)) & 0xffff) << 16 * v;
#else
        for (u32 j = 0; j < 16; j++) ripe |= (u32)!wait[j] << (16 * v + j);
#endif
    }
    return ripe;
}

/* The first of their cycles, none is negative; LANE_IDLE: no request in service. */
static inline s16 lanes_first(const SIXTEEN due[LANE_VECTORS], u32 n)
{
    s16 first = LANE_IDLE;
    EACH_SIXTEEN(v, n) {
#ifdef __AVX2__
        __m128i low = _mm256_castsi256_si128((__m256i)due[v]);
        __m128i high = _mm256_extracti128_si256((__m256i)due[v], 1);
        s16 here = (s16)_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_min_epu16(low, high)));
        first = here < first ? here : first;
#else
        for (u32 j = 0; j < 16; j++) first = due[v][j] < first ? due[v][j] : first;
#endif
    }
    return first;
}

static inline SIXTEEN lanes_own(u32 bank, u32 v) /* all bits at the bank */
{
    const SIXTEEN number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return number == (s16)(bank - 16 * v);
}

/* A bank needs a command, which bank and group allow from `earliest` on, a number for each. */
static inline void lanes_need(struct dram_lanes *l, u32 n, u32 bank, s16 command, SIXTEEN earliest)
{
    EACH_SIXTEEN(v, n) {
        SIXTEEN own = lanes_own(bank, v), *c = &l->of[v].command, *g = &l->of[v].go;
        *c = (*c & ~own) | (own & command);
        *g = (*g & ~own) | (own & lanes_choose(earliest, *c));
    }
}

static inline void lanes_idle(struct dram_lanes *l, u32 n, u32 bank)
{
    EACH_SIXTEEN(v, n) {
        SIXTEEN own = lanes_own(bank, v), *g = &l->of[v].go;
        *g = (*g & ~own) | (own & LANE_IDLE);
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

/* Operations on the banks of a channel: one here stands for a loop over all banks (n: how many
 * vectors hold them). A copy of struct dram_timing in a function stays in registers, and so does
 * time: a cycle is a vector, too, because from one command to the next everything waits for
 * everything. */
#ifndef CORUN_DRAM_BANKS_H
#define CORUN_DRAM_BANKS_H

#ifdef __AVX2__
#include <immintrin.h>
#endif
#include "chip/dram/timing.h"

/* For each bank the one that belongs to its command. */
static inline s16x16 of_command(s16x16 spread, s16x16 commands)
{
#ifdef __AVX2__
    return (s16x16)_mm256_shuffle_epi8((__m256i)spread, (__m256i)commands);
#else
    s16x16 chosen = {0};
    for (u32 c = 0; c < DRAM_COMMANDS; c++) chosen |= (commands == command_code(c)) & spread[c];
    return chosen;
#endif
}

/* ---- cycles ---- */

static inline s16x16 same_cycle(s16 cycle) { return (s16x16){0} + cycle; }
static inline s16x16 later_of(s16x16 a, s16x16 b)
{
#ifdef __AVX2__
    return (s16x16)_mm256_max_epi16((__m256i)a, (__m256i)b);
#else
    return (a & (a > b)) | (b & (a <= b));
#endif
}
static inline s16x16 earlier_of(s16x16 a, s16x16 b)
{
#ifdef __AVX2__
    return (s16x16)_mm256_min_epi16((__m256i)a, (__m256i)b);
#else
    return (a & (a < b)) | (b & (a >= b));
#endif
}
/* The base has moved by `gone` cycles: what is over is 0. */
static inline s16x16 cycles_rebase(s16x16 cycles, s16 gone)
{
    return later_of(cycles - gone, (s16x16){0});
}

/* ---- the data bus ---- */

/* It is taken for some time, not before a time after the cycle `now`. */
static inline s64x4 bus_take(s64x4 bus, s16x16 now, u64 after, u64 taken)
{
    s64x4 start = ((s64x4)now << BUS_BITS) + (s64)after; /* any of its four cycles: the same */
    s64x4 free = start > bus;
    return ((start & free) | (bus & ~free)) + (s64)taken;
}

/* The whole cycles of a time. */
static inline s16x16 bus_cycles(s64x4 time)
{
#ifdef __AVX2__
    s64x4 each = (s64x4){0} + 0x0706070607060706;
    each[1] = each[3] = 0x0f0e0f0e0f0e0f0e;
    return (s16x16)_mm256_shuffle_epi8((__m256i)time, (__m256i)each);
#else
    return same_cycle((s16)(time[0] >> BUS_BITS));
#endif
}

/* ---- all banks ---- */

/* The first cycle of each bank's command; data: of each command, cycles to its data. */
static inline void timing_due(const struct dram_timing *t, u32 n, s16x16 data,
                              s16x16 due[BANK_VECTORS])
{
    s16x16 bus = bus_cycles(t->bus);
    for (u32 v = 0; v < n; v++) {
        s16x16 command = t->of[v].command;
        s16x16 own = later_of(t->of[v].allowed, of_command(t->channel, command));
        due[v] = later_of(own, bus - of_command(data, command));
    }
}

/* Two bits for each bank whose command may issue: the lower, and for a column command both. */
#define ISSUABLE_COLUMNS UINT64_C(0xaaaaaaaaaaaaaaaa)
static inline u64 timing_issuable(const struct dram_timing *t, const s16x16 due[BANK_VECTORS],
                                  u32 n, s16x16 now)
{
    u64 issuable = 0;
    for (u32 v = 0; v < n; v++) {
        s16x16 marks = (t->of[v].command << 1) & ~(due[v] > now);
#ifdef __AVX2__
        issuable |= (u64)(u32)_mm256_movemask_epi8((__m256i)marks) << 32 * v;
#else
        for (u32 j = 0; j < BANKS_EACH; j++)
            issuable |= (u64)((marks[j] >> 7 & 1) | (marks[j] >> 14 & 2)) << (32 * v + 2 * j);
#endif
    }
    return issuable;
}

/* The first of these banks from a start that turns with time, columns before others. */
static inline u32 issuable_first(u64 issuable, u32 n, u32 start)
{
    u32 bits = 32 * n, turn = 2 * start;
    u64 turned = n == 1 ? (u32)issuable >> turn | (u32)issuable << (bits - turn) % bits
                        : issuable >> turn | issuable << (bits - turn) % bits;
    u64 first = turned & ISSUABLE_COLUMNS;
    if (n == 1) first |= turned << 32; /* no branch */
    else if (!first) first = turned;
    return ((u32)__builtin_ctzll(first) / 2 + start) % (bits / 2);
}

/* The first of these banks from a start, whatever their commands. */
static inline u32 issuable_any(u64 issuable, u32 start)
{
    u64 later = issuable >> 2 * start << 2 * start;
    return (u32)__builtin_ctzll(later ? later : issuable) / 2;
}

/* The earliest of these cycles, none of which is negative; CYCLE_NEVER: no request in service. */
static inline s16x16 due_first(const s16x16 due[BANK_VECTORS], u32 n)
{
#ifdef __AVX2__
    __m256i least = (__m256i)due[0];
    for (u32 v = 1; v < n; v++) least = _mm256_min_epu16(least, (__m256i)due[v]);
    __m128i low = _mm256_castsi256_si128(least), high = _mm256_extracti128_si256(least, 1);
    return (s16x16)_mm256_broadcastw_epi16(_mm_minpos_epu16(_mm_min_epu16(low, high)));
#else
    s16 first = CYCLE_NEVER;
    for (u32 v = 0; v < n; v++)
        for (u32 j = 0; j < BANKS_EACH; j++) first = due[v][j] < first ? due[v][j] : first;
    return same_cycle(first);
#endif
}

static inline s16x16 bank_bits(u32 bank, u32 v) /* all bits at the bank, in vector v */
{
    const s16x16 number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return number == (s16)(bank - BANKS_EACH * v);
}

/* A bank needs a command, which bank and group allow from `earliest` on, a number for each command;
 * all CYCLE_NEVER: it needs none. */
static inline void timing_need(struct dram_timing *t, u32 n, u32 bank, s16 code, s16x16 earliest)
{
    for (u32 v = 0; v < n; v++) {
        s16x16 own = bank_bits(bank, v), *c = &t->of[v].command, *a = &t->of[v].allowed;
        *c = (*c & ~own) | (own & code);
        *a = (*a & ~own) | (own & of_command(earliest, *c));
    }
}

/* Some banks wait until these cycles, each for that of its command. */
static inline void timing_hold(struct dram_timing *t, u32 n, const s16x16 banks[BANK_VECTORS],
                               s16x16 until)
{
    for (u32 v = 0; v < n; v++) {
        s16x16 held = banks[v] & of_command(until, t->of[v].command);
        t->of[v].allowed = later_of(t->of[v].allowed, held);
    }
}

static inline void timing_rebase(struct dram_timing *t, s16 gone)
{
    for (u32 v = 0; v < BANK_VECTORS; v++) {
        s16x16 *a = &t->of[v].allowed, never = *a == (s16)CYCLE_NEVER;
        *a = (never & CYCLE_NEVER) | (~never & cycles_rebase(*a, gone));
    }
    t->channel = cycles_rebase(t->channel, gone);
}

#endif

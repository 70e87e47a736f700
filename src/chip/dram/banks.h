/* Vector operations on the banks of a channel; each replaces a loop over all banks (n: number of
 * vectors that hold the banks). A local copy of struct dram_timing stays in registers. Cycles are
 * vectors, too: from one command to the next all operations form a single dependency chain, and
 * moving a cycle between scalar and vector registers would lengthen the chain. */
#ifndef CORUN_DRAM_BANKS_H
#define CORUN_DRAM_BANKS_H

#include "chip/dram/timing.h"

/* Selects for each bank the number of the bank's command. spread: a number for each command, see
 * per_command_spread; commands: the banks' command codes. */
static inline s16x16 of_command(s16x16 spread, s16x16 commands)
{
#ifdef __AVX2__
    return shuffle_bytes(spread, commands);
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
    return greatest_s16(a, b);
#else
    return (a & (a > b)) | (b & (a <= b));
#endif
}
static inline s16x16 earlier_of(s16x16 a, s16x16 b)
{
#ifdef __AVX2__
    return least_s16(a, b);
#else
    return (a & (a < b)) | (b & (a >= b));
#endif
}
/* Rebases cycles to a base that has moved by `gone` cycles; cycles before the new base become 0. */
static inline s16x16 cycles_rebase(s16x16 cycles, s16 gone)
{
    return later_of(cycles - gone, (s16x16){0});
}

/* ---- the data bus ---- */

/* Takes the data bus for the time `taken`, from when the bus is free, but not before cycle `now`
 * plus the time `after`. Returns the time at which the bus is free again. */
static inline s64x4 bus_take(s64x4 bus, s16x16 now, u64 after, u64 taken)
{
    /* An element of `now` holds the cycle four times; the shift leaves one copy. */
    s64x4 start = ((s64x4)now << BUS_BITS) + (s64)after;
    s64x4 free = start > bus;
    return ((start & free) | (bus & ~free)) + (s64)taken;
}

/* Returns the whole cycles of a bus time, in all elements. */
static inline s16x16 bus_cycles(s64x4 time)
{
#ifdef __AVX2__
    s64x4 each = (s64x4){0} + 0x0706070607060706;
    each[1] = each[3] = 0x0f0e0f0e0f0e0f0e;
    return shuffle_bytes((s16x16)time, (s16x16)each);
#else
    return same_cycle((s16)(time[0] >> BUS_BITS));
#endif
}

/* ---- all banks ---- */

/* Computes the first cycle in which the command of each bank may issue, by bank, group, channel and
 * data bus. data: cycles from each command to its data. */
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

/* Returns two bits for each bank whose command may issue in cycle `now`: a row command sets the
 * lower bit, a column command both. */
#define ISSUABLE_COLUMNS UINT64_C(0xaaaaaaaaaaaaaaaa)
static inline u64 timing_issuable(const struct dram_timing *t, const s16x16 due[BANK_VECTORS],
                                  u32 n, s16x16 now)
{
    u64 issuable = 0;
    for (u32 v = 0; v < n; v++) {
        s16x16 marks = (t->of[v].command << 1) & ~(due[v] > now);
#ifdef __AVX2__
        issuable |= (u64)byte_signs(marks) << 32 * v;
#else
        for (u32 j = 0; j < BANKS_EACH; j++)
            issuable |= (u64)((marks[j] >> 7 & 1) | (marks[j] >> 14 & 2)) << (32 * v + 2 * j);
#endif
    }
    return issuable;
}

/* Returns the first issuable bank from bank `start` on, wrapping around; column commands go before
 * row commands. n: number of vectors; the caller rotates `start` with time. */
static inline u32 issuable_first(u64 issuable, u32 n, u32 start)
{
    u32 bits = 32 * n, turn = 2 * start;
    u64 turned = n == 1 ? (u32)issuable >> turn | (u32)issuable << (bits - turn) % bits
                        : issuable >> turn | issuable << (bits - turn) % bits;
    u64 first = turned & ISSUABLE_COLUMNS;
    if (n == 1) first |= turned << 32; /* branch-free */
    else if (!first) first = turned;
    return ((u32)__builtin_ctzll(first) / 2 + start) % (bits / 2);
}

/* Returns the first issuable bank from bank `start` on, wrapping around, whatever its command. */
static inline u32 issuable_any(u64 issuable, u32 start)
{
    u64 later = issuable >> 2 * start << 2 * start;
    return (u32)__builtin_ctzll(later ? later : issuable) / 2;
}

/* Returns the earliest of the cycles in `due`, in all elements; CYCLE_NEVER: no request is in
 * service. No cycle may be negative: the comparison is unsigned. */
static inline s16x16 due_first(const s16x16 due[BANK_VECTORS], u32 n)
{
#ifdef __AVX2__
    s16x16 least = due[0];
    for (u32 v = 1; v < n; v++) least = least_u16(least, due[v]);
    return spread_first(least_of_all(least));
#else
    s16 first = CYCLE_NEVER;
    for (u32 v = 0; v < n; v++)
        for (u32 j = 0; j < BANKS_EACH; j++) first = due[v][j] < first ? due[v][j] : first;
    return same_cycle(first);
#endif
}

static inline s16x16 bank_bits(u32 bank, u32 v) /* mask: the bank, if in vector v */
{
    const s16x16 number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return number == (s16)(bank - BANKS_EACH * v);
}

/* Sets the command that a bank needs next (`code`) and the first cycle in which bank and group
 * allow the command. earliest: such a cycle for each command; all CYCLE_NEVER: the bank needs no
 * command. */
static inline void timing_need(struct dram_timing *t, u32 n, u32 bank, s16 code, s16x16 earliest)
{
    for (u32 v = 0; v < n; v++) {
        s16x16 own = bank_bits(bank, v), *c = &t->of[v].command, *a = &t->of[v].allowed;
        *c = (*c & ~own) | (own & code);
        *a = (*a & ~own) | (own & of_command(earliest, *c));
    }
}

/* Delays the commands of the banks in the mask `banks` to the cycle that `until` gives for each
 * command. */
static inline void timing_hold(struct dram_timing *t, u32 n, const s16x16 banks[BANK_VECTORS],
                               s16x16 until)
{
    for (u32 v = 0; v < n; v++) {
        s16x16 held = banks[v] & of_command(until, t->of[v].command);
        t->of[v].allowed = later_of(t->of[v].allowed, held);
    }
}

/* Rebases all cycles except the bus time to a base that has moved by `gone` cycles. */
static inline void timing_rebase(struct dram_timing *t, s16 gone)
{
    for (u32 v = 0; v < BANK_VECTORS; v++) {
        s16x16 *a = &t->of[v].allowed, never = *a == (s16)CYCLE_NEVER;
        *a = (never & CYCLE_NEVER) | (~never & cycles_rebase(*a, gone));
    }
    t->channel = cycles_rebase(t->channel, gone);
}

#endif

/* When each bank of a channel may have its next command, as vectors of sixteen banks: cycles.h
 * keeps it, from the rules of each command (rules.h), by the operations of banks.h. */
#ifndef CORUN_DRAM_TIMING_H
#define CORUN_DRAM_TIMING_H

#include "base/base.h"

typedef s16 s16x16 __attribute__((vector_size(32))); /* by bank; or by command, see per_command */
typedef s64 s64x4 __attribute__((vector_size(32)));

enum { DRAM_BANKS_MAX = 32, BANKS_EACH = 16, BANK_VECTORS = DRAM_BANKS_MAX / BANKS_EACH };
enum dram_command { DRAM_READ, DRAM_WRITE, DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_COMMANDS };

/* Cycles count from a base, so that they fit 16 bits: it moves when a run begins further than
 * CYCLE_SPAN from it. */
enum { CYCLE_NEVER = INT16_MAX, CYCLE_SPAN = INT16_MAX / 2 };

/* Time on the data bus is in cycles, so many bits of it behind the point. */
enum { BUS_BITS = 48 };

struct dram_timing {
    struct {
        s16x16 command;        /* that the request in service needs next, as command_code */
        s16x16 allowed;        /* from when on by bank and group; CYCLE_NEVER: none in service */
    } of[BANK_VECTORS];
    s16x16 channel;            /* from when on the channel allows each command, see per_command */
    s64x4 bus;                 /* time at which the data bus is free, four times */
    s16x16 arrival;            /* time at which the next request enters the queue, sixteen times */
};

/* A command as a vector has it. Its two bytes are where its number lies among four: the indexes of
 * the shuffle in of_command, which reads bits 0 to 3 and 7 of a byte only. So bits 6 and 14 are
 * free for marks that timing_issuable collects: of any command, and of a column command. */
static inline s16 command_code(u32 command)
{
    return (s16)(command * 0x0202 + 0x0100 + (command <= DRAM_WRITE ? 0x4040 : 0x0040));
}

/* ---- numbers for each command ---- */

/* Four numbers as a word, */
static inline u64 per_command(s16 read, s16 write, s16 activate, s16 precharge)
{
    u64 rows = (u16)activate | (u64)(u16)precharge << 16;
    return (u16)read | (u64)(u16)write << 16 | rows << 32;
}
/* that word four times, */
static inline s16x16 per_command_spread(u64 word) { return (s16x16)((s64x4){0} + (s64)word); }
/* and back. */
static inline u64 per_command_word(s16x16 spread) { return (u64)((s64x4)spread)[0]; }

#endif

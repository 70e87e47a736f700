/* The earliest cycle of the next command of each bank, as vectors of sixteen banks. cycles.h
 * updates the vectors by the rules of each command (rules.h), with the operations of banks.h. A
 * s16x16 has an element for each bank, or for each command: see per_command. */
#ifndef CORUN_DRAM_TIMING_H
#define CORUN_DRAM_TIMING_H

#include "base/vector.h"

enum { DRAM_BANKS_MAX = 32, BANKS_EACH = 16, BANK_VECTORS = DRAM_BANKS_MAX / BANKS_EACH };
enum dram_command { DRAM_READ, DRAM_WRITE, DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_COMMANDS };

/* Cycles count from a base and therefore fit 16 bits. The base moves when a run begins more than
 * CYCLE_SPAN cycles after the base. */
enum { CYCLE_NEVER = INT16_MAX, CYCLE_SPAN = INT16_MAX / 2 };

/* Time on the data bus is a fixed-point number of cycles with BUS_BITS fraction bits. */
enum { BUS_BITS = 48 };

struct dram_timing {
    struct {
        s16x16 command;        /* next command of the request in service, as command_code */
        s16x16 allowed;        /* first cycle allowed by bank and group; CYCLE_NEVER: no request */
    } of[BANK_VECTORS];
    s16x16 channel;            /* first cycle allowed by the channel, see per_command */
    s64x4 bus;                 /* time at which the data bus is free, in all four elements */
    s16x16 arrival;            /* cycle in which a request enters the queue next, in all elements */
};

/* Returns a command as encoded in vectors. The two bytes of the code locate the number of the
 * command among four 16-bit numbers: they are the shuffle indexes in of_command, for which only
 * bits 0 to 3 and 7 of a byte count. Bits 6 and 14 are therefore free as marks that timing_issuable
 * collects: bit 6 marks any command, bit 14 a column command. */
static inline s16 command_code(u32 command)
{
    return (s16)(command * 0x0202 + 0x0100 + (command <= DRAM_WRITE ? 0x4040 : 0x0040));
}

/* ---- numbers for each command ---- */

/* Packs a number for each command into a word. */
static inline u64 per_command(s16 read, s16 write, s16 activate, s16 precharge)
{
    u64 rows = (u16)activate | (u64)(u16)precharge << 16;
    return (u16)read | (u64)(u16)write << 16 | rows << 32;
}
/* Copies the word into all four elements of a vector. */
static inline s16x16 per_command_spread(u64 word) { return (s16x16)((s64x4){0} + (s64)word); }
/* Returns the word of such a vector. */
static inline u64 per_command_word(s16x16 spread) { return (u64)((s64x4)spread)[0]; }

#endif

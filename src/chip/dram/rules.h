/* The rules common to all channels of a GPU: the options, the values derived from them, and for
 * each command of a request its consequences as numbers, with which cycles.h treats all commands
 * alike.
 * Model: machine description 2.10. */
#ifndef CORUN_DRAM_RULES_H
#define CORUN_DRAM_RULES_H

#include "base/arena.h"
#include "cache/req.h"
#include "chip/dram/timing.h"
#include "table/conf.h"
#include "table/stat.h"

enum { DRAM_FRFCFS, DRAM_FCFS, DRAM_SCHEDULERS };     /* values of dram.scheduler */
enum { COMMANDS_COLUMNS, COMMANDS_FIRST, COMMANDS_BOTH }; /* values of dram.commands */

struct dram_conf {
#define CONF CONF_FIELD
#define CHOICE CHOICE_FIELD
#include "chip/dram/dram_conf.def"
#undef CONF
#undef CHOICE
};
struct dram_stat {
#define STAT STAT_FIELD
#include "chip/dram/dram_stat.def"
#undef STAT
};

#define DRAM_COUNTER(field) ((u32)(offsetof(struct dram_stat, field) / sizeof(u64)))

struct dram_derived {        /* command cycles derived from the options */
#define TIMING(field, initial, sentence)
#define DERIVED(field, value, sentence) u32 field;
#include "chip/dram/timing.def"
#undef TIMING
#undef DERIVED
    u32 burst;               /* bus time of one column command, rounded up */
    u32 ticks_per_cycle;     /* every bus time is a whole number of ticks */
    u32 atom_cycles, atom_ticks; /* bus time of an atom: whole cycles, and ticks */
};
/* Computes the derived values. */
void dram_derive(const struct dram_conf *conf, struct dram_derived *d);
/* True if the banks are a power of two, up to DRAM_BANKS_MAX, and not fewer than the groups. */
bool dram_fits(const struct dram_conf *conf);

/* A command of a request, and its consequences: the least number of cycles until the next command
 * of each kind (see per_command) in the channel, in the bank group, in the bank. 0 or less: no
 * limit. */
struct dram_command_rule {
    _Alignas(64) u64 channel;
    u64 group, bank;
    u64 data, bus;           /* bus times: to the data, on the data bus; both 0: no data */
    s16 code;                /* command_code of the command */
    s16 next;                /* command_code of the command that the bank needs afterwards */
    s16 idle;                /* CYCLE_NEVER: the bank needs no further command, else 0 */
    bool ends;               /* the last command of its request */
    u8 counter;              /* counter of an app: index into struct dram_stat as an array */
};

struct dram_rules {
    struct dram_conf conf;
    struct dram_derived derived;
    u32 capacity;            /* requests that a channel can hold */
    u32 ring_mask;           /* entries of a dram_ring, a power of two, minus 1 */
    u32 bank_mask;           /* banks - 1 */
    /* Sequences of commands: precharge, activate, column commands. A request to an open row begins
     * with the third command, a request to a closed bank with the second. */
    struct dram_command_rule *command_rule;
    /* Index in command_rule of the sequence for a request, by read or write and its bytes. */
    u16 first[DRAM_WRITE + 1][LINE_BYTES + 1];
    u8 group[DRAM_BANKS_MAX]; /* of each bank */
    s16x16 group_banks[DRAM_BANKS_MAX][BANK_VECTORS]; /* masks of the banks of a group */
    s16x16 data;             /* cycles from a column command to its data, see per_command */
};

/* Returns the number of requests that a channel can hold. */
static inline u32 dram_capacity(const struct dram_conf *conf)
{
    return conf->queue + conf->returns;
}
const struct dram_rules *dram_rules_new(const struct dram_conf *conf, struct arena *arena);

/* Removes accumulated rounding errors from a bus time. Fractions of a cycle are rounded up, by less
 * than 2^-48 cycles for each atom added. The whole cycles of a sum are nevertheless right, because
 * a tick is at least 2^-32 cycles and fewer than 2^16 atoms are added in the 2^15 cycles at most
 * until the next call. */
u64 dram_bus_round(const struct dram_rules *r, u64 time);

#endif

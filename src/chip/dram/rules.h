/* What all channels of a GPU have in common: the options, what follows from them, and for each
 * command of a request its consequences as numbers, so that cycles.h treats all commands alike.
 * Model: docs/machine.md 2.10. */
#ifndef CORUN_DRAM_RULES_H
#define CORUN_DRAM_RULES_H

#include "base/arena.h"
#include "chip/dram/timing.h"
#include "mem/req.h"
#include "table/conf.h"
#include "table/stat.h"

enum { DRAM_FRFCFS, DRAM_FCFS, DRAM_SCHEDULERS };     /* words of dram.scheduler */
enum { COMMANDS_COLUMNS, COMMANDS_FIRST, COMMANDS_BOTH }; /* words of dram.commands */

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

struct dram_derived {        /* command cycles that follow from the options */
#define TIMING(field, initial, sentence)
#define DERIVED(field, value, sentence) u32 field;
#include "chip/dram/timing.def"
#undef TIMING
#undef DERIVED
    u32 burst;               /* bus time of one column command, rounded up */
    u32 ticks_per_cycle;     /* bus time is a whole number of ticks; an atom's: */
    u32 atom_cycles, atom_ticks;
};
void dram_derive(const struct dram_conf *conf, struct dram_derived *d);
bool dram_fits(const struct dram_conf *conf); /* banks a power of two, no more groups than banks */

/* A command of a request, and its consequences: cycles from it to the first of each command (see
 * per_command) of the channel, of its group, of its bank. A command that it does not limit has 0,
 * its own cycle, or less. */
struct dram_command_rule {
    _Alignas(64) u64 channel;
    u64 group, bank;
    u64 data, bus;           /* times: to its data, on the data bus; both 0: no data */
    s16 code;                /* command_code of it, */
    s16 next;                /* and of what the bank needs then; */
    s16 idle;                /* CYCLE_NEVER: it needs nothing any more, else 0 */
    bool ends;               /* its request */
    u8 counter;              /* of an app, an index into its counters */
};

struct dram_rules {
    struct dram_conf conf;
    struct dram_derived derived;
    u32 capacity;            /* requests inside */
    u32 ring_mask;           /* places of a dram_ring, a power of two, less one */
    u32 bank_mask;           /* banks - 1 */
    /* The commands of requests, one after the other: precharge, activate, column commands. If the
     * row is open, a request begins with the third, if its bank is closed with the second. */
    struct dram_command_rule *command_rule;
    u16 first[DRAM_WRITE + 1][LINE_BYTES + 1]; /* of a request that reads or writes so many bytes:
                                                * where its commands begin in command_rule */
    u8 group[DRAM_BANKS_MAX]; /* of each bank */
    s16x16 group_banks[DRAM_BANKS_MAX][BANK_VECTORS]; /* all bits at the banks of a group */
    s16x16 data;             /* each column command's cycles to its data, see per_command */
};

static inline u32 dram_capacity(const struct dram_conf *conf)
{
    return conf->queue + conf->returns;
}
const struct dram_rules *dram_rules_new(const struct dram_conf *conf, struct arena *arena);

/* In time on the data bus a part of a cycle is rounded up: the whole cycles of a sum are right,
 * because a tick is at least 2^-32 cycles and in the 2^15 cycles until a sum is made exact again
 * fewer atoms are added. */
u64 dram_bus_round(const struct dram_rules *r, u64 time);

#endif

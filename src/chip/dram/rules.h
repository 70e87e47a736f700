/* What all channels of a GPU have in common: the options, what follows from them, and for each
 * command of a request its consequences as numbers, so that dram.c treats all commands alike.
 * Model: docs/machine.md 2.10. */
#ifndef CORUN_DRAM_RULES_H
#define CORUN_DRAM_RULES_H

#include "base/arena.h"
#include "chip/dram/lanes.h"
#include "mem/req.h"
#include "table/conf.h"
#include "table/stat.h"

enum dram_scheduler { DRAM_FRFCFS, DRAM_FCFS }; /* words of dram.scheduler */

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

/* The commands of a request; + DRAM_WRITE: of one that writes. */
enum dram_stage {
    STAGE_COLUMN = 0,
    STAGE_LAST = 2,          /* its last column command */
    STAGE_ACTIVATE = 4,
    STAGE_PRECHARGE = 6,
    STAGES = 8
};

/* A command and its consequences. Cycles from it to the first of each command, four numbers (see
 * lanes.h): of the channel, of its group, of its bank. What it does not limit is held to its own
 * cycle, which is over. */
struct dram_rule {
    _Alignas(64) u64 channel;
    u64 group, bank;
    u64 data, bus;           /* times: to its data, on the data bus; both 0: no data */
    s16 lane;                /* LANE_COMMAND of it, */
    s16 next_lane;           /* and of what the bank needs then; */
    s16 over;                /* LANE_IDLE: nothing any more, else 0 */
    bool last;               /* of a request */
    u8 counter;              /* of an app, an index into its counters */
};

struct dram_rules {          /* what the channels of a GPU have in common */
    struct dram_conf conf;
    struct dram_derived derived;
    u32 capacity;            /* requests inside */
    u32 bank_mask;           /* banks - 1 */
    struct dram_rule *plans; /* all commands in a row: precharge, activate, columns, last; where */
    u16 plan[DRAM_WRITE + 1][LINE_BYTES + 1]; /* for so many bytes that are read or written */
    u8 group[DRAM_BANKS_MAX]; /* of each bank */
    struct dram_rule stage[STAGES];
    SIXTEEN data;            /* each column command's cycles to its data, four numbers */
    SIXTEEN near[DRAM_BANKS_MAX][LANE_VECTORS]; /* all bits at the banks of a group */
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

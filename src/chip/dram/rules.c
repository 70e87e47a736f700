#include "chip/dram/rules.h"

_Static_assert(offsetof(struct dram_stat, writes) - offsetof(struct dram_stat, reads)
               == DRAM_WRITE * sizeof(u64), "a column command's counter follows from its number");
enum { NO_DATA = -(INT16_MIN / 2) }; /* so large that the bus never delays a row command */

void dram_derive(const struct dram_conf *t, struct dram_derived *d)
{
    u64 atom = (u64)t->atom_bytes * t->bus_bytes.den, cycle = t->bus_bytes.num;
    u64 divisor = common_divisor(atom, cycle);
    check(divisor && atom / divisor <= UINT32_MAX && cycle / divisor <= UINT32_MAX);
    d->ticks_per_cycle = (u32)(cycle / divisor);
    d->atom_cycles = (u32)(atom / cycle);
    d->atom_ticks = (u32)(atom % cycle / divisor);
    u32 burst = d->burst = (u32)div_up(atom, cycle);
#define TIMING(field, initial, sentence)
#define DERIVED(field, value, sentence) d->field = value;
#include "chip/dram/timing.def"
#undef TIMING
#undef DERIVED
}

bool dram_fits(const struct dram_conf *conf)
{
    return is_power_of_two(conf->banks) && conf->banks <= DRAM_BANKS_MAX && conf->groups > 0
        && conf->groups <= conf->banks && conf->bus_bytes.num > 0;
}

/* ---- time on the data bus ---- */

static u64 bus_time(const struct dram_derived *v, u64 cycles, u64 ticks)
{
    unsigned __int128 part = ((unsigned __int128)ticks << BUS_BITS) + v->ticks_per_cycle - 1;
    return (cycles << BUS_BITS) + (u64)(part / v->ticks_per_cycle);
}

u64 dram_bus_round(const struct dram_rules *r, u64 time)
{
    u64 part = time & ((UINT64_C(1) << BUS_BITS) - 1);
    u64 ticks = (u64)((unsigned __int128)part * r->derived.ticks_per_cycle >> BUS_BITS);
    return bus_time(&r->derived, time >> BUS_BITS, ticks);
}

/* ---- the commands ---- */

struct sequence {            /* the commands of a read, or of a write */
    struct dram_command_rule precharge, activate, column, last;
};

/* Makes the commands of a request. command: the column command; `channel` and `group` are the
 * limits of each column command on the channel and its group, `bank` is the limit of the last
 * column command on row commands of the bank. */
static struct sequence sequence_of(const struct dram_rules *r, u32 command, u64 channel, u64 group,
                                   u64 bank)
{
    const struct dram_conf *c = &r->conf;
    const struct dram_derived *v = &r->derived;
    struct sequence s;
    s.column = (struct dram_command_rule){
        .channel = channel, .group = group,
        .data = bus_time(v, command == DRAM_WRITE ? c->wl : c->cl, 0),
        .bus = bus_time(v, v->atom_cycles, v->atom_ticks),
        .code = command_code(command), .next = command_code(command),
        .counter = (u8)(DRAM_COUNTER(reads) + command)};
    s.last = s.column;
    s.last.bank = bank;
    s.last.ends = true;
    s.last.idle = CYCLE_NEVER;
    u64 opened = per_command((s16)c->rcd, (s16)v->rcdwr, (s16)c->rc, (s16)c->ras);
    s.activate = (struct dram_command_rule){
        .channel = per_command(0, 0, (s16)c->rrd, 0), .bank = opened,
        .code = command_code(DRAM_ACTIVATE), .next = command_code(command),
        .counter = DRAM_COUNTER(activates)};
    s.precharge = (struct dram_command_rule){
        .bank = per_command(0, 0, (s16)c->rp, 0),
        .code = command_code(DRAM_PRECHARGE), .next = command_code(DRAM_ACTIVATE),
        .counter = DRAM_COUNTER(precharges)};
    return s;
}

/* Stores the sequences of reads and of writes, for each number of atoms. */
static void rules_lay(struct dram_rules *r, const struct sequence sequences[DRAM_WRITE + 1],
                      struct arena *arena)
{
    u32 most = (u32)div_up(LINE_BYTES, r->conf.atom_bytes), room = 2 + most;
    r->command_rule = arena_array(arena, struct dram_command_rule, (DRAM_WRITE + 1) * most * room);
    for (u32 command = 0; command <= DRAM_WRITE; command++)
        for (u32 bytes = 0; bytes <= LINE_BYTES; bytes++) {
            u32 atoms = max_u32(1, (u32)div_up(bytes, r->conf.atom_bytes));
            u32 at = (command * most + atoms - 1) * room;
            r->first[command][bytes] = (u16)at;
            r->command_rule[at++] = sequences[command].precharge;
            r->command_rule[at++] = sequences[command].activate;
            while (--atoms) r->command_rule[at++] = sequences[command].column;
            r->command_rule[at] = sequences[command].last;
        }
}

const struct dram_rules *dram_rules_new(const struct dram_conf *conf, struct arena *arena)
{
    check(dram_fits(conf));
    struct dram_rules *r = arena_new(arena, struct dram_rules);
    r->conf = *conf;
    dram_derive(conf, &r->derived);
    const struct dram_conf *c = conf;
    const struct dram_derived *v = &r->derived;
    s16 any = (s16)c->ccd, near = (s16)c->ccdl; /* column to column: in the channel, in a group */
    s16 write = (s16)max_u32(v->rtw, c->ccd), read = (s16)max_u32(v->wtr, c->ccd);
    struct sequence sequences[DRAM_WRITE + 1];
    sequences[DRAM_READ] = sequence_of(
        r, DRAM_READ, per_command(any, write, 0, 0),
        per_command(near, near, 0, (s16)c->rtpl), per_command(0, 0, 0, (s16)v->rtp));
    sequences[DRAM_WRITE] = sequence_of(
        r, DRAM_WRITE, per_command(read, any, 0, 0),
        per_command(near, near, 0, 0), per_command(0, 0, 0, (s16)v->wtp));
    rules_lay(r, sequences, arena);
    r->data = per_command_spread(per_command((s16)c->cl, (s16)c->wl, NO_DATA, NO_DATA));
    r->capacity = dram_capacity(conf);
    while (r->ring_mask < r->capacity) r->ring_mask = 2 * r->ring_mask + 1;
    r->bank_mask = conf->banks - 1;
    for (u32 b = 0; b < DRAM_BANKS_MAX; b++) {
        r->group[b] = (u8)(b % conf->groups);
        r->group_banks[r->group[b]][b / BANKS_EACH][b % BANKS_EACH] = -1;
    }
    return r;
}

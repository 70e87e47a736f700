#include "chip/dram/rules.h"

_Static_assert(offsetof(struct dram_stat, writes) - offsetof(struct dram_stat, reads)
               == DRAM_WRITE * sizeof(u64), "a column command's counter follows from its way");
enum { NO_LIMIT = INT16_MIN / 2 }; /* of a cycle after the base: before all */

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

/* The commands of a request that reads or writes. */
static void rules_init(struct dram_rules *r, u32 way, u64 channel, u64 group, u64 last)
{
    const struct dram_conf *c = &r->conf;
    const struct dram_derived *v = &r->derived;
    struct dram_rule *column = &r->stage[STAGE_COLUMN + way];
    *column = (struct dram_rule){
        .channel = channel, .group = group, .data = bus_time(v, way ? c->wl : c->cl, 0),
        .bus = bus_time(v, v->atom_cycles, v->atom_ticks),
        .lane = LANE_COMMAND(way), .next_lane = LANE_COMMAND(way),
        .counter = (u8)(DRAM_COUNTER(reads) + way)};
    r->stage[STAGE_LAST + way] = *column;
    r->stage[STAGE_LAST + way].bank = last;
    r->stage[STAGE_LAST + way].last = true;
    r->stage[STAGE_LAST + way].over = LANE_IDLE;
    u64 opened = lanes_word((s16)c->rcd, (s16)v->rcdwr, (s16)c->rc, (s16)c->ras);
    r->stage[STAGE_ACTIVATE + way] = (struct dram_rule){
        .channel = lanes_word(0, 0, (s16)c->rrd, 0), .bank = opened,
        .lane = LANE_COMMAND(DRAM_ACTIVATE), .next_lane = LANE_COMMAND(way),
        .counter = DRAM_COUNTER(activates)};
    r->stage[STAGE_PRECHARGE + way] = (struct dram_rule){
        .bank = lanes_word(0, 0, (s16)c->rp, 0),
        .lane = LANE_COMMAND(DRAM_PRECHARGE), .next_lane = LANE_COMMAND(DRAM_ACTIVATE),
        .counter = DRAM_COUNTER(precharges)};
}

/* Room for each number of atoms, two row commands in front. */
static void plans_init(struct dram_rules *r, struct arena *arena)
{
    u32 most = (u32)div_up(LINE_BYTES, r->conf.atom_bytes), room = 2 + most;
    r->plans = arena_array(arena, struct dram_rule, (DRAM_WRITE + 1) * most * room);
    for (u32 way = 0; way <= DRAM_WRITE; way++)
        for (u32 bytes = 0; bytes <= LINE_BYTES; bytes++) {
            u32 atoms = max_u32(1, (u32)div_up(bytes, r->conf.atom_bytes));
            u32 plan = (way * most + atoms - 1) * room;
            r->plan[way][bytes] = (u16)plan;
            r->plans[plan++] = r->stage[STAGE_PRECHARGE + way];
            r->plans[plan++] = r->stage[STAGE_ACTIVATE + way];
            while (--atoms) r->plans[plan++] = r->stage[STAGE_COLUMN + way];
            r->plans[plan] = r->stage[STAGE_LAST + way];
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
    s16 next = (s16)c->ccd, near = (s16)c->ccdl;
    s16 write = (s16)max_u32(v->rtw, c->ccd), read = (s16)max_u32(v->wtr, c->ccd);
    rules_init(r, DRAM_READ, lanes_word(next, write, 0, 0),
               lanes_word(near, near, 0, (s16)c->rtpl), lanes_word(0, 0, 0, (s16)v->rtp));
    rules_init(r, DRAM_WRITE, lanes_word(read, next, 0, 0),
               lanes_word(near, near, 0, 0), lanes_word(0, 0, 0, (s16)v->wtp));
    r->data = lanes_spread(lanes_word((s16)c->cl, (s16)c->wl, -NO_LIMIT, -NO_LIMIT));
    r->capacity = dram_capacity(conf);
    r->bank_mask = conf->banks - 1;
    plans_init(r, arena);
    for (u32 b = 0; b < DRAM_BANKS_MAX; b++) {
        r->group[b] = (u8)(b % conf->groups);
        r->near[r->group[b]][b / 16][b % 16] = -1;
    }
    return r;
}

#include "gpu/machine.h"

#define CONF CONF_ROW
#define CHOICE CHOICE_ROW
#define CONF_OWNER struct machine
const struct conf_row machine_rows[] = {
#define CONF_SECTION "clock"
#define CONF_PART clock
#include "gpu/clock_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "sm"
#define CONF_PART sm
#include "chip/sm/sm_conf.def"
#undef CONF_PART
#define CONF_PART cost
#define COST(id, name, latency, initiation)                                                        \
    CONF(u32, name##_latency, latency, 1, 10000, "cycles", "Latency of " #id " instructions.")     \
    CONF(u32, name##_initiation, initiation, 1, 10000, "cycles",                                   \
         "Cycles a unit is held by one " #id " instruction.")
#include "chip/sm/cost_conf.def"
#undef COST
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "l1"
#define CONF_PART l1
#include "chip/sm/l1_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "xbar"
#define CONF_PART xbar
#include "chip/xbar/xbar_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "l2"
#define CONF_PART l2
#include "chip/l2/l2_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "dram"
#define CONF_PART dram
#include "chip/dram/dram_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "map"
#define CONF_PART map
#include "mem/map_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "policy"
#define CONF_PART policy
#include "gpu/policy_conf.def"
};
const u32 machine_row_n = COUNT_OF(machine_rows);

static bool clocks_check(const struct machine *m, struct fail *fail)
{
    struct rational f[] = {m->clock.sm_mhz, m->clock.xbar_mhz, m->clock.l2_mhz, m->clock.dram_mhz};
    for (u32 k = 0; k < COUNT_OF(f); k++) {
        if (f[k].num <= 1000000 && f[k].den <= 1000) continue;
        fail_plain(fail,
                   "a clock of %llu/%llu MHz cannot be kept exactly: give at most three decimals",
                   (unsigned long long)f[k].num, (unsigned long long)f[k].den);
        return false;
    }
    return true;
}

bool machine_check(const struct machine *m, struct fail *fail)
{
    u32 before = fail->error_n;
    const struct sm_conf *s = &m->sm;
    if (s->threads % LANES)
        fail_plain(fail, "sm.threads is %u: it must be a multiple of the warp size, 32",
                   s->threads);
    if (div_up(s->threads / LANES, s->schedulers) > 64)
        fail_plain(
            fail, "sm.threads / 32 / sm.schedulers is over 64: a scheduler keeps at most 64 warps");
    if (!tags_index_fits(m->l1.index, m->l1.sets))
        fail_plain(
            fail,
            "l1.index does not serve l1.sets = %u (fermi-l1 wants 32 or 64, xor a power of two)",
            m->l1.sets);
    if (!tags_index_fits(m->l2.index, m->l2.sets))
        fail_plain(fail, "l2.index does not serve l2.sets = %u (xor a power of two)", m->l2.sets);
    if (!l2_fits(&m->l2))
        fail_plain(fail, "l2.merges is 1: l2.write_miss=fetch wants at least 2, one for the line's "
                         "fetch and one for the store");
    if (!map_fits(&m->map, m->dram.banks))
        fail_plain(fail, "map.interleave_bytes, map.slices_per_channel and dram.banks must be "
                         "powers of two, with no more slices than banks");
    if (map_fits(&m->map, m->dram.banks) && !map_layout_fits(&m->map, m->dram.banks))
        fail_plain(fail, "map.layout is '%s' and dram.banks %u: give the bits of a channel's own "
                         "address from the top, R row, log2(banks) times B, C or S column with at "
                         "least the seven lowest, and no more than 28 for the row of 40",
                   m->map.layout.text, m->dram.banks);
    if (!map_hash_fits(&m->map))
        fail_plain(fail, "map.hash wants a power of two, but map.channels is %u", m->map.channels);
    if (!dram_fits(&m->dram))
        fail_plain(fail, "dram.banks is %u and dram.groups %u: banks must be a power of two and "
                         "at least as many as groups", m->dram.banks, m->dram.groups);
    if (m->l1.mshrs * m->l1.merges + s->mem_queue >= UINT16_MAX)
        fail_plain(fail, "l1.mshrs x l1.merges is over 65000: give fewer");
    return fail->error_n == before && clocks_check(m, fail);
}

#include <string.h>
#include "gpu/machine/machine.h"
#include "gpu/machine/stat.h"

#define STAT STAT_ROW
#define STAT_OWNER struct gpu_stat
const struct stat_row gpu_stat_rows[] = {
#define STAT_PART sm
#include "chip/sm/sm_stat.def"
#undef STAT_PART
#define STAT_PART tensor
#include "chip/sm/tensor_stat.def"
#undef STAT_PART
#define STAT_PART preempt
#include "chip/sm/preempt_stat.def"
#undef STAT_PART
#define STAT_PART residency
#include "chip/sm/residency_stat.def"
#undef STAT_PART
#define STAT_PART allocator
#include "chip/sm/allocator_stat.def"
#undef STAT_PART
#define STAT_PART carveout
#include "chip/sm/carveout_stat.def"
#undef STAT_PART
#define STAT_PART l1
#include "chip/l1/l1_stat.def"
#undef STAT_PART
#define STAT_PART tex
#include "chip/tex/tex_stat.def"
#undef STAT_PART
#define STAT_PART l2
#include "chip/l2/l2_stat.def"
#undef STAT_PART
#define STAT_PART dram
#include "chip/dram/dram_stat.def"
#undef STAT_PART
#define STAT_PART to_l2
#define XBAR_NET "to_l2"
#include "chip/xbar/xbar_stat.def"
#undef STAT_PART
#undef XBAR_NET
#define STAT_PART to_sm
#define XBAR_NET "to_sm"
#include "chip/xbar/xbar_stat.def"
    {"blocks.max_resident", "blocks", "Most blocks resident on one SM at once.",
     "paper 003 7.3", offsetof(struct gpu_stat, max_resident)},
};
const u32 gpu_stat_row_n = COUNT_OF(gpu_stat_rows);

#define INST_ROW(field, name, unit, sentence, source)                                              \
    {name, unit, sentence, source, offsetof(struct inst_stat, field)},
#undef STAT
#define STAT INST_ROW
const struct stat_row inst_stat_rows[] = {
#include "chip/sm/inst_stat.def"
};
const u32 inst_stat_row_n = COUNT_OF(inst_stat_rows);
#undef STAT

static u64 l1_fails(const struct gpu_stat *s) { return l1_failures(&s->l1); }

static u64 l2_fails(const struct gpu_stat *s)
{
    return s->l2.fail_line + s->l2.fail_missq + s->l2.fail_mshr + s->l2.fail_merge;
}

#define RATIO(name, over, under, unit, sentence, source)                                           \
    static double TOKEN(numerator)(const struct gpu_stat *s, const struct gpu_capacity *c)         \
    {                                                                                              \
        (void)s, (void)c;                                                                          \
        return (double)(over);                                                                     \
    }                                                                                              \
    static double TOKEN(denominator)(const struct gpu_stat *s, const struct gpu_capacity *c)       \
    {                                                                                              \
        (void)s, (void)c;                                                                          \
        return (double)(under);                                                                    \
    }
#define TOKEN(word) TOKEN_LINE(word, __LINE__)
#define TOKEN_LINE(word, line) TOKEN_JOIN(word, line)
#define TOKEN_JOIN(word, line) word##_##line
#include "gpu/machine/ratio.def"
#undef RATIO

#define RATIO(name, over, under, unit, sentence, source)                                           \
    {name, unit, sentence, source, TOKEN(numerator), TOKEN(denominator)},
const struct ratio_row gpu_ratio_rows[] = {
#include "gpu/machine/ratio.def"
};
const u32 gpu_ratio_row_n = COUNT_OF(gpu_ratio_rows);

const char *stall_name(const struct ratio_row *row)
{
    static const char *const names[][2] = {{"raw", "scoreboard"},
                                           {"idle", "no instruction"},
                                           {"memory", "LSU throttle"},
                                           {"compute", "math throttle"}};
    if (strncmp(row->name, "stall.", 6)) return NULL;
    for (u32 i = 0; i < COUNT_OF(names); i++)
        if (!strcmp(row->name + 6, names[i][0])) return names[i][1];
    return row->name + 6;
}

static double domain_cycles(struct rational mhz, const struct machine *m, u64 sm_cycles)
{
    double over = (double)mhz.num * (double)m->clock.sm_mhz.den;
    return (double)sm_cycles * over / ((double)mhz.den * (double)m->clock.sm_mhz.num);
}

/* Computes the capacities for `cycles` SM cycles. Model: crossbars sustain 0.6 flits per port and
 * cycle under random traffic (paper 003 section 2.2). */
void gpu_capacity(const struct machine *m, u64 cycles, struct gpu_capacity *out)
{
    u32 channels = m->map.channels, slices = channels * m->map.slices_per_channel;
    double bus = (double)m->dram.bus_bytes.num / (double)m->dram.bus_bytes.den;
    double xbar = domain_cycles(m->clock.xbar_mhz, m, cycles) * 0.6;
    double sms = (double)cycles * m->sm.count;
    *out = (struct gpu_capacity){
        .cycles = (double)cycles,
        .sm_cycles = sms,
        .registers = sms * m->sm.registers,
        .shared_bytes = sms * m->sm.shared_bytes,
        .l1_port_cycles = sms * m->l1.banks,
        .scheduler_cycles = sms * m->sm.schedulers,
        .to_l2_flits = xbar * slices,
        .to_sm_flits = xbar * m->sm.count,
        .l2_cycles = domain_cycles(m->clock.l2_mhz, m, cycles) * slices,
        .dram_bytes = domain_cycles(m->clock.dram_mhz, m, cycles) * bus * channels,
    };
}

#include "gpu/machine/energy.h"

#include <string.h>
#include "isa/inst.h"

typedef unsigned __int128 u128;

const char *const energy_component_names[] = {
#define COMPONENT(id, name, sentence) [ENERGY_##id] = name,
#include "gpu/machine/energy.def"
};

#define ENERGY_ROW(field, high, unit, sentence)                                                    \
    {"energy", #field, CONF_TYPE_RATIONAL, offsetof(struct energy_conf, field), "0", 0, high,      \
     unit, NULL, sentence},
const struct conf_row energy_rows[] = {
#define EVENT(field, component, count, sentence) ENERGY_ROW(field, 1e9, "pJ", sentence)
#define POWER(field, sentence) ENERGY_ROW(field, 1e7, "mW", sentence)
#include "gpu/machine/energy.def"
};
const u32 energy_row_n = COUNT_OF(energy_rows);

static const u8 class_of_cost[COST_ROOM] = {
    [COST_INT_ADD] = ENERGY_INT_ADD,   [COST_INT_MAX] = ENERGY_INT_ADD,
    [COST_INT_MUL] = ENERGY_INT_MUL,   [COST_INT_MAD] = ENERGY_INT_MUL,
    [COST_INT_DIV] = ENERGY_INT_DIV,   [COST_FP_ADD] = ENERGY_FP_ADD,
    [COST_FP_MAX] = ENERGY_FP_ADD,     [COST_FP_MUL] = ENERGY_FP_MUL,
    [COST_FP_MAD] = ENERGY_FP_MUL,     [COST_FP_DIV] = ENERGY_FP_DIV,
    [COST_DP_ADD] = ENERGY_FP64_ADD,   [COST_DP_MAX] = ENERGY_FP64_ADD,
    [COST_DP_MUL] = ENERGY_FP64_MUL,   [COST_DP_MAD] = ENERGY_FP64_MUL,
    [COST_DP_DIV] = ENERGY_FP64_DIV,   [COST_SFU] = ENERGY_SPECIAL,
    [COST_SHUFFLE] = ENERGY_INT_ADD,   [COST_OTHER] = ENERGY_INT_ADD,
    [COST_HALF_ADD] = ENERGY_FP_ADD,   [COST_HALF_MAX] = ENERGY_FP_ADD,
    [COST_HALF_MUL] = ENERGY_FP_MUL,   [COST_HALF_MAD] = ENERGY_FP_MUL,
    [COST_COUNT] = ENERGY_INT_ADD,
};

enum energy_class energy_class(u32 unit, u32 cost, u32 space)
{
    if (unit == UNIT_MEM) return space == SPACE_TEXTURE ? ENERGY_TEXTURE : ENERGY_NOTHING;
    return (enum energy_class)class_of_cost[cost];
}

u32 energy_tensor_steps(u32 unit, u32 cost)
{
    if (unit != UNIT_TENSOR || cost < COST_TENSOR) return 0;
    return 1u << (cost - COST_TENSOR) / TENSOR_N;
}

static u64 times(struct rational each, u64 n) { return (u64)((u128)each.num * n / each.den); }

void energy_of_counts(const struct energy_conf *e, const struct machine *m,
                      const struct gpu_stat *s, const struct energy_mix *x,
                      u64 of[ENERGY_COMPONENT_N])
{
    memset(of, 0, ENERGY_COMPONENT_N * sizeof *of);
#define EVENT(field, component, count, sentence) of[ENERGY_##component] += times(e->field, count);
#include "gpu/machine/energy.def"
}

/* 1 mW x 1 SM cycle at 1 MHz = 1000 pJ. */
u64 energy_of_power(struct rational milliwatts, u64 cycles, const struct machine *m)
{
    struct rational mhz = m->clock.sm_mhz;
    u128 over = (u128)milliwatts.num * cycles * 1000 / milliwatts.den;
    return (u64)(over * mhz.den / mhz.num);
}

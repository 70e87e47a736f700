/* Options and counters of an SM, generated from the rows of the .def files. */
#ifndef CORUN_SM_CONF_H
#define CORUN_SM_CONF_H

#include <string.h>

#include "isa/inst.h"
#include "table/conf.h"
#include "table/stat.h"

#define CONF CONF_FIELD
#define CHOICE CHOICE_FIELD
struct sm_conf {
#include "chip/sm/sm_conf.def"
};
struct preempt_conf {
#include "chip/sm/preempt_conf.def"
};
#undef CONF
#undef CHOICE

enum { SCHEDULERS_MAX = 8, SM_WARPS_MAX = 128, SM_BLOCKS_MAX = 64 };

/* True if the machine has a list of carve-outs. */
static inline bool carveouts_given(const struct sm_conf *conf)
{
    return strcmp(conf->carveouts.text, "none") != 0;
}

enum { ALLOCATOR_COUNTERS, ALLOCATOR_FIRST_FIT, ALLOCATOR_2_WAY, ALLOCATOR_2N_WAY };
enum { REGISTER_RANGES_BLOCK, REGISTER_RANGES_WARP };
enum { SCHEDULER_GTO, SCHEDULER_LRR, SCHEDULER_TWO_LEVEL };
enum { COLLECTOR_BANKS, COLLECTOR_CHEAP, COLLECTOR_NONE };
enum { BANK_OF_ROW, BANK_OF_NAME };
enum { LATENCIES_UNIT, LATENCIES_CHAIN };
enum { DP_ON_SFU, DP_ON_SP };
enum { COLLECTOR_ORDER_CLASS, COLLECTOR_ORDER_SUB_CORE };

struct cost_conf {
#define COST(id, name, latency, initiation, pipe) u32 name##_latency, name##_initiation;
#define TENSOR(id, name, latency, initiation) u32 name##_latency, name##_initiation;
#define VARIANT(name, what, same) u32 name##_latency, name##_initiation;
#include "chip/sm/cost_conf.def"
#undef COST
#undef TENSOR
};

struct sm_stat {
#define STAT STAT_FIELD
#include "chip/sm/sm_stat.def"
};
struct inst_stat {
#include "chip/sm/inst_stat.def"
};
struct tensor_stat {
#include "chip/sm/tensor_stat.def"
};
struct preempt_stat {
#include "chip/sm/preempt_stat.def"
};
struct residency_stat {
#include "chip/sm/residency_stat.def"
};
struct allocator_stat {
#include "chip/sm/allocator_stat.def"
};
struct carveout_stat {
#include "chip/sm/carveout_stat.def"
#undef STAT
};

#endif

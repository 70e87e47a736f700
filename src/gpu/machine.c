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
#define COST(id, name, latency, initiation, pipe)                                                  \
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

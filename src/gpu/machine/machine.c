#include "gpu/machine/machine.h"

#define CONF CONF_ROW
#define CHOICE CHOICE_ROW
#define CONF_OWNER struct machine
const struct conf_row machine_rows[] = {
#define CONF_SECTION "clock"
#define CONF_PART clock
#include "gpu/machine/clock_conf.def"
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
         "Cycles for which an instruction of " #id " holds a unit.")
#define TENSOR(id, name, latency, initiation)                                                      \
    CONF(u32, name##_latency, latency, 1, 10000, "cycles", "Latency of a tensor step of " #id ".") \
    CONF(u32, name##_initiation, initiation, 0, 10000, "cycles",                                   \
         "Cycles for which a step of " #id " holds a tensor unit; 0: unsupported.")
#define VARIANT(name, what, same)                                                                  \
    CONF(u32, name##_latency, "0", 0, 10000, "cycles",                                             \
         "Latency of " what "; 0: latency and interval as " same ".")                              \
    CONF(u32, name##_initiation, "1", 1, 10000, "cycles",                                          \
         "Cycles for which the same instructions hold a unit.")
#include "chip/sm/cost_conf.def"
#undef COST
#undef TENSOR
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "l1"
#define CONF_PART l1
#include "chip/l1/l1_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "tex"
#define CONF_PART tex
#include "chip/tex/tex_conf.def"
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
#include "cache/map_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "memory"
#define CONF_PART memory
#include "mem/memory_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "policy"
#define CONF_PART policy
#include "gpu/machine/policy_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "exec"
#define CONF_PART exec
#include "gpu/machine/exec_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "host"
#define CONF_PART host
#include "gpu/machine/host_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "launch"
#define CONF_PART launch
#include "gpu/machine/launch_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "link"
#define CONF_PART link
#include "gpu/machine/link_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "mps"
#define CONF_PART mps
#include "gpu/machine/mps_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "mig"
#define CONF_PART mig
#include "gpu/machine/mig_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "preempt"
#define CONF_PART preempt
#include "chip/sm/preempt_conf.def"
};
const u32 machine_row_n = COUNT_OF(machine_rows);

/* Returns the size of the request pool: the sum over every place that can hold a request. */
bool machine_cut_fits(const struct machine *m, const struct cut *c)
{
    u64 slices = m->map.channels * m->map.slices_per_channel;
    return (!c->sms || (c->l2 && c->dram)) && m->sm.count * cut_copies(c, c->sms) <= PORTS_MAX &&
           slices * cut_copies(c, c->l2) <= PORTS_MAX &&
           m->map.channels * cut_copies(c, c->dram) <= PORTS_MAX;
}

u32 machine_requests(const struct machine *m, const struct cut *c)
{
    u64 sms = m->sm.count * cut_copies(c, c->sms), channels = m->map.channels;
    u64 slices = channels * m->map.slices_per_channel * cut_copies(c, c->l2), n = 0;
    channels *= cut_copies(c, c->dram);
    n += sms * m->l1.mshrs * m->l1.merges;                 /* loads of an SM waiting for a line */
    /* texture fragments whose texels are present */
    if (m->tex.path == TEX_OWN) n += sms * m->tex.fragments;
    n += sms * (m->l1.missq + m->sm.response_queue);       /* leaving and entering an SM */
    n += (sms + slices) * (m->xbar.in_packets + m->xbar.out_packets) * 2; /* in the crossbars */
    n += slices * (m->l2.rop_cycles + m->l2.in_queue + 8); /* in front of a slice */
    n += slices * m->l2.mshrs * m->l2.merges;              /* waiting for a line at a slice */
    n += slices * (m->l2.missq + m->l2.to_dram_queue + m->l2.fill_queue + m->l2.reply_queue);
    n += slices * l2_requests_max(&m->l2);                 /* requests allocated by a slice */
    if (m->map.halves > 1)                                 /* packets and invalidations */
        n += slices * (LINK_KINDS * m->l2.link_queue + m->l2.fill_queue);
    n += channels * (2 * dram_capacity(&m->dram) + m->dram.latency_cycles + 8);
    n += sms * req_supply_room(l1_requests_max(&m->l1)); /* free, in the supplies */
    n += req_supply_room((u32)slices * L2_REQUESTS_TICK);
    return (u32)min_u64(round_up(n, REQ_BATCH), REQ_NONE - REQ_BATCH);
}

const char *machine_tensor_key(u32 kind)
{
    static const char *const keys[] = {
#define COST(...)
#define TENSOR(id, name, ...) [TENSOR_##id] = "sm." #name "_initiation",
#include "chip/sm/cost_conf.def"
#undef TENSOR
#undef COST
    };
    return keys[kind];
}

/* The effective configuration of a GPU: the options of every part under the part's section name. */
#ifndef CORUN_MACHINE_H
#define CORUN_MACHINE_H

#include "cache/map.h"
#include "chip/dram/dram.h"
#include "chip/l1/l1.h"
#include "chip/l2/l2.h"
#include "chip/sm/sm_conf.h"
#include "chip/tex/tex.h"
#include "chip/xbar/xbar.h"
#include "table/conf.h"

struct clock_conf {
#define CONF CONF_FIELD
#define CHOICE CHOICE_FIELD
#include "gpu/machine/clock_conf.def"
};
struct memory_conf {
#include "mem/memory_conf.def"
};
struct exec_conf {
#include "gpu/machine/exec_conf.def"
};
struct host_conf {
#include "gpu/machine/host_conf.def"
};
struct launch_conf {
#include "gpu/machine/launch_conf.def"
};
struct link_conf {
#include "gpu/machine/link_conf.def"
};
struct mps_conf {
#include "gpu/machine/mps_conf.def"
};
struct mig_conf {
#include "gpu/machine/mig_conf.def"
};
struct rules_conf {
#include "gpu/machine/policy_conf.def"
#undef CONF
#undef CHOICE
};

enum { MEMORY_FAULT, MEMORY_PAGE }; /* memory.bounds */
enum { CONTRACT_OFF, CONTRACT_PTXAS }; /* exec.contract */
enum { EXPAND_NONE, EXPAND_PTXAS };     /* exec.expand */
enum { ESTIMATE_LIVE, ESTIMATE_PTXAS }; /* exec.registers */

struct machine {
    struct clock_conf clock;
    struct sm_conf sm;
    struct cost_conf cost;
    struct l1_conf l1;
    struct tex_conf tex;
    struct xbar_conf xbar;
    struct l2_conf l2;
    struct dram_conf dram;
    struct map_conf map;
    struct memory_conf memory;
    struct rules_conf policy;
    struct exec_conf exec;
    struct host_conf host;
    struct launch_conf launch;
    struct link_conf link;
    struct mps_conf mps;
    struct mig_conf mig;
    struct preempt_conf preempt;
};

/* Returns the key of the option for the cycles of a tensor step of `kind` (enum tensor). */
const char *machine_tensor_key(u32 kind);
extern const struct conf_row machine_rows[];
extern const u32 machine_row_n;

/* Rules between the values of options: rows of machine_rule.def. */
struct machine_rule {
    const char *name, *keys; /* keys separated by blanks */
    bool (*holds)(const struct machine *m);
    const char *sentence;
};
extern const struct machine_rule machine_rules[];
extern const u32 machine_rule_n;

/* Checks all rules. Returns false if values contradict each other; each error names the keys of the
 * rule and points at the value that was given last. places: where each row's value was given; NULL:
 * not known. */
bool machine_check(const struct machine *m, const struct conf_place *places, struct fail *fail);

/* Returns the number of SMs with ports in the first half of L2. */
static inline u32 machine_first_half(const struct machine *m)
{
    return m->sm.first_half ? m->sm.first_half : (u32)div_up(m->sm.count, 2);
}

/* Returns the capacity of L2. */
static inline u64 machine_l2_bytes(const struct machine *m)
{
    u64 slices = (u64)m->map.channels * m->map.slices_per_channel;
    return slices * m->l2.sets * m->l2.ways * LINE_BYTES;
}

/* True if the GPU with copies of parts has no more ports than a crossbar. */
bool machine_cut_fits(const struct machine *m, const struct cut *c);
/* Returns the number of memory requests for which the machine with copies of parts has room. */
u32 machine_requests(const struct machine *m, const struct cut *c);

#endif

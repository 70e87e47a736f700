/* The contract suite: a policy in a few small runs, and what it has to keep in them. Each scenario
 * is a process of its own, so that a policy that crashes or hangs takes nothing along. `cli` asks
 * and shows; a second mechanism, the witness, sees the laws of blocks. */
#ifndef CORUN_CONTRACT_H
#define CORUN_CONTRACT_H

#include "run/sim/sim.h"

enum property {
#define PROPERTY(id, name, sentence) PROPERTY_##id,
#include "run/check/contract.def"
#undef PROPERTY
    PROPERTY_N
};
struct property_row {
    const char *name, *sentence;
};
extern const struct property_row property_rows[];

enum verdict { VERDICT_UNTESTED, VERDICT_HOLDS, VERDICT_BROKEN };
const char *verdict_name(enum verdict v);

struct contract_setup {
    const struct gpu_file *gpu;
    const struct gpu_file *gpu_lrr;  /* the same with sm.scheduler=lrr */
    const struct mechanisms *policy; /* parsed */
    u64 cycles;                      /* within which the small apps must come to their end */
    u64 seed;
    u32 processes;
    double hook_seconds;             /* processor time: a hook that takes longer hangs; 0: none */
    int (*interrupted)(void);        /* not 0: no more scenarios, those that run are ended */
};

struct contract {
    struct {
        enum verdict verdict;
        struct text why;             /* lines: what broke it, or why it was not tested */
    } property[PROPERTY_N];
    u32 scenario_n, run_n;           /* run_n: those that say something of this policy */
    u32 refused_n;                   /* those that it does not take */
    struct text refused;             /* why it does not take one, first said */
    u32 missed_n;                    /* those that an interrupt left out */
};

/* false: no process could be made. Free it in either case. */
bool contract_run(struct contract *c, const struct contract_setup *setup, struct fail *fail);
/* The policy took the process along before the first scenario. */
void contract_lost(struct contract *c, const char *why);
bool contract_broken(const struct contract *c);
void contract_free(struct contract *c);

#endif

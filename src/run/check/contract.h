/* The contract suite of `corun check`: runs a policy in a few small scenarios and checks the
 * properties every policy must have (contract.def). Each scenario runs in a separate process, so
 * that a crash or hang of the policy does not affect the others. A second mechanism in each run,
 * the witness, checks the laws of blocks. `cli` starts the suite and prints the result. */
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
    const struct gpu_file *gpu_lrr;  /* the same machine with sm.scheduler=lrr */
    const struct mechanisms *policy; /* parsed */
    u64 cycles;                      /* limit of a run: the small apps must complete by then */
    u64 seed;
    u32 processes;                   /* maximum number of concurrent scenarios */
    double hook_seconds;             /* limit of CPU time for a hook, s; 0: no limit */
    int (*interrupted)(void);        /* not 0: ends running scenarios and starts no others */
};

struct contract {
    struct {
        enum verdict verdict;
        struct text why;             /* lines: violations, or the reason for `untested` */
    } property[PROPERTY_N];
    u32 scenario_n, run_n;           /* run_n: without inapplicable, refused and missed scenarios */
    u32 refused_n;                   /* scenarios refused by the policy */
    struct text refused;             /* reason of the first refusal */
    u32 missed_n;                    /* scenarios not completed because of an interrupt */
};

/* Runs all scenarios. false: cannot create processes. The caller calls contract_free in either
 * case. */
bool contract_run(struct contract *c, const struct contract_setup *setup, struct fail *fail);
/* Records that the policy ended the process before the first scenario. */
void contract_lost(struct contract *c, const char *why);
bool contract_broken(const struct contract *c);
void contract_free(struct contract *c);

#endif

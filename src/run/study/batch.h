/* The simulations of a command: the same apps under each policy, and the isolated runs for
 * normalized IPC. Simulations run in sequence or in parallel threads; results do not depend on the
 * number of threads. Called by `cli`; read by the result pages (result_json etc.). */
#ifndef CORUN_BATCH_H
#define CORUN_BATCH_H

#include "run/study/cuts.h"
#include "run/study/metric.h"
#include "run/study/prepare.h"

#define CHOICE(id, word, sentence) id,
enum alone_from {
#include "run/study/alone_from.def"
};
enum alone_on {
#include "run/study/alone_on.def"
};
enum blame_how {
#include "run/study/blame_how.def"
};
#undef CHOICE

struct batch_failed {            /* failure of a policy: a process was lost */
    const char *why;             /* where and how the process ended; NULL: no failure */
    u64 cycle;
};

struct batch_setup {
    struct sim_setup sim;        /* common setup; sim.policy is ignored */
    const char *const *policies;
    u32 policy_n;
    bool label;                  /* output files of CUDA programs have the policy in their names */
    enum alone_from from;
    enum alone_on on;
    enum blame_how blame;        /* results with blames; needs sim.samples, see blame.h */
    bool energy;                 /* results with energies; needs sim.lines */
    u32 threads;
    struct hook_call *hook_call;         /* [policy] watchdog records; NULL: none */
    const struct batch_failed *failed; /* [policy] failures in earlier attempts: a failed policy is
                                        * not run again, and its run reports the failure; NULL:
                                        * none */
};

struct batch_run {               /* the run under a policy */
    struct sim sim;
    struct prepared prepared;
    struct alone alone[APPS_MAX];
    struct cuts cuts;            /* only with BLAME_EXACT */
};

struct batch {
    const struct batch_setup *setup;
    struct batch_run *runs;
    u32 run_n;
    struct {
        u32 n;                   /* number of seeds that ended; 0: the batch was not repeated */
        u32 room;                /* number of seeds asked for */
        double *values;          /* see seeds.c */
    } seeds;
    double wall_seconds;
};

/* Runs all simulations. Returns false if the input is wrong, with errors in `fail`. Call batch_free
 * in either case. The setup must outlive the batch. */
bool batch_run(struct batch *b, const struct batch_setup *setup, struct fail *fail);
void batch_free(struct batch *b);

/* Returns the failure of the policy of a run; NULL: the policy ran. */
static inline const struct batch_failed *batch_failed(const struct batch *b, u32 run)
{
    const struct batch_failed *f = b->setup->failed ? &b->setup->failed[run] : NULL;
    return f && f->why ? f : NULL;
}

const char *alone_on_name(enum alone_on on);
const char *blame_how_name(enum blame_how how);

/* Results of a run; NAN: unknown. */
double run_alone_ipc(const struct batch_run *run, u32 app_id);
double run_normalized_ipc(const struct batch_run *run, u32 app_id);
double run_metric(const struct batch_run *run, const struct metric_row *row);

#endif

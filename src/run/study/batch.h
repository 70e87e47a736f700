/* What a command simulates: the same apps under one or more policies, and the isolated runs that
 * normalized IPC needs. Runs them in turn, or some at a time in threads: the results do not depend
 * on it. `cli` asks, the pages (result_json and its kin) read. */
#ifndef CORUN_BATCH_H
#define CORUN_BATCH_H

#include "run/study/metric.h"
#include "run/study/prepare.h"

#define CHOICE(id, word, sentence) id,
enum alone_from {
#include "run/study/alone_from.def"
};
enum alone_on {
#include "run/study/alone_on.def"
};
#undef CHOICE

struct batch_failed {            /* a policy that took a process along */
    const char *why;             /* where and how; NULL: it did not */
    u64 cycle;
};

struct batch_setup {
    struct sim_setup sim;        /* its policy is not used */
    const char *const *policies;
    u32 policy_n;
    bool label;                  /* the files of CUDA programs are named after policies, too */
    enum alone_from from;
    enum alone_on on;
    u32 threads;
    struct asked *asked;         /* [policy]; NULL: nobody wants to know */
    const struct batch_failed *failed; /* [policy]: not run, their runs say so; NULL: none */
};

struct batch_run {               /* one policy */
    struct sim sim;
    struct prepared prepared;
    struct alone alone[APPS_MAX];
};

struct batch {
    const struct batch_setup *setup;
    struct batch_run *runs;
    u32 run_n;
    double wall_seconds;
};

/* false: the input is wrong, errors in `fail`. Free it in either case. The setup must outlive
 * it. */
bool batch_run(struct batch *b, const struct batch_setup *setup, struct fail *fail);
void batch_free(struct batch *b);

/* NULL: the policy ran. */
static inline const struct batch_failed *batch_failed(const struct batch *b, u32 run)
{
    const struct batch_failed *f = b->setup->failed ? &b->setup->failed[run] : NULL;
    return f && f->why ? f : NULL;
}

const char *alone_on_name(enum alone_on on);

/* NAN: unknown. */
double run_alone_ipc(const struct batch_run *run, u32 app_id);
double run_normalized_ipc(const struct batch_run *run, u32 app_id);
double run_metric(const struct batch_run *run, const struct metric_row *row);

#endif

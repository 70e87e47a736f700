#include "run/study/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/study/metric.h"
#include "run/study/need.h"
#include "run/jobs/pool.h"
#include "run/study/window.h"

static const struct corun_option options[] = {
    [ORACLE_METRIC] =
        {"metric", CORUN_WORD, "weighted-speedup", 0, 0,
         "weighted-speedup|antt|harmonic-speedup|fairness|max-slowdown|sequential-speedup|"
         "instruction-throughput", "", "Metric to optimise."},
    [ORACLE_MODE] =
        {"mode", CORUN_WORD, "static", 0, 0, "static|window", "",
         "static: the best partition for the whole run, found by simulating the run under each "
         "candidate: every complete table of blocks, every split of SMs, smk-even, smk-p, "
         "warped-slicer[mode=static], spatial and leftover. window: for each window the best mix, "
         "found by running the window under each mix on an exact copy of the simulation's state; "
         "the choice is greedy, and a static partition may be better."},
    [ORACLE_WINDOW] =
        {"window", CORUN_WHOLE, "50000", 1, 1e9, NULL, "warp instructions",
         "mode=window: length of a window in warp instructions per SM, mean over all SMs (paper "
         "002 section 3.2.2)."},
    [ORACLE_MIXES] =
        {"mixes", CORUN_WORD, "tables", 0, 0, "tables|all", "",
         "mode=window: mixes tried: the complete tables of blocks (partitions within the SM, as in "
         "paper 002), or all, splits of SMs included."},
    {0},
};

const struct corun_policy corun_policy_oracle = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "oracle",
    .sentence = "The best partition, found by simulating each, or window by window.",
    .source = "paper 002 section 3.2.2, for a whole run or by window as in the paper",
    .options = options,
    .stats = window_counters,
    .state_bytes = sizeof(struct windows *),
    .init = window_init,
    .admit = window_admit,
    .share = window_share,
    .preempt = window_preempt,
};

struct candidates {
    const struct sim_setup *setup;
    bool fresh;
    const struct metric_row *metric;
    struct alone alone[APPS_MAX];
    char **specs;
    double *values; /* NAN: undefined */
    u32 n, room;
    struct fail fail;
};

static void add_candidate(struct candidates *c, const char *spec)
{
    char *copy = base_alloc(strlen(spec) + 1);
    *base_push(c->specs, c->n, c->room) = strcpy(copy, spec);
}

static bool candidates_list(struct candidates *c, struct fail *fail)
{
    const struct sm_conf *sm = &c->setup->gpu->machine.sm;
    static const char *const named[] = {"leftover", "smk-even", "smk-p",
                                        "warped-slicer[mode=static]"};
    static const char *const unnumbered[] = {"spatial", "spatial[split=smart]"};
    bool several = c->setup->app_n > 1;
    for (u32 i = 0; i < (several ? COUNT_OF(named) : 1); i++) add_candidate(c, named[i]);
    struct mixes mixes = {.app_n = c->setup->app_n};
    if (several) {
        mixes_add_tables(&mixes, sm, c->alone);
        mixes_add_splits(&mixes, sm->count);
    }
    bool few = mixes_are_few(&mixes, fail);
    for (u32 i = 0; few && i < mixes.n; i++) {
        struct text spec = {0};
        mix_spec(&mixes.at[i], mixes.app_n, &spec);
        add_candidate(c, spec.bytes);
        text_free(&spec);
    }
    /* Of equal candidates the first is chosen: a split with its numbers of SMs rather than one of
     * these names. */
    for (u32 i = 0; several && i < COUNT_OF(unnumbered); i++) add_candidate(c, unnumbered[i]);
    mixes_free(&mixes);
    return few;
}

static void run_candidate(void *candidates, u32 i)
{
    struct candidates *c = candidates;
    struct sim_setup one = *c->setup;
    struct sim *sim = base_alloc(sizeof *sim);
    struct needs needs = {0};
    struct fail fail = {0};
    sim_setup_quiet(&one);
    one.policy = one.title = c->specs[i];
    c->values[i] = (double)NAN;
    if (sim_open(sim, &one, &fail) && needs_make(&needs, sim, c->fresh, &fail) &&
        sim_go(sim, &fail)) {
        if (sim->status == SIM_COMPLETED || sim->status == SIM_CYCLE_LIMIT)
            c->values[i] = metric_of(c->metric, sim, c->alone);
    }
    sim_free(sim);
    needs_free(&needs);
    fail_free(&fail);
    free(sim);
}

static const struct metric_row *sought(const struct mechanism *m)
{
    char name[64];
    snprintf(name, sizeof name, "%s", m->values[ORACLE_METRIC].word);
    for (char *p = name; *p; p++)
        if (*p == '-') *p = '_';
    const struct metric_row *row = metric_find(name);
    check(row);
    return row;
}

static void take_best(struct oracle *o, struct candidates *c)
{
    u32 best = metric_best(c->metric, c->values, c->n, &o->undefined);
    o->tried = c->n;
    o->value = c->values[best];
    o->chosen = c->specs[best];
    c->specs[best] = NULL;
}

/* Simulates every partition, in parallel threads. */
static bool search(struct oracle *o, struct candidates *c, u32 threads, struct fail *fail)
{
    bool few = candidates_list(c, fail);
    if (few) {
        c->values = base_alloc(c->n * sizeof *c->values);
        pool_run(run_candidate, c, c->n, max_u32(threads, 1));
        take_best(o, c);
    }
    for (u32 i = 0; i < c->n; i++) free(c->specs[i]);
    free(c->specs);
    free(c->values);
    return few;
}

bool oracle_by_window(const struct mechanisms *policy, u32 app_n)
{
    const struct mechanism *first = &policy->at[0];
    return policy->n && first->policy == &corun_policy_oracle && app_n > 1 &&
           !strcmp(first->values[ORACLE_MODE].word, "window");
}

/* Returns false if an app is a CUDA program: windows are tried in forked copies of corun, and the
 * process of a CUDA program cannot be copied. */
static bool apps_can_be_copied(const struct sim *s, const struct mechanisms *policy,
                               struct fail *fail)
{
    for (u32 i = 0; i < s->inputs.n; i++) {
        if (!s->inputs.inputs[i]->cuda) continue;
        fail_at(fail, &policy->source, 0, "oracle[mode=window] cannot try windows of a CUDA "
                "program ('%s'): the program runs in a separate process", s->inputs.names[i]);
        fail_note(fail, "oracle without mode=window finds one partition for the whole run");
        return false;
    }
    return true;
}

bool oracle_open(struct oracle *o, struct sim *s, bool fresh, u32 threads, struct fail *fail)
{
    const struct mechanisms *policy = &s->policy;
    bool asked = false;
    *o = (struct oracle){0};
    for (u32 i = 0; i < policy->n; i++) asked |= policy->at[i].policy == &corun_policy_oracle;
    if (!asked) return true;
    if (policy->n > 1) {
        fail_at(fail, &policy->source, 0, "oracle cannot be combined with other policies: '%s'",
                policy->spec);
        return false;
    }
    const struct mechanism *m = &policy->at[0];
    struct candidates c = {.setup = s->setup, .fresh = fresh, .metric = sought(m)};
    u32 app_n = s->setup->app_n;
    bool ok = !oracle_by_window(policy, app_n) || apps_can_be_copied(s, policy, fail);
    for (u32 a = 0; ok && a < app_n; a++)
        ok = need_alone(&c.alone[a], s->setup, a, 0, fresh, fail);
    if (ok && oracle_by_window(policy, app_n)) {
        o->windows = windows_new(s, m->values, c.metric, c.alone, threads, fail);
        ok = o->windows;
    } else if (ok) {
        ok = search(o, &c, threads, fail);
    }
    for (u32 a = 0; a < app_n; a++) alone_free(&c.alone[a]);
    return ok;
}

void oracle_free(struct oracle *o)
{
    free(o->chosen);
    windows_free(o->windows);
    *o = (struct oracle){0};
}

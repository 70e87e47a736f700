#include "run/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/metric.h"
#include "run/need.h"
#include "run/pool.h"

enum { ORACLE_TRIES = 4000 };

static const struct corun_option options[] = {
    {"metric", CORUN_WORD, "weighted-speedup", 0, 0,
     "weighted-speedup|antt|harmonic-speedup|fairness|max-slowdown|sequential-speedup|"
     "instruction-throughput", "", "What the best partition has the best of."},
    {0},
};

const struct corun_policy oracle_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "oracle",
    .sentence = "The best static partition: every complete table of blocks, every split of SMs, "
                "smk-even, smk-p, warped-slicer[mode=static], spatial and leftover are simulated.",
    .source = "paper 002 section 3.2.2, for a whole run",
    .options = options,
};

struct tries {
    const struct sim_setup *setup;
    const struct metric_row *metric;
    struct alone alone[APPS_MAX];
    char **specs;
    double *values; /* NAN: undefined */
    u32 n, room;
    struct fail fail;
};

static void add_try(struct tries *t, const char *spec)
{
    if (t->n == t->room) {
        t->room = t->room ? t->room * 2 : 64;
        t->specs = base_realloc(t->specs, t->room * sizeof *t->specs);
    }
    t->specs[t->n] = base_alloc(strlen(spec) + 1);
    strcpy(t->specs[t->n++], spec);
}

static void add_list(struct tries *t, const char *what, const u32 *number, u32 n)
{
    struct text spec = {0};
    text_add(&spec, "%s", what);
    for (u32 i = 0; i < n; i++) text_add(&spec, "%s%u", i ? "/" : "", number[i]);
    text_add(&spec, "]");
    add_try(t, spec.bytes);
    text_free(&spec);
}

/* Every way to give n apps at least one of the SMs each, and all of them. */
static void add_splits(struct tries *t, u32 *share, u32 app, u32 left)
{
    u32 others = t->setup->app_n - app - 1;
    if (!others) {
        share[app] = left;
        add_list(t, "spatial[split=", share, t->setup->app_n);
        return;
    }
    for (u32 n = 1; n + others <= left && t->n <= ORACLE_TRIES; n++) {
        share[app] = n;
        add_splits(t, share, app + 1, left - n);
    }
}

/* What the app is most of the time. */
static const struct sim_kernel *main_kernel(const struct alone *a)
{
    const struct sim_kernel *best = NULL;
    for (u32 i = 0; i < a->kernel_n; i++)
        if (!best || a->kernels[i].cycles > best->cycles) best = &a->kernels[i];
    return best;
}

/* Every table that leaves no room for one more block. */
static void add_tables(struct tries *t, const struct corun_resources *sm,
                       struct corun_resources used, u32 *blocks, u32 app)
{
    if (app == t->setup->app_n) {
        for (u32 a = 0; a < app; a++)
            if (corun_room(sm, &used, &main_kernel(&t->alone[a])->fits.need)) return;
        add_list(t, "fixed[blocks=", blocks, app);
        return;
    }
    const struct corun_resources *need = &main_kernel(&t->alone[app])->fits.need;
    u32 room = corun_room(sm, &used, need);
    for (blocks[app] = 1; blocks[app] <= room && t->n <= ORACLE_TRIES; blocks[app]++) {
        struct corun_resources more = used;
        corun_take(&more, need, blocks[app]);
        add_tables(t, sm, more, blocks, app + 1);
    }
}

static bool tries_list(struct tries *t, struct fail *fail)
{
    const struct sm_conf *c = &t->setup->gpu->machine.sm;
    struct corun_resources sm = {c->threads, c->registers, c->shared_bytes, c->blocks};
    static const char *const named[] = {"leftover", "spatial", "spatial[split=smart]", "smk-even",
                                        "smk-p", "warped-slicer[mode=static]"};
    u32 number[APPS_MAX], several = t->setup->app_n > 1;
    for (u32 i = 0; i < (several ? COUNT_OF(named) : 1); i++) add_try(t, named[i]);
    bool known = several;
    for (u32 a = 0; a < t->setup->app_n; a++) known &= main_kernel(&t->alone[a]) != NULL;
    if (known) add_tables(t, &sm, (struct corun_resources){0}, number, 0);
    if (several && t->setup->app_n <= c->count) add_splits(t, number, 0, c->count);
    if (t->n <= ORACLE_TRIES) return true;
    fail_plain(fail, "the oracle would try more than %d partitions of %u apps", ORACLE_TRIES,
               t->setup->app_n);
    return false;
}

static void try_one(void *tries, u32 i, bool here)
{
    struct tries *t = tries;
    struct sim_setup one = *t->setup;
    struct batch_run *run = base_alloc(sizeof *run);
    struct fail fail = {0};
    (void)here;
    need_quiet(&one);
    one.policy = one.title = t->specs[i];
    t->values[i] = (double)NAN;
    if (sim_run(&run->sim, &one, &fail)) {
        memcpy(run->alone, t->alone, sizeof run->alone);
        enum sim_status status = run->sim.status;
        if (status == SIM_COMPLETED || status == SIM_CYCLE_LIMIT)
            t->values[i] = metric_of(run, t->metric);
    }
    sim_free(&run->sim);
    fail_free(&fail);
    free(run);
}

static const struct metric_row *sought(const struct mechanism *m)
{
    char name[64];
    snprintf(name, sizeof name, "%s", m->values[0].word);
    for (char *p = name; *p; p++)
        if (*p == '-') *p = '_';
    const struct metric_row *row = metric_find(name);
    check(row);
    return row;
}

static void take_best(struct oracle *o, struct tries *t)
{
    u32 best = 0;
    o->tried = t->n;
    for (u32 i = 0; i < t->n; i++) {
        o->undefined += isnan(t->values[i]) ? 1 : 0;
        bool more = t->metric->best == METRIC_MORE ? t->values[i] > t->values[best]
                                                   : t->values[i] < t->values[best];
        if (isnan(t->values[best]) ? !isnan(t->values[i]) : more) best = i;
    }
    o->value = t->values[best];
    o->chosen = t->specs[best];
    t->specs[best] = NULL;
}

bool oracle_search(struct oracle *o, const struct sim_setup *setup, const struct mechanisms *policy,
                   struct fail *fail)
{
    *o = (struct oracle){0};
    for (u32 i = 0; i < policy->n; i++) o->asked |= policy->at[i].policy == &oracle_policy;
    if (!o->asked) return true;
    if (policy->n > 1) {
        fail_plain(fail, "oracle stands alone: '%s' joins it with others", policy->spec);
        return false;
    }
    struct tries t = {.setup = setup, .metric = sought(&policy->at[0])};
    bool right = true;
    for (u32 a = 0; right && a < setup->app_n; a++)
        right = need_alone(&t.alone[a], setup, a, 0, fail);
    right = right && tries_list(&t, fail);
    if (right) {
        t.values = base_alloc(t.n * sizeof *t.values);
        pool_run(try_one, &t, t.n, max_u32(setup->threads, 1));
        take_best(o, &t);
    }
    for (u32 i = 0; i < t.n; i++) free(t.specs[i]);
    for (u32 a = 0; a < setup->app_n; a++) alone_free(&t.alone[a]);
    free(t.specs);
    free(t.values);
    return right;
}

void oracle_free(struct oracle *o)
{
    free(o->chosen);
    *o = (struct oracle){0};
}

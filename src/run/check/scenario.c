#include "run/check/scenario.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "run/study/prepare.h"
#include "run/check/witness.h"

enum {
    TRY_APPS = 3,
    WINDOW = 150000,       /* cycles: longer than the first profile of all shipped policies */
    TWINS_WINDOW = 60000,  /* cycles: many blocks of both apps end within the window */
    TURNS_WINDOW = 120000, /* cycles: longer than LIVELOCK */
    STEP = 10000,          /* interval between snapshots, cycles */
    LIVELOCK = 100000      /* cycles without an instruction of an app that count as a failure */
};

struct scenario {
    const char *title;
    void (*run)(struct check_job *j, const struct scenario *s);
    u32 app_n;
    const char *apps[TRY_APPS];
};

/* ---- findings ---- */

static void say(struct check_job *j, char what, enum property p, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void say(struct check_job *j, char what, enum property p, const char *format, ...)
{
    text_add(j->out, "%c%c", what, 'a' + (char)p);
    size_t from = j->out->size;
    va_list a;
    va_start(a, format);
    text_addv(j->out, format, a);
    va_end(a);
    while (j->out->size > from && strchr("\n; ", j->out->bytes[j->out->size - 1])) j->out->size--;
    for (size_t i = from; i < j->out->size; i++)
        if (j->out->bytes[i] == '\n') j->out->bytes[i] = ' '; /* a finding is a line */
    text_put(j->out, "\n", 1);
}

static void assess(struct check_job *j, enum property p, bool ok, const char *why)
{
    say(j, ok ? FINDING_HOLDS : FINDING_BROKEN, p, "%s", ok ? "" : why);
}

/* ---- properties of the policy ---- */

/* Returns the traits of any mechanism (`any`) or the traits common to all mechanisms. */
static u32 traits_of(const struct check_job *j, bool any)
{
    u32 all = UINT32_MAX, some = 0;
    for (u32 i = 0; i < j->setup->policy->n; i++) {
        const struct mechanism *m = &j->setup->policy->at[i];
        hook_call_begin(j->hook_call, "traits", i, 0);
        u32 traits = m->policy->traits ? m->policy->traits(m->values) : 0;
        hook_call_end(j->hook_call);
        all &= traits;
        some |= traits;
    }
    return any ? some : all;
}

static bool decides_one(const struct check_job *j, enum claim c)
{
    for (u32 i = 0; i < j->setup->policy->n; i++)
        for (u32 g = 0; g < GROUP_N; g++)
            if (group_rows[g].claim == c && group_has(j->setup->policy->at[i].policy, g))
                return true;
    return false;
}

static bool decides_any(const struct check_job *j, const enum claim *claims, u32 n)
{
    bool any = false;
    for (u32 k = 0; k < n; k++) any |= decides_one(j, claims[k]);
    return any;
}

/* ---- a run with the witness ---- */

struct witness_run {
    struct sim sim;
    struct prepared prepared;
    struct witness witness;
    bool taken;            /* the policy has accepted the apps and the simulation has run */
    bool kept;             /* the policy has not failed (SIM_POLICY_FAILED) */
};

static void run_free(struct witness_run *r)
{
    if (!r) return;
    sim_free(&r->sim);
    prepared_free(&r->prepared);
    witness_free(&r->witness);
    free(r);
}

static struct sim_setup setup_of(const struct check_job *j, const struct scenario *s)
{
    return (struct sim_setup){.gpu = j->setup->gpu, .policy = j->setup->policy->spec,
                              .apps = s->apps, .app_n = s->app_n, .until = UNTIL_ALL_COMPLETE,
                              .cycles = j->setup->cycles, .seed = j->setup->seed, .skip = true};
}

/* Claims whose shares the witness checks (shares.h). */
static const enum claim shared_claims[] = {CLAIM_GATE_LIMIT, CLAIM_L1_LINES, CLAIM_L1_ENTRIES,
                                           CLAIM_L2_WAYS, CLAIM_DRAM_RANK};

static struct witness_run *run_make(struct check_job *j, struct sim_setup setup, bool decides)
{
    struct witness_run *r = base_alloc(sizeof *r);
    struct fail fail = {0};
    witness_init(&r->witness);
    r->witness.looks =
        setup.app_n > 1 && decides_any(j, shared_claims, COUNT_OF(shared_claims));
    r->witness.shares.any_number = traits_of(j, true) & CORUN_TABLE;
    r->witness.states_cycles = decides ? j->setup->policy : NULL;
    r->witness.hook_call = j->hook_call;
    setup.mechanisms = j->setup->policy;
    setup.witness = &r->witness.mechanism;
    setup.sink = &r->witness.sink;
    setup.hook_call = j->hook_call;
    setup.strict = true;
    r->taken = sim_open(&r->sim, &setup, &fail) &&
               prepare(&r->prepared, &r->sim, false, 1, &fail) && sim_go(&r->sim, &fail);
    r->kept = r->sim.status != SIM_POLICY_FAILED;
    struct text why = {0};
    fail_sentence(&fail, &why);
    if (!r->taken) say(j, FINDING_NOT_RUN, 0, "%s", text_get(&why));
    text_free(&why);
    fail_free(&fail);
    return r;
}

static const char *silence_why(const struct witness_run *r, u32 a)
{
    if (!r->witness.let_in[a]) return "`admit` never admits the kernel";
    if (!r->witness.given[a]) return "`share` gives the kernel 0 blocks on every SM";
    return "the kernel was admitted, but no SM had room";
}

static void starved_why(const struct witness_run *r, u32 a, struct text *why)
{
    const struct sim_app *app = &r->sim.apps[a];
    u64 blocks = app->totals.sm.blocks_launched;
    if (app->completions) return;
    text_add(why, "%s has not completed in %" PRIu64 " cycles", app->name, r->sim.cycles);
    if (blocks) text_add(why, ", after %" PRIu64 " blocks", blocks);
    else text_add(why, " and never had a block: %s", silence_why(r, a));
    text_add(why, "; ");
}

/* Reports whether every kernel of the run has completed. */
static void assess_progress(struct check_job *j, const struct witness_run *r)
{
    const struct sim *s = &r->sim;
    const struct sim_fault *f = &s->fault;
    struct text why = {0};
    if (s->status == SIM_CYCLE_LIMIT) {
        for (u32 a = 0; a < s->app_n; a++) starved_why(r, a, &why);
    } else if (s->status != SIM_COMPLETED) {
        text_add(&why, "%s at cycle %" PRIu64 ": %s%s%s", sim_status_name(s->status), s->cycles,
                 f->app, f->app[0] ? ": " : "", f->what);
        for (u32 a = 0; a < s->app_n; a++)
            if (!strcmp(s->apps[a].name, f->app) && !s->apps[a].totals.sm.blocks_launched)
                text_add(&why, "; %s", silence_why(r, a));
    }
    assess(j, PROPERTY_PROGRESS, s->status == SIM_COMPLETED, text_get(&why));
    text_free(&why);
}

static void assess_blocks(struct check_job *j, const struct witness_run *r)
{
    struct text why = {0};
    if (!r->witness.started) return;
    text_add(&why, "%s", text_get(&r->witness.lost));
    for (u32 a = 0; a < r->sim.app_n; a++)
        if (!r->sim.apps[a].checked)
            text_add(&why, "the output of %s is wrong; ", r->sim.apps[a].name);
    assess(j, PROPERTY_BLOCKS, !why.size, text_get(&why));
    text_free(&why);
}

/* Reports whether targets were final within the stated cycles. */
static void assess_decision(struct check_job *j, const struct witness *w)
{
    const char *why = w->stated == NEVER ? "the policy does not state the cycle of the decision"
                                         : "the stated cycle of the decision is after the end of "
 "the run";
    if (w->final) assess(j, PROPERTY_DECIDES, !w->late.size, text_get(&w->late));
    else say(j, FINDING_UNTESTED, PROPERTY_DECIDES, "%s", why);
}

static void assess_predictions(struct check_job *j, const struct sim *s)
{
    say(j, FINDING_UNTESTED, PROPERTY_PREDICTS, "the policy has no counter `predicted`");
    for (u32 m = 0; m < s->policy.n; m++) {
        const struct mechanism *one = &s->policy.at[m];
        for (u32 k = 0; k < one->stat_n; k++) {
            u64 v = s->policy_stats[m][k];
            if (strcmp(one->policy->stats[k].name, "predicted")) continue;
            if (v <= 1000ull * s->app_n) say(j, FINDING_HOLDS, PROPERTY_PREDICTS, "%s", "");
            else say(j, FINDING_BROKEN, PROPERTY_PREDICTS,
                     "a weighted speedup of %.3f of %u kernels", (double)v / 1000, s->app_n);
        }
    }
}

/* Reports for each claim about shares whether no answer was refused and shares.c found no
 * violation. */
static void assess_shares(struct check_job *j, const struct witness_run *r)
{
    static const struct {
        enum claim claim;
        enum property property;
        enum share_law law;
    } rows[] = {{CLAIM_GATE_LIMIT, PROPERTY_LIMITS, SHARE_LIMITS},
                {CLAIM_L1_LINES, PROPERTY_WAYS, SHARE_WAYS},
                {CLAIM_L2_WAYS, PROPERTY_WAYS, SHARE_WAYS},
                {CLAIM_L1_ENTRIES, PROPERTY_ENTRIES, SHARE_ENTRIES},
                {CLAIM_DRAM_RANK, PROPERTY_RANKS, SHARE_RANKS}};
    for (u32 k = 0; k < COUNT_OF(rows); k++) {
        struct text why = {0};
        if (!r->witness.looks || !decides_one(j, rows[k].claim)) continue;
        text_add(&why, "%s%s", r->sim.refused_of[rows[k].claim],
                 text_get(&r->witness.shares.wrong[rows[k].law]));
        assess(j, rows[k].property, !why.size, text_get(&why));
        text_free(&why);
    }
}

/* Reports the properties checked in every run. */
static void assess_all(struct check_job *j, const struct witness_run *r)
{
    struct text why = {0};
    const struct warnings *w = &r->sim.warnings;
    const char *wrote = r->kept ? NULL : r->sim.fault.what;
    for (u32 i = 0; i < w->n && !wrote; i++)
        if (sim_policy_warned(&r->sim, &w->at[i])) wrote = w->at[i].text;
    assess(j, PROPERTY_WRITES, !wrote, wrote ? wrote : "");
    if (!r->kept) return;
    for (u32 m = 0; m < r->sim.policy.n && !why.size; m++) {
        const struct sim_lines *refused = &r->sim.refused[m];
        if (!refused->n) continue;
        text_add(&why, "%" PRIu64 " answers refused or corrected, the first: %.*s", refused->n,
                 (int)strcspn(refused->lines, "\n"), refused->lines);
    }
    assess(j, PROPERTY_FITS, !why.size, text_get(&why));
    assess_shares(j, r);
    assess(j, PROPERTY_RESOURCES, !r->witness.over_n, text_get(&r->witness.over));
    assess_blocks(j, r);
    assess_progress(j, r);
    assess_predictions(j, &r->sim);
    text_free(&why);
}

/* ---- comparison of two runs ---- */

static bool policies_differ(const struct sim *a, const struct sim *b, struct text *why)
{
    for (u32 m = 0; m < a->policy.n; m++) {
        const struct corun_policy *p = a->policy.at[m].policy;
        if (p != b->policy.at[m].policy) { /* the oracle has chosen another policy */
            text_add(why, "%s and %s", a->policy.spec, b->policy.spec);
            return true;
        }
        for (u32 k = 0; k < a->policy.at[m].stat_n; k++) {
            u64 x = a->policy_stats[m][k], y = b->policy_stats[m][k];
            if (x == y) continue;
            text_add(why, "counter %s of the policy is %" PRIu64 " and %" PRIu64, p->stats[k].name,
                     x, y);
            return true;
        }
        u64 x = a->refused[m].n, y = b->refused[m].n;
        if (x == y) continue;
        text_add(why, "%" PRIu64 " answers refused and %" PRIu64, x, y);
        return true;
    }
    return false;
}

/* True if two runs differ; appends the first difference to `why`. */
static bool differ(const struct sim *a, const struct sim *b, struct text *why)
{
    if (a->cycles != b->cycles || a->status != b->status) {
        text_add(why, "%" PRIu64 " cycles (%s) and %" PRIu64 " (%s)", a->cycles,
                 sim_status_name(a->status), b->cycles, sim_status_name(b->status));
        return true;
    }
    for (u32 i = 0; i < a->app_n; i++)
        for (u32 k = 0; k < gpu_stat_row_n; k++) {
            u64 x = stat_get(&a->apps[i].totals, &gpu_stat_rows[k]);
            u64 y = stat_get(&b->apps[i].totals, &gpu_stat_rows[k]);
            if (x == y) continue;
            text_add(why, "%s of %s is %" PRIu64 " and %" PRIu64, gpu_stat_rows[k].name,
                     a->apps[i].name, x, y);
            return true;
        }
    if (a->setup->mechanisms != b->setup->mechanisms) return false;
    return policies_differ(a, b, why);
}

/* ---- scenarios ---- */

/* Runs the scenario once. Not applicable to the oracle: three apps have hundreds of partitions. */
static void try_once(struct check_job *j, const struct scenario *s)
{
    if (j->setup->policy->at[0].policy == &corun_policy_oracle) {
        say(j, FINDING_NOT_RUN, 0, "%s", "");
        return;
    }
    struct witness_run *r = run_make(j, setup_of(j, s), false);
    if (r->taken) assess_all(j, r);
    run_free(r);
}

/* Runs the scenario three times: twice with equal settings, then without skipping dead cycles. All
 * runs must agree. */
static void try_again(struct check_job *j, const struct scenario *s)
{
    struct sim_setup setup = setup_of(j, s);
    struct witness_run *first = run_make(j, setup, false), *again = NULL, *all = NULL;
    if (first->taken) assess_all(j, first);
    if (first->taken && first->sim.status == SIM_COMPLETED) {
        struct text why = {0}, why_skip = {0};
        again = run_make(j, setup, false);
        bool same = !differ(&first->sim, &again->sim, &why);
        assess(j, PROPERTY_REPEAT, same, text_get(&why));
        setup.skip = false;
        all = run_make(j, setup, false);
        same = !differ(&first->sim, &all->sim, &why_skip);
        assess(j, PROPERTY_SKIP, same, text_get(&why_skip));
        text_free(&why);
        text_free(&why_skip);
    }
    run_free(first);
    run_free(again);
    run_free(all);
}

static void try_alone(struct check_job *j, const struct scenario *s)
{
    struct sim_setup setup = setup_of(j, s);
    struct witness_run *r = run_make(j, setup, false);
    if (r->taken) assess_all(j, r);
    if (r->taken && traits_of(j, true) & CORUN_TABLE) {
        say(j, FINDING_UNTESTED, PROPERTY_ALONE, "the policy declares CORUN_TABLE");
    } else if (r->taken && r->sim.stats.residency.extra_cycles) {
        say(j, FINDING_UNTESTED, PROPERTY_ALONE, "extra blocks were resident");
    } else if (r->taken && r->kept) {
        struct sim *isolated = base_alloc(sizeof *isolated);
        struct fail fail = {0};
        struct text why = {0};
        setup.policy = "leftover";
        bool ok = sim_run(isolated, &setup, &fail);
        check(ok);
        if (differ(&r->sim, isolated, &why)) text_add(&why, " in the isolated run");
        assess(j, PROPERTY_ALONE, !why.size, text_get(&why));
        text_free(&why);
        fail_free(&fail);
        sim_free(isolated);
        free(isolated);
    }
    run_free(r);
}

/* Returns the longest time without an instruction of the app, in cycles of whole snapshots. */
static u64 longest_silence(const struct witness_run *r, u32 app)
{
    u64 longest = 0, silent = 0;
    const struct intervals *v = &r->sim.intervals;
    for (size_t i = 0; i < v->n; i++) {
        struct gpu_stat did;
        intervals_stat(v, i, app, &did);
        silent = did.sm.inst_warp ? 0 : silent + v->at[i].end - v->at[i].start;
        longest = max_u64(longest, silent);
    }
    return longest;
}

/* True if a kernel may wait as long as other kernels have pending blocks: a mechanism has the trait
 * CORUN_QUEUE, or no mechanism decides where blocks go. */
static bool kernels_queue(const struct check_job *j)
{
    bool decides = false;
    for (u32 i = 0; i < j->setup->policy->n; i++) {
        const struct corun_policy *p = j->setup->policy->at[i].policy;
        decides |= group_has(p, GROUP_share) || group_has(p, GROUP_admit);
    }
    return !decides || traits_of(j, true) & CORUN_QUEUE;
}

/* Runs a window long enough for decisions after a profile. Unless kernels may queue, no app may be
 * without an instruction for LIVELOCK cycles. */
static void try_window(struct check_job *j, const struct scenario *s)
{
    struct sim_setup setup = setup_of(j, s);
    bool timer = false;
    for (u32 i = 0; i < j->setup->policy->n; i++)
        timer |= j->setup->policy->at[i].policy->timer != NULL;
    u32 needs = needs_of(j->setup->policy, j->hook_call);
    bool queues = kernels_queue(j); /* if true, an app may wait without issuing */
    if (!timer || needs & CORUN_NEEDS_CURVE) {
        say(j, FINDING_UNTESTED, PROPERTY_DECIDES, "the policy declares complete knowledge at the "
            "start");
        say(j, FINDING_NOT_RUN, 0, "%s", "");
        return;
    }
    setup.until = UNTIL_WINDOW;
    setup.cycles = WINDOW;
    setup.interval = STEP;
    struct witness_run *r = run_make(j, setup, true);
    if (r->taken) assess_all(j, r);
    if (r->taken) assess_decision(j, &r->witness);
    for (u32 a = 0; r->taken && r->sim.status == SIM_COMPLETED && a < s->app_n; a++) {
        u64 cycles = longest_silence(r, a);
        if (cycles < LIVELOCK || queues) continue;
        say(j, FINDING_BROKEN, PROPERTY_PROGRESS,
            "%s issued no instruction for %" PRIu64 " cycles", r->sim.apps[a].name, cycles);
    }
    run_free(r);
}

/* Runs two apps, each with constant full demand for the memory pipeline, under a fair warp
 * scheduler: if an app issues nothing, the policy is the cause. */
static void try_turns(struct check_job *j, const struct scenario *s)
{
    static const enum claim claims[] = {CLAIM_QUOTA, CLAIM_ORDER, CLAIM_GATE_LIMIT,
                                        CLAIM_GATE_ARBITER, CLAIM_L1_LINES, CLAIM_L1_ENTRIES,
                                        CLAIM_L2_WAYS, CLAIM_DRAM_RANK};
    struct sim_setup setup = setup_of(j, s);
    bool queues = traits_of(j, true) & CORUN_QUEUE;
    if (!decides_any(j, claims, COUNT_OF(claims)) || queues ||
        needs_of(j->setup->policy, j->hook_call) & CORUN_NEEDS_CURVE) {
        say(j, FINDING_NOT_RUN, 0, "%s", "");
        return;
    }
    setup.gpu = j->setup->gpu_lrr;
    setup.until = UNTIL_WINDOW;
    setup.cycles = TURNS_WINDOW;
    setup.interval = STEP;
    struct witness_run *r = run_make(j, setup, false);
    if (r->taken) assess_all(j, r);
    for (u32 a = 0; r->taken && r->sim.status == SIM_COMPLETED && a < s->app_n; a++) {
        struct text why = {0};
        u64 cycles = longest_silence(r, a);
        text_add(&why, "%s issued no instruction for %" PRIu64 " cycles", r->sim.apps[a].name,
                 cycles);
        assess(j, PROPERTY_TURNS, cycles < LIVELOCK, text_get(&why));
        text_free(&why);
    }
    run_free(r);
}

static void try_twins(struct check_job *j, const struct scenario *s)
{
    struct sim_setup setup = setup_of(j, s);
    if (!(traits_of(j, false) & CORUN_SYMMETRIC)) {
        say(j, FINDING_UNTESTED, PROPERTY_ALIKE, "the policy does not call itself symmetric");
        say(j, FINDING_NOT_RUN, 0, "%s", "");
        return;
    }
    setup.until = UNTIL_WINDOW;
    setup.cycles = TWINS_WINDOW;
    struct witness_run *r = run_make(j, setup, false);
    if (r->taken) {
        u64 a = r->sim.apps[0].totals.sm.inst_thread, b = r->sim.apps[1].totals.sm.inst_thread;
        struct text why = {0};
        assess_all(j, r);
        text_add(&why, "%" PRIu64 " and %" PRIu64 " thread instructions in %u cycles", a, b,
                 TWINS_WINDOW);
        assess(j, PROPERTY_ALIKE, 20 * (max_u64(a, b) - min_u64(a, b)) <= max_u64(a, b),
               text_get(&why));
        text_free(&why);
    }
    run_free(r);
}

/* An app of 16 blocks, for a block on each of 16 SMs. The blocks outlast the run; their loads hit
 * in L1. */
#define LOADS                                                                                      \
    "synth:threads=640,blocks=16,loops=20000,slots=4,cinst=3,req=32,mlp=64,kernel=1,kernel_kb=16"

/* Long scenarios first, for short total time. */
static const struct scenario scenarios[] = {
    {"hotspot and vecadd for 150000 cycles", try_window, 2,
     {"hotspot:size=window", "vecadd:size=window"}},
    {"hotspot, vecadd and mm for 150000 cycles", try_window, 3,
     {"hotspot:size=window", "vecadd:size=window", "mm:size=window"}},
    {"hotspot twice for 60000 cycles", try_twins, 2,
     {"hotspot:size=window", "hotspot:size=window"}},
    {"loads of 32 lines twice, under sm.scheduler=lrr", try_turns, 2, {LOADS, LOADS}},
    {"vecadd and kmeans", try_again, 2, {"vecadd:size=test", "kmeans:size=test"}},
    {"hotspot, kmeans and mm", try_once, 3,
     {"hotspot:size=test", "kmeans:size=test", "mm:size=test"}},
    {"three blocks and vecadd", try_again, 2,
     {"synth:threads=128,blocks=3,loops=4", "vecadd:size=test"}},
    {"mm, and kmeans from cycle 3000 on", try_again, 2,
     {"mm:size=test", "kmeans:size=test,start=3000"}},
    {"hotspot alone", try_alone, 1, {"hotspot:size=test"}},
    {"kmeans alone", try_alone, 1, {"kmeans:size=test"}},
};

u32 scenario_n(void) { return COUNT_OF(scenarios); }

const char *scenario_title(u32 scenario) { return scenarios[scenario].title; }

void scenario_run(struct check_job *j, u32 scenario)
{
    scenarios[scenario].run(j, &scenarios[scenario]);
    text_add(j->out, "%c\n", FINDING_ENDED);
}

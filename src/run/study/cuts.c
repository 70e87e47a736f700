#include "run/study/cuts.h"

#include <stdlib.h>
#include "gpu/dispatch/group.h"
#include "run/jobs/pool.h"
#include "run/study/prepare.h"

static const char *const cut_words[CUT_N] = {
    "DRAM for each app", "L2 for each app", "L2 and DRAM for each app", "SMs for each app"};

struct cut_job {
    struct sim_setup setup;
    enum cut_parts parts;
    u32 who;
    struct cuts *to;
    struct fail fail;
    bool ok;
};

static struct cut cut_of(enum cut_parts parts, u32 who, u32 app_n)
{
    struct cut c = {.n = who == CUT_EACH ? app_n : 2, .sms = parts == CUT_SMS,
                    .dram = parts != CUT_L2, .l2 = parts != CUT_DRAM};
    for (u32 a = 0; a < app_n; a++) c.of[a] = (u8)(who == CUT_EACH ? a : a == who);
    return c;
}

static void keep(struct cut_job *j, const struct sim *s)
{
    bool ended = s->status == SIM_COMPLETED || s->status == SIM_CYCLE_LIMIT;
    for (u32 a = 0; ended && a < s->app_n; a++) {
        const struct sim_app *app = &s->apps[a];
        j->to->apps[j->parts][j->who][a] = (struct cut_app){
            .known = true, .taken = app->taken, .cycles = app->cycles,
            .warp_instructions = stat_kept_warp(&app->stats), .curve = *app->curve};
    }
}

static void run_one(void *jobs, u32 i)
{
    struct cut_job *j = (struct cut_job *)jobs + i;
    struct sim sim;
    struct prepared prepared = {0};
    struct sim_watch *watch = j->setup.watch;
    if (watch) watch->started++;
    j->ok = sim_open(&sim, &j->setup, &j->fail) &&
            prepare(&prepared, &sim, false, 1, &j->fail) && sim_go(&sim, &j->fail);
    if (watch) watch->ended++;
    if (j->ok) keep(j, &sim);
    sim_free(&sim);
    prepared_free(&prepared);
}

/* Returns the reason why the shared run permits no cut; NULL: none. */
static const char *refused(const struct sim *s)
{
    bool ended = s->status == SIM_COMPLETED || s->status == SIM_CYCLE_LIMIT;
    const struct cut every = cut_of(CUT_MEMORY, CUT_EACH, s->app_n);
    if (!ended) return "the shared run did not end";
    if (!machine_cut_fits(&s->setup->gpu->machine, &every))
        return "the machine has no room for a memory system for each app";
    for (u32 m = 0; m < s->policy.n; m++)
        if (group_has_at(s->policy.at[m].policy, MOMENT_ON_PARTITION))
            return "the policy divides L2 or DRAM between the apps";
    return NULL;
}

/* Returns the reason why the shared run permits no cut of the SMs; NULL: none. */
static const char *sms_refused(const struct sim *s)
{
    const struct machine *gpu = &s->setup->gpu->machine;
    const struct cut sms = cut_of(CUT_SMS, CUT_EACH, s->app_n);
    if (!machine_cut_fits(gpu, &sms)) return "the machine has no room for SMs for each app";
    if (gpu->sm.allocator != ALLOCATOR_COUNTERS || gpu->sm.boundary_priority)
        return "blocks of all apps have addresses in the same registers";
    for (u32 m = 0; m < s->policy.n; m++) {
        const struct corun_policy *p = s->policy.at[m].policy;
        if (s->policy.at[m].owner) return "a policy works inside sets of SMs";
        for (u32 g = 0; g < GROUP_N; g++)
            if (group_rows[g].claim != CLAIM_PARTITION && group_rows[g].claim != CLAIM_SETS &&
                group_has(p, (enum group)g))
                return "the policy does more on an SM than to place blocks";
        if (p->requests || p->l1_reuse) return "the policy observes L1";
    }
    return NULL;
}

static u32 jobs_plan(struct cut_job *jobs, struct cuts *c, const struct sim *sim,
                     const struct sim_setup *setup)
{
    u32 n = 0;
    for (u32 parts = 0; parts < CUT_N; parts++) {
        if (parts == CUT_SMS && c->why_sms) continue;
        for (u32 who = 0; who < CUT_WHO; who++) {
            bool one = who < sim->app_n && sim->app_n > 2 && parts != CUT_L2;
            if (who != CUT_EACH && !one) continue;
            struct cut_job *j = &jobs[n++];
            *j = (struct cut_job){.setup = *setup, .parts = (enum cut_parts)parts, .who = who,
                                  .to = c};
            sim_setup_quiet(&j->setup);
            j->setup.policy = sim->policy.spec;
            if (policy_from_file(sim->policy.spec)) j->setup.hook_call = sim->setup->hook_call;
            j->setup.curves = true;
            j->setup.title = cut_words[parts];
            j->setup.cut = cut_of(j->parts, who, sim->app_n);
        }
    }
    return n;
}

bool cuts_make(struct cuts *c, const struct sim *sim, const struct sim_setup *setup, u32 threads,
               struct fail *fail)
{
    *c = (struct cuts){.why = sim->app_n > 1 ? refused(sim) : NULL};
    if (sim->app_n < 2 || c->why) return true;
    c->why_sms = sms_refused(sim);
    c->apps = base_alloc(sizeof *c->apps * CUT_N);
    struct cut_job *jobs = base_alloc(sizeof *jobs * CUT_N * CUT_WHO);
    u32 n = jobs_plan(jobs, c, sim, setup);
    /* the watchdog of a policy from a file follows one simulation at a time */
    pool_run(run_one, jobs, n, policy_from_file(sim->policy.spec) ? 1 : threads);
    c->known = true;
    for (u32 i = 0; i < n; i++) {
        fail->error_n += jobs[i].fail.error_n;
        text_add(&fail->text, "%s", text_get(&jobs[i].fail.text));
        fail_free(&jobs[i].fail);
        c->known &= jobs[i].ok;
    }
    free(jobs);
    return c->known;
}

void cuts_free(struct cuts *c)
{
    free(c->apps);
    *c = (struct cuts){0};
}

u64 cuts_cycles(const struct cuts *c, const struct sim *sim, enum cut_parts parts, u32 who,
                u32 app_id)
{
    const struct sim_app *app = &sim->apps[app_id];
    const struct cut_app *cut = &c->apps[parts][who][app_id];
    if (!cut->known) return NEVER;
    if (app->taken && cut->taken && sim->setup->until != UNTIL_WINDOW) return cut->cycles;
    struct work_point end = {cut->cycles + app->start, cut->warp_instructions};
    u64 work = stat_kept_warp(&app->stats);
    if (!work && !end.warp_instructions) return cut->cycles;
    u64 cycles = work_curve_cycles(&cut->curve, end, work);
    return cycles == NEVER ? NEVER : cycles - min_u64(cycles, app->start);
}

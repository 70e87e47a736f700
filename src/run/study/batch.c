#include "run/study/batch.h"

#include <stdlib.h>
#include <string.h>
#include "run/jobs/pool.h"
#include "run/jobs/process_state.h"
#include "run/jobs/seconds.h"

static const char *const on_names[] = {
#define CHOICE(id, word, sentence) word,
#include "run/study/alone_on.def"
#undef CHOICE
};

static const char *const blame_names[] = {
#define CHOICE(id, word, sentence) word,
#include "run/study/blame_how.def"
#undef CHOICE
};

const char *blame_how_name(enum blame_how how) { return blame_names[how]; }
const char *alone_on_name(enum alone_on on) { return on_names[on]; }

struct job {
    struct sim_setup setup;
    struct warnings loaded;  /* warnings from the first loading of the policy's files */
    struct sim *sim;         /* receives the result */
    struct prepared *prepared; /* preparation of the policy; NULL: none */
    struct fail fail;
    bool fresh;              /* isolated runs for the preparation are simulated, not taken from the
                              * cache */
    u32 threads;             /* threads for the oracle's search */
    bool ok;
    /* For isolated runs only: */
    struct sim own;
    struct alone alone;
    struct text policy, title;
    u64 key[2];
    bool isolated, done;     /* done: nothing left to simulate */
    bool open;               /* sim_open succeeded */
    bool forks;              /* forks, and therefore must run while no other thread exists */
};

static void job_run(struct job *j)
{
    struct sim_watch *watch = j->setup.watch;
    if (j->done) return;
    if (watch) watch->started++;
    j->open = j->open || sim_open(j->sim, &j->setup, &j->fail);
    j->ok = j->open;
    warnings_merge(&j->sim->warnings, &j->loaded);
    if (j->ok && j->prepared)
        j->ok = prepare(j->prepared, j->sim, j->fresh, j->threads, &j->fail);
    j->ok = j->ok && sim_go(j->sim, &j->fail);
    if (watch) watch->ended++;
    if (!j->isolated) return;
    if (j->ok) alone_take(&j->alone, j->sim);
    if (j->ok) alone_save(&j->alone, j->key);
    sim_free(j->sim);
}

static void run_one(void *jobs, u32 i)
{
    struct job *j = (struct job *)jobs + i;
    if (!j->forks) job_run(j);
}

/* ---- planning of isolated runs ---- */

/* Returns the part of `all` that an option of a mechanism gives to an app: an entry of a list, or
 * an even part; 0: none. */
static u32 part_of(const struct mechanism *m, const char *option, u32 app_id, u32 app_n, u32 all)
{
    for (u32 o = 0; o < m->option_n; o++) {
        if (strcmp(m->policy->options[o].name, option)) continue;
        const struct corun_value *parts = &m->values[o];
        if (!parts->word) return app_id < parts->list_n ? (u32)parts->list[app_id] : 0;
        if (strcmp(parts->word, "even")) return 0;
        return all / app_n + (app_id < all % app_n);
    }
    return 0;
}

/* Resources of an isolated run. */
struct share {
    u32 sms, ways; /* ways: in every set of L2 */
};

/* Returns the app's resources in the shared run under `policy`; sms is 0 if the policy assigns no
 * SMs to single apps. */
static struct share share_of(const struct mechanisms *policy, u32 app_id, u32 app_n,
                             struct share all)
{
    struct share own = {0, all.ways};
    for (u32 i = 0; i < policy->n; i++) {
        const struct mechanism *m = &policy->at[i];
        if (!strcmp(m->policy->name, "spatial"))
            own.sms = part_of(m, "split", app_id, app_n, all.sms);
        if (!strcmp(m->policy->name, "l2-ways"))
            own.ways = part_of(m, "ways", app_id, app_n, all.ways);
    }
    return own;
}

/* Describes the isolated run of app `a`. Returns false with an error. */
static bool describe(struct job *j, const struct batch_setup *setup,
                     const struct mechanisms *policy, u32 a, struct fail *fail)
{
    const struct machine *gpu = &setup->sim.gpu->machine;
    struct share all = {gpu->sm.count, gpu->l2.ways}, own = all;
    if (setup->on == ALONE_SHARE) own = share_of(policy, a, setup->sim.app_n, all);
    if (!own.sms) {
        fail_at(fail, &policy->source, 0, "--alone-on share takes each app's SMs from the policy "
                "'spatial'");
        fail_note(fail, "'%s' has no spatial; with other policies that divide the SMs, compare a "
                  "run of each app alone under the policy", policy->spec);
        return false;
    }
    *j = (struct job){.isolated = true};
    j->sim = &j->own;
    if (own.sms < all.sms) text_add(&j->policy, "spatial[split=%u]", own.sms);
    else text_add(&j->policy, "leftover");
    if (own.ways && own.ways < all.ways) text_add(&j->policy, "+l2-ways[ways=%u]", own.ways);
    j->setup = alone_setup(&setup->sim, a, j->policy.bytes);
    j->setup.watch = setup->sim.watch; /* isolated runs are part of the user's progress display */
    text_add(&j->title, "%s alone", setup->sim.apps[a]);
    j->setup.title = j->title.bytes;
    j->alone.sms = own.sms;
    return alone_key(&j->setup, j->key, fail);
}

static void job_free(struct job *j)
{
    text_free(&j->policy);
    text_free(&j->title);
    fail_free(&j->fail);
    alone_free(&j->alone);
    warnings_free(&j->loaded);
}

struct plan {
    struct job *jobs;        /* shared runs, then isolated runs */
    u32 job_n;
    u32 *alone_job;          /* [run][app] job of the isolated run, 0: none */
    u32 writing;             /* index of the run that writes files: the first run to be simulated */
};

/* Plans the isolated run of (run r, app a): an earlier job with the same key, or a new job. */
static bool plan_alone(struct plan *p, const struct batch_setup *setup,
                       const struct mechanisms *policy, u32 r, u32 a, struct fail *fail)
{
    struct job *j = &p->jobs[p->job_n];
    if (!describe(j, setup, policy, a, fail)) {
        job_free(j);
        return false;
    }
    for (u32 i = setup->policy_n; i < p->job_n; i++) {
        if (memcmp(p->jobs[i].key, j->key, sizeof j->key)) continue;
        job_free(j);
        p->alone_job[r * APPS_MAX + a] = i;
        return true;
    }
    if (setup->from == ALONE_CACHED)
        j->done = alone_load(&j->alone, j->key, setup->sim.samples);
    j->ok = j->done;
    p->alone_job[r * APPS_MAX + a] = p->job_n++;
    return true;
}

static void plan_shared(struct plan *p, struct batch *b)
{
    const struct batch_setup *setup = b->setup;
    p->jobs = base_alloc(sizeof *p->jobs * (setup->policy_n * (1 + APPS_MAX) + 1));
    p->alone_job = base_alloc(sizeof *p->alone_job * setup->policy_n * APPS_MAX);
    while (p->writing < setup->policy_n && batch_failed(b, p->writing)) p->writing++;
    for (u32 r = 0; r < setup->policy_n; r++) {
        p->jobs[r] = (struct job){.setup = setup->sim, .sim = &b->runs[r].sim,
                                  .prepared = &b->runs[r].prepared,
                                  .fresh = setup->from == ALONE_FRESH, .threads = setup->threads};
        p->jobs[r].setup.policy = p->jobs[r].setup.title = setup->policies[r];
        if (setup->label) p->jobs[r].setup.program_label = setup->policies[r];
        p->jobs[r].setup.hook_call = setup->hook_call ? &setup->hook_call[r] : NULL;
        if (r == p->writing) continue;
        p->jobs[r].setup.dump = false;
        p->jobs[r].setup.output_n = 0;
        p->jobs[r].setup.printer = NULL;
    }
    p->job_n = setup->policy_n;
}

/* Completes the run of a policy that failed before, without a simulation. */
static bool plan_failed(struct job *j, const struct batch_failed *failed, struct fail *fail)
{
    static const struct mechanisms none;
    j->setup.mechanisms = &none;
    j->done = j->ok = sim_open(j->sim, &j->setup, fail);
    if (j->ok) sim_give_up(j->sim, failed->why, failed->cycle);
    return j->ok;
}

static bool plan_all(struct plan *p, struct batch *b, struct fail *fail)
{
    const struct batch_setup *setup = b->setup;
    u32 before = fail->error_n;
    plan_shared(p, b);
    for (u32 r = 0; r < setup->policy_n; r++) {
        struct mechanisms policy;
        const struct batch_failed *failed = batch_failed(b, r);
        if (failed && !plan_failed(&p->jobs[r], failed, fail)) break;
        if (failed) continue;
        bool ok = mechanisms_load(&policy, setup->policies[r], p->jobs[r].setup.hook_call, fail);
        mechanisms_warn(&policy, &p->jobs[r].loaded);
        p->jobs[r].forks = ok && oracle_by_window(&policy, setup->sim.app_n);
        for (u32 a = 0; ok && setup->from != ALONE_SKIP && a < setup->sim.app_n; a++) {
            ok = plan_alone(p, setup, &policy, r, a, fail);
        }
        mechanisms_free(&policy);
    }
    return fail->error_n == before;
}

/* Drops isolated runs equal to a shared run: a single app under leftover. */
static void drop_repeats(struct plan *p, const struct batch *b)
{
    for (u32 r = 0; r < b->run_n; r++) {
        u32 i = p->alone_job[r * APPS_MAX];
        if (!i || b->setup->sim.app_n != 1) continue;
        struct job *j = &p->jobs[i];
        if (j->done || strcmp(j->setup.policy, b->setup->policies[r])) continue;
        j->done = j->ok = true;
        j->sim = &b->runs[r].sim;
    }
}

static void gather(struct plan *p, struct batch *b, struct fail *fail)
{
    for (u32 i = 0; i < p->job_n && !fail->error_n; i++) {
        struct job *j = &p->jobs[i];
        if (j->isolated && j->done && j->sim != &j->own) {
            alone_take(&j->alone, j->sim);
            alone_save(&j->alone, j->key);
        }
        if (!j->ok) {
            fail->error_n += j->fail.error_n;
            text_add(&fail->text, "%s", text_get(&j->fail.text));
        }
    }
    for (u32 r = 0; r < b->run_n && !fail->error_n; r++) {
        const struct sim *sim = &b->runs[r].sim;
        bool ended = sim->status == SIM_COMPLETED || sim->status == SIM_CYCLE_LIMIT ||
                     sim->status == SIM_INTERRUPTED;
        for (u32 a = 0; ended && a < sim->app_n; a++) {
            u32 i = p->alone_job[r * APPS_MAX + a];
            if (!i) continue;
            b->runs[r].alone[a] = p->jobs[i].alone;
            b->runs[r].alone[a].kernels = NULL; /* owned by the job */
            b->runs[r].alone[a].kernel_n = 0;
        }
    }
}

static bool any_ended(const struct batch *b)
{
    for (u32 r = 0; r < b->run_n; r++) {
        enum sim_status status = b->runs[r].sim.status;
        if (status == SIM_COMPLETED || status == SIM_CYCLE_LIMIT) return true;
    }
    return false;
}

/* Runs the jobs that fork, in the calling thread, after all other threads have ended. Each job uses
 * all processors by itself. */
static void run_forking(struct plan *p, const struct batch *b)
{
    for (u32 i = 0; i < b->run_n; i++)
        if (p->jobs[i].forks) job_run(&p->jobs[i]);
}

/* Estimates the work of the apps for the watch: shared runs learn from cached isolated runs, and
 * isolated runs from shared runs. */
static void learn_work(struct plan *p, const struct batch *b)
{
    for (u32 r = 0; r < b->run_n; r++) {
        for (u32 a = 0; a < b->setup->sim.app_n; a++) {
            u32 i = p->alone_job[r * APPS_MAX + a];
            if (!i) continue;
            const struct sim *shared = &b->runs[r].sim;
            struct job *j = &p->jobs[i];
            if (j->done) p->jobs[r].setup.work[a] = j->alone.stats.sm.inst_warp;
            else if (shared->app_n) j->setup.work[0] = shared->apps[a].stats.sm.inst_warp;
        }
    }
}

static void watch_all(const struct plan *p, struct sim_watch *watch)
{
    for (u32 i = 0; watch && i < p->job_n; i++) watch->sim_n += !p->jobs[i].done;
}

/* Runs all jobs. With one thread, shared runs come first: errors show early, and no isolated run is
 * wasted. */
static void run_jobs(struct plan *p, struct batch *b)
{
    if (b->setup->threads > 1) {
        pool_run(run_one, p->jobs, p->job_n, b->setup->threads);
        run_forking(p, b);
        return;
    }
    pool_run(run_one, p->jobs, b->run_n, 1);
    run_forking(p, b);
    bool ok = true;
    for (u32 i = 0; i < b->run_n; i++) ok &= p->jobs[i].ok;
    learn_work(p, b);
    if (ok && any_ended(b)) pool_run(run_one, p->jobs + b->run_n, p->job_n - b->run_n, 1);
    else for (u32 i = b->run_n; i < p->job_n; i++) p->jobs[i].ok = p->jobs[i].done = true;
}

/* Opens the runs of policies from files, and the run that writes files, one after the other:
 * constructors of policy files must not run in parallel threads. Returns false on an error. */
static bool open_some(struct plan *p, const struct batch *b, struct fail *fail)
{
    bool ok = true;
    for (u32 r = 0; ok && r < b->run_n; r++) {
        struct job *j = &p->jobs[r];
        bool wanted = r == p->writing || policy_from_file(b->setup->policies[r]);
        if (wanted && !j->done) ok = j->open = sim_open(j->sim, &j->setup, fail);
    }
    return ok;
}

/* Returns the saved process state for checks of policies; NULL: no checks. */
static const struct process_state *process_of(const struct batch *b)
{
    return b->setup->hook_call && b->run_n ? b->setup->hook_call->process : NULL;
}

static void share_process(const struct batch *b)
{
    u32 from_file_n = 0;
    for (u32 r = 0; r < b->run_n; r++)
        from_file_n += policy_from_file(b->setup->policies[r]) && !batch_failed(b, r);
    process_state_share(process_of(b), b->setup->threads > 1 && from_file_n > 1);
}

/* Ends the process if a policy changed process state while several policies ran in parallel.
 * cli/common/guarded.c then runs the policies one after the other to find the culprit. */
static void look_shared(const struct batch *b)
{
    struct process_changes c = {0};
    if (process_state_shared(process_of(b)) && process_state_changed(process_of(b), &c)) {
        struct text what = {0};
        text_add(&what, "changed the process");
        process_lost(b->setup->hook_call, &what);
    }
    text_free(&c.lost);
}

/* Makes the runs with cuts of all shared runs. */
static void cuts_run(struct batch *b, struct fail *fail)
{
    const struct batch_setup *setup = b->setup;
    for (u32 r = 0; r < b->run_n && setup->blame == BLAME_EXACT && !fail->error_n; r++)
        if (!batch_failed(b, r))
            cuts_make(&b->runs[r].cuts, &b->runs[r].sim, &setup->sim, setup->threads, fail);
}

bool batch_run(struct batch *b, const struct batch_setup *setup, struct fail *fail)
{
    double start = seconds_now();
    *b = (struct batch){.setup = setup, .run_n = setup->policy_n};
    struct process_state *own = NULL;
    if (setup->hook_call && setup->policy_n && !setup->hook_call->process) {
        own = process_state_take();
        for (u32 r = 0; r < setup->policy_n; r++) setup->hook_call[r].process = own;
    }
    b->runs = base_alloc(sizeof *b->runs * setup->policy_n);
    struct plan p = {0};
    if (plan_all(&p, b, fail)) {
        drop_repeats(&p, b);
        watch_all(&p, setup->sim.watch);
        learn_work(&p, b);
        /* Errors in policy files are reported before any simulation. */
        if (open_some(&p, b, fail)) {
            if (process_of(b)) share_process(b);
            run_jobs(&p, b);
            if (process_of(b)) look_shared(b);
            gather(&p, b, fail);
            cuts_run(b, fail);
        }
    }
    for (u32 i = 0; i < p.job_n; i++) job_free(&p.jobs[i]);
    free(p.jobs);
    free(p.alone_job);
    if (own)
        for (u32 r = 0; r < setup->policy_n; r++) setup->hook_call[r].process = NULL;
    process_state_free(own);
    b->wall_seconds = seconds_now() - start;
    return !fail->error_n;
}

void batch_free(struct batch *b)
{
    for (u32 r = 0; r < b->run_n; r++) {
        sim_free(&b->runs[r].sim);
        prepared_free(&b->runs[r].prepared);
        cuts_free(&b->runs[r].cuts);
    }
    free(b->runs);
    free(b->seeds.values);
    *b = (struct batch){0};
}

/* ---- results of a run ---- */

double run_alone_ipc(const struct batch_run *run, u32 app_id)
{
    return alone_ipc_thread(&run->alone[app_id]);
}

double run_normalized_ipc(const struct batch_run *run, u32 app_id)
{
    return normalized_ipc(&run->sim.apps[app_id], &run->alone[app_id]);
}

double run_metric(const struct batch_run *run, const struct metric_row *row)
{
    return metric_of(row, &run->sim, run->alone);
}

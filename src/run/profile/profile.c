#include "run/profile/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "run/study/metric.h"
#include "run/jobs/pool.h"
#include "run/result/result.h"

#define MEMORY_STALL 0.2 /* limit of stalled cycles for class M; paper 000 section 2.4 */

#define RESOURCE(name, ratio, id) {name, ratio, id},
const struct resource profile_resources[] = {
#include "run/profile/resource.def"
#undef RESOURCE
};
const u32 profile_resource_n = COUNT_OF(profile_resources);

/* ---- isolated runs ---- */

struct task {
    struct profile_row *row;
    struct sim_setup setup;
    struct text title;
    struct fail fail;
    u64 key[2];
    bool done;
};

static void task_run(void *tasks, u32 i)
{
    struct task *t = (struct task *)tasks + i;
    struct sim sim;
    if (t->done) return;
    struct sim_watch *watch = t->setup.watch;
    if (watch) watch->started++;
    if (sim_run(&sim, &t->setup, &t->fail)) {
        alone_take(&t->row->alone, &sim);
        t->row->lines = sim.lines;
        sim.lines = NULL;
        result_fault(&sim, &t->row->trouble);
        if (sim.status == SIM_INTERRUPTED) {
            text_add(&t->row->trouble, "interrupted in cycle %llu\n",
                     (unsigned long long)sim.cycles);
        }
        alone_save(&t->row->alone, t->key);
    }
    sim_free(&sim);
    if (watch) watch->ended++;
}

static bool task_plan(struct task *t, const struct profile *p, u32 i, struct fail *fail)
{
    const struct profile_setup *setup = p->setup;
    t->row = &p->rows[i];
    t->row->gpu = &setup->gpus[i / setup->sim.app_n];
    t->row->app = setup->sim.apps[i % setup->sim.app_n];
    t->setup = setup->sim;
    t->setup.gpu = t->row->gpu;
    t->setup.policy = "leftover";
    t->setup.apps = &setup->sim.apps[i % setup->sim.app_n];
    t->setup.app_n = 1;
    text_add(&t->title, "%s on %s", t->row->app, t->row->gpu->name);
    t->setup.title = t->title.bytes;
    if (!alone_key(&t->setup, t->key, fail)) return false;
    t->done = setup->cached && !setup->sim.lines && alone_load(&t->row->alone, t->key, false);
    return true;
}

bool profile_run(struct profile *p, const struct profile_setup *setup, struct fail *fail)
{
    *p = (struct profile){.setup = setup, .row_n = setup->gpu_n * setup->sim.app_n};
    p->rows = base_alloc(p->row_n * sizeof *p->rows);
    struct task *tasks = base_alloc(p->row_n * sizeof *tasks);
    bool ok = true;
    u32 planned = 0;
    while (ok && planned < p->row_n) {
        ok = task_plan(&tasks[planned], p, planned, fail);
        planned++;
    }
    struct sim_watch *watch = setup->sim.watch;
    for (u32 i = 0; ok && watch && i < p->row_n; i++) watch->sim_n += !tasks[i].done;
    if (ok) pool_run(task_run, tasks, p->row_n, setup->threads);
    for (u32 i = 0; i < planned; i++) {
        struct task *t = &tasks[i];
        if (ok && t->fail.error_n) {
            fail->error_n += t->fail.error_n;
            text_add(&fail->text, "%s", text_get(&t->fail.text));
            fail_note(fail, "in the run of %s", t->title.bytes);
            ok = false;
        }
        gpu_capacity(&t->row->gpu->machine, t->row->alone.cycles, &t->row->capacity);
        text_free(&t->title);
        fail_free(&t->fail);
    }
    free(tasks);
    return ok;
}

void profile_free(struct profile *p)
{
    for (u32 i = 0; i < p->row_n; i++) {
        alone_free(&p->rows[i].alone);
        lines_free(p->rows[i].lines);
        text_free(&p->rows[i].trouble);
    }
    free(p->rows);
    *p = (struct profile){0};
}

/* ---- classes ---- */

double profile_ratio(const struct profile_row *r, u32 kernel, const char *name)
{
    struct gpu_capacity capacity;
    if (!r->alone.known) return (double)NAN;
    if (kernel == PROFILE_APP) return ratio_of(ratio_find(name), &r->alone.stats, &r->capacity);
    const struct sim_kernel *k = &r->alone.kernels[kernel];
    if (!k->stat_cycles) return (double)NAN;
    gpu_capacity(&r->gpu->machine, k->stat_cycles, &capacity);
    return ratio_of(ratio_find(name), &k->stats, &capacity);
}

const char *profile_type(const struct profile_row *r, u32 kernel)
{
    double stall = profile_ratio(r, kernel, "ldst.stall_fraction");
    return isnan(stall) ? "-" : stall > MEMORY_STALL ? "M" : "C";
}

const struct resource *profile_leader(const struct profile_row *r, u32 kernel)
{
    const struct resource *leader = NULL;
    double most = -1;
    for (u32 i = 0; i < profile_resource_n; i++) {
        const struct resource *one = &profile_resources[i];
        double use = profile_ratio(r, kernel, one->ratio) / corun_limits_of(one->id).under;
        if (!(use > most)) continue; /* also skips NAN */
        most = use;
        leader = one;
    }
    return leader;
}

const char *profile_use(const struct profile_row *r, u32 kernel)
{
    static const char *const words[] = {[CORUN_UNDERUTILIZED] = "underutilized",
                                        [CORUN_MODERATE] = "moderate",
                                        [CORUN_SATURATED] = "saturated"};
    double use[CORUN_RESOURCE_N];
    for (u32 i = 0; i < profile_resource_n; i++) {
        const struct resource *one = &profile_resources[i];
        use[one->id] = profile_ratio(r, kernel, one->ratio);
        if (isnan(use[one->id])) return "-";
    }
    return words[corun_class_of(use)];
}

static double part(u32 blocks, u32 need, u32 of)
{
    return of ? (double)blocks * need / of : (double)NAN;
}

void profile_occupancy(const struct machine *m, const struct gpu_occupancy *fits,
                       struct profile_occupancy *out)
{
    u32 n = fits->blocks_per_sm;
    out->threads = part(n, fits->need.threads, m->sm.threads);
    out->registers = part(n, fits->need.registers, m->sm.registers);
    out->shared = part(n, fits->need.shared_bytes, m->sm.shared_bytes);
    out->blocks = part(n, fits->need.blocks, m->sm.blocks);
}

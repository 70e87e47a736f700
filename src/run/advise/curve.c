#include "run/advise/curve.h"

#include <math.h>
#include <stdlib.h>
#include "run/jobs/pool.h"
#include "run/result/result.h"
#include "run/study/metric.h"

struct isolated {            /* an isolated run */
    struct sim_setup setup;
    struct text policy, title, told;
    struct fail fail;
    struct alone alone;
    u64 key[2];
    bool cached;
};

static void run_isolated(void *jobs, u32 i)
{
    struct isolated *j = (struct isolated *)jobs + i;
    struct sim_watch *watch = j->setup.watch;
    if (j->cached) return;
    struct sim *sim = base_alloc(sizeof *sim);
    if (watch) watch->started++;
    if (sim_run(sim, &j->setup, &j->fail)) {
        alone_take(&j->alone, sim);
        alone_save(&j->alone, j->key);
        result_fault(sim, &j->told);
    }
    if (watch) watch->ended++;
    sim_free(sim);
    free(sim);
}

static bool plan(struct isolated *j, struct curves *c, u32 app, u32 sms, struct fail *fail)
{
    const struct sim_setup *sim = c->sim;
    if (sms < sim->gpu->machine.sm.count) text_add(&j->policy, "spatial[split=%u]", sms);
    else text_add(&j->policy, "leftover");
    text_add(&j->title, "%s alone on %u SMs", sim->apps[app], sms);
    j->setup = alone_setup(sim, app, j->policy.bytes);
    j->setup.watch = sim->watch;
    j->setup.title = j->title.bytes;
    if (c->of[app].n) j->setup.cycles = curve_whole(&c->of[app])->cycles;
    j->alone.sms = sms;
    if (!alone_key(&j->setup, j->key, fail)) return false;
    j->cached = !c->fresh && alone_load(&j->alone, j->key, false);
    if (sim->watch) sim->watch->sim_n += !j->cached;
    return true;
}

/* Inserts a run into a curve, which is sorted by SMs. */
static void insert(struct curve *c, const struct alone *run)
{
    u32 i = c->n++;
    for (; i && c->points[i - 1].sms > run->sms; i--) c->points[i] = c->points[i - 1];
    c->points[i] = *run;
}

bool curves_add(struct curves *c, u32 sms, struct text *told, struct fail *fail)
{
    u32 n = c->sim->app_n, before = fail->error_n;
    struct isolated *jobs = base_alloc(n * sizeof *jobs);
    check(c->of[0].n < CURVE_POINTS);
    bool ok = true;
    for (u32 a = 0; ok && a < n; a++) ok = plan(&jobs[a], c, a, sms, fail);
    if (ok) pool_run(run_isolated, jobs, n, max_u32(c->threads, 1));
    for (u32 a = 0; a < n; a++) {
        struct isolated *j = &jobs[a];
        fail_append(fail, &j->fail);
        text_add(told, "%s", text_get(&j->told));
        c->cached += j->cached;
        if (ok) insert(&c->of[a], &j->alone);
        else alone_free(&j->alone);
        text_free(&j->policy);
        text_free(&j->title);
        text_free(&j->told);
        fail_free(&j->fail);
    }
    free(jobs);
    return fail->error_n == before;
}

void curves_free(struct curves *c)
{
    for (u32 a = 0; a < APPS_MAX; a++)
        for (u32 i = 0; i < c->of[a].n; i++) alone_free(&c->of[a].points[i]);
    *c = (struct curves){0};
}

const struct alone *curve_whole(const struct curve *c) { return &c->points[c->n - 1]; }

double curve_point(const struct curve *c, u32 point)
{
    return alone_ipc_thread(curve_whole(c)) / alone_ipc_thread(&c->points[point]);
}

/* Returns the slowdown of the service time at a measured point, of IPC if no request was answered
 * there. */
static double served_point(const struct curve *c, u32 point)
{
    double ratio = replay_served(&c->points[point].requests) /
                   replay_served(&curve_whole(c)->requests);
    return isnan(ratio) ? curve_point(c, point) : ratio;
}

double curve_slowdown(const struct curve *c, enum pace pace, double sms)
{
    u32 least = c->points[0].sms, most = curve_whole(c)->sms;
    double first = 1 / (pace == PACE_SERVICE ? served_point(c, 0) : curve_point(c, 0));
    double steep = first * sms / least;
    if (sms <= least || least == most) return 1 / steep;
    double line = first + (1 - first) * (sms - least) / (most - least);
    steep = fmin(steep, fmax(first, 1));
    return steep > line ? 2 / (line + steep) : 1 / line;
}

double curves_dram_use(const struct curves *c, u32 app, enum pace pace)
{
    const struct alone *whole = curve_whole(&c->of[app]);
    const struct replay *p = &whole->requests;
    struct gpu_capacity peak;
    gpu_capacity(&c->sim->gpu->machine, whole->cycles, &peak);
    double use = (double)whole->stats.dram.bytes / peak.dram_bytes;
    double busy = replay_served(p) * p->n / (double)whole->cycles;
    return pace == PACE_SERVICE && busy < 1 ? use / busy : use;
}

double curves_us(const struct curves *c, double cycles)
{
    struct rational mhz = c->sim->gpu->machine.clock.sm_mhz;
    return cycles * (double)mhz.den / (double)mhz.num;
}

double curves_p99(const struct curves *c, u32 app)
{
    return curves_us(c, replay_p99(&curve_whole(&c->of[app])->requests));
}

#include "run/advise/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "run/result/result.h"

enum { SHARED_MOST = 56 };      /* most simulated splits */
enum { SHARED_RESERVE = 9 };
#define SWEEP_PART 0.19         /* limit of the search; a fifth, less the error of the estimate */
#define NEAR 0.02               /* predictions this close to the best split deserve a simulation */

void advise_spec(const struct advise *a, const struct split *s, struct text *out)
{
    struct mix mix = {.split = true};
    memcpy(mix.number, s->sms, sizeof mix.number);
    mix_spec(&mix, a->splits.app_n, out);
}

/* ---- accounts ---- */

/* Adds up the warp instructions so far, and estimates the warp instructions of the sweep. */
static void account(struct advise *a)
{
    u32 app_n = a->splits.app_n;
    a->isolated_n = a->shared_n = 0;
    a->isolated_warp = a->shared_warp = 0;
    a->sweep_warp = splits_warp(&a->splits);
    for (u32 i = 0; i < app_n; i++) {
        const struct curve *c = &a->curves.of[i];
        for (u32 k = 0; k < c->n; k++) a->isolated_warp += c->points[k].stats.sm.inst_warp;
        a->isolated_n += c->n;
        a->sweep_warp += (double)curve_whole(c)->stats.sm.inst_warp;
    }
    for (u32 i = 0; i < a->splits.n; i++) {
        const struct split *s = &a->splits.at[i];
        a->shared_warp += s->simulated ? s->warp : 0;
        a->shared_n += s->simulated;
    }
}

/* Returns the warp instructions that the search may still simulate. */
static double left(const struct advise *a)
{
    return SWEEP_PART * a->sweep_warp - (double)a->isolated_warp - (double)a->shared_warp;
}

/* Returns the warp instructions of the split with the best prediction. */
static double expected_shared(const struct advise *a)
{
    const struct split *best = &a->splits.at[0];
    for (u32 i = 1; i < a->splits.n; i++)
        if (split_better(&a->goal, &a->splits.at[i], best)) best = &a->splits.at[i];
    return (double)best->warp;
}

static void predict_all(struct advise *a)
{
    splits_predict(&a->splits, &a->curves, &a->goal);
    account(a);
}

/* ---- curves ---- */

static bool curves_known(struct advise *a)
{
    for (u32 i = 0; i < a->splits.app_n; i++) {
        const struct alone *whole = curve_whole(&a->curves.of[i]);
        a->interrupted |= whole->status == SIM_INTERRUPTED;
        a->abnormal |= !whole->known && whole->status != SIM_INTERRUPTED;
    }
    return !a->interrupted && !a->abnormal;
}

static bool add_point(struct advise *a, u32 sms, struct fail *fail)
{
    for (u32 i = 0; i < a->curves.of[0].n; i++)
        if (a->curves.of[0].points[i].sms == sms) return true;
    bool ok = curves_add(&a->curves, sms, &a->told, fail);
    for (u32 i = 0; ok && i < a->splits.app_n; i++) {
        const struct curve *c = &a->curves.of[i];
        for (u32 k = 0; k < c->n; k++) a->interrupted |= c->points[k].status == SIM_INTERRUPTED;
    }
    return ok;
}

/* Makes the isolated runs: on all SMs and a quarter of the SMs, then on other parts of the SMs as
 * long as the limit leaves SHARED_RESERVE shared runs. */
static bool make_curves(struct advise *a, u32 sm_n, struct fail *fail)
{
    const u32 parts[CURVE_POINTS - 1] = {sm_n / 4, sm_n / 2, sm_n / 8, sm_n - sm_n / 4};
    if (!add_point(a, sm_n, fail)) return false;
    if (!curves_known(a)) return true;
    predict_all(a);
    for (u32 i = 0; i < COUNT_OF(parts) && !a->interrupted; i++) {
        double cost = 0;
        for (u32 k = 0; k < a->splits.app_n; k++)
            cost += (double)curve_whole(&a->curves.of[k])->stats.sm.inst_warp;
        if (i && cost + SHARED_RESERVE * expected_shared(a) > left(a)) break;
        if (!parts[i]) continue;
        if (!add_point(a, parts[i], fail)) return false;
        predict_all(a);
    }
    return true;
}

/* ---- shared runs ---- */

static void take_shared(struct advise *a, const struct sim *sim, const char *spec, struct split *s)
{
    splits_take(s, sim, &a->curves);
    a->interrupted |= sim->status == SIM_INTERRUPTED;
    if (sim->status == SIM_COMPLETED || sim->status == SIM_CYCLE_LIMIT ||
        sim->status == SIM_INTERRUPTED) return;
    a->abnormal = true;
    text_add(&a->told, "%s: ", spec);
    result_fault(sim, &a->told);
    if (!sim->fault.what) text_add(&a->told, "%s\n", sim_status_name(sim->status));
}

static bool run_split(struct advise *a, struct split *s, struct fail *fail)
{
    struct sim_setup setup = *a->setup->sim;
    struct sim_watch *watch = setup.watch;
    struct sim *sim = base_alloc(sizeof *sim);
    struct text spec = {0};
    advise_spec(a, s, &spec);
    sim_setup_quiet(&setup);
    setup.watch = watch;
    setup.policy = setup.title = spec.bytes;
    if (watch) watch->sim_n++;
    if (watch) watch->started++;
    bool ok = sim_run(sim, &setup, fail);
    if (watch) watch->ended++;
    if (ok) take_shared(a, sim, spec.bytes, s);
    sim_free(sim);
    free(sim);
    text_free(&spec);
    return ok;
}

/* ---- search ---- */

static const struct split *best_simulated(const struct advise *a)
{
    const struct split *best = NULL;
    for (u32 i = 0; i < a->splits.n; i++) {
        const struct split *s = &a->splits.at[i];
        if (!s->simulated || isnan(s->value) || isnan(s->excess)) continue;
        if (!best || split_better(&a->goal, s, best)) best = s;
    }
    return best;
}

/* Returns true if the prediction of split s comes close to the best split. */
static bool is_near(const struct advise *a, const struct split *s, const struct split *best)
{
    double slack = 1 + NEAR;
    if (best->excess > 1) return s->excess < best->excess * slack;
    if (!(s->excess <= slack)) return false;
    return a->goal.metric->best == METRIC_MORE ? s->value * slack > best->value
                                               : s->value < best->value * slack;
}

/* Returns the next split to simulate: the best prediction, then neighbours of the best simulated
 * split, then predictions near the best simulated split. NULL: none is left. */
static struct split *next_split(struct advise *a)
{
    const struct split *best = best_simulated(a);
    struct split *next = NULL;
    bool next_beside = false;
    for (u32 i = 0; i < a->splits.n; i++) {
        struct split *s = &a->splits.at[i];
        if (s->simulated || isnan(s->value) || isnan(s->excess)) continue;
        bool better = !best || split_better(&a->goal, s, best);
        bool beside = best && splits_adjacent(&a->splits, s, best, a->setup->step);
        if (!better && !beside && !is_near(a, s, best)) continue;
        bool first = better || beside;
        if (!next || (first && !next_beside) ||
            (first == next_beside && split_better(&a->goal, s, next))) {
            next = s;
            next_beside = first;
        }
    }
    return next;
}

/* Simulates splits one after the other, so that each result corrects the next choice, until no
 * split is worth a simulation or the limit is reached. The first split ignores the limit. */
static bool search(struct advise *a, struct fail *fail)
{
    while (a->shared_n < SHARED_MOST && !a->interrupted) {
        struct split *next = next_split(a);
        if (!next) break;
        a->exhausted = a->shared_n && (double)next->warp > left(a);
        if (a->exhausted) break;
        if (!run_split(a, next, fail)) return false;
        predict_all(a);
    }
    a->best = best_simulated(a);
    return true;
}

static bool read_goal(struct advise *a, struct fail *fail)
{
    const struct sim_setup *sim = a->setup->sim;
    struct input_set inputs;
    bool ok = input_set_open(&inputs, sim->apps, sim->app_n,
                             &(struct input_rules){.seed = sim->seed}, fail);
    for (u32 i = 0; ok && i < sim->app_n; i++)
        a->names[i] = arena_text(&a->arena, inputs.names[i], strlen(inputs.names[i]));
    input_set_free(&inputs);
    return ok && goal_parse(&a->goal, a->setup->goal, a->names, sim->app_n, fail);
}

bool advise_make(struct advise *a, const struct advise_setup *setup, struct fail *fail)
{
    u32 sm_n = setup->sim->gpu->machine.sm.count, app_n = setup->sim->app_n;
    *a = (struct advise){.setup = setup};
    arena_init(&a->arena);
    a->curves = (struct curves){.sim = setup->sim, .fresh = setup->fresh,
                                .threads = setup->threads};
    bool ok = read_goal(a, fail) && splits_list(&a->splits, app_n, sm_n, setup->step, fail) &&
              make_curves(a, sm_n, fail);
    if (!ok || a->interrupted || a->abnormal) return ok;
    return search(a, fail);
}

void advise_free(struct advise *a)
{
    curves_free(&a->curves);
    splits_free(&a->splits);
    text_free(&a->told);
    arena_free(&a->arena);
    *a = (struct advise){0};
}

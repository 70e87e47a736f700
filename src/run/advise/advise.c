#include "run/advise/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "run/result/result.h"

enum { FEW = 16 };       /* the first point of a curve: a 16th of the SMs */
#define MARGIN 0.95      /* part of the limit to use, as the cost of the sweep is an estimate */
#define GAP 0.1          /* what a prediction may be wrong by, as a part, for a gap of all SMs */

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
    double most = MARGIN * a->setup->budget / 100 * a->sweep_warp;
    bool all = a->setup->budget == 100;
    return all ? INFINITY : most - (double)a->isolated_warp - (double)a->shared_warp;
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

/* Refuses an app without instructions: slowdowns compare instructions per cycle. */
static bool curves_issue(const struct advise *a, struct fail *fail)
{
    bool window = a->setup->sim->until == UNTIL_WINDOW, ok = true;
    for (u32 i = 0; i < a->splits.app_n; i++) {
        const struct alone *whole = curve_whole(&a->curves.of[i]);
        if (whole->stats.sm.inst_warp) continue;
        ok = false;
        fail_plain(fail, "app '%s' issues no instruction%s", a->names[i],
                   window ? " in the window" : "");
        if (window) fail_note(fail, "give a longer window than --cycles %llu",
                              (unsigned long long)whole->cycles);
    }
    return ok;
}

/* Takes each p99 alone of the goal. Refuses an app with too few requests. */
static bool take_p99(struct advise *a, struct fail *fail)
{
    u32 before = fail->error_n;
    for (u32 i = 0; i < a->splits.app_n; i++) {
        const struct replay *p = &curve_whole(&a->curves.of[i])->requests;
        double p99 = curves_p99(&a->curves, i);
        if (!goal_has_p99(&a->goal, i)) continue;
        goal_alone(&a->goal, i, p99);
        if (!isnan(p99)) continue;
        struct text why = {0};
        request_p99_refused(p->n - p->warmup, &why);
        fail_plain(fail, "app '%s': %s", a->names[i], why.bytes);
        text_free(&why);
        if (a->setup->sim->until == UNTIL_WINDOW)
            fail_note(fail, "give a longer window than --cycles %llu",
                      (unsigned long long)a->setup->sim->cycles);
        else
            fail_note(fail, "give the app requests=%d or more", REQUESTS_P99);
    }
    return fail->error_n == before;
}

/* Lists the splits that need isolated runs. */
static bool list_tables(struct advise *a, struct fail *fail)
{
    struct alone whole[APPS_MAX];
    if (!(a->ways & 1U << WAY_FIXED)) return true;
    for (u32 i = 0; i < a->splits.app_n; i++) whole[i] = *curve_whole(&a->curves.of[i]);
    return ways_list(&a->splits, a->setup->sim, a->ways, a->setup->step, whole, fail);
}

/* Makes the isolated runs: on all SMs and on a few. */
static bool make_curves(struct advise *a, u32 sm_n, struct fail *fail)
{
    if (!curves_add(&a->curves, sm_n, &a->told, fail)) return false;
    if (!curves_known(a)) return true;
    if (!curves_issue(a, fail) || !take_p99(a, fail) || !list_tables(a, fail)) return false;
    if (!curves_add(&a->curves, max_u32(sm_n / FEW, 1), &a->told, fail)) return false;
    for (u32 i = 0; i < a->splits.app_n; i++)
        a->interrupted |= a->curves.of[i].points[0].status == SIM_INTERRUPTED;
    predict_all(a);
    return true;
}

/* ---- shared runs ---- */

static void take_shared(struct advise *a, const struct sim *sim, struct split *s)
{
    splits_take(s, sim, &a->curves);
    a->interrupted |= sim->status == SIM_INTERRUPTED;
    if (sim->status == SIM_COMPLETED || sim->status == SIM_CYCLE_LIMIT ||
        sim->status == SIM_INTERRUPTED) return;
    a->abnormal = true;
    text_add(&a->told, "%s: ", s->policy);
    result_fault(sim, &a->told);
    if (!sim->fault.what) text_add(&a->told, "%s\n", sim_status_name(sim->status));
}

static bool run_split(struct advise *a, struct split *s, struct fail *fail)
{
    struct sim_setup setup = *a->setup->sim;
    struct sim_watch *watch = setup.watch;
    struct sim *sim = base_alloc(sizeof *sim);
    sim_setup_quiet(&setup);
    setup.watch = watch;
    setup.policy = setup.title = s->policy;
    if (watch) watch->sim_n++;
    if (watch) watch->started++;
    bool ok = sim_run(sim, &setup, fail);
    if (watch) watch->ended++;
    if (ok) take_shared(a, sim, s);
    sim_free(sim);
    free(sim);
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

/* Returns the split with a prediction better than the truth may be, the more the farther the split
 * is from simulated splits. */
static struct split hopeful(const struct advise *a, const struct split *s)
{
    u32 sm_n = curve_whole(&a->curves.of[0])->sms;
    double slack = 1 + GAP * splits_gap(&a->splits, s) / sm_n;
    struct split hope = *s;
    hope.value *= goal_more(&a->goal) ? slack : 1 / slack;
    hope.excess /= slack;
    return hope;
}

/* Returns how soon a split is simulated: first a split of each kind without simulated splits, last
 * splits with the SMs of a simulated split. */
static u32 turn(const struct advise *a, const struct split *s)
{
    if (!splits_known(&a->splits, s->kind)) return 0;
    return splits_gap(&a->splits, s) > 0 ? 1 : 2;
}

/* Returns the next split to simulate, of those with the first turn: the best hope, of a kind
 * without simulated splits the best prediction. NULL: none. */
static struct split *next_split(struct advise *a)
{
    struct split *next = NULL, best = {0};
    u32 first = 0;
    for (u32 i = 0; i < a->splits.n; i++) {
        struct split *s = &a->splits.at[i];
        if (s->simulated || isnan(s->value) || isnan(s->excess)) continue;
        u32 own = turn(a, s);
        struct split hope = own ? hopeful(a, s) : *s;
        bool sooner = !next || own < first;
        if (!sooner && (own > first || !split_better(&a->goal, &hope, &best))) continue;
        next = s;
        best = hope;
        first = own;
    }
    return next;
}

/* Simulates splits one after the other, so that each result corrects the next choice, up to the
 * limit or until no split is left. The first split ignores the limit. */
static bool search(struct advise *a, struct fail *fail)
{
    while (!a->interrupted) {
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
    for (u32 i = 0; ok && i < sim->app_n; i++) {
        a->names[i] = arena_text(&a->arena, inputs.names[i], strlen(inputs.names[i]));
        a->goal.apps[i].name = a->names[i];
        a->goal.apps[i].requests = input_arrivals(inputs.inputs[i]) != NULL;
    }
    a->goal.n = sim->app_n;
    input_set_free(&inputs);
    return ok && goal_parse(&a->goal, a->setup->goal, fail);
}

bool advise_make(struct advise *a, const struct advise_setup *setup, struct fail *fail)
{
    u32 sm_n = setup->sim->gpu->machine.sm.count;
    *a = (struct advise){.setup = setup};
    arena_init(&a->arena);
    arena_init(&a->splits.arena);
    a->curves = (struct curves){.sim = setup->sim, .fresh = setup->fresh,
                                .threads = setup->threads};
    a->ways = ways_parse(setup->under, fail);
    bool ok = read_goal(a, fail) && a->ways &&
              ways_list(&a->splits, setup->sim, a->ways, setup->step, NULL, fail) &&
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

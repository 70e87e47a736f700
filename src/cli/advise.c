/* corun advise: the SMs of each app for a goal, by few simulations. */
#include "run/advise/advise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli/common/setup.h"
#include "cli/terminal/columns.h"
#include "cli/terminal/summary.h"
#include "cli/terminal/table.h"
#include "run/jobs/processors.h"

static void add_integer(struct text *out, double value)
{
    char digits[TEXT_NUMBER], room[TEXT_NUMBER];
    snprintf(digits, sizeof digits, "%.0f", value);
    text_add(out, "%s", text_grouped(digits, room));
}

/* Appends the slowdown of every app. */
static void say_slowdowns(const struct advise *a, const struct split *s, struct text *out)
{
    for (u32 i = 0; i < a->splits.app_n; i++) {
        text_add(out, "%s%s %.3f", i ? ", " : "", a->names[i], s->slowdown[i]);
        if (s->slowdown[i] > a->goal.bounds[i])
            text_add(out, " instead of at most %g", a->goal.bounds[i]);
    }
}

/* Returns the best split that is predicted to meet the goal; NULL: none. */
static const struct split *predicted(const struct advise *a)
{
    const struct split *best = NULL;
    for (u32 i = 0; i < a->splits.n; i++) {
        const struct split *s = &a->splits.at[i];
        if (s->simulated || !(s->excess <= 1)) continue;
        if (!best || split_better(&a->goal, s, best)) best = s;
    }
    return best;
}

static void say_not_met(const struct advise *a, const char *bounds, struct text *out)
{
    const struct split *other = predicted(a);
    text_add(out, "no %ssplit meets %s", other || a->exhausted ? "simulated " : "", bounds);
    if (other) text_add(out, ", by prediction %s does", other->policy);
    text_add(out, "; %s is nearest", a->best->policy);
}

static void say_best(const struct advise *a, struct text *out)
{
    const struct split *best = a->best;
    char name[TABLE_CELL];
    struct text bounds = {0};
    if (!best) {
        text_add(out, "no simulated split has a value of the metric\n");
        return;
    }
    goal_bounds(&a->goal, a->names, a->splits.app_n, &bounds);
    if (best->excess > 1)
        say_not_met(a, bounds.bytes, out);
    else if (a->goal.bounded)
        text_add(out, "%s is best with %s", best->policy, bounds.bytes);
    else
        text_add(out, "%s is best", best->policy);
    text_add(out, " (%s %.3f); slowdowns: ",
             summary_name(a->goal.metric->name, name, sizeof name), best->value);
    say_slowdowns(a, best, out);
    text_put(out, "\n", 1);
    text_free(&bounds);
}

/* Says which splits were candidates, and which ways of sharing the machine does not have. */
static void say_candidates(const struct advise *a, struct text *out)
{
    u32 front = 0, listed = 0, sm_n = a->setup->sim->gpu->machine.sm.count;
    for (u32 i = 0; i < a->splits.n; i++) front += a->splits.at[i].front;
    for (u32 w = 0; w < WAY_N; w++) {
        u32 n = a->splits.of[w].n;
        if (!n) continue;
        text_add(out, listed ? ", %u" : "candidates: all %u", n);
        if (w == WAY_FIXED) text_add(out, " tables of blocks");
        else if (!listed) text_add(out, " splits of %u SMs", sm_n);
        text_add(out, " under %s", way_label(w));
        listed += n;
    }
    if (a->setup->step > 1) text_add(out, ", in steps of %u SMs", a->setup->step);
    text_add(out, "; %u simulated, %u predicted; %u on the front\n", a->shared_n,
             a->splits.n - a->shared_n, front);
    for (u32 w = 0; w < WAY_N; w++)
        if (a->splits.of[w].left_out)
            text_add(out, "left out: %s: %s\n", way_label(w), a->splits.of[w].left_out);
}

static void say_cost(const struct advise *a, struct text *out)
{
    double warp = (double)(a->isolated_warp + a->shared_warp);
    say_candidates(a, out);
    text_add(out, "cost: %u isolated and %u shared runs, ", a->isolated_n, a->shared_n);
    add_integer(out, warp);
    text_add(out, " warp instructions, %.1f %% of about ", 100 * warp / a->sweep_warp);
    add_integer(out, a->sweep_warp);
    text_add(out, " for a sweep over all splits\n");
    if (!a->exhausted) return;
    if (a->shared_n == 1 && 100 * warp > a->setup->budget * a->sweep_warp)
        text_add(out, "the isolated runs and the first shared run, which are always made, exceed "
                 "%u %% of the sweep (--budget): a split that was not simulated may be better\n",
                 a->setup->budget);
    else
        text_add(out, "one more shared run would exceed %u %% of the sweep (--budget): a split "
                 "that was not simulated may be better\n", a->setup->budget);
}

static void show_curves(const struct advise *a, struct text *out)
{
    const struct curve *c = a->curves.of;
    const char *heads[CURVE_POINTS + 1] = {"slowdown alone"};
    char names[CURVE_POINTS][TABLE_CELL];
    for (u32 i = 0; i < c->n; i++) {
        snprintf(names[i], sizeof names[i], "%u SM%s", c->points[i].sms,
                 c->points[i].sms == 1 ? "" : "s");
        heads[i + 1] = names[i];
    }
    struct table *t = base_alloc(sizeof *t);
    table_head(t, heads, c->n + 1);
    for (u32 i = 0; i < a->splits.app_n; i++) {
        table_row(t, a->names[i]);
        for (u32 k = 0; k < c->n; k++) table_real(t, k + 1, curve_point(&a->curves.of[i], k), 3);
    }
    table_show(t, out);
    free(t);
}

static void show_splits(const struct advise *a, struct text *out)
{
    static const char *const metrics[] = {"weighted_speedup", "antt", "fairness"};
    const char *heads[APPS_MAX + COUNT_OF(metrics) + 3] = {"simulated split"};
    char names[COUNT_OF(metrics)][TABLE_CELL];
    u32 app_n = a->splits.app_n, n = 1;
    for (u32 i = 0; i < app_n; i++) heads[n++] = a->names[i];
    for (u32 i = 0; i < COUNT_OF(metrics); i++)
        heads[n++] = summary_name(metrics[i], names[i], TABLE_CELL);
    heads[n++] = "front";
    if (a->goal.bounded) heads[n++] = "meets goal";
    struct table *t = base_alloc(sizeof *t);
    table_head(t, heads, n);
    for (u32 i = 0; i < a->splits.n; i++) {
        const struct split *s = &a->splits.at[i];
        double np[APPS_MAX];
        if (!s->simulated) continue;
        table_row(t, s->policy);
        for (u32 k = 0; k < app_n; k++) {
            np[k] = 1 / s->slowdown[k];
            table_real(t, k + 1, s->slowdown[k], 3);
        }
        for (u32 k = 0; k < COUNT_OF(metrics); k++)
            table_real(t, app_n + 1 + k, metric_find(metrics[k])->value(np, s->ipc, app_n), 3);
        table_set(t, app_n + 1 + COUNT_OF(metrics), "%s", s->front ? "yes" : "no");
        if (a->goal.bounded) table_set(t, n - 1, "%s", s->excess <= 1 ? "yes" : "no");
    }
    table_show(t, out);
    free(t);
}

static void show(const struct advise *a, bool legend, struct text *out)
{
    const struct sim_setup *sim = a->setup->sim;
    size_t from = out->size;
    for (u32 i = 0; i < a->splits.app_n; i++)
        text_add(out, "%s%s", i ? " + " : "", a->names[i]);
    text_add(out, " on %s, until %s, goal: %s\n", sim->gpu->name, until_name(sim->until),
             a->setup->goal);
    say_best(a, out);
    say_cost(a, out);
    text_put(out, "\n", 1);
    columns_wrap(out, from, columns_wide());
    show_curves(a, out);
    text_put(out, "\n", 1);
    show_splits(a, out);
    if (!legend) return;
    from = out->size;
    text_add(out, "slowdown: IPC alone on all SMs over IPC; front: no split is better for an app "
             "and at least as good for every app\n");
    columns_wrap(out, from, columns_wide());
}

static void count_apps(const struct options *o, struct fail *fail)
{
    if (o->operand_n > 1) return;
    fail_plain(fail, "expected at least two apps");
    fail_note(fail, "an app is a shipped workload (corun list workloads), an app file or a CUDA "
              "program");
}

static int finish(const struct advise *a, const struct options *o, const struct output *output,
                  struct console *c)
{
    text_add(&c->fail.text, "%s", text_get(&a->told));
    if (a->interrupted) text_add(&c->fail.text, "interrupted: no advice\n");
    if (a->interrupted || (a->abnormal && !a->shared_n)) return EXIT_ABNORMAL;
    int status = a->abnormal ? EXIT_ABNORMAL : EXIT_DONE;
    c->keep = true;
    if (o->json) {
        struct text json = {0};
        advise_json(a, &json);
        if (!setup_write(o->json, &json, c)) status = EXIT_INPUT;
        text_free(&json);
    }
    if (setup_table(output, 1, o)) show(a, o->legend == SWITCH_ON, &c->out);
    return status;
}

int command_advise(const struct options *o, struct console *c)
{
    const struct output output = output_option("--json", o->json);
    const char *policy = "spatial";
    struct setup setup = {0};
    struct advise a = {0};
    count_apps(o, &c->fail);
    bool ok = !c->fail.error_n && setup_make(&setup, o, &policy, 1, &c->fail) &&
              setup_outputs(&output, 1, o, &c->fail);
    u32 threads = o->compare_threads ? (u32)o->compare_threads : processors_allowed();
    /* Isolated runs come in parallel, a shared run has all processors. */
    if (ok) setup.batch.sim.threads = setup_sim_threads(o, 1, &c->fail);
    const struct advise_setup of = {.sim = &setup.batch.sim, .goal = o->goal, .under = o->under,
                                    .step = (u32)o->step,
                                    .budget = (u32)o->budget,
                                    .fresh = o->profile_from != 0, .threads = threads};
    ok = ok && advise_make(&a, &of, &c->fail);
    progress_end(&setup.progress);
    if (ok) setup_tell_gpu(o, &setup.gpu, 1, &c->fail.text);
    int status = ok ? finish(&a, o, &output, c) : EXIT_INPUT;
    if (a.setup) advise_free(&a);
    setup_free(&setup);
    return status;
}

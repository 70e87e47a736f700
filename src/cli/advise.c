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
#include "run/page/advise_page.h"

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
    const char *heads[2 * APPS_MAX + COUNT_OF(metrics) + 3] = {"simulated split"};
    char names[COUNT_OF(metrics)][TABLE_CELL], p99s[APPS_MAX][TABLE_CELL];
    u32 app_n = a->splits.app_n, n = 1;
    for (u32 i = 0; i < app_n; i++) heads[n++] = a->names[i];
    for (u32 i = 0; i < app_n; i++) {
        if (!goal_has_p99(&a->goal, i)) continue;
        snprintf(p99s[i], TABLE_CELL, "%s p99 us", a->names[i]);
        heads[n++] = p99s[i];
    }
    for (u32 i = 0; i < COUNT_OF(metrics); i++)
        heads[n++] = summary_name(metrics[i], names[i], TABLE_CELL);
    heads[n++] = "front";
    if (a->goal.bounded) heads[n++] = "meets goal";
    struct table *t = base_alloc(sizeof *t);
    table_head(t, heads, n);
    for (u32 i = 0; i < a->splits.n; i++) {
        const struct split *s = &a->splits.at[i];
        double np[APPS_MAX];
        u32 at = app_n + 1;
        if (!s->simulated) continue;
        table_row(t, s->policy);
        for (u32 k = 0; k < app_n; k++) {
            np[k] = 1 / s->slowdown[k];
            table_real(t, k + 1, s->slowdown[k], 3);
        }
        for (u32 k = 0; k < app_n; k++)
            if (goal_has_p99(&a->goal, k)) table_real(t, at++, s->p99[k], 1);
        for (u32 k = 0; k < COUNT_OF(metrics); k++)
            table_real(t, at++, metric_find(metrics[k])->value(np, s->ipc, app_n), 3);
        table_set(t, at, "%s", s->front ? "yes" : "no");
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
    advise_verdict(a, out);
    text_put(out, "\n", 1);
    advise_cost(a, out);
    text_put(out, "\n", 1);
    columns_wrap(out, from, columns_wide());
    show_curves(a, out);
    text_put(out, "\n", 1);
    show_splits(a, out);
    if (!legend) return;
    from = out->size;
    bool p99 = false;
    for (u32 i = 0; i < a->splits.app_n; i++) p99 |= goal_has_p99(&a->goal, i);
    text_add(out, "slowdown: IPC alone on all SMs over IPC; front: no split is better for an app "
             "and at least as good for every app%s\n",
             p99 ? ", by p99 of an app that has one in the goal, else by slowdown" : "");
    columns_wrap(out, from, columns_wide());
}

static void count_apps(const struct options *o, struct fail *fail)
{
    if (o->operand_n > 1) return;
    fail_plain(fail, "expected at least two apps");
    fail_note(fail, "an app is a shipped workload (corun list workloads), an app file or a CUDA "
              "program");
}

static int finish(const struct advise *a, const struct options *o, const struct output *outputs,
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
    if (o->html) {
        struct text html = {0};
        advise_page(a, &html);
        if (!setup_write(o->html, &html, c)) status = EXIT_INPUT;
        text_free(&html);
    }
    if (setup_table(outputs, 2, o)) show(a, o->legend == SWITCH_ON, &c->out);
    return status;
}

int command_advise(const struct options *o, struct console *c)
{
    const struct output outputs[] = {output_option("--json", o->json),
                                     output_option("--html", o->html)};
    const char *policy = "spatial";
    struct setup setup = {0};
    struct advise a = {0};
    struct text command = {0};
    count_apps(o, &c->fail);
    bool ok = !c->fail.error_n && setup_make(&setup, o, &policy, 1, &c->fail) &&
              setup_outputs(outputs, COUNT_OF(outputs), o, &c->fail);
    options_command(o, "advise", &command);
    setup.batch.sim.command = command.bytes;
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
    int status = ok ? finish(&a, o, outputs, c) : EXIT_INPUT;
    if (a.setup) advise_free(&a);
    setup_free(&setup);
    text_free(&command);
    return status;
}

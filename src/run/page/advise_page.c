#include "run/page/advise_page.h"

#include <math.h>
#include <stdio.h>
#include "run/io/json_writer.h"
#include "run/page/page.h"

enum { ROOM = 96 };

static const char *const metrics[] = {"weighted_speedup", "antt", "fairness"};

static void show_lead(const struct advise *a, struct text *out)
{
    const struct sim_setup *sim = a->setup->sim;
    char room[TEXT_NUMBER];
    text_add(out, "%u candidates on %s, until %s", a->splits.n, sim->gpu->name,
             until_name(sim->until));
    if (sim->cycles) text_add(out, ", %s cycles", page_number((double)sim->cycles, 0, room));
    text_add(out, ", seed %llu. Goal: %s.", (unsigned long long)sim->seed, a->setup->goal);
}

/* ---- result ---- */

/* Shows the lines on candidates and cost as paragraphs. */
static void show_cost(const struct advise *a, struct text *out)
{
    struct text cost = {0};
    advise_cost(a, &cost);
    text_add(out, "<p class=\"about\">");
    for (const char *p = text_get(&cost); *p; p++) {
        char one[] = {*p, 0};
        if (*p == '\n') text_add(out, p[1] ? "</p>\n<p class=\"about\">" : "</p>\n");
        else page_text(out, one);
    }
    text_free(&cost);
}

static void show_chart(const struct advise *a, struct text *out)
{
    page_card(out, "Slowdown against SMs", "Lines: slowdown of each app alone, interpolated "
              "between two isolated runs (squares). Dots: the app in simulated splits, with the "
              "other apps; under fixed, at all SMs times the app's blocks over its blocks alone. "
              "The height of a dot above the line is the interference by the other apps.");
    text_add(out, "<ul class=\"legend\"></ul>\n");
    page_curves(out);
    text_add(out, "<figure><figcaption>Slowdown, logarithmic: 1 is as fast as alone on all %u SMs"
             "</figcaption><div class=\"chart\" role=\"img\" aria-label=\"Slowdown against the "
             "number of SMs, a curve for each app\"></div></figure>\n",
             curve_whole(&a->curves.of[0])->sms);
    page_card_end(out);
}

/* ---- candidates ---- */

static void show_split(const struct advise *a, const struct split *s, struct text *out)
{
    u32 app_n = a->splits.app_n;
    double np[APPS_MAX];
    page_row(out, s->policy);
    page_word(out, s->simulated ? "simulated" : "predicted");
    page_word(out, s->front ? "yes" : "no");
    if (a->goal.bounded) page_word(out, s->excess <= 1 ? "yes" : "no");
    for (u32 i = 0; i < app_n; i++) {
        np[i] = 1 / s->slowdown[i];
        page_cell(out, s->slowdown[i], 3, false);
    }
    for (u32 i = 0; i < app_n; i++)
        if (goal_has_p99(&a->goal, i))
            page_cell(out, s->p99[i], 1, s == a->best && a->goal.apps[i].p99_least);
    for (u32 i = 0; i < COUNT_OF(metrics); i++) {
        const struct metric_row *row = metric_find(metrics[i]);
        page_cell(out, row->value(np, s->ipc, app_n), 3, s == a->best && row == a->goal.metric);
    }
    page_cell(out, s->simulated ? (double)s->warp : (double)NAN, 0, false);
    page_row_end(out);
}

static void show_splits(const struct advise *a, struct text *out)
{
    const char *heads[2 * APPS_MAX + COUNT_OF(metrics) + 5] = {"split", "source", "front"};
    char names[COUNT_OF(metrics)][ROOM], p99s[APPS_MAX][ROOM];
    u32 n = 3, words;
    if (a->goal.bounded) heads[n++] = "meets goal";
    words = n;
    for (u32 i = 0; i < a->splits.app_n; i++) heads[n++] = a->names[i];
    for (u32 i = 0; i < a->splits.app_n; i++) {
        if (!goal_has_p99(&a->goal, i)) continue;
        snprintf(p99s[i], ROOM, "%s p99 us", a->names[i]);
        heads[n++] = p99s[i];
    }
    for (u32 i = 0; i < COUNT_OF(metrics); i++)
        heads[n++] = page_spaced(metrics[i], names[i], ROOM);
    heads[n++] = "warp instructions";
    page_card(out, "Candidates", "Slowdown of each app and metrics of each split. Front: no split "
              "is better for an app and at least as good for every app, by p99 of an app that has "
              "one in the goal, else by slowdown. Predictions come from the "
              "curves and the simulated splits.");
    page_table(out, "All splits, simulated and predicted", heads, n, words);
    for (u32 simulated = 2; simulated--;)
        for (u32 i = 0; i < a->splits.n; i++)
            if (a->splits.at[i].simulated == simulated) show_split(a, &a->splits.at[i], out);
    page_table_end(out);
    page_metric_words(out);
    page_card_end(out);
}

/* ---- data of the chart ---- */

static void show_points(struct json_writer *j, const struct advise *a, u32 app)
{
    const struct curve *c = &a->curves.of[app];
    json_open(j, "alone", '['); /* [isolated run] SMs and slowdown */
    for (u32 i = 0; i < c->n; i++) {
        json_open_flat(j, NULL, '[');
        json_put_integer(j, NULL, c->points[i].sms);
        json_put_real(j, NULL, curve_point(c, i));
        json_close(j, ']');
    }
    json_close(j, ']');
    json_open(j, "shared", '['); /* [simulated split] SMs and slowdown */
    for (u32 i = 0; i < a->splits.n; i++) {
        const struct split *s = &a->splits.at[i];
        if (!s->simulated) continue;
        json_open_flat(j, NULL, '[');
        json_put_real(j, NULL, s->share[app]);
        json_put_real(j, NULL, s->slowdown[app]);
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void show_data(const struct advise *a, struct text *out)
{
    struct json_writer j = {.out = out};
    json_open(&j, NULL, '{');
    json_open(&j, "apps", '[');
    for (u32 i = 0; i < a->splits.app_n; i++) {
        const struct curve *c = &a->curves.of[i];
        json_open(&j, NULL, '{');
        json_put_text(&j, "name", a->names[i]);
        json_open_flat(&j, "curve", '['); /* on 1, 2, ... SMs */
        for (u32 n = 1; n <= curve_whole(c)->sms; n++)
            json_put_real(&j, NULL, curve_slowdown(c, PACE_IPC, n));
        json_close(&j, ']');
        show_points(&j, a, i);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

void advise_page(const struct advise *a, struct text *out)
{
    struct text title = {0}, about = {0}, verdict = {0}, data = {0};
    for (u32 i = 0; i < a->splits.app_n; i++) text_add(&title, "%s%s", i ? " + " : "", a->names[i]);
    show_lead(a, &about);
    page_start(out, title.bytes, about.bytes);
    if (a->setup->sim->command) page_origin_here(out, a->setup->sim->command);
    page_card(out, "Result", NULL);
    advise_verdict(a, &verdict);
    page_verdict(out, verdict.bytes);
    show_cost(a, out);
    page_card_end(out);
    show_chart(a, out);
    show_splits(a, out);
    show_data(a, &data);
    page_end(out, "src/run/page/advise.js", &data);
    text_free(&title);
    text_free(&about);
    text_free(&verdict);
    text_free(&data);
}

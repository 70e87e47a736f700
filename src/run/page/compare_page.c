/* The page of `corun compare`: tables and bars in HTML, data of the curves in JSON. */
#include "run/page/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/io/json_writer.h"
#include "run/page/page.h"
#include "run/page/request_card.h"
#include "run/study/blame.h"
#include "run/study/seeds.h"

enum { ROOM = 96, COLUMNS = 32 };

static void lead(const struct batch *b, struct text *out)
{
    const struct sim *s = &b->runs[0].sim;
    text_add(out, "%u polic%s on %s, until %s", b->run_n, b->run_n == 1 ? "y" : "ies",
             s->setup->gpu->name, until_name(s->setup->until));
    char room[TEXT_NUMBER];
    if (s->setup->cycles)
        text_add(out, ", %s cycles", page_number((double)s->setup->cycles, 0, room));
    if (s->setup->instructions) {
        text_add(out, ", at most %s thread instructions per app",
                 page_number((double)s->setup->instructions, 0, room));
    }
    text_add(out, ", seed %llu", (unsigned long long)s->setup->seed);
    if (b->seeds.n > 1) text_add(out, " and the %u after", b->seeds.n - 1);
    text_add(out, ". Isolated runs on %s.",
             b->setup->from == ALONE_SKIP ? "nothing: isolated runs were skipped"
             : b->setup->on == ALONE_SHARE ? "each app's share of the GPU" : "the whole GPU");
}

/* Returns the run drawn as a reference line instead of a bar: the oracle's beside other policies;
 * UINT32_MAX: none. */
static u32 reference_run(const struct batch *b)
{
    struct compare_oracle oracle;
    return b->run_n > 1 && compare_oracle(b, &oracle) ? oracle.run : UINT32_MAX;
}

static void show_metric_table(const struct batch *b, struct text *out)
{
    struct compare_oracle oracle;
    bool has_oracle = compare_oracle(b, &oracle);
    const char *heads[COLUMNS] = {"policy", "status", "cycles"};
    char names[COLUMNS][ROOM];
    u32 n = 3;
    for (u32 i = 0; i < metric_row_n; i++, n++) {
        heads[n] = page_spaced(metric_rows[i].name, names[n], ROOM);
    }
    if (has_oracle) heads[n++] = "% of oracle";
    page_table(out, "Metrics of each policy", heads, n, 2);
    for (u32 r = 0; r < b->run_n; r++) {
        if (r == reference_run(b)) page_reference_row(out, b->setup->policies[r]);
        else page_row(out, b->setup->policies[r]);
        page_word(out, sim_status_name(b->runs[r].sim.status));
        page_cell(out, (double)b->runs[r].sim.cycles, 0, false);
        for (u32 i = 0; i < metric_row_n; i++) {
            struct spread s = seeds_metric(b, r, &metric_rows[i]);
            page_cell_within(out, s.mean, s.half, 3, compare_best(b, &metric_rows[i]) == r);
        }
        if (has_oracle) page_cell(out, 100 * compare_of_oracle(b, &oracle, r), 1, false);
        page_row_end(out);
    }
    page_table_end(out);
    page_metric_words(out);
    if (b->seeds.n)
        text_add(out, "<p class=\"about\">Values are means over %u seeds with 95 %% confidence "
                      "intervals. Cycles, curves and scheduler cycles are of seed %llu.</p>\n",
                 b->seeds.n, (unsigned long long)b->setup->sim.seed);
    if (!has_oracle) return;
    char name[ROOM];
    struct text found = {0};
    compare_found(b, &oracle, &found);
    text_add(out, "<p class=\"about\">The oracle sought the best %s; the last column is how close "
                  "each policy comes to the oracle, in percent",
             page_spaced(oracle.metric->name, name, ROOM));
    if (found.size) text_add(out, ", ");
    page_text(out, text_get(&found));
    text_add(out, ".</p>\n");
    text_free(&found);
}

/* Throughput against fairness, a point for each policy that completed. */
static void show_scatter(const struct batch *b, struct text *out)
{
    const struct metric_row *x = metric_find("fairness"), *y = metric_find("weighted_speedup");
    struct page_point *points = base_alloc(b->run_n * sizeof *points);
    u32 best = compare_best(b, y);
    for (u32 r = 0; r < b->run_n; r++) {
        bool has = compare_has(b, r, x) && compare_has(b, r, y);
        points[r] = (struct page_point){
            b->setup->policies[r], has ? compare_value(b, r, x) : (double)NAN,
            has ? compare_value(b, r, y) : (double)NAN,
            compare_sought(b->setup->policies[r]) ? PAGE_REFERENCE
            : r == best ? PAGE_BEST : PAGE_PLAIN};
    }
    page_scatter(out, "fairness", "weighted speedup", points, b->run_n);
    free(points);
}

static void show_app_table(const struct batch *b, struct text *out)
{
    const char *heads[APPS_MAX + 1] = {"normalized IPC"};
    const struct sim *s = &b->runs[0].sim;
    for (u32 a = 0; a < s->app_n; a++) heads[a + 1] = s->apps[a].name;
    text_add(out, "<details><summary>as a table</summary>\n");
    page_table(out, "Normalized IPC of each app under each policy", heads, s->app_n + 1, 1);
    for (u32 r = 0; r < b->run_n; r++) {
        page_row(out, b->setup->policies[r]);
        for (u32 a = 0; a < s->app_n; a++) {
            struct spread x = seeds_app(b, r, a, SEEDS_NORMALIZED_IPC);
            page_cell_within(out, x.mean, x.half, 3, false);
        }
        page_row_end(out);
    }
    page_table_end(out);
    text_add(out, "</details>\n");
}

/* Writes a group of bars with a bar per run, on a scale from 0 to the maximum of `top` and all
 * values. */
static void show_bars(const struct batch *b, const char *title, const char *note,
                      const struct spread *values, double top, u32 best, u32 colour,
                      struct text *out)
{
    u32 reference = reference_run(b);
    struct text words = {0};
    for (u32 r = 0; r < b->run_n; r++) {
        if (isfinite(values[r].mean) && values[r].mean > top) top = values[r].mean;
    }
    bool line = reference != UINT32_MAX && isfinite(values[reference].mean);
    if (note) text_add(&words, "%s%s", note, line ? "; " : "");
    if (line) text_add(&words, "line: the oracle's");
    page_bars(out, title, words.bytes, line ? values[reference].mean / top : (double)NAN);
    text_free(&words);
    for (u32 r = 0; r < b->run_n; r++) {
        if (r == reference) continue;
        struct page_piece piece = {values[r].mean / top, colour, "app", NULL,
                                   values[r].half / top};
        char room[TEXT_NUMBER];
        page_bar(out, b->setup->policies[r], &piece, 1,
                 page_number(values[r].mean, page_digits(top), room), best == r);
    }
    page_bars_end(out);
}

static bool any_alone(const struct batch *b)
{
    bool known = false;
    for (u32 r = 0; r < b->run_n; r++) {
        for (u32 a = 0; a < b->runs[r].sim.app_n; a++) known |= run_alone_ipc(&b->runs[r], a) > 0;
    }
    return known;
}

static void show_app_bars(const struct batch *b, struct spread *values, struct text *out)
{
    const struct sim *s = &b->runs[0].sim;
    bool normalized = any_alone(b);
    if (normalized) page_card(out, "Normalized IPC of each app", "Shared IPC over isolated IPC; a "
                              "full bar is 1, as fast as alone.");
    else page_card(out, "IPC of each app", "Thread instructions per cycle; without isolated runs "
                   "for comparison.");
    text_add(out, "<div class=\"grid\">\n");
    for (u32 a = 0; a < s->app_n; a++) {
        for (u32 r = 0; r < b->run_n; r++) {
            values[r] = seeds_app(b, r, a, normalized ? SEEDS_NORMALIZED_IPC : SEEDS_IPC);
        }
        show_bars(b, s->apps[a].name, NULL, values, normalized ? 1 : 1e-9, UINT32_MAX, a, out);
    }
    text_add(out, "</div>\n");
    if (normalized) show_app_table(b, out);
    page_card_end(out);
}

static void show_metric_bars(const struct batch *b, struct spread *values, struct text *out)
{
    char name[ROOM];
    page_card(out, "All apps together", "The best value of each metric stands in bold.");
    text_add(out, "<div class=\"grid small\">\n");
    for (u32 i = 0; i < metric_row_n; i++) {
        const struct metric_row *row = &metric_rows[i];
        for (u32 r = 0; r < b->run_n; r++) values[r] = seeds_metric(b, r, row);
        if (compare_best(b, row) == UINT32_MAX) continue;
        show_bars(b, page_spaced(row->name, name, ROOM),
                  row->best == METRIC_MORE ? "more is better" : "less is better", values, 1e-9,
                  compare_best(b, row), PAGE_COLOURS - 1, out);
    }
    text_add(out, "</div>\n");
    page_card_end(out);
}

/* ---- scheduler cycles ---- */

/* Lists the parts of scheduler cycles: issued, then every stall.* ratio. */
static u32 list_causes(const struct ratio_row **rows, const char **names)
{
    u32 n = 0;
    rows[n] = ratio_find("sched.utilization");
    names[n++] = "issued";
    for (u32 i = 0; i < gpu_ratio_row_n && n < PAGE_COLOURS; i++) {
        const char *cause = stall_name(&gpu_ratio_rows[i]);
        if (!cause) continue;
        rows[n] = &gpu_ratio_rows[i];
        names[n++] = cause;
    }
    return n;
}

static void show_legend(const char *const *names, u32 n, struct text *out)
{
    text_add(out, "<ul class=\"legend\">\n");
    for (u32 i = 0; i < n; i++) {
        text_add(out, "<li><i style=\"background:var(--cause%u)\"></i>", i % PAGE_COLOURS);
        page_text(out, names[i]);
        text_add(out, "</li>\n");
    }
    text_add(out, "</ul>\n");
}

static void show_causes(const struct batch *b, struct text *out)
{
    const struct ratio_row *rows[PAGE_COLOURS];
    const char *names[PAGE_COLOURS];
    const struct sim *s = &b->runs[0].sim;
    u32 n = list_causes(rows, names);
    page_card(out, "Scheduler cycles of each app", "Cycles of all warp schedulers while the app "
              "ran: issue cycles of the app, and cycles without issue attributed to a warp of the "
              "app, by cause. The remaining cycles belong to the other apps, or to no app. Parts "
              "stand in the order of the legend.");
    show_legend(names, n, out);
    text_add(out, "<div class=\"grid\">\n");
    for (u32 a = 0; a < s->app_n; a++) {
        page_bars(out, s->apps[a].name, NULL, (double)NAN);
        for (u32 r = 0; r < b->run_n; r++) {
            const struct sim_app *app = &b->runs[r].sim.apps[a];
            struct page_piece pieces[PAGE_COLOURS];
            char titles[PAGE_COLOURS][ROOM], value[ROOM];
            double sum = 0;
            for (u32 i = 0; i < n; i++) {
                double share = ratio_of(rows[i], &app->stats, &app->capacity);
                snprintf(titles[i], ROOM, "%s %.1f %%", names[i], 100 * share);
                pieces[i] = (struct page_piece){share, i, "cause", titles[i], 0};
                if (isfinite(share)) sum += share;
            }
            snprintf(value, sizeof value, "%.0f %%", 100 * sum);
            page_bar(out, b->setup->policies[r], pieces, n, value, false);
        }
        page_bars_end(out);
    }
    text_add(out, "</div>\n<details><summary>as a table, in %% of the cycles</summary>\n");
    const char *heads[PAGE_COLOURS + 2] = {"policy", "app"};
    for (u32 i = 0; i < n; i++) heads[i + 2] = names[i];
    page_table(out, "Scheduler cycles of each app by cause, in per cent", heads, n + 2, 2);
    for (u32 r = 0; r < b->run_n; r++) {
        for (u32 a = 0; a < s->app_n; a++) {
            const struct sim_app *app = &b->runs[r].sim.apps[a];
            page_row(out, b->setup->policies[r]);
            page_word(out, app->name);
            for (u32 i = 0; i < n; i++) {
                page_cell(out, 100 * ratio_of(rows[i], &app->stats, &app->capacity), 1, false);
            }
            page_row_end(out);
        }
    }
    page_table_end(out);
    text_add(out, "</details>\n");
    page_words(out, "description of the causes");
    for (u32 i = 0; i < n; i++) page_word_means(out, names[i], rows[i]->sentence, NULL);
    page_words_end(out);
    page_card_end(out);
}

/* ---- blame ---- */

static void show_blame_row(const struct batch *b, u32 run, u32 app_id, const struct blame *blame,
                           struct text *out)
{
    const struct sim *s = &b->runs[run].sim;
    const struct sim_app *app = &s->apps[app_id];
    double part = app->cycles ? 100 / (double)app->cycles : 0, lost = part * (double)blame->lost;
    struct text causes = {0};
    for (u32 c = 0; c < s->app_n; c++) {
        enum cause most;
        blame_to(blame, c, &most);
        if (most == CAUSE_N) continue;
        text_add(&causes, "%s%s", causes.size ? ", " : "", cause_rows[most].name);
        if (s->app_n > 2) text_add(&causes, " to %s", s->apps[c].name);
    }
    page_row(out, b->setup->policies[run]);
    page_word(out, app->name);
    page_word(out, text_get(&causes));
    page_cell(out, lost, 1, false);
    for (u32 c = 0; c < s->app_n; c++) {
        enum cause most;
        double to = part * (double)blame_to(blame, c, &most);
        if (c == app_id) page_cell(out, (double)NAN, 1, false);
        else page_heat(out, to, 1, lost > 0 ? fmin(fmax(to / 100, 0), 1) : 0, false);
    }
    page_cell(out, part * (double)blame->unexplained, 1, false);
    page_row_end(out);
    text_free(&causes);
}

/* Shows the losses as a matrix: a row per app that lost, a column per app that caused the loss. */
static void show_blames(const struct batch *b, struct text *out)
{
    const struct sim *s = &b->runs[0].sim;
    const char *heads[APPS_MAX + 5] = {"policy", "app", "largest cause", "lost %"};
    char names[APPS_MAX][ROOM];
    struct blame blame;
    if (b->setup->blame == BLAME_OFF || s->app_n < 2) return;
    page_card(out, "Blame", "Cycles that each app lost to sharing, in per cent of its cycles under "
              "the policy: in all, to each other app, and without a cause. A row is an app that "
              "lost, a column the app that caused the loss. Negative: a gain.");
    for (u32 a = 0; a < s->app_n; a++) {
        snprintf(names[a], ROOM, "to %s", s->apps[a].name);
        heads[4 + a] = names[a];
    }
    heads[4 + s->app_n] = "unexplained";
    page_table(out, "Losses by policy and app, to each other app, in per cent of the app's cycles",
               heads, s->app_n + 5, 3);
    for (u32 r = 0; r < b->run_n; r++)
        for (u32 a = 0; !batch_failed(b, r) && a < b->runs[r].sim.app_n; a++)
            if (blame_of(&b->runs[r], a, &blame)) show_blame_row(b, r, a, &blame, out);
    page_table_end(out);
    page_words(out, "description of the causes of a loss");
    for (u32 i = 0; i < CAUSE_N; i++)
        page_word_means(out, cause_rows[i].name, cause_rows[i].sentence, NULL);
    page_words_end(out);
    page_card_end(out);
}

/* ---- over time ---- */

static bool all_alone(const struct batch *b)
{
    bool known = true;
    for (u32 r = 0; r < b->run_n; r++) {
        for (u32 a = 0; !batch_failed(b, r) && a < b->runs[r].sim.app_n; a++) {
            known &= run_alone_ipc(&b->runs[r], a) > 0;
        }
    }
    return known;
}

static void show_curve(struct json_writer *j, const struct batch_run *r, u32 app,
                       const struct ratio_row *row, double over)
{
    const struct intervals *v = &r->sim.intervals;
    json_open_flat(j, NULL, '[');
    for (size_t i = 0; i < v->n; i++) {
        struct gpu_stat s;
        intervals_stat(v, i, app, &s);
        double value = ratio_of(row, &s, &v->at[i].capacity) / over;
        json_put_real(j, NULL, isfinite(value) ? round(value * 1e5) / 1e5 : value);
    }
    json_close(j, ']');
}

static void show_run(struct json_writer *j, const struct batch_run *r, bool normalized)
{
    const struct sim *s = &r->sim;
    json_open(j, NULL, '{');
    json_put_text(j, "policy", s->setup->policy);
    json_open_flat(j, "start", '[');
    for (size_t i = 0; i < s->intervals.n; i++) json_put_integer(j, NULL, s->intervals.at[i].start);
    json_put_integer(j, NULL, s->cycles);
    json_close(j, ']');
    json_open(j, "launched", '['); /* [app] cycles of launches */
    for (u32 a = 0; a < s->app_n; a++) {
        const struct sim_app *app = &s->apps[a];
        json_open_flat(j, NULL, '[');
        for (u32 i = 0; i < app->launched_n; i++) json_put_integer(j, NULL, app->launched[i]);
        json_close(j, ']');
    }
    json_close(j, ']');
    json_open(j, "ipc", '[');
    for (u32 a = 0; a < s->app_n; a++) {
        double alone = normalized ? run_alone_ipc(r, a) : 1;
        show_curve(j, r, a, ratio_find("inst.ipc_thread"), alone);
    }
    json_close(j, ']');
    json_open(j, "blocks", '[');
    for (u32 a = 0; a < s->app_n; a++) {
        show_curve(j, r, a, ratio_find("blocks.mean_resident"), 1);
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void show_data(const struct batch *b, bool normalized, struct text *out)
{
    struct json_writer j = {.out = out};
    const struct sim *s = &b->runs[0].sim;
    json_open(&j, NULL, '{');
    json_put_bool(&j, "normalized", normalized);
    json_open_flat(&j, "apps", '[');
    for (u32 a = 0; a < s->app_n; a++) json_put_text(&j, NULL, s->apps[a].name);
    json_close(&j, ']');
    json_open(&j, "runs", '[');
    for (u32 r = 0; r < b->run_n; r++) show_run(&j, &b->runs[r], normalized);
    json_close(&j, ']');
    if (request_card_any(b)) request_card_data(b, &j);
    json_close(&j, '}');
}

static void show_chart(u32 run, const char *kind, const char *caption, struct text *out)
{
    text_add(out, "<figure><figcaption>%s</figcaption><div class=\"chart\" role=\"img\" "
                  "aria-label=\"%s, over time, a curve for each app\" data-run=\"%u\" "
                  "data-kind=\"%s\"></div></figure>\n", caption, caption, run, kind);
}

static void show_times(const struct batch *b, bool normalized, struct text *out)
{
    page_card(out, "Over time", "How fast each app ran, and the blocks it had resident on an SM, "
              "mean over the SMs, stacked from below in the order of the legend. IPC is a moving "
              "mean over five intervals; ticks below the curves are launches, a row per app. All "
              "policies have the same scales and a common cursor; drag to zoom, double click to "
              "go back.");
    text_add(out, "<ul class=\"legend\" data-of=\"apps\"></ul>\n");
    page_curves(out);
    for (u32 r = 0; r < b->run_n; r++) {
        if (batch_failed(b, r)) continue;
        text_add(out, "<h3>");
        page_text(out, b->setup->policies[r]);
        text_add(out, "</h3>\n<div class=\"two\">\n");
        show_chart(r, "ipc", normalized ? "Normalized IPC: 1 is as fast as alone"
                                        : "IPC, in thread instructions per cycle", out);
        show_chart(r, "blocks", "Resident blocks per SM", out);
        text_add(out, "</div>\n");
    }
    page_card_end(out);
}

void compare_page(const struct batch *b, struct text *out)
{
    struct text title = {0}, about = {0}, verdict = {0}, data = {0};
    const struct sim *s = &b->runs[0].sim;
    struct spread *values = base_alloc(b->run_n * sizeof *values);
    for (u32 a = 0; a < s->app_n; a++) text_add(&title, "%s%s", a ? " + " : "", s->apps[a].name);
    lead(b, &about);
    page_start(out, title.bytes, about.bytes);
    if (b->setup->sim.command) page_origin_here(out, b->setup->sim.command);
    page_card(out, "Result", NULL);
    compare_verdict(b, &verdict);
    page_verdict(out, verdict.bytes);
    show_scatter(b, out);
    show_metric_table(b, out);
    page_card_end(out);
    request_card(b, out);
    show_app_bars(b, values, out);
    show_metric_bars(b, values, out);
    show_times(b, all_alone(b), out);
    show_causes(b, out);
    show_blames(b, out);
    show_data(b, all_alone(b), &data);
    page_end(out, "src/run/page/compare.js", &data);
    free(values);
    text_free(&title);
    text_free(&about);
    text_free(&verdict);
    text_free(&data);
}

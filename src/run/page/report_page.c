/* The page of `corun report`. */
#include "run/page/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "run/page/compare.h"
#include "run/io/json_writer.h"
#include "run/page/page.h"

enum { ROOM = 96, HEADS = 64, OPEN_MAX = 12 };

static u32 count(const struct report *r, const char *status)
{
    u32 n = 0;
    for (u32 i = 0; i < r->run_n; i++) n += !strcmp(r->runs[i].status, status);
    return n;
}

static void show_tile(struct text *out, u32 n, const char *what)
{
    text_add(out, "<div><b>%u</b><span>%s</span></div>\n", n, what);
}

static void show_head(const struct report *r, struct text *out)
{
    u32 sets = 0, policies = 0, completed = count(r, "completed"), failed = count(r, "failed");
    for (u32 i = 0; i < r->setting_n; i++) {
        sets += r->settings[i].point_n;
        policies = max_u32(policies, r->settings[i].policy_n);
    }
    page_card(out, "Points", NULL);
    text_add(out, "<div class=\"tiles\">\n");
    show_tile(out, r->run_n, "points");
    show_tile(out, completed, "completed");
    show_tile(out, failed, "failed");
    show_tile(out, r->run_n - completed - failed, "ended otherwise");
    show_tile(out, policies, "policies");
    show_tile(out, sets, "app sets");
    show_tile(out, r->setting_n, "settings");
    text_add(out, "</div>\n");
    if (r->program_n > 1)
        text_add(out, "<p class=\"about\">%u different coruns made these points: their numbers may "
                      "not be comparable. The sweep, run again, makes all of its points by one.</p>"
                      "\n", r->program_n);
    page_card_end(out);
}

static void show_trouble(const struct report *r, struct text *out)
{
    static const char *const heads[] = {"apps", "policy", "setting", "status", "reason"};
    if (count(r, "completed") == r->run_n) return;
    text_add(out, "<section class=\"trouble\">\n<h2>Points that did not complete</h2>\n"
                  "<details%s><summary>their reasons</summary>\n",
             r->run_n - count(r, "completed") <= OPEN_MAX ? " open" : "");
    page_table(out, heads, COUNT_OF(heads), COUNT_OF(heads));
    for (u32 i = 0; i < r->run_n; i++) {
        const struct report_run *run = &r->runs[i];
        if (!strcmp(run->status, "completed")) continue;
        page_row(out, run->apps);
        page_word(out, run->policy);
        page_word(out, run->setting);
        page_word(out, run->status);
        page_word(out, run->reason);
        page_row_end(out);
    }
    page_table_end(out);
    text_add(out, "</details>\n");
    page_card_end(out);
}

/* The policy whose mean of a metric is best; UINT32_MAX: none. */
static u32 best_mean(const struct report_setting *s, u32 metric)
{
    u32 best = UINT32_MAX, n;
    double most = 0;
    for (u32 p = 0; p < s->policy_n; p++) {
        double mean = report_mean(s, p, metric, &n);
        bool less = metric_rows[metric].best == METRIC_LESS;
        if (!isfinite(mean)) continue;
        if (best != UINT32_MAX && (less ? mean >= most : mean <= most)) continue;
        best = p;
        most = mean;
    }
    return best;
}

/* How near a policy's mean comes to the oracle's, of the metric that this one sought. */
static double of_oracle(const struct report_setting *s, u32 policy, u32 oracle)
{
    const struct metric_row *sought = compare_sought(s->policies[oracle]);
    u32 metric = (u32)(sought - metric_rows), n;
    return compare_fraction(sought, report_mean(s, policy, metric, &n),
                            report_mean(s, oracle, metric, &n));
}

static void show_means(const struct report_setting *s, struct text *out)
{
    const char *heads[HEADS] = {"policy", "points"};
    char names[HEADS][ROOM];
    u32 all = 0, n, oracle = 0, column_n = metric_row_n + 2;
    while (oracle < s->policy_n && !compare_sought(s->policies[oracle])) oracle++;
    if (oracle < s->policy_n) heads[column_n++] = "% of oracle";
    for (u32 i = 0; i < metric_row_n; i++) {
        heads[i + 2] = page_spaced(metric_rows[i].name, names[i], ROOM);
    }
    page_table(out, heads, column_n, 1);
    for (u32 p = 0; p < s->policy_n; p++) {
        u32 done = 0;
        for (u32 k = 0; k < s->point_n; k++) {
            const struct report_run *run = s->runs[k * s->policy_n + p];
            done += run && !strcmp(run->status, "completed");
        }
        page_row(out, s->policies[p]);
        page_cell(out, done, 0, false);
        for (u32 i = 0; i < metric_row_n; i++) {
            double mean = report_mean(s, p, i, &n);
            page_cell(out, mean, 3, best_mean(s, i) == p);
            all = max_u32(all, n);
        }
        if (oracle < s->policy_n) page_cell(out, 100 * of_oracle(s, p, oracle), 1, false);
        page_row_end(out);
    }
    page_table_end(out);
    text_add(out, "<p class=\"about\">Geometric means over the app sets (up to %u of %u) where the "
                  "metric is above 0 under every policy that has it at all. The best of each "
                  "column stands in bold.</p>\n", all, s->point_n);
}

static void show_mean_bars(const struct report_setting *s, struct text *out)
{
    char name[ROOM], value[ROOM];
    u32 n;
    text_add(out, "<div class=\"grid\">\n");
    for (u32 i = 0; i < metric_row_n; i++) {
        const struct metric_row *row = &metric_rows[i];
        double top = 0;
        for (u32 p = 0; p < s->policy_n; p++) top = fmax(top, report_mean(s, p, i, &n));
        if (!(top > 0)) continue;
        page_bars(out, page_spaced(row->name, name, ROOM),
                  row->best == METRIC_MORE ? "more is better" : "less is better");
        for (u32 p = 0; p < s->policy_n; p++) {
            double mean = report_mean(s, p, i, &n);
            if (!isfinite(mean)) continue;
            struct page_piece piece = {mean / top, p, "app", NULL};
            snprintf(value, sizeof value, "%.3f", mean);
            page_bar(out, s->policies[p], &piece, 1, value, best_mean(s, i) == p);
        }
        page_bars_end(out);
    }
    text_add(out, "</div>\n");
}

/* One row per app set, a metric of every policy side by side. */
static void show_points(const struct report_setting *s, u32 metric, struct text *out)
{
    const char *heads[HEADS] = {"apps", "seed"};
    char name[ROOM];
    bool less = metric_rows[metric].best == METRIC_LESS;
    u32 n = min_u32(s->policy_n, HEADS - 2);
    for (u32 p = 0; p < n; p++) heads[p + 2] = s->policies[p];
    text_add(out, "<details class=\"points\"><summary>%s of every app set</summary>\n",
             page_spaced(metric_rows[metric].name, name, ROOM));
    page_table(out, heads, n + 2, 1);
    for (u32 k = 0; k < s->point_n; k++) {
        const struct report_run *const *row = &s->runs[k * s->policy_n], *some = NULL;
        double best = (double)NAN;
        for (u32 p = 0; p < s->policy_n; p++) {
            if (!row[p]) continue;
            some = row[p];
            best = less ? fmin(best, some->metrics[metric]) : fmax(best, some->metrics[metric]);
        }
        page_row(out, some->apps);
        page_cell(out, (double)some->seed, 0, false);
        for (u32 p = 0; p < n; p++) {
            double value = row[p] ? row[p]->metrics[metric] : (double)NAN;
            page_cell(out, value, 3, !(value < best) && !(value > best));
        }
        page_row_end(out);
    }
    page_table_end(out);
    text_add(out, "</details>\n");
}

static void show_setting(const struct report_setting *s, u32 index, struct text *out)
{
    page_card(out, s->name, NULL);
    show_means(s, out);
    show_mean_bars(s, out);
    text_add(out, "<h3>Every app set under each policy <small>each policy's app sets in rising "
                  "order</small></h3>\n<div class=\"choose\"></div>\n"
                  "<div class=\"chart tall\" role=\"img\" "
                  "aria-label=\"a curve per policy\" data-setting=\"%u\"></div>\n", index);
    for (u32 i = 0; i < metric_row_n; i++) show_points(s, i, out);
    page_card_end(out);
}

static void show_all(const struct report *r, struct text *out)
{
    const char *heads[HEADS] = {"apps", "policy"};
    char names[HEADS][ROOM];
    u32 n = 2;
    if (r->setting_n > 1) heads[n++] = "setting";
    heads[n++] = "status";
    heads[n++] = "seed";
    heads[n++] = "cycles";
    for (u32 i = 0; i < metric_row_n; i++, n++) {
        heads[n] = page_spaced(metric_rows[i].name, names[i], ROOM);
    }
    heads[n++] = "normalized IPC";
    page_card(out, "All points", "A click on a column's name sorts by it.");
    page_table(out, heads, n, r->setting_n > 1 ? 4 : 3);
    for (u32 i = 0; i < r->run_n; i++) {
        const struct report_run *run = &r->runs[i];
        struct text np = {0};
        page_row(out, run->apps);
        page_word(out, run->policy);
        if (r->setting_n > 1) page_word(out, run->setting);
        page_word(out, run->status);
        page_cell(out, (double)run->seed, 0, false);
        page_cell(out, run->cycles ? (double)run->cycles : (double)NAN, 0, false);
        for (u32 k = 0; k < metric_row_n; k++) page_cell(out, run->metrics[k], 3, false);
        for (u32 a = 0; a < run->app_n; a++) {
            text_add(&np, isfinite(run->np[a]) ? "%s%.2f" : "%s-", a ? " / " : "", run->np[a]);
        }
        text_add(out, "<td>%s</td>", text_get(&np));
        page_row_end(out);
        text_free(&np);
    }
    page_table_end(out);
    page_card_end(out);
}

static void show_data(const struct report *r, struct text *out)
{
    struct json_writer j = {.out = out};
    json_open(&j, NULL, '{');
    json_open(&j, "settings", '[');
    for (u32 i = 0; i < r->setting_n; i++) {
        const struct report_setting *s = &r->settings[i];
        json_open(&j, NULL, '{');
        json_open_flat(&j, "policies", '[');
        for (u32 p = 0; p < s->policy_n; p++) json_put_text(&j, NULL, s->policies[p]);
        json_close(&j, ']');
        json_open(&j, "metrics", '{');
        for (u32 m = 0; m < metric_row_n; m++) {
            json_open(&j, metric_rows[m].name, '[');
            for (u32 p = 0; p < s->policy_n; p++) {
                json_open_flat(&j, NULL, '[');
                for (u32 k = 0; k < s->point_n; k++) {
                    const struct report_run *run = s->runs[k * s->policy_n + p];
                    json_put_real(&j, NULL, run ? run->metrics[m] : (double)NAN);
                }
                json_close(&j, ']');
            }
            json_close(&j, ']');
        }
        json_close(&j, '}');
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

void report_page(const struct report *r, struct text *out)
{
    struct text data = {0};
    page_start(out, r->title[0] ? r->title : "Sweep", "Summary of a sweep: every set of apps under "
               "every policy, by machine, options and rule.");
    show_head(r, out);
    show_trouble(r, out);
    for (u32 i = 0; i < r->setting_n; i++) show_setting(&r->settings[i], i, out);
    show_all(r, out);
    show_data(r, &data);
    page_end(out, "src/run/page/report.js", &data);
    text_free(&data);
}

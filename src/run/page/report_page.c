/* The page of `corun report`. */
#include "run/page/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "run/page/compare.h"
#include "run/io/json_writer.h"
#include "run/page/page.h"
#include "run/study/seeds.h"

enum { ROOM = 96, HEADS = 64, OPEN_MAX = 12 };

static u32 count(const struct report *r, const char *status)
{
    u32 n = 0;
    for (u32 i = 0; i < r->run_n; i++) n += !strcmp(r->runs[i].status, status);
    return n;
}

static void show_tile(struct text *out, u32 n, const char *what)
{
    char room[TEXT_NUMBER];
    text_add(out, "<div><b>%s</b><span>%s</span></div>\n", page_number(n, 0, room), what);
}

/* True if all points have the same seed: tables then omit the seed. */
static bool one_seed(const struct report *r)
{
    bool one = true;
    for (u32 i = 1; i < r->run_n; i++) one &= r->runs[i].seed == r->runs[0].seed;
    return one;
}

/* Leads the page of an unfinished sweep. */
static void show_unfinished(const struct report *r, struct text *out)
{
    u32 missing = report_missing(r);
    if (!missing) return;
    text_add(out, "<section class=\"trouble unfinished\" role=\"alert\">\n"
                  "<h2>Unfinished sweep: %u of %u points</h2>\n"
                  "<p>%u point%s missing. Means, best values and figures below cover only the "
                  "points so far, and will change. To continue the sweep: <code>corun sweep ",
             r->done_n, r->point_n, missing, missing == 1 ? " is" : "s are");
    page_text(out, r->file[0] ? r->file : "FILE.yaml");
    text_add(out, " -o ");
    page_text(out, r->database);
    text_add(out, "</code></p>\n");
    page_card_end(out);
}

/* Names date, commit and command of the sweep, as far as the database has them. */
static void show_origin(const struct report *r, struct text *out)
{
    struct text command = {0};
    if (r->file[0]) text_add(&command, "corun sweep %s -o %s", r->file, r->database);
    page_origin(out, &(struct page_origin){r->first_day, r->last_day, r->commit,
                                           text_get(&command)});
    text_free(&command);
}

static void show_head(const struct report *r, struct text *out)
{
    u32 sets = 0, policies = 0, completed = count(r, "completed"), failed = count(r, "failed");
    for (u32 i = 0; i < r->setting_n; i++) {
        sets += r->settings[i].set_n;
        policies = max_u32(policies, r->settings[i].policy_n);
    }
    page_card(out, "Points", NULL);
    text_add(out, "<div class=\"tiles\">\n");
    show_tile(out, r->run_n, "points");
    show_tile(out, completed, "completed");
    show_tile(out, failed, "failed");
    if (r->run_n > completed + failed)
        show_tile(out, r->run_n - completed - failed, "ended otherwise");
    show_tile(out, policies, "policies");
    show_tile(out, sets, "sets of apps");
    show_tile(out, r->setting_n, "settings");
    text_add(out, "</div>\n<p class=\"about\">A point is a set of apps under a policy in a "
                  "setting: a machine with options, and a rule for the end of the run.");
    if (one_seed(r)) text_add(out, " All have seed %llu.", (unsigned long long)r->runs[0].seed);
    text_add(out, "</p>\n");
    show_origin(r, out);
    page_metric_words(out);
    if (r->program_n > 1)
        text_add(out, "<p class=\"about\">%u versions of corun made the points: numbers may not be "
                      "comparable. Repeat the sweep to run all points with one version.</p>\n",
                 r->program_n);
    if (r->damaged_n)
        text_add(out, "<p class=\"about\">%u point%s left out: damaged in the database. corun "
                      "sweep --repair runs the points again.</p>\n", r->damaged_n,
                 r->damaged_n == 1 ? " is" : "s are");
    page_card_end(out);
}

/* Writes a cell with a link to the card of the run's setting; nothing if all points have the same
 * setting. */
static void show_place(const struct report *r, const struct report_run *run, struct text *out)
{
    u32 i = 0;
    while (strcmp(r->settings[i].name, run->setting)) i++;
    if (r->setting_n == 1) return;
    text_add(out, "<td><a href=\"#setting%u\">%u</a></td>", i + 1, i + 1);
}

static void show_trouble(const struct report *r, struct text *out)
{
    const char *heads[] = {"apps", "policy", "status", "reason", "setting"};
    if (count(r, "completed") == r->run_n) return;
    text_add(out, "<section class=\"trouble\">\n"
                  "<h2>Points that did not complete</h2>\n"
                  "<details%s><summary>reasons</summary>\n",
             r->run_n - count(r, "completed") <= OPEN_MAX ? " open" : "");
    page_table(out, "Points that did not complete", heads,
               COUNT_OF(heads) - (r->setting_n == 1), 4);
    for (u32 i = 0; i < r->run_n; i++) {
        const struct report_run *run = &r->runs[i];
        if (!strcmp(run->status, "completed")) continue;
        page_row(out, run->apps);
        page_word(out, run->policy);
        page_word(out, run->status);
        page_line(out, run->reason);
        show_place(r, run, out);
        page_row_end(out);
    }
    page_table_end(out);
    text_add(out, "</details>\n");
    page_card_end(out);
}

/* Returns the index of the first oracle among a setting's policies; policy_n: none. */
static u32 oracle_of(const struct report_setting *s)
{
    u32 i = 0;
    while (i < s->policy_n && !compare_sought(s->policies[i])) i++;
    return i;
}

/* Returns the policy other than an oracle with the best mean of a metric; UINT32_MAX if none has a
 * mean. */
static u32 best_mean(const struct report_setting *s, u32 metric)
{
    u32 best = UINT32_MAX, n;
    double most = 0;
    for (u32 p = 0; p < s->policy_n; p++) {
        double mean = report_mean(s, p, metric, &n);
        bool less = metric_rows[metric].best == METRIC_LESS;
        if (!isfinite(mean) || compare_sought(s->policies[p])) continue;
        if (best != UINT32_MAX && (less ? mean >= most : mean <= most)) continue;
        best = p;
        most = mean;
    }
    return best;
}

/* Returns a policy's mean as a fraction of the oracle's mean, for the metric optimised by the
 * oracle. */
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
    u32 all = 0, n, oracle = oracle_of(s), column_n = metric_row_n + 2;
    if (oracle < s->policy_n) heads[column_n++] = "% of oracle";
    for (u32 i = 0; i < metric_row_n; i++) {
        heads[i + 2] = page_spaced(metric_rows[i].name, names[i], ROOM);
    }
    page_table(out, "Geometric means of each policy", heads, column_n, 1);
    for (u32 p = 0; p < s->policy_n; p++) {
        u32 done = 0;
        for (u32 k = 0; k < s->set_n; k++) {
            const struct report_run *run = s->runs[k * s->policy_n + p];
            done += run && !strcmp(run->status, "completed");
        }
        if (p == oracle) page_reference_row(out, s->policies[p]);
        else page_row(out, s->policies[p]);
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
    text_add(out, "<p class=\"about\">Geometric means over the sets of apps (up to %u of %u) where "
                  "the metric is above 0 under every policy with a value. The best value of each "
                  "column stands in bold%s; points: number of completed points.</p>\n",
             all, s->set_n, oracle < s->policy_n ? ", the oracle aside: a reference, not a policy"
                                                 : "");
}

/* Mean throughput against mean fairness, a point for each policy. */
static void show_scatter(const struct report_setting *s, struct text *out)
{
    const u32 x = (u32)(metric_find("fairness") - metric_rows);
    const u32 y = (u32)(metric_find("weighted_speedup") - metric_rows);
    struct page_point *points = base_alloc(s->policy_n * sizeof *points);
    u32 n, best = best_mean(s, y);
    for (u32 p = 0; p < s->policy_n; p++) {
        points[p] = (struct page_point){
            s->policies[p], report_mean(s, p, x, &n), report_mean(s, p, y, &n),
            compare_sought(s->policies[p]) ? PAGE_REFERENCE : p == best ? PAGE_BEST : PAGE_PLAIN};
    }
    page_scatter(out, "mean fairness", "mean weighted speedup", points, s->policy_n);
    free(points);
}

static void show_mean_bars(const struct report_setting *s, struct text *out)
{
    char name[ROOM], room[TEXT_NUMBER], note[ROOM];
    u32 n, oracle = s->policy_n > 1 ? oracle_of(s) : s->policy_n;
    text_add(out, "<div class=\"grid small\">\n");
    for (u32 i = 0; i < metric_row_n; i++) {
        const struct metric_row *row = &metric_rows[i];
        double top = 0;
        for (u32 p = 0; p < s->policy_n; p++) top = fmax(top, report_mean(s, p, i, &n));
        if (!(top > 0)) continue;
        double line = oracle < s->policy_n ? report_mean(s, oracle, i, &n) / top : (double)NAN;
        snprintf(note, sizeof note, "%s is better%s", row->best == METRIC_MORE ? "more" : "less",
                 isfinite(line) ? "; line: the oracle's" : "");
        page_bars(out, page_spaced(row->name, name, ROOM), note, line);
        for (u32 p = 0; p < s->policy_n; p++) {
            double mean = report_mean(s, p, i, &n);
            if (!isfinite(mean) || p == oracle) continue;
            struct page_piece piece = {mean / top, p, "app", NULL, 0};
            page_bar(out, s->policies[p], &piece, 1,
                     page_number(mean, page_digits(top), room), best_mean(s, i) == p);
        }
        page_bars_end(out);
    }
    text_add(out, "</div>\n");
}

/* Range of a metric over all points of a setting, the oracle's included. */
struct range { double worst, best; };

static struct range range_of(const struct report_setting *s, u32 metric)
{
    struct range r = {(double)NAN, (double)NAN};
    bool less = metric_rows[metric].best == METRIC_LESS;
    for (u32 i = 0; i < s->set_n * s->policy_n; i++) {
        double value = s->runs[i] ? s->runs[i]->metrics[metric] : (double)NAN;
        r.best = less ? fmin(r.best, value) : fmax(r.best, value);
        r.worst = less ? fmax(r.worst, value) : fmin(r.worst, value);
    }
    return r;
}

static void show_set(const struct report_setting *s, u32 set, u32 metric, u32 n, struct range r,
                     struct text *out)
{
    const struct report_run *const *row = &s->runs[set * s->policy_n];
    bool less = metric_rows[metric].best == METRIC_LESS;
    double best = (double)NAN;
    for (u32 p = 0; p < s->policy_n; p++) {
        if (!row[p] || compare_sought(s->policies[p])) continue;
        double value = row[p]->metrics[metric];
        best = less ? fmin(best, value) : fmax(best, value);
    }
    for (u32 p = 0; p < n; p++) {
        double value = row[p] ? row[p]->metrics[metric] : (double)NAN;
        double share = fabs(r.best - r.worst) > 0 ? (value - r.worst) / (r.best - r.worst) : 1;
        bool real = !compare_sought(s->policies[p]);
        page_heat(out, value, 3, isfinite(value) ? share : (double)NAN,
                  real && !(value < best) && !(value > best));
    }
}

/* Writes a heat map of a metric, with a row per set and a column per policy. */
static void show_sets(const struct report_setting *s, u32 metric, bool seeds, struct text *out)
{
    const char *heads[HEADS] = {"apps", "seed"};
    char name[ROOM], worst[TEXT_NUMBER], best[TEXT_NUMBER];
    u32 first = 1 + seeds, n = min_u32(s->policy_n, HEADS - first);
    struct range r = range_of(s, metric);
    for (u32 p = 0; p < n; p++) heads[p + first] = s->policies[p];
    page_spaced(metric_rows[metric].name, name, ROOM);
    text_add(out, "<details%s><summary>%s of every set of apps under each policy</summary>\n",
             !metric && s->set_n <= OPEN_MAX ? " open" : "", name);
    page_heat_scale(out, page_number(r.worst, 3, worst), page_number(r.best, 3, best));
    page_table(out, name, heads, n + first, 1);
    for (u32 k = 0; k < s->set_n; k++) {
        u32 p = 0;
        while (!s->runs[k * s->policy_n + p]) p++;
        page_row(out, s->runs[k * s->policy_n + p]->apps);
        if (seeds) page_cell(out, (double)report_seed(s, k), 0, false);
        show_set(s, k, metric, n, r, out);
        page_row_end(out);
    }
    page_table_end(out);
    text_add(out, "</details>\n");
}

struct seeds {
    u64 *at;
    u32 n, room;
};

/* Lists the different seeds of a setting. */
static void find_seeds(struct seeds *seeds, const struct report_setting *s)
{
    for (u32 k = 0; k < s->set_n; k++) {
        u32 i = 0;
        while (i < seeds->n && seeds->at[i] != report_seed(s, k)) i++;
        if (i == seeds->n) *base_push(seeds->at, seeds->n, seeds->room) = report_seed(s, k);
    }
}

/* Writes the mean over the seeds of a seed's mean of a metric, with the confidence interval, the
 * least and the greatest. */
static void show_spread(const struct report_setting *s, const struct seeds *seeds, u32 policy,
                        u32 metric, struct text *out)
{
    char middle[TEXT_NUMBER], half[TEXT_NUMBER], from[TEXT_NUMBER], to[TEXT_NUMBER];
    double *means = base_alloc(seeds->n * sizeof *means);
    for (u32 i = 0; i < seeds->n; i++)
        means[i] = report_seed_mean(s, policy, metric, seeds->at[i]);
    struct spread over = spread_of(means, seeds->n);
    free(means);
    text_add(out, "<td class=\"range\">%s &plusmn; %s <small>%s to %s</small></td>",
             page_number(over.mean, 3, middle), page_number(over.half, 3, half),
             page_number(over.least, 3, from), page_number(over.most, 3, to));
}

static void show_seeds(const struct report_setting *s, const struct seeds *seeds,
                       struct text *out)
{
    const char *heads[HEADS] = {"policy"};
    char names[HEADS][ROOM];
    if (seeds->n < 2) return;
    for (u32 i = 0; i < metric_row_n; i++) {
        heads[i + 1] = page_spaced(metric_rows[i].name, names[i], ROOM);
    }
    text_add(out, "<h3>Spread over seeds <small>mean with 95 %% confidence interval, least and "
                  "greatest of the means of %u seeds</small></h3>\n", seeds->n);
    page_table(out, "Spread over seeds", heads, metric_row_n + 1, 1);
    for (u32 p = 0; p < s->policy_n; p++) {
        page_row(out, s->policies[p]);
        for (u32 i = 0; i < metric_row_n; i++) show_spread(s, seeds, p, i, out);
        page_row_end(out);
    }
    page_table_end(out);
}

/* Writes a table of the policies chosen by the oracle, with a row per set. */
static void show_choices(const struct report_setting *s, bool seeds, struct text *out)
{
    const char *heads[HEADS] = {"apps"};
    u32 oracle = oracle_of(s), n = 1;
    if (oracle == s->policy_n) return;
    if (seeds) heads[n++] = "seed";
    heads[n++] = "choice";
    text_add(out, "<details><summary>choice of the oracle for every set of apps</summary>\n");
    page_table(out, "Choice of the oracle", heads, n, 1);
    for (u32 k = 0; k < s->set_n; k++) {
        const struct report_run *run = s->runs[k * s->policy_n + oracle];
        if (!run) continue;
        page_row(out, run->apps);
        if (seeds) page_cell(out, (double)run->seed, 0, false);
        page_word(out, run->chosen);
        page_row_end(out);
    }
    page_table_end(out);
    text_add(out, "</details>\n");
}

static void show_chart(u32 index, struct text *out)
{
    text_add(out, "<h3>Every set of apps under each policy <small>sorted for each "
                  "policy</small></h3>\n"
                  "<figure><figcaption></figcaption>\n"
                  "<ul class=\"legend\"></ul>\n"
                  "<div class=\"chart tall\" role=\"img\" aria-label=\"a curve for each policy; "
                  "the tables below have the values\" data-setting=\"%u\"></div></figure>\n",
             index);
    page_curves(out);
}

static void show_setting(const struct report *r, u32 index, struct text *out)
{
    const struct report_setting *s = &r->settings[index];
    struct seeds seeds = {0};
    find_seeds(&seeds, s);
    text_add(out, "<section id=\"setting%u\">\n<h2>", index + 1);
    if (r->setting_n > 1) text_add(out, "<span class=\"number\">%u</span> ", index + 1);
    page_text(out, s->name);
    text_add(out, "</h2>\n");
    show_scatter(s, out);
    show_means(s, out);
    show_seeds(s, &seeds, out);
    show_mean_bars(s, out);
    if (s->set_n > 1) show_chart(index, out);
    show_choices(s, !one_seed(r), out);
    for (u32 i = 0; i < metric_row_n; i++) show_sets(s, i, !one_seed(r), out);
    page_card_end(out);
    free(seeds.at);
}

static void show_all(const struct report *r, struct text *out)
{
    const char *heads[HEADS] = {"apps", "policy"};
    char names[HEADS][ROOM];
    bool seeds = !one_seed(r);
    u32 n = 2;
    heads[n++] = "status";
    if (r->setting_n > 1) heads[n++] = "setting";
    if (seeds) heads[n++] = "seed";
    heads[n++] = "cycles";
    for (u32 i = 0; i < metric_row_n; i++, n++) {
        heads[n] = page_spaced(metric_rows[i].name, names[i], ROOM);
    }
    heads[n++] = "normalized IPC";
    page_card(out, "All points", "Click a column's name to sort by the column.");
    page_table(out, "All points", heads, n, 3);
    for (u32 i = 0; i < r->run_n; i++) {
        const struct report_run *run = &r->runs[i];
        struct text np = {0};
        page_row(out, run->apps);
        page_word(out, run->policy);
        page_word(out, run->status);
        show_place(r, run, out);
        if (seeds) page_cell(out, (double)run->seed, 0, false);
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
    char name[ROOM];
    json_open(&j, NULL, '{');
    json_open(&j, "metrics", '[');
    for (u32 m = 0; m < metric_row_n; m++) {
        json_open(&j, NULL, '{');
        json_put_text(&j, "name", page_spaced(metric_rows[m].name, name, ROOM));
        json_put_text(&j, "unit", metric_rows[m].unit);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_open(&j, "settings", '[');
    for (u32 i = 0; i < r->setting_n; i++) {
        const struct report_setting *s = &r->settings[i];
        json_open(&j, NULL, '{');
        json_open_flat(&j, "policies", '[');
        for (u32 p = 0; p < s->policy_n; p++) json_put_text(&j, NULL, s->policies[p]);
        json_close(&j, ']');
        if (oracle_of(s) < s->policy_n) json_put_integer(&j, "oracle", oracle_of(s));
        json_open_flat(&j, "best", '['); /* [metric] policy, -1: none */
        for (u32 m = 0; m < metric_row_n; m++) json_put_real(&j, NULL, (s32)best_mean(s, m));
        json_close(&j, ']');
        json_open(&j, "values", '['); /* [metric][policy][set of apps] */
        for (u32 m = 0; m < metric_row_n; m++) {
            json_open(&j, NULL, '[');
            for (u32 p = 0; p < s->policy_n; p++) {
                json_open_flat(&j, NULL, '[');
                for (u32 k = 0; k < s->set_n; k++) {
                    const struct report_run *run = s->runs[k * s->policy_n + p];
                    json_put_real(&j, NULL, run ? run->metrics[m] : (double)NAN);
                }
                json_close(&j, ']');
            }
            json_close(&j, ']');
        }
        json_close(&j, ']');
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
    show_unfinished(r, out);
    show_head(r, out);
    show_trouble(r, out);
    for (u32 i = 0; i < r->setting_n; i++) show_setting(r, i, out);
    show_all(r, out);
    show_data(r, &data);
    page_end(out, "src/run/page/report.js", &data);
    text_free(&data);
}

#include "cli/terminal/blame_table.h"

#include <stdio.h>

#include "cli/terminal/columns.h"
#include "cli/terminal/table.h"

#define LEGEND_BLAME                                                                               \
    "lost: cycles more than alone for the same work, in percent of the app's cycles in this run, " \
    "by cause and by the app that caused the loss; --json has all causes\n"

#define LEGEND_COMPARE                                                                             \
    "lost: cycles more than alone for the same work, in percent of the app's cycles; to: the "     \
    "part caused by the app, with its largest cause; --json has all causes\n"

enum { LINES_SHOWN = 5 };

static double percent(s64 cycles, const struct sim_app *app)
{
    return app->cycles ? 100 * (double)cycles / (double)app->cycles : 0;
}

static u64 size_of(s64 cycles) { return (u64)(cycles < 0 ? -cycles : cycles); }

/* Returns the index of the largest part not shown yet; all: none. */
static u32 largest(const struct blame *b, const bool shown[BLAME_LINES])
{
    u32 best = BLAME_LINES;
    for (u32 i = 0; i < BLAME_LINES; i++) {
        bool more = best == BLAME_LINES ||
                    size_of(b->cycles[i]) > size_of(b->cycles[best]);
        if (b->cycles[i] && !shown[i] && more) best = i;
    }
    return best;
}

static void show_parts(const struct sim *s, const struct sim_app *app, const struct blame *b,
                       struct text *out)
{
    bool shown[BLAME_LINES] = {0};
    const char *join = ": ";
    s64 rest = b->lost - b->unexplained;
    for (u32 n = 0, i; n < LINES_SHOWN; n++) {
        i = largest(b, shown);
        if (i == BLAME_LINES) break;
        shown[i] = true;
        text_add(out, "%s%s to %s %.1f", join, cause_rows[i / APPS_MAX].name,
                 s->apps[i % APPS_MAX].name, percent(b->cycles[i], app));
        rest -= b->cycles[i];
        join = ", ";
    }
    if (rest) text_add(out, "%sother causes %.1f", join, percent(rest, app));
    if (rest) join = ", ";
    if (b->unexplained) text_add(out, "%sunexplained %.1f", join, percent(b->unexplained, app));
}

static void show_app(const struct sim *s, u32 app_id, const struct blame *b, struct text *out)
{
    const struct sim_app *app = &s->apps[app_id];
    text_add(out, "%s %s %.1f %% (%llu of %llu cycles)", app->name, b->lost < 0 ? "gained" : "lost",
             percent((s64)size_of(b->lost), app), (unsigned long long)size_of(b->lost),
             (unsigned long long)app->cycles);
    show_parts(s, app, b, out);
    text_put(out, "\n", 1);
}

/* Shows the levels of the app's loss, each with both orders of the cuts. */
static void show_levels(const struct sim_app *app, const struct blame *b, struct text *out)
{
    const char *join = "  by cuts: ";
    for (u32 i = 0; i < LEVEL_N; i++) {
        if (i == LEVEL_SM && b->merged) continue;
        const char *with = i == LEVEL_SLOTS && b->merged ? "SMs and " : "";
        s64 least = b->levels[i], most = b->reversed[i];
        if (least > most) least = b->reversed[i], most = b->levels[i];
        text_add(out, "%s%s%s %.1f", join, with, level_rows[i].name, percent(least, app));
        if (least != most) text_add(out, " to %.1f", percent(most, app));
        join = ", ";
    }
    text_put(out, "\n", 1);
}

/* Says why a batch with blame has no losses. */
static bool is_skipped(const struct batch *b, struct text *out)
{
    bool skipped = b->setup->from == ALONE_SKIP && b->setup->sim.samples;
    if (skipped)
        text_add(out, "--blame: no losses without isolated runs (--alone skip)\n");
    return skipped;
}

void blame_table_run(const struct batch *batch, bool legend, struct text *out)
{
    const struct batch_run *r = &batch->runs[0];
    size_t from = out->size;
    struct blame b;
    for (u32 a = 0; a < r->sim.app_n; a++)
        if (blame_of(r, a, &b)) {
            show_app(&r->sim, a, &b, out);
            if (b.exact) show_levels(&r->sim.apps[a], &b, out);
        }
    if (is_skipped(batch, out)) legend = false;
    if (r->cuts.known && r->cuts.why_sms && out->size > from)
        text_add(out, "no cut of the SMs: %s\n", r->cuts.why_sms);
    if (r->cuts.why && out->size > from) text_add(out, "no cuts: %s\n", r->cuts.why);
    if (legend && out->size > from) text_add(out, LEGEND_BLAME);
    if (out->size > from) text_put(out, "\n", 1);
    columns_wrap(out, from, columns_wide());
}

/* ---- corun compare ---- */

static void compare_row(struct table *t, const struct sim *s, u32 app_id, const struct blame *b)
{
    const struct sim_app *app = &s->apps[app_id];
    table_set(t, 1, "%s", app->name);
    table_set(t, 2, "%.1f", percent(b->lost, app));
    for (u32 c = 0; c < s->app_n; c++) {
        enum cause most;
        s64 cycles = blame_to(b, c, &most);
        if (c == app_id) table_set(t, 3 + c, "-");
        else if (most == CAUSE_N) table_set(t, 3 + c, "0.0");
        else table_set(t, 3 + c, "%.1f %s", percent(cycles, app), cause_rows[most].name);
    }
    table_set(t, 3 + s->app_n, "%.1f", percent(b->unexplained, app));
}

void blame_table_compare(const struct batch *b, bool legend, struct text *out)
{
    const char *heads[APPS_MAX + 4] = {"policy", "app", "lost %"};
    char names[APPS_MAX][TABLE_CELL];
    const struct sim *first = &b->runs[0].sim;
    struct blame blame;
    struct table t;
    bool some = false;
    for (u32 a = 0; a < first->app_n; a++) {
        snprintf(names[a], TABLE_CELL, "to %s", first->apps[a].name);
        heads[3 + a] = names[a];
    }
    heads[3 + first->app_n] = "unexplained";
    table_head(&t, heads, 4 + first->app_n);
    for (u32 r = 0; r < b->run_n; r++) {
        for (u32 a = 0; a < b->runs[r].sim.app_n; a++) {
            if (batch_failed(b, r) || !blame_of(&b->runs[r], a, &blame)) continue;
            if (!some) text_put(out, "\n", 1);
            if (t.row_n == TABLE_ROWS) {
                table_show(&t, out);
                table_head(&t, heads, 4 + first->app_n);
            }
            table_row(&t, b->setup->policies[r]);
            compare_row(&t, &b->runs[r].sim, a, &blame);
            some = true;
        }
    }
    if (!some) is_skipped(b, out);
    if (!some) return;
    table_show(&t, out);
    if (legend) text_add(out, LEGEND_COMPARE);
}

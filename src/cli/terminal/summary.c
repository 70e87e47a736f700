#include "cli/terminal/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/terminal/blame_table.h"
#include "cli/terminal/columns.h"
#include "cli/terminal/delay_table.h"
#include "cli/terminal/energy_table.h"
#include "cli/terminal/part_table.h"
#include "cli/terminal/request_table.h"
#include "cli/terminal/table.h"
#include "run/study/seeds.h"
#include "run/result/result.h"

void summary_title(const struct batch *b, struct text *out)
{
    const struct sim *s = &b->runs[0].sim;
    for (u32 i = 0; i < s->app_n; i++) text_add(out, "%s%s", i ? " + " : "", s->apps[i].name);
    text_add(out, " on %s, until %s", s->setup->gpu->name, until_name(s->setup->until));
}

const char *summary_name(const char *metric, char *room, size_t n)
{
    snprintf(room, n, "%s", metric);
    for (char *p = room; *p; p++) {
        if (*p == '_') *p = ' ';
    }
    return room;
}

static void show_apps(const struct batch_run *r, struct text *out)
{
    static const char *const heads[] = {"app", "cycles", "completed", "IPC", "alone IPC",
                                        "normalized", "checked", "blocks/SM"};
    static const char *const checks[] = {"-", "WRONG", "yes"};
    struct table t;
    table_head(&t, heads, COUNT_OF(heads));
    for (u32 i = 0; i < r->sim.app_n; i++) {
        const struct sim_app *app = &r->sim.apps[i];
        table_row(&t, app->name);
        table_integer(&t, 1, app->cycles);
        table_set(&t, 2, "%llux", (unsigned long long)app->completions);
        table_real(&t, 3, app_ipc_thread(app), 2);
        table_real(&t, 4, run_alone_ipc(r, i), 2);
        table_real(&t, 5, run_normalized_ipc(r, i), 3);
        table_set(&t, 6, "%s", checks[app->checked + 1]);
        table_set(&t, 7, "%u", app->blocks_per_sm);
    }
    table_show(&t, out);
}

static void show_metrics(const struct batch_run *r, u32 columns, struct text *out)
{
    char name[64];
    size_t line = out->size;
    for (u32 i = 0; i < metric_row_n; i++) {
        double value = run_metric(r, &metric_rows[i]);
        struct text one = {0};
        text_add(&one, "%s ", summary_name(metric_rows[i].name, name, sizeof name));
        if (isfinite(value)) text_add(&one, "%.3f", value);
        else text_add(&one, "-");
        bool fits = out->size - line + 3 + one.size <= columns;
        text_add(out, "%s%s", !i ? "" : fits ? "   " : "\n", one.bytes);
        if (i && !fits) line = out->size - one.size;
        text_free(&one);
    }
    text_put(out, "\n", 1);
}

static void add_spread(struct table *t, const char *app, const char *quantity, struct spread s)
{
    char first[TABLE_CELL];
    snprintf(first, sizeof first, "%s%s%s", app, *app ? " " : "", quantity);
    table_row(t, first);
    table_real(t, 1, s.mean, 3);
    if (isfinite(s.half)) table_set(t, 2, "+-%.3f", s.half);
    else table_set(t, 2, "-");
    table_real(t, 3, s.least, 3);
    table_real(t, 4, s.most, 3);
}

/* Shows means over the seeds. The other tables are of the first seed. */
static void show_seeds(const struct batch *b, struct text *out)
{
    char first[64], name[64];
    const char *heads[] = {first, "mean", "95 %", "least", "most"};
    const struct batch_run *r = &b->runs[0];
    u64 seed = b->setup->sim.seed;
    u32 n = seeds_app(b, 0, 0, SEEDS_IPC).n;
    struct table t;
    snprintf(first, sizeof first, "seeds %llu to %llu", (unsigned long long)seed,
             (unsigned long long)seed + b->seeds.n - 1);
    table_head(&t, heads, COUNT_OF(heads));
    for (u32 a = 0; a < r->sim.app_n; a++) {
        add_spread(&t, r->sim.apps[a].name, "IPC", seeds_app(b, 0, a, SEEDS_IPC));
        add_spread(&t, r->sim.apps[a].name, "normalized",
                   seeds_app(b, 0, a, SEEDS_NORMALIZED_IPC));
        request_table_seeds(b, a, &t, add_spread);
    }
    for (u32 i = 0; i < metric_row_n; i++) {
        add_spread(&t, "", summary_name(metric_rows[i].name, name, sizeof name),
                   seeds_metric(b, 0, &metric_rows[i]));
    }
    table_show(&t, out);
    if (n < b->seeds.n) text_add(out, "completed with %u of %u seeds\n", n, b->seeds.n);
    text_add(out, "all other tables are of seed %llu\n\n", (unsigned long long)seed);
}

static void add_share(struct table *t, u32 column, const struct ratio_row *row,
                      const struct gpu_stat *s, const struct gpu_capacity *c)
{
    double share = ratio_of(row, s, c);
    if (isfinite(share)) table_set(t, column, "%.1f %%", 100 * share);
    else table_set(t, column, "-");
}

/* Shows issued cycles and all stall.* ratios, per app and for the GPU. */
static void show_cycles(const struct sim *s, struct text *out)
{
    const struct ratio_row *rows[TABLE_COLUMNS] = {ratio_find("sched.utilization")};
    const char *heads[TABLE_COLUMNS + 1] = {"scheduler cycles", "issued"};
    u32 n = 1;
    for (u32 i = 0; i < gpu_ratio_row_n && n + 1 < TABLE_COLUMNS; i++) {
        const char *cause = stall_name(&gpu_ratio_rows[i]);
        if (!cause) continue;
        rows[n++] = &gpu_ratio_rows[i];
        heads[n] = cause;
    }
    struct table t;
    table_head(&t, heads, n + 1);
    for (u32 i = 0; i < s->app_n; i++) {
        table_row(&t, s->apps[i].name);
        for (u32 k = 0; k < n; k++) {
            add_share(&t, k + 1, rows[k], &s->apps[i].stats, &s->apps[i].capacity);
        }
    }
    table_row(&t, "GPU");
    for (u32 k = 0; k < n; k++) add_share(&t, k + 1, rows[k], &s->stats, &s->capacity);
    table_show(&t, out);
}

static void show_speed(const struct batch *b, const struct sim *s, struct text *out)
{
    double seconds = s->loop_seconds > 0 ? s->loop_seconds : 1e-9;
    text_add(out, "simulated %.2f M warp instructions/s, %.0f k cycles/s; ",
             (double)s->stats.sm.inst_warp / seconds / 1e6, (double)s->cycles / seconds / 1e3);
    if (s->functional_warp)
        text_add(out, "functionally %.2f M warp instructions/s; ",
                 (double)s->functional_warp / s->functional_seconds / 1e6);
    text_add(out, "%.1f s in all, %.0f MB\n", b->wall_seconds, (double)peak_rss_bytes() / 1e6);
}

static void show_functional(const struct sim *s, struct text *out)
{
    for (u32 i = 0; i < s->app_n; i++) {
        const struct sim_app *app = &s->apps[i];
        if (!app->functional) continue;
        text_add(out, "%s: %llu of %llu launches ran functionally, in no simulated time; the app's "
                 "clocks counted %llu ns\n", app->name, (unsigned long long)app->functional,
                 (unsigned long long)app->launches, (unsigned long long)app->functional_ns);
        if (app->repeated)
            text_add(out, "%s: %llu of these launches repeated an earlier one, with equal contents "
                     "of memory, and were not executed\n", app->name,
                     (unsigned long long)app->repeated);
    }
}

static void show_logs(const struct sim *s, struct text *out)
{
    for (u32 i = 0; i < s->policy.n; i++) {
        const struct sim_lines *log = &s->logs[i];
        if (!log->n) continue;
        text_add(out, "%s wrote %llu line%s:\n%s\n", s->policy.at[i].policy->name,
                 (unsigned long long)log->n, log->n == 1 ? "" : "s", log->lines);
    }
}

void summary_show(const struct batch *b, bool legend, bool delays, struct text *out)
{
    const struct batch_run *r = &b->runs[0];
    u32 columns = columns_wide();
    size_t from = out->size;
    summary_title(b, out);
    text_add(out, ", policy %s: %s after %llu cycles\n\n", r->sim.setup->policy,
             sim_status_name(r->sim.status), (unsigned long long)r->sim.cycles);
    columns_wrap(out, from, columns);
    show_apps(r, out);
    from = out->size;
    show_functional(&r->sim, out);
    columns_wrap(out, from, columns);
    text_put(out, "\n", 1);
    request_table_show(&r->sim, out);
    if (delays) delay_table_show(&r->sim, out);
    else delay_never_show(&r->sim, out);
    show_metrics(r, columns, out);
    text_put(out, "\n", 1);
    if (b->seeds.n) show_seeds(b, out);
    show_cycles(&r->sim, out);
    from = out->size;
    if (legend) text_add(out, LEGEND_CYCLES);
    columns_wrap(out, from, columns);
    text_put(out, "\n", 1);
    blame_table_run(b, legend, out);
    if (b->setup->energy) {
        energy_table_run(r, legend, out);
        text_put(out, "\n", 1);
    }
    if (r->sim.parts.n) {
        part_table_show(&r->sim, out);
        text_put(out, "\n", 1);
    }
    show_logs(&r->sim, out);
    if (r->sim.warnings.n) {
        warnings_show(&r->sim.warnings, out);
        text_put(out, "\n", 1);
    }
    from = out->size;
    show_speed(b, &r->sim, out);
    columns_wrap(out, from, columns);
}

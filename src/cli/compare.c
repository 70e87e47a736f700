/* corun compare: the same apps under several policies, a row each. */
#include <math.h>
#include <string.h>
#include "cli/common/guarded.h"
#include "cli/common/setup.h"
#include "cli/terminal/blame_table.h"
#include "cli/terminal/columns.h"
#include "cli/terminal/delay_table.h"
#include "cli/terminal/energy_table.h"
#include "cli/terminal/request_table.h"
#include "cli/terminal/summary.h"
#include "cli/terminal/table.h"
#include "run/jobs/processors.h"
#include "run/page/compare.h"
#include "run/result/result.h"
#include "run/study/seeds.h"

enum { POLICIES_MAX = TABLE_COLUMNS - 1 }; /* limited by a table with a column per policy */

/* Splits SPEC,SPEC,...; commas inside brackets belong to a specification. */
static u32 split_policies(const char *list, struct text *copies, const char **policies,
                          struct fail *fail)
{
    u32 n = 0, depth = 0;
    if (!list) {
        fail_plain(fail, "compare needs --policies SPEC,SPEC,...");
        return 0;
    }
    text_add(copies, "%s", list);
    char *start = copies->bytes;
    for (char *p = start;; p++) {
        if (*p == '[') depth++;
        if (*p == ']' && depth) depth--;
        if (*p && (*p != ',' || depth)) continue;
        bool last = !*p;
        *p = 0;
        if (n == POLICIES_MAX) {
            fail_plain(fail, "more than %d policies", POLICIES_MAX);
            return 0;
        }
        policies[n++] = start;
        start = p + 1;
        if (last) return n;
    }
}

/* Sets a cell to a mean, with the half width of the confidence interval if known. */
static void set_spread(struct table *t, u32 column, struct spread s)
{
    if (s.n > 1) table_set(t, column, "%.3f +-%.3f", s.mean, s.half);
    else table_real(t, column, s.mean, 3);
}

static void show_table(const struct batch *b, struct text *out)
{
    const char *heads[TABLE_COLUMNS] = {"policy", "cycles"};
    char names[TABLE_COLUMNS][TABLE_CELL];
    struct compare_oracle oracle;
    bool has_oracle = compare_oracle(b, &oracle);
    u32 n = 2;
    for (u32 i = 0; i < metric_row_n; i++, n++) {
        heads[n] = summary_name(metric_rows[i].name, names[n], TABLE_CELL);
    }
    if (has_oracle) heads[n++] = "of oracle";
    struct table t;
    table_head(&t, heads, n);
    for (u32 r = 0; r < b->run_n; r++) {
        const struct batch_run *run = &b->runs[r];
        table_row(&t, b->setup->policies[r]);
        if (batch_failed(b, r)) table_set(&t, 1, "%s", sim_status_name(run->sim.status));
        else table_integer(&t, 1, run->sim.cycles);
        for (u32 i = 0; i < metric_row_n; i++) {
            set_spread(&t, i + 2, seeds_metric(b, r, &metric_rows[i]));
        }
        double fraction = has_oracle ? compare_of_oracle(b, &oracle, r) : (double)NAN;
        if (isfinite(fraction)) table_set(&t, n - 1, "%.1f %%", 100 * fraction);
    }
    table_show(&t, out);
    if (!has_oracle) return;
    char name[TABLE_CELL];
    struct text found = {0};
    compare_found(b, &oracle, &found);
    size_t from = out->size;
    text_add(out, "of oracle: how close the policy comes to the oracle's %s (100 %%: equal)%s%s\n",
             summary_name(oracle.metric->name, name, sizeof name), found.size ? ", " : "",
             text_get(&found));
    columns_wrap(out, from, columns_wide());
    text_free(&found);
}

static void show_apps(const struct batch *b, struct text *out)
{
    const char *columns[TABLE_COLUMNS] = {"normalized IPC"};
    u32 n = 1;
    for (u32 r = 0; r < b->run_n && n < TABLE_COLUMNS; r++) {
        columns[n++] = b->setup->policies[r];
    }
    struct table t;
    table_head(&t, columns, n);
    for (u32 a = 0; a < b->runs[0].sim.app_n; a++) {
        table_row(&t, b->runs[0].sim.apps[a].name);
        for (u32 r = 0; r + 1 < n; r++) {
            set_spread(&t, r + 1, seeds_app(b, r, a, SEEDS_NORMALIZED_IPC));
        }
    }
    table_show(&t, out);
}

/* Shows the warnings of all runs, each warning once. */
static void show_warnings(const struct batch *b, struct text *out)
{
    struct warnings all = {0};
    for (u32 r = 0; r < b->run_n; r++) warnings_merge(&all, &b->runs[r].sim.warnings);
    if (all.n) text_put(out, "\n", 1);
    warnings_show(&all, out);
    warnings_free(&all);
}

static void show_tables(const struct batch *b, bool legend, bool delays, struct text *out)
{
    size_t from = out->size;
    summary_title(b, out);
    text_put(out, "\n", 1);
    compare_verdict(b, out);
    text_add(out, "\n\n");
    columns_wrap(out, from, columns_wide());
    show_table(b, out);
    text_put(out, "\n", 1);
    show_apps(b, out);
    request_table_compare(b, out);
    if (delays) delay_table_runs(b, out);
    from = out->size;
    blame_table_compare(b, legend, out);
    delay_never_compare(b, out);
    if (b->seeds.n)
        text_add(out, "means over the seeds %llu to %llu with 95 %% confidence intervals; cycles "
                 "are those of seed %llu\n", (unsigned long long)b->setup->sim.seed,
                 (unsigned long long)b->setup->sim.seed + b->seeds.n - 1,
                 (unsigned long long)b->setup->sim.seed);
    for (u32 r = 0; r < b->run_n && b->seeds.n; r++) {
        u32 n = seeds_app(b, r, 0, SEEDS_IPC).n;
        if (n < b->seeds.n)
            text_add(out, "%s completed with %u of %u seeds\n", b->setup->policies[r], n,
                     b->seeds.n);
    }
    if (legend) text_add(out, LEGEND_METRICS);
    columns_wrap(out, from, columns_wide());
    if (b->setup->energy) {
        text_put(out, "\n", 1);
        energy_table_runs(b, legend, out);
    }
    show_warnings(b, out);
}

/* Shows the output of CUDA programs, each line with policy and app. */
static void show_written(const struct batch *b, struct text *out)
{
    for (u32 r = 0; r < b->run_n; r++) {
        for (u32 a = 0; a < b->runs[r].sim.app_n; a++) {
            const struct sim_app *app = &b->runs[r].sim.apps[a];
            for (size_t at = 0, n; at < app->written.size; at += n) {
                const char *line = app->written.bytes + at, *end;
                size_t left = app->written.size - at;
                end = memchr(line, '\n', left);
                n = end ? (size_t)(end - line) + 1 : left;
                text_add(out, "%s, %s: ", b->setup->policies[r], app->name);
                text_put(out, line, n);
                if (!end) text_put(out, "\n", 1);
            }
        }
    }
}

static bool write_page(const char *path, void (*show)(const struct batch *, struct text *),
                       const struct batch *b, struct console *c)
{
    if (!path) return true;
    struct text text = {0};
    show(b, &text);
    bool ok = setup_write(path, &text, c);
    text_free(&text);
    return ok;
}

static int compare(const struct guarded *g, const struct options *o, struct console *c)
{
    struct setup setup = {0};
    struct batch b = {0};
    struct text command = {0};
    const struct output outputs[] = {output_option("--json", o->json),
                                     output_option("--html", o->html)};
    bool ok = setup_make(&setup, o, g->policies, g->policy_n, &c->fail) &&
              setup_outputs(outputs, COUNT_OF(outputs), o, &c->fail);
    options_command(o, "compare", &command);
    setup.batch.sim.command = command.bytes;
    setup.batch.sim.outputs = outputs;
    setup.batch.label = true;
    setup.batch.sim.program_fd = 0;
    setup.batch.sim.program_keep = o->show_output;
    setup.batch.hook_call = c->hook_call;
    setup.batch.failed = c->failed;
    setup.batch.sim.output_n = COUNT_OF(outputs);
    setup.batch.threads = o->compare_threads ? (u32)o->compare_threads : processors_allowed();
    if (c->in_turn) setup.batch.threads = 1;
    if (ok) setup.batch.sim.threads = setup_sim_threads(o, setup.batch.threads, &c->fail);
    if (ok && o->html) {
        setup.batch.sim.interval = COMPARE_INTERVAL;
        setup.batch.sim.interval_most = COMPARE_INTERVAL_MOST;
    }
    ok = ok && batch_run(&b, &setup.batch, &c->fail);
    int status = ok ? setup_verdict(o, &b, &c->fail) : EXIT_INPUT;
    if (ok) status = setup_repeat(o, &b, status, &c->fail);
    progress_end(&setup.progress);
    if (ok) {
        c->keep = true;
        setup_tell_outputs(&b, o, &c->fail);
        bool table = setup_table(outputs, COUNT_OF(outputs), o);
        show_written(&b, table || o->quiet ? &c->out : &c->fail.text);
        if (!write_page(o->json, result_compare_json, &b, c)) status = EXIT_INPUT;
        if (!write_page(o->html, compare_page, &b, c)) status = EXIT_INPUT;
        if (table) show_tables(&b, o->legend == SWITCH_ON, o->waiting, &c->out);
    }
    if (b.setup) batch_free(&b);
    setup_free(&setup);
    text_free(&command);
    return status;
}

static int compare_failed(const struct options *o, const char *policy, u64 cycle, const char *why,
                          bool interrupted, struct console *c)
{
    return setup_failed(true, o, policy, cycle, why, interrupted, c);
}

int command_compare(const struct options *o, struct console *c)
{
    struct text copies = {0};
    const char *policies[POLICIES_MAX];
    u32 n = split_policies(o->policies, &copies, policies, &c->fail);
    const struct guarded g = {policies, n, compare, compare_failed, true};
    int status = n ? guarded_run(&g, o, c) : EXIT_INPUT;
    text_free(&copies);
    return status;
}

#include "cli/terminal/delay_table.h"

#include <stdio.h>
#include <stdlib.h>
#include "cli/terminal/columns.h"
#include "cli/terminal/table.h"

static void show_row(struct table *t, const char *app, const char *kind,
                     const struct delay_summary *d)
{
    const u64 cycles[] = {d->p50, d->p95, d->p99, d->most};
    table_row(t, app);
    table_set(t, 1, "%s", kind);
    table_integer(t, 2, d->n);
    for (u32 k = 0; k < COUNT_OF(cycles); k++) {
        if (d->n) table_integer(t, 3 + k, cycles[k]);
        else table_set(t, 3 + k, "-");
    }
    table_integer(t, 7, d->open_n);
    if (d->open_n) table_integer(t, 8, d->open_most);
    else table_set(t, 8, "-");
}

/* Explains the kinds of delays shown. */
static void legend_show(const bool shown[DELAY_N], struct text *out)
{
    size_t from = out->size;
    for (u32 k = 0; k < DELAY_N; k++)
        if (shown[k]) text_add(out, "%s: %s\n", delay_rows[k].name, delay_rows[k].sentence);
    if (out->size == from) return;
    columns_wrap(out, from, columns_wide());
    text_put(out, "\n", 1);
}

void delay_table_show(const struct sim *s, struct text *out)
{
    static const char *const heads[] = {"delays in cycles", "of", "n", "p50", "p95", "p99", "max",
                                        "still waiting", "longest"};
    bool shown[DELAY_N] = {0};
    struct table *t = base_alloc(sizeof *t);
    table_head(t, heads, COUNT_OF(heads));
    for (u32 a = 0; a < s->app_n; a++) {
        for (u32 k = 0; k < DELAY_N; k++) {
            const struct delay_summary *d = &s->apps[a].delays[k];
            if (!d->n && !d->open_n) continue;
            show_row(t, s->apps[a].name, delay_rows[k].name, d);
            shown[k] = true;
        }
    }
    if (t->row_n > 1) table_show(t, out);
    free(t);
    legend_show(shown, out);
}

/* Returns true if a run has delays of the kind. */
static bool has_delays(const struct batch *b, u32 app, u32 kind)
{
    bool has = false;
    for (u32 r = 0; r < b->run_n; r++) {
        const struct delay_summary *d = &b->runs[r].sim.apps[app].delays[kind];
        has |= d->n || d->open_n;
    }
    return has;
}

/* Adds rows for a kind of delays of an app, a column for each policy. */
static void show_kind(struct table *t, const struct batch *b, u32 app, u32 kind)
{
    static const char *const names[] = {"n", "p50", "p95", "p99", "max", "still waiting",
                                        "longest"};
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        char name[TABLE_CELL];
        snprintf(name, sizeof name, "%s %s", delay_rows[kind].name, names[i]);
        table_row(t, name);
        for (u32 r = 0; r < b->run_n; r++) {
            const struct delay_summary *d = &b->runs[r].sim.apps[app].delays[kind];
            const u64 cycles[] = {d->n, d->p50, d->p95, d->p99, d->most, d->open_n, d->open_most};
            bool known = i == 0 || i == 5 || (i < 5 ? d->n : d->open_n);
            if (known && !batch_failed(b, r)) table_integer(t, r + 1, cycles[i]);
            else table_set(t, r + 1, "-");
        }
    }
}

void delay_table_runs(const struct batch *b, struct text *out)
{
    const char *heads[TABLE_COLUMNS];
    char first[TABLE_CELL];
    bool shown[DELAY_N] = {0};
    struct table *t = base_alloc(sizeof *t);
    for (u32 r = 0; r < b->run_n; r++) heads[r + 1] = b->setup->policies[r];
    for (u32 a = 0; a < b->runs[0].sim.app_n; a++) {
        snprintf(first, sizeof first, "%s: delays in cycles", b->runs[0].sim.apps[a].name);
        heads[0] = first;
        table_head(t, heads, b->run_n + 1);
        for (u32 k = 0; k < DELAY_N; k++) {
            if (!has_delays(b, a, k)) continue;
            show_kind(t, b, a, k);
            shown[k] = true;
        }
        if (t->row_n == 1) continue;
        text_put(out, "\n", 1);
        table_show(t, out);
    }
    free(t);
    legend_show(shown, out);
}

/* Appends a line for each app of which no launch has started a block. */
static void show_never(const struct sim *s, const char *before, struct text *out)
{
    for (u32 a = 0; a < s->app_n; a++) {
        const struct delay_summary *d = &s->apps[a].delays[DELAY_launch];
        if (d->n || !d->open_n) continue;
        text_add(out, "%s%s: no launch has started a block; the first has waited for %llu cycles\n",
                 before, s->apps[a].name, (unsigned long long)d->open_most);
    }
}

void delay_never_show(const struct sim *s, struct text *out)
{
    size_t from = out->size;
    show_never(s, "", out);
    if (out->size == from) return;
    columns_wrap(out, from, columns_wide());
    text_put(out, "\n", 1);
}

void delay_never_compare(const struct batch *b, struct text *out)
{
    for (u32 r = 0; r < b->run_n; r++) {
        struct text before = {0};
        text_add(&before, "%s, ", b->setup->policies[r]);
        if (!batch_failed(b, r)) show_never(&b->runs[r].sim, before.bytes, out);
        text_free(&before);
    }
}
